# SPDX-License-Identifier: Apache-2.0
"""What each row of a world measured: the values of its metrics, or why it has none."""
import collections
import itertools
import math
import statistics

from journal import PEAK, TELEMETRY
from interval import Number, Unsure, over_rounds, student_interval

WORST_LAST = ("passed", "skipped", "not_run", "cancelled", "invalid", "failed", "error", "timeout", "crashed")
FEWEST_ROUNDS, FEWEST_SAMPLES, PRIOR, ALLOWANCE, ABOVE_PEAK, ABOVE_LINK, CLOCK, FIXED = 3, 6, 2.0, 0.01, 1.1, 1.02, 0.0005, 0.05


class Refused(Exception):
    """The row's result cannot be used; the outcome is the first argument."""


class Metric:
    def __init__(self, numbers, observed, rounds, kind, clocked=False):
        self.numbers = numbers    # what a limit faces, one by one
        self.clocked = clocked    # made of times that Assay took
        self.observed = observed  # each of them is what was seen, not an estimate
        self.rounds = rounds      # {indices: [value of each round]}
        self.kind = kind


class Row:
    def __init__(self, case, point, visits, lacks):
        self.case, self.point, self.lacks = case, point, lacks
        self.id = case["id"] + ("[" + ",".join(a + "=" + t for a, t in point.items()) + "]" if point else "")
        last = {}
        for visit in sorted(visits.get(self.id, []), key=lambda v: (v["round"], v["attempt"])):
            last[visit["round"]] = visit
        self.attempts = visits.get(self.id, [])
        self.rounds = [last[number] for number in sorted(last)]
        self.metrics, self.unpublished, self.expectations = {}, set(), []
        self.measured, self.hole, self.beside = False, False, None
        self.outcome = self._outcome()

    def _outcome(self):
        if not self.rounds:
            return "not_run"
        worst = max((visit["outcome"] for visit in self.rounds), key=WORST_LAST.index)
        passed = [visit for visit in self.rounds if visit["outcome"] == "passed"]
        if worst == "skipped" and (passed or any(visit["ranks"] for visit in self.rounds)):
            # It ran all the same: what it measured is judged, and a round is missing.
            self.rounds, self.hole = passed or self.rounds, True
            return "error"
        if worst == "passed" and len(self.rounds) < self.case["rounds"]:
            return "cancelled"
        return worst

    def measure(self):
        self._measure()
        # Errors that a device could not correct fail whatever came to an end, and stay where an attempt is replaced.
        broken = any((increase(visit, name) or 0) > 0 for visit in self.attempts
                     for name, (kind, _, above) in TELEMETRY.items() if kind == "counter" and above == "fail")
        if broken and (self.outcome in ("passed", "failed", "invalid", "skipped") or (self.hole and self.measured)):
            self.outcome = "failed"

    def _measure(self):
        if any(visit["outcome"] != "passed" for visit in self.rounds) or self.outcome in ("cancelled", "not_run"):
            return
        try:
            for name, declared in self.case["metrics"].items():
                self._add(name, declared)
            self._add_time()
            self._check_truth()
        except Refused as refused:
            self.outcome, self.metrics = refused.args[0], {}
            return
        self.measured = True
        blind = self.case["throttle"] and any(visit["telemetry_failed"] or not visit["telemetry"] for visit in self.rounds)
        # What failed in an attempt that another replaced failed.
        ended = [visit for visit in self.attempts if visit["outcome"] == "passed"]
        if blind or any(not passed for visit in ended for rank in visit["ranks"] for _, passed in rank["checks"]):
            self.outcome = "failed"

    def ranks(self):
        return [(visit, rank) for visit in self.rounds for rank in visit["ranks"]]

    def _add(self, name, declared):
        if declared["source"] == "work":
            growing = [[seconds - cost for seconds in slowest(visit)] for visit, cost in zip(self.rounds, self._fixed_costs())]
            values = [[self._rate(visit, name, seconds) for seconds in times] for visit, times in zip(self.rounds, growing)]
            means = [self._rate(visit, name, math.fsum(times) / len(times)) for visit, times in zip(self.rounds, growing)]
            self.metrics[name] = Metric([clocked(sampled(means, values, self.case["looks"]))], False, {(): means}, "rate", True)
            return
        given = [[(indices, value) for metric, indices, value in rank["values"] if metric == name]
                 for _, rank in self.ranks()]
        if not any(given) and not declared["required"]:
            return
        self._refuse_missing(declared, given)
        if any(value is None or not math.isfinite(value) for values in given for _, value in values):
            raise Refused("error", name + " is not finite")
        self.metrics[name] = self._given(name, declared)

    def _refuse_missing(self, declared, given):
        """A rank gives the same indices in every round, a command each of its numbers in every sample."""
        indices = {}
        for (_, rank), values in zip(self.ranks(), given):
            indices.setdefault(rank["rank"], set()).update(index for index, _ in values)
        for (_, rank), values in zip(self.ranks(), given):
            times = len(rank["samples"]) if declared["source"] == "printed" else 1
            for index in indices[rank["rank"]] or {None}:
                if sum(1 for other, _ in values if other == index) < times:
                    raise Refused("error", "a value is missing")

    def _given(self, name, declared):
        numbers, rounds = [], {}
        by_index = {}
        for number, visit in enumerate(self.rounds):
            for rank in visit["ranks"]:
                for metric, indices, value in rank["values"]:
                    if metric == name:
                        by_index.setdefault(indices, [[] for _ in self.rounds])[number].append(value)
        for indices, values in sorted(by_index.items()):
            if declared["source"] == "printed" and not declared["observed"]:
                rounds[indices] = [statistics.median(each) for each in values]
            else:
                worst = min if declared["direction"] == "higher" else max
                rounds[indices] = [worst(each) for each in values]
            if declared["observed"]:
                different = collections.Counter(itertools.chain.from_iterable(values))
                numbers += [Number(value, indices=indices, times=times) for value, times in sorted(different.items())]
            else:
                number = sampled(rounds[indices], values, self.case["looks"])
                number.indices = indices
                numbers.append(number)
        return Metric(numbers, declared["observed"], rounds, declared["kind"])

    def _add_time(self):
        values = [[seconds / visit["iterations"] for seconds in slowest(visit)] for visit in self.rounds]
        medians = [statistics.median(each) for each in values]
        self.metrics["time"] = Metric([clocked(sampled(medians, values, self.case["looks"]))], False, {(): medians}, "duration", True)

    def _rate(self, visit, name, seconds):
        return visit["work"][name] * visit["iterations"] * len(visit["ranks"]) / seconds

    def _fixed_costs(self):
        """What of the samples of each round does not grow with their iterations, where that is more than a twentieth; else nothing.
        Pairs of one round say the same here."""
        costs = [2 * visit["pairs"][0] - visit["pairs"][1] if visit["pairs"] else None for visit in self.rounds]
        none = [0.0] * len(costs)
        if None in costs:
            return none
        sample = math.fsum(math.fsum(slowest(visit)) / len(slowest(visit)) for visit in self.rounds) / len(costs)
        least = student_interval(costs)[1] if len(costs) >= FEWEST_ROUNDS else min(costs)
        if len(costs) < FEWEST_ROUNDS and max(costs) - min(costs) > 1e-9 * sample:
            raise Unsure("how the costs of two rounds make one interval is not said")
        if abs(least / sample - FIXED) < 1e-6:
            raise Unsure("just at what matters")
        if least / sample < FIXED or any(min(slowest(visit)) <= cost for visit, cost in zip(self.rounds, costs)):
            return none
        return costs

    def _check_truth(self):
        """Wrong results, results that nobody verified, and numbers that cannot be true."""
        verified = all(rank["checked"] > 0 for _, rank in self.ranks())
        if any(rank["wrong"] > 0 for _, rank in self.ranks()):
            raise Refused("failed", "wrong results")
        for name, declared in self.case["metrics"].items():
            if declared["source"] == "work" and not verified:
                raise Refused("failed", "a rate that nobody verified")
        self.beside = self._peak_beside()
        for name, declared in self.case["metrics"].items():
            printed = [value for _, rank in self.ranks() for metric, _, value in rank["values"] if metric == name]
            if declared["source"] == "printed" and (
                    (declared["kind"] == "duration" and any(value <= 0 for value in printed)) or
                    (declared["kind"] == "rate" and any(value < 0 for value in printed))):
                raise Refused("invalid", name + " cannot be true")
            if declared.get("peak") and not self.beside:
                means = [self._rate(visit, name, math.fsum(slowest(visit)) / len(slowest(visit))) for visit in self.rounds]
                share = max([self.metrics[name].numbers[0].value, *means]) / declared["peak"]
                most = ABOVE_LINK if declared.get("flow") == "one way" else ABOVE_PEAK
                if abs(share - most) < 1e-9 or (share > most and self.case["ranks"] > 1):
                    raise Unsure("just at what a peak allows, or how many devices' peaks ranks have together")
                if share > most:
                    raise Refused("invalid", name + " is above its peak")

    def _peak_beside(self):
        """Of each round, where the case measured it beside its work: what all ranks have. None unless every round has some, and
        [] where the work reached a tenth more than the best of them: something disturbed its measurement."""
        rounds = [math.fsum(value for rank in visit["ranks"] for metric, _, value in rank["values"] if metric == PEAK)
                  for visit in self.rounds]
        if PEAK not in self.case["metrics"] or min(rounds) <= 0:
            return None
        above = self.metrics["throughput"].numbers[0].value / (ABOVE_PEAK * max(rounds))
        if abs(above - 1) < 1e-9:
            raise Unsure("just at what a peak beside the work allows")
        return rounds if above < 1 else []

    def peak(self, about):
        """What `% of peak` is of; None where nobody knows."""
        if not self.case["metrics"].get(about, {}).get("peak") and not (self.beside and about == "throughput"):
            return None
        if self.beside is None:
            return Number(self.case["metrics"][about]["peak"])
        if not self.beside:
            return None
        if len(self.beside) >= FEWEST_ROUNDS:
            return clocked(over_rounds(self.beside, self.case["looks"]))
        value = math.prod(self.beside) ** (1 / len(self.beside))
        return Number(value, (min(self.beside) - ALLOWANCE * value, max(self.beside) + ALLOWANCE * value))

    @staticmethod
    def counts(quantity):
        """Whether it is a counter of the devices: what it added in a visit is an observation."""
        return quantity in TELEMETRY and TELEMETRY[quantity][0] == "counter"

    def readings(self, quantity, visits=None):
        """A telemetry quantity's: of a counter what was added in each visit; of a gauge what was read during samples, or,
        if that is nothing, all. Nothing where a visit, or its end, is not known."""
        one_round, visits = visits is not None, visits or self.rounds
        if any(visit["telemetry_failed"] or not own(visit, quantity) for visit in visits):
            return [], False
        if TELEMETRY[quantity][0] == "counter":
            added = [increase(visit, quantity) for visit in visits]
            replaced = [] if one_round or TELEMETRY[quantity][2] == "normal" else [
                increase(visit, quantity) for visit in self.attempts if visit not in visits]
            return ([] if None in added else added + [each for each in replaced if each is not None]), True
        found = [(during, value) for visit in visits
                 for name, _, value, during in visit["telemetry"] if name == quantity]
        meanwhile = [value for during, value in found if during]
        return meanwhile or [value for _, value in found], bool(meanwhile)


