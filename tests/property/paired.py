# SPDX-License-Identifier: Apache-2.0
"""A row against its reference row, or the peak that it measured beside its work: the two sides of one round with each other, and Student's t
over the rounds."""
import math

import expression
from interval import Number, Unsure, compare, equal, student_interval
from rows import FEWEST_ROUNDS
from scope import NotJudged, RoundScope, RowScope, evaluate, first_named, together


def statuses(that, scope, sides):
    """One of each pair of values; None where the rows cannot be compared round by round."""
    if not isinstance(scope, RowScope):
        return None
    bases = {part[2] for part in expression.parts(that) if part[0] == "share"}
    faces_peak = "peak" in bases and scope.row.beside and "throughput" in expression.names(that)
    if "reference" not in bases and not faces_peak:
        return None
    if any(part[0] == "call" and part[1][0] == "p" for part in expression.parts(that)):
        return None
    reference = scope.reference() if "reference" in bases else scope
    if not all(_measured(name, each) for name in _names(that) for each in (scope, reference)):
        return None
    common = [(i, j) for i, one in enumerate(scope.row.rounds) for j, other in enumerate(reference.row.rounds)
              if one["round"] == other["round"]]
    if len(common) < FEWEST_ROUNDS:
        return None
    rounds = []
    for i, j in common:
        pairs = _pairs(that, RoundScope(scope, i, RoundScope(reference, j)))
        if pairs is None or len(pairs) != len(together(*sides)):
            return None
        rounds.append(pairs)
    looks = max(each.row.case["looks"] for each in (scope, reference))
    return [compare(Number(1.0), that[0], Number(1.0)) if all(equal(a, b) for a, b in pair)
            else _status(that[0], [(a.value, b.value) for a, b in pair], looks) for pair in zip(*rounds)]


def _names(that):
    shares = [part[2] for part in expression.parts(that) if part[0] == "share"]
    return expression.names(that) + [base for base in shares if base not in ("reference", "peak", "baseline")]


def _measured(name, scope):
    for derived, tree in scope.world["derive"]:
        if derived == name:
            metrics = [scope.row.metrics.get(part) for part in expression.names(tree)]
            return not all(metric and metric.observed for metric in metrics)
    metric = scope.row.metrics.get(name)
    return bool(metric) and not metric.observed


def _pairs(that, scope):
    left_name, right_name = first_named(that[1]), first_named(that[2])
    try:
        return together(evaluate(that[1], scope, right_name or left_name), evaluate(that[2], scope, left_name or right_name))
    except NotJudged:
        return None


def _status(relation, rounds, looks):
    if all(a > 0 and b > 0 for a, b in rounds):
        logs = [math.log(a / b) for a, b in rounds]
        mean, low, high = student_interval(logs, looks) if len(set(logs)) > 1 else (logs[0],) * 3
        return compare(Number(math.exp(mean), (math.exp(low), math.exp(high))), relation, Number(1.0))
    differences = [a - b for a, b in rounds]
    mean, low, high = student_interval(differences, looks)
    largest = max(max(abs(a), abs(b)) for a, b in rounds)
    if any(0 < abs(end) <= 1e-9 * largest for end in (low, high)):
        raise Unsure("a difference that is nearly none")
    return compare(Number(mean, (low, high)), relation, Number(0.0))
