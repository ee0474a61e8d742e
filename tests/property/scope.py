# SPDX-License-Identifier: Apache-2.0
"""What the names of an expression mean beside a row, and what the expression is worth there."""
import collections
import itertools
import math
import statistics

import expression
from interval import Number, Unsure, combine, negate, over_rounds
from rows import ALLOWANCE, FEWEST_ROUNDS, FEWEST_SAMPLES, clocked, slowest

PERCENTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p999": 0.999}


class NotJudged(Exception):
    pass


class NoReference(Exception):
    pass


class NotAvailable(Exception):
    """The devices have no such quantity, and say so."""


def first_named(tree):
    """What `% of peak` and `% of reference` are of: the other side's first name, a function of it included."""
    if tree[0] == "share":
        return None
    if tree[0] == "name" or (tree[0] == "call" and expression.names(tree)):
        return tree
    return next((found for found in map(first_named, (t for t in tree[1:] if isinstance(t, tuple))) if found), None)


def together(left, right):
    """Which values meet: those of one index where both have the same ones, else each with each."""
    indices = [{number.indices for number in side} for side in (left, right)]
    by_index = len(left) > 1 and len(right) > 1 and indices[0] == indices[1]
    return [(a, b) for a, b in itertools.product(left, right) if not by_index or a.indices == b.indices]


def fold(function, sets):
    """One function over rows or indices, of each of which there may be several values: all that it can be."""
    flat = [number for numbers in sets for number in numbers]
    if function in ("min", "max"):
        pick = min if function == "min" else max
        ends = [(pick(n.inner[i] for n in flat), pick(n.outer[i] for n in flat)) for i in (0, 1)]
        return [Number(pick(n.value for n in flat), (ends[0][0], ends[1][0]), (ends[0][1], ends[1][1]))]
    if function in ("spread", "cv"):
        return [(_spread if function == "spread" else _cv)([number for number in flat for _ in range(number.times)])]
    totals = []
    for pick in ("min", "max"):
        chosen = [fold(pick, [numbers])[0] for numbers in sets]
        total = chosen[0]
        for number in chosen[1:]:
            total = combine("+", total, number)
        totals.append(combine("/", total, Number(float(len(chosen)))) if function == "mean" else total)
    for total in totals:
        total.indices = ()
    return totals if len(flat) > len(sets) else totals[:1]


def _spread(numbers):
    values = [number.value for number in numbers]
    middle = statistics.median(values)
    if middle <= 0:
        raise NotJudged("a share of what is not above zero")

    def interval(which):
        lows, highs = [getattr(n, which)[0] for n in numbers], [getattr(n, which)[1] for n in numbers]
        ends = (max(0.0, max(lows) - min(highs)) / middle, (max(highs) - min(lows)) / middle)
        return min(ends), max(ends)

    return Number((max(values) - min(values)) / middle, interval("inner"), interval("outer"))


def _cv(numbers):
    """The standard deviation of a sample over its mean. How its interval is made is not said: no end of it lies beyond what the values can
    come to, each anywhere in its own interval."""
    if len(numbers) == 1:
        raise NotJudged("nothing to compare")
    values = [number.value for number in numbers]
    mean = math.fsum(values) / len(values)
    if mean <= 0:
        raise NotJudged("a share of what is not above zero")
    deviation = statistics.stdev(values)
    # A deviation is a length: it changes by no more than the length of what its values change by.
    moved = math.hypot(*(max(n.value - n.outer[0], n.outer[1] - n.value) for n in numbers)) / math.sqrt(len(numbers) - 1)
    value = deviation / mean
    if moved == 0:
        return Number(value)
    low, high = (math.fsum(n.outer[i] for n in numbers) / len(numbers) for i in (0, 1))
    if low <= 0:
        return Number(value, (value, value), (0.0, math.inf))
    return Number(value, (value, value), (max(0.0, deviation - moved) / high, (deviation + moved) / low))