def own(visit, quantity):
    """What was read of the device that the row used."""
    return [value for name, device, value, _ in visit["telemetry"] if (name, device) == (quantity, visit["device"])]


def increase(visit, quantity):
    """What was added to a counter in a visit; None if it was read once, or ever fell."""
    values = own(visit, quantity)
    if len(values) < 2 or any(a > b for a, b in zip(values, values[1:])):
        return None
    return values[-1] - values[0]


def slowest(visit):
    """A sample lasts as long as its slowest rank took."""
    return [max(times) for times in zip(*(rank["samples"] for rank in visit["ranks"]))]


def clocked(number):
    """What Assay's clock measured is known no better than the clock is."""
    margin = CLOCK * abs(number.value)

    def wide(interval):
        return min(interval[0], number.value - margin), max(interval[1], number.value + margin)

    return Number(number.value, wide(number.inner), wide(number.outer), number.indices)


def sampled(values, samples, looks):
    """A measurement: by rounds from three on, else by what its samples allow."""
    if len(values) >= FEWEST_ROUNDS:
        return over_rounds(values, looks)
    value = values[0]
    if len(set(values)) > 1:
        value = math.sqrt(values[0] * values[1]) if min(values) > 0 else (values[0] + values[1]) / 2
    least, most = min(map(min, samples)), max(map(max, samples))
    if sum(map(len, samples)) < FEWEST_SAMPLES:
        return Number(value, (min(least / PRIOR, least * PRIOR), max(most / PRIOR, most * PRIOR)))
    widening = ALLOWANCE * abs(value)
    if all(len(each) < FEWEST_SAMPLES for each in samples):
        return Number(value, (least - widening, most + widening))
    # At least the estimates of the rounds, at most some widths of the range: which it is, statistics tell.
    reach = max(4 * (most - least), 0.001 * abs(value))
    return Number(value, (min(values) - widening, max(values) + widening),
                  (max(least - reach, least / 1e3) - widening, most + reach + widening))


def rows_of(world):
    rows = []
    for case in world["cases"]:
        axes = case["axes"]
        for texts in itertools.product(*(values for _, values in axes)):
            point = dict(zip((name for name, _ in axes), texts))
            if not any(all(point[a] in t for a, t in out.items()) for out in case["exclude"]):
                rows.append(Row(case, point, world["visits"], world["lacks"]))
    return rows
