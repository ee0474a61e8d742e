# SPDX-License-Identifier: Apache-2.0
"""Expressions as trees: what the generator makes, what it writes into a suite, and what the naive judge reads.

A tree is a tuple whose first entry says what it is:
  ("number", "1.05", "MB/s")       a quantity as it is written, unit "" for a plain number
  ("text", "ring")                 a text beside == or !=
  ("name", "bandwidth")            a metric, derived metric, telemetry quantity, fact, or a name of `let`
  ("share", "95", "reference")     95% of reference
  ("band", "bandwidth")            bandwidth within band
  ("call", "min", tree, axis)      axis None: over the values of one row
  ("selector", case, ((axis, text), ...), metric)
  ("+" | "-" | "*" | "/", a, b), ("negate", a)
  ("<" | "<=" | ">" | ">=" | "==" | "!=", a, b)
"""
from fractions import Fraction

SCALES = {"": 1.0, "%": 0.01, "MB/s": 1e6, "us": 1e-6, "W": 1.0, "J": 1.0, "img/s": 1.0}
_FRACTIONS = {"": 1, "%": Fraction(1, 100), "MB/s": 10 ** 6, "us": Fraction(1, 10 ** 6), "W": 1, "J": 1, "img/s": 1}
RELATIONS = ("<", "<=", ">", ">=", "==", "!=")
_LEVEL = {"+": 1, "-": 1, "*": 2, "/": 2}


def quantity(tree):
    """The value in base units of a quantity."""
    return float(Fraction(tree[1]) * _FRACTIONS[tree[2]])


def share(tree):
    """95% of something: 0.95."""
    return float(Fraction(tree[1]) / 100)


def _inner(tree, level, right=False):
    text = write(tree)
    own = _LEVEL.get(tree[0], 1 if tree[0] == "negate" else 9)
    return "(" + text + ")" if own < level or (right and own == level) else text


def write(tree):
    kind = tree[0]
    if kind == "number":
        return tree[1] + ("" if tree[2] in ("", "%") else " ") + tree[2]
    if kind == "text":
        return '"' + tree[1] + '"'
    if kind == "name":
        return tree[1]
    if kind == "band":
        return tree[1] + " within band"
    if kind == "share":
        return tree[1] + "% of " + tree[2]
    if kind == "call":
        return tree[1] + "(" + write(tree[2]) + (" over " + tree[3] if tree[3] else "") + ")"
    if kind == "selector":
        return tree[1] + "[" + ",".join(a + "=" + t for a, t in tree[2]) + "]." + tree[3]
    if kind == "negate":
        return "-" + _inner(tree[1], 3)
    if kind in RELATIONS:
        return write(tree[1]) + " " + kind + " " + write(tree[2])
    level = _LEVEL[kind]
    return _inner(tree[1], level) + " " + kind + " " + _inner(tree[2], level, right=True)


def parts(tree):
    """The tree and all below it."""
    yield tree
    for part in tree[1:]:
        if isinstance(part, tuple) and part and isinstance(part[0], str):
            yield from parts(part)


def names(tree):
    return [part[1] for part in parts(tree) if part[0] == "name"]


def is_group(tree):
    return any(part[0] == "call" and part[3] for part in parts(tree))