class RowScope:
    """What names mean beside one row."""

    baseline_row = None  # what finds a baseline's row; bands.py is above this

    def __init__(self, row, world, rows):
        self.row, self.world, self.rows = row, world, rows

    def name(self, name):
        if name in self.row.metrics:
            return self.row.metrics[name].numbers
        for derived, tree in self.world["derive"]:
            if derived == name:
                return self.derived(tree)
        if name in self.row.lacks:
            raise NotAvailable(name)
        readings, _ = self.row.readings(name)
        if not readings:
            raise NotJudged(name + " was not recorded, or not wholly")
        return [Number(value, times=times) for value, times in sorted(collections.Counter(readings).items())]

    def derived(self, tree):
        names = expression.names(tree)
        metrics = [self.row.metrics.get(name) for name in names]
        counters = [name for name in names if name not in self.row.metrics and self.row.counts(name)]
        if any(name in self.row.lacks for name in counters):
            raise NotJudged("a counter that the devices lack")
        if all(name in counters or (metric and metric.observed) for name, metric in zip(names, metrics)):
            return evaluate(tree, self, None)
        if any(metric and metric.observed for metric in metrics):
            raise Unsure("observed and measured values in one")
        if len(self.row.rounds) < FEWEST_ROUNDS:
            return evaluate(tree, _Derived(self, None), None)
        by_round = [evaluate(tree, _Derived(self, i), None) for i in range(len(self.row.rounds))]
        numbers = []
        for same in zip(*by_round):
            number = over_rounds([each.value for each in same], self.row.case["looks"])
            # In a quotient of two times what the clock is wrong by is in both.
            if any(metric and metric.clocked for metric in metrics) and self.powers_of_time(tree) != 0:
                number = clocked(number)
            number.indices = same[0].indices
            numbers.append(number)
        return numbers

    def powers_of_time(self, tree):
        """1 of a time, -1 of a rate, 0 where they cancel."""
        if tree[0] == "name":
            kind = self.row.metrics[tree[1]].kind if tree[1] in self.row.metrics else "value"
            return {"duration": 1, "rate": -1}.get(kind, 0)
        powers = [self.powers_of_time(part) for part in tree[1:] if isinstance(part, tuple)]
        if tree[0] == "/":
            return powers[0] - powers[1]
        return sum(powers) if tree[0] == "*" else max(powers, default=0, key=abs)

    def texts(self, name):
        facts = [rank["facts"].get(name) for _, rank in self.row.ranks()]
        return facts if any(facts) else [text for axis, text in self.row.point.items() if axis == name]

    def call(self, tree):
        numbers = evaluate(tree[2], self, None)
        if tree[1][0] == "p":
            return self.percentile(PERCENTILES[tree[1]])
        if tree[1] in ("spread", "cv") and len(numbers) == 1:
            raise NotJudged("nothing to compare")
        if tree[1] in ("min", "max", "mean") and self.is_one_measured(tree[2], numbers):
            raise NotJudged("a function of several values, of one")
        if tree[1] == "sum" and any(self.is_read(name) for name in expression.names(tree)):
            raise NotJudged("readings have no indices")
        sets = {}
        for number in numbers:
            sets.setdefault(number.indices, []).append(number)
        return fold(tree[1], list(sets.values()))

    def percentile(self, share):
        """Of single iterations. Of too few of them it has no upper end, and holds the longest of them; how far down it goes is not said."""
        if any(visit["iterations"] != 1 for visit in self.row.rounds):
            raise NotJudged("a percentile of batches says nothing of single iterations")
        laps = [seconds for visit in self.row.rounds for seconds in slowest(visit)]
        if len(laps) >= math.log(0.05) / math.log(share):
            raise Unsure("how a percentile's interval is made is not said")
        if len(self.row.rounds) < FEWEST_ROUNDS and len(laps) < FEWEST_SAMPLES:
            raise Unsure("how a percentile of nearly nothing is widened is not said")
        return [Number(max(laps), (max(laps) * (1 + 2 * ALLOWANCE), math.inf), (-math.inf, math.inf))]

    def is_one_measured(self, tree, numbers):
        """One value without an index, of what was measured: neither seen as it is nor read."""
        names = expression.names(tree)
        if len(numbers) > 1 or numbers[0].indices or any(self.is_read(name) for name in names):
            return False
        return any(self.is_measured(name) for name in names)

    def is_measured(self, name):
        if name in self.row.metrics:
            return not self.row.metrics[name].observed
        parts = expression.names(dict(self.world["derive"])[name])
        return any(self.row.metrics[part].observed is False if part in self.row.metrics else not self.row.counts(part)
                   for part in parts)

    def is_read(self, name):
        return name not in self.row.metrics and name not in dict(self.world["derive"])

    def share(self, base, about):
        if base == "baseline":
            return [Number(self.baseline_row(self.world, self.row, expression.names(about)[0])["mean"])]
        if base == "peak":
            self.name(expression.names(about)[0])
            peak = self.row.peak(expression.names(about)[0])
            if not peak:
                raise NoReference("no peak")
            return [peak]
        if base == "reference":
            return self.reference().value_or_none(about)
        return self.name(base)

    def reference(self):
        key = self.row.case["reference"]
        if not key:
            raise NoReference("no reference row")
        point = dict(self.row.point, **key)
        found = [row for row in self.rows if row.case is self.row.case and row.point == point]
        if not found or not found[0].measured:
            raise NoReference("the reference row has no result")
        return RowScope(found[0], self.world, self.rows)

    def is_reference(self):
        return bool(self.row.case["reference"]) and dict(self.row.point, **self.row.case["reference"]) == self.row.point

    def value_or_none(self, tree):
        try:
            return evaluate(tree, self, None)
        except (NotJudged, NotAvailable) as why:
            raise NoReference(str(why)) from why


