# SPDX-License-Identifier: Apache-2.0
"""Numbers that are known within an interval.

Of some intervals the documents say only what they are about (those of the samples of one process), so a number has two:
`inner` lies within the interval that a judge may use and `outer` around it. A verdict on which both agree is sure;
where they disagree, or where two ends are so near that rounding decides, `Unsure` is raised and the generator leaves
it out.
"""
import functools
import itertools
import math

INFINITY = float("inf")


class Unsure(Exception):
    """The rules do not say, to the last digit, what comes out."""


def same(a, b, operand=0.0):
    """Equal, but for the last digits that arithmetic rounds away: 1e-12 of what it was done with."""
    return a == b or (math.isfinite(a) and math.isfinite(b) and abs(a - b) <= 1e-12 * max(abs(a), abs(b), abs(operand)))


def equal(a, b):
    """The same of two exact numbers. Whole ones are countable: with a difference of one they differ, until a double cannot tell."""
    if float(a.value).is_integer() and float(b.value).is_integer():
        return abs(a.value - b.value) <= max(a.operand, b.operand) * 2.0 ** -50
    return same(a.value, b.value, max(a.operand, b.operand))


class Number:
    def __init__(self, value, inner=None, outer=None, indices=(), operand=0.0, times=1):
        self.value = value
        self.times = times      # how often it was seen
        self.operand = operand  # the largest number that it was calculated from; 0 of one that was not
        self.inner = inner or (value, value)
        self.outer = outer or self.inner
        self.indices = indices

    @property
    def exact(self):
        return self.outer == (self.value, self.value)


def _corners(a, b, operation):
    ends = [operation(x, y) for x, y in itertools.product(a, b)]
    return min(ends), max(ends)


def _times(x, y):
    return 0.0 if x == 0 or y == 0 else x * y


def _quotient(a, b):
    if b[0] <= 0 <= b[1]:
        return -INFINITY, INFINITY
    return _corners(a, (1 / b[1], 1 / b[0]), _times)


_VALUES = {"+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y,
           "/": lambda x, y: x / y}
_INTERVALS = {"+": lambda a, b: (a[0] + b[0], a[1] + b[1]), "-": lambda a, b: (a[0] - b[1], a[1] - b[0]),
              "*": lambda a, b: _corners(a, b, _times), "/": _quotient}


def is_nothing(number):
    """Zero, or what rounding left of it: nothing can be divided by it."""
    return abs(number.value) <= 1e-12 * number.operand


def combine(kind, a, b):
    if kind == "/" and is_nothing(b):
        return Number(math.nan, (-INFINITY, INFINITY))
    value = _VALUES[kind](a.value, b.value)
    if a.exact and b.exact:
        scale = {"+": 1.0, "-": 1.0, "*": max(abs(a.value), abs(b.value)), "/": 1 / abs(b.value) if b.value else 0.0}[kind]
        largest = max(abs(a.value), abs(b.value), a.operand, b.operand) if kind in "+-" else \
            max(abs(value), scale * max(a.operand, b.operand if kind == "*" else 0.0))
        return Number(value, indices=a.indices or b.indices, operand=largest, times=a.times * b.times)
    intervals = _INTERVALS[kind]
    return Number(value, intervals(a.inner, b.inner), intervals(a.outer, b.outer), a.indices or b.indices)


def negate(a):
    return Number(-a.value, (-a.inner[1], -a.inner[0]), (-a.outer[1], -a.outer[0]), a.indices, a.operand, a.times)


def _less(x, y, or_equal, exact):
    """x < y, or x <= y, of two ends."""
    if x != y and math.isfinite(x - y) and abs(x - y) <= 1e-9 * max(abs(x), abs(y)):
        raise Unsure("ends that nearly meet")
    if x == y and not (exact and float(x).is_integer()):
        raise Unsure("ends that meet and are not whole numbers")
    return x <= y if or_equal else x < y


def _truth(a, relation, b, exact):
    if relation in (">", ">="):
        return _truth(b, "<" if relation == ">" else "<=", a, exact)
    if relation in ("<", "<="):
        or_equal = relation == "<="
        if _less(a[1], b[0], or_equal, exact):
            return "passed"
        return "failed" if _less(b[1], a[0], not or_equal, exact) else "undecided"
    apart = _less(a[1], b[0], False, exact) or _less(b[1], a[0], False, exact)
    equal = exact and not apart
    if relation == "==":
        return "passed" if equal else "failed" if apart else "undecided"
    return "failed" if equal else "passed" if apart else "undecided"


def compare(a, relation, b):
    """passed, failed, or undecided where the intervals leave it open."""
    exact = a.exact and b.exact
    if exact and equal(a, b):
        return "passed" if relation in ("<=", ">=", "==") else "failed"
    inner = _truth(a.inner, relation, b.inner, exact)
    if inner != _truth(a.outer, relation, b.outer, exact):
        raise Unsure("the interval of one process's samples decides")
    return inner


def _mass(t, freedom):
    """The probability between -t and t, in closed form for whole degrees of freedom (Abramowitz and Stegun 26.7.3 and .4)."""
    angle = math.atan(t / math.sqrt(freedom))
    cosine, sine = math.cos(angle), math.sin(angle)
    odd = freedom % 2
    term, total = (cosine if odd else 1.0), 0.0
    for k in range(2 + odd, freedom + 1, 2):
        total += term
        term *= cosine * cosine * (k - 1) / k
    return (angle + sine * total) * 2 / math.pi if odd else sine * total


@functools.lru_cache(maxsize=None)
def student(freedom, looks=0, comparisons=1):
    """What 95 % of Student's t lie within on both sides of 0; of so many of them together (Bonferroni), and each look that found verdicts open
    halves the rest."""
    inside = 1 - 0.05 / 2 ** looks / comparisons
    low, high = 0.0, 1e6
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if _mass(middle, freedom) < inside else (low, middle)
    return low


def student_interval(values, looks=0, comparisons=1):
    n = len(values)
    mean = math.fsum(values) / n
    deviation = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (n - 1))
    half = student(n - 1, looks, comparisons) * deviation / math.sqrt(n)
    return mean, mean - half, mean + half


def over_rounds(values, looks):
    """Three rounds or more: the geometric mean with Student's t over the logarithms; exact where all agree."""
    if all(value == values[0] for value in values):
        return Number(values[0])
    if all(value > 0 for value in values):
        mean, low, high = student_interval([math.log(value) for value in values], looks)
        return Number(math.exp(mean), (math.exp(low), math.exp(high)))
    mean, low, high = student_interval(values, looks)
    return Number(mean, (low, high))