class RoundScope:
    """What names mean beside one row in one round, and in the same round of its reference row."""

    def __init__(self, scope, number, reference=None):
        self.scope, self.number, self.of_reference = scope, number, reference

    def name(self, name):
        for derived, tree in self.scope.world["derive"]:
            if derived == name:
                return evaluate(tree, _Derived(self.scope, self.number), None)
        return _Derived(self.scope, self.number).name(name)

    def call(self, tree):
        sets = {}
        for number in evaluate(tree[2], self, None):
            sets.setdefault(number.indices, []).append(number)
        return fold(tree[1], list(sets.values()))

    def share(self, base, about):
        if base == "reference":
            return evaluate(about, self.of_reference, None)
        if base == "peak" and self.scope.row.beside:
            return [Number(self.scope.row.beside[self.number])]
        return self.scope.share(base, about) if base == "peak" else self.name(base)


class _Derived:
    """Names beside one row for `derive`: of one round, or of all where there are few."""

    def __init__(self, scope, number):
        self.scope, self.number = scope, number

    def name(self, name):
        row = self.scope.row
        if name in row.metrics:
            metric = row.metrics[name]
            if self.number is None:
                return metric.numbers
            return [Number(values[self.number], indices=i) for i, values in sorted(metric.rounds.items())]
        readings, meanwhile = row.readings(name, None if self.number is None else [row.rounds[self.number]])
        if name in row.lacks or not readings or not meanwhile:
            raise NotJudged(name + " was not read while samples were taken")
        return [Number(math.fsum(readings) / len(readings), (min(readings), max(readings)))]


def evaluate(tree, scope, about):
    """All values that an expression has."""
    kind = tree[0]
    if kind == "number":
        return [Number(expression.quantity(tree))]
    if kind == "name":
        return scope.name(tree[1])
    if kind == "share":
        return [combine("*", Number(expression.share(tree)), number) for number in scope.share(tree[2], about)]
    if kind == "call":
        return scope.call(tree)
    if kind == "negate":
        return [negate(number) for number in evaluate(tree[1], scope, about)]
    pairs = together(evaluate(tree[1], scope, about), evaluate(tree[2], scope, about))
    numbers = [combine(kind, a, b) for a, b in pairs]
    if not all(math.isfinite(number.value) for number in numbers):
        raise NotJudged("divides by zero")
    return numbers
