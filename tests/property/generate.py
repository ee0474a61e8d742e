# SPDX-License-Identifier: Apache-2.0
"""Worlds from a seed: a suite and what its rows measured.

A world is plain data; journal.py writes it, naive.py judges it.
"""
import itertools
import random
import statistics

import expression
import limits
import naive
from interval import Unsure
from journal import PEAK
from rows import rows_of

AXES = (("size", ("1", "2", "3")), ("kind", ("a", "b")))
MISHAPS = ["skip", "fail", "crash", "lost_round", "missing", "nan", "wrong", "unverified", "check", "impossible",
           "retry", "fact", "all_skip", "vanish"]
UNITS = {"rate": ("MB/s", "B/s", 1e6), "items": ("img/s", "img/s", 1.0), "duration": ("us", "s", 1e-6),
         "value": ("", "1", 1.0)}


def world(seed, classes=False):
    """One world without what the rules leave open. `classes`: commands' metrics may say as what they are judged."""
    for attempt in itertools.count():
        try:
            found = _draw(random.Random(f"{seed}/{attempt}"), random.Random(f"{seed}/{attempt}/beside"), classes)
            answer = prune(found)
            return found, answer
        except Unsure:
            continue


def prune(found):
    """Takes out what the naive judge is not sure of, and answers with the rest judged."""
    answer = naive.judge(found)
    unsure = {text for (_, text), status in answer["expectations"].items() if status == naive.UNSURE}
    unsure |= {key.split(": ", 1)[1] for key, (status, _) in answer["groups"].items() if status == naive.UNSURE}
    for case in found["cases"]:
        case["expect"] = [e for e in case["expect"] if expression.write(e["that"]) not in unsure]
    found["findings"] = [e for e in found["findings"] if answer["findings"][e["id"]][0] != naive.UNSURE]
    return naive.judge(found)


def _draw(random_, beside, classes):
    recorded = _recorded(random_)
    if beside.random() < 0.25:  # the peak is measured beside the work, in each round
        recorded[PEAK] = dict(_declared("value", "recorded", 0, "none", True), unit="items/s", beside=True)
    peak = random_.choice([0, 1e4])
    recorded["throughput"]["flow"] = random_.choice(["", "one way"])
    devices = random_.choice([1, 1, 2, 4, 5])
    cases = [_case(random_, "c%d" % i, recorded, peak, classes, devices) for i in range(random_.choice([1, 1, 2]))]
    found = {"devices": devices, "cases": cases, "recorded": recorded, "lacks": random_.choice([[]] * 8 + [["energy"], ["power", "broken"]]), "peak": peak, "derive": [], "findings": [], "visits": {}, "baseline": None,
             "strict": random_.random() < 0.25, "interrupted_by": random_.choice([0] * 19 + [2, 15])}
    for case in cases:
        _visits(random_, case, found)
        if PEAK in case["metrics"]:
            _measure_peaks(beside, case, found["visits"])
    found["derive"] = limits.derive(random_, cases)
    probe = dict(found, cases=cases)
    rows = rows_of(probe)
    for row in rows:
        row.measure()
    for case in cases:
        case["expect"] = limits.expectations(random_, case, [r for r in rows if r.case is case], probe)
    found["baseline"] = limits.baseline(random_, rows)
    for case in cases:
        case["expect"] += limits.baseline_expectations(random_, case, found["baseline"])
        case["expect"] += limits.peak_expectations(beside, case, [r for r in rows if r.case is case])
    found["findings"] = limits.findings(random_, cases)
    limits.aim_beside(random_, cases)
    return found


def _declared(kind, source, dimensions, direction, observed):
    written, unit, scale = UNITS[kind]
    return {"kind": kind, "source": source, "dimensions": dimensions, "direction": direction, "observed": observed,
            "written_unit": written, "unit": unit, "scale": scale, "required": source == "printed"}


def _recorded(random_):
    metrics = {"throughput": dict(_declared("rate", "work", 0, "higher", False), unit="items/s")}
    for name, dimensions in (("width", 0), ("errors", 1), ("grid", 2)):
        direction = random_.choice(["none", "higher", "lower"])
        metrics[name] = _declared("value", "recorded", dimensions, direction, True)
    return metrics


def _printed(random_, classes):
    metrics = {}
    for name, kind in (("bw", "rate"), ("lat", "duration"), ("count", "value"), ("status", "value")):
        direction = {"rate": "higher", "duration": "lower"}.get(kind) or random_.choice(["none", "higher", "lower"])
        metrics[name] = _declared(kind, "printed", random_.choice([0, 0, 1, 2]), direction, kind == "value")
        if kind == "rate" and random_.random() < 0.3:
            written, unit, scale = UNITS["items"]
            metrics[name].update(written_unit=written, unit=unit, scale=scale)
        if classes and random_.random() < 0.2:
            metrics[name]["observed"] = not metrics[name]["observed"]
            metrics[name]["as"] = "observed" if metrics[name]["observed"] else "measured"
    return metrics


def _case(random_, name, recorded, peak, classes, devices):
    printed = random_.random() < 0.5
    metrics = _printed(random_, classes) if printed else {n: dict(m) for n, m in recorded.items()}
    if not printed:
        metrics["throughput"]["peak"] = peak
    axes = [(axis, list(texts[:random_.randint(1, len(texts))])) for axis, texts in AXES if random_.random() < 0.7]
    exclude = []
    each_device = random_.random() < (0.2 if devices == 1 else 0.6)
    if len(axes) == 2 and all(len(texts) > 1 for _, texts in axes) and random_.random() < 0.3:
        exclude = [{axis: [random_.choice(texts)] for axis, texts in axes}]
    axes += [("device", ["host:%d" % i for i in range(devices)])] * each_device
    reference = {}
    if axes and not exclude and random_.random() < 0.5:
        axis, texts = random_.choice(axes)
        reference = {axis: random_.choice(texts)}
    return {"id": name, "printed": printed, "metrics": metrics, "axes": axes, "exclude": exclude, "expect": [],
            "reference": reference, "rounds": random_.choice([1, 1, 2, 3, 4, 5, 6]), "looks": random_.choice([0] * 8 + [1, 2]),
            "samples": random_.choice([1, 2, 4, 6, 9, 20]), "fixed": random_.choice([None, None, 0.0, 0.02, 0.1, 0.4]), "throttle": random_.random() < 0.2,
            "single": random_.random() < 0.2,  # each sample is one iteration
            # Ranks would have a device each, and it is the case's only here.
            "ranks": 1 if printed or (devices > 1 and not each_device) else random_.choice([1, 1, 2, 4])}


def _series(random_, base, noise, count):
    return [float("%.6g" % (base * (1 + random_.uniform(-noise, noise)))) for _ in range(count)]


def _indices(random_, dimensions):
    if dimensions == 0:
        return [()]
    if dimensions == 1:
        return [(i,) for i in range(random_.randint(1, 4))]
    return [(i, j) for i in range(2) for j in range(random_.randint(1, 2))]


def _visits(random_, case, found):
    """What each row of a case does in each round: most of it well, and alike from round to round."""
    mishap = random_.choice([None] * 6 + MISHAPS)
    rows = rows_of(dict(found, cases=[case]))
    struck = random_.choice(rows).id if rows and random_.random() < 0.6 else None
    template = {name: _template(random_, each) for name, each in case["metrics"].items() if not each.get("beside")}
    noise = random_.choice([0.0, 0.001, 0.02, 0.3])
    base = float("%.4g" % (10 ** random_.uniform(-4, -2)))
    for row in rows:
        own = mishap if struck in (None, row.id) else None
        scale = random_.choice([1.0, 1.0, 1.01, 1.3])
        device = row.point.get("device", "host:0")
        visits = [_visit(random_, case, i + 1, template, noise, base * scale, device) for i in range(case["rounds"])]
        found["visits"][row.id] = _strike(random_, own, visits, case)


def _template(random_, declared):
    """A metric's indices, and how the values of each are drawn: (index, base, noise)."""
    indices = _indices(random_, declared["dimensions"])
    if declared["kind"] == "value":
        noise = random_.choice([0, 0, 0, 0.05, 0.5])
        return [(index, random_.choice([0, 0, 3, 5, 16, -4]), noise) for index in indices]
    base = random_.choice([10, 50, 300, 4000])  # the last is shown in another unit where the written one is lost
    noises = [0, 0.001, 0.02, 0.4]
    noise, alike = random_.choice(noises), random_.random() < 0.6
    return [(index, base * random_.choice([1, 1, 0.8, 1.4]), noise if alike else random_.choice(noises)) for index in indices]


def _values(random_, case, template, samples):
    """Of one rank: a command prints its numbers in each sample, a benchmark records its own once."""
    values = []
    for name, declared in case["metrics"].items():
        if declared["source"] == "work" or declared.get("beside"):
            continue
        for index, base, noise in template[name]:
            for _ in range(samples if case["printed"] else 1):
                value = base * (1 + random_.uniform(-noise, noise))
                if declared["kind"] == "value":
                    value = float(base + (random_.choice([-1, 1, 8]) if random_.random() < noise / 4 else 0))
                values.append((name, index, float("%.6g" % value) * declared["scale"]))
    return values


def _measure_peaks(random_, case, visits):
    """Beside the work of each rank, in each round; sometimes less than the work itself reached."""
    factor, noise = random_.choice([0.5, 1.0, 1.05, 2.0]), random_.choice([0.0, 0.001, 0.02, 0.4])
    nothing = random_.random() < 0.1
    for row in visits.values():
        for visit in row:
            for rank in visit["ranks"]:
                rate = factor * visit["iterations"] / statistics.median(rank["samples"]) * (1 + random_.uniform(-noise, noise))
                rank["values"].append((PEAK, (), 0.0 if nothing else float("%.6g" % rate)))


def _visit(random_, case, number, template, noise, base, device):
    iterations = 1 if case["single"] else random_.choice([1, 2, 5])
    drift = 1 + random_.uniform(-noise, noise) / 3
    ranks = []
    for rank in range(case["ranks"]):
        samples = [seconds * iterations for seconds in _series(random_, base * drift, noise, case["samples"])]
        ranks.append({"rank": rank, "samples": samples, "values": _values(random_, case, template, case["samples"]),
                      "facts": {} if case["printed"] else {"mode": "fast"}, "wrong": 0, "checked": 10,
                      "checks": [] if case["printed"] else [("sane", True)]})
    pairs = None
    if case["fixed"] is not None and not (case["rounds"] > 2 and random_.random() < 0.05):
        scatter = random_.choice([0, 0, 0.05]) if case["rounds"] > 2 else 0
        pairs = (base * iterations, base * iterations * (2 - case["fixed"] * (1 + random_.uniform(-scatter, scatter))))
    return {"round": number, "attempt": 1, "device": device, "pairs": pairs, "outcome": "passed", "iterations": iterations, "ranks": ranks,
            "work": {} if case["printed"] else {"throughput": 1.0},
            "telemetry": _telemetry(random_, device) if random_.random() < 0.9 else [],
            "telemetry_failed": random_.random() < 0.02}


def _telemetry(random_, own):
    """What was read in a visit: (quantity, device, value, whether it came while samples were taken)."""
    during = random_.random() < 0.8
    found = [("power", device, float(random_.choice([100, 100, 250])), during)
             for device in (own, "host:9") for _ in range(random_.choice([1, 2]))]
    for name, step in (("energy", 10.0), ("broken", 1.0 if random_.random() < 0.01 else 0.0)):
        at = float(random_.choice([0, 7, 1000]))
        for _ in range(random_.choice([2, 2, 3] + [1, 0] * (random_.random() < 0.1))):
            found.append((name, own, at, during))
            at += step * random_.choice([1, 1, 2]) if random_.random() < 0.99 else -at / 2
    return found


def _strike(random_, mishap, visits, case):
    """Something goes wrong in a row, or is only odd."""
    visit = random_.choice(visits)
    rank = random_.choice(visit["ranks"])
    if mishap == "skip" and random_.random() < 0.4:
        visit["outcome"] = "skipped"  # after samples were taken
    elif mishap in ("skip", "fail", "crash"):
        visit.update(outcome={"skip": "skipped", "fail": "failed", "crash": "crashed"}[mishap], ranks=[])
    elif mishap == "all_skip":
        for each in visits:
            each.update(outcome="skipped", ranks=[])
    elif mishap == "lost_round":
        visits.remove(visit)
    elif mishap == "missing":
        rank["values"].pop(random_.randrange(len(rank["values"])))
    elif mishap == "vanish":
        name, index, _ = random_.choice(rank["values"])
        rank["values"] = [each for each in rank["values"] if each[:2] != (name, index)]
    elif mishap in ("nan", "impossible"):
        at = random_.randrange(len(rank["values"]))
        name, index, _ = rank["values"][at]
        rank["values"][at] = (name, index, None if mishap == "nan" else random_.choice([0.0, -7.0]))
    elif mishap == "wrong":
        rank["wrong"] = 1
    elif mishap == "unverified":
        rank["checked"] = 0
    elif mishap == "check" and rank["checks"]:
        rank["checks"] = [("sane", False)]
    elif mishap == "fact" and rank["facts"]:
        rank["facts"] = {} if rank["rank"] % 2 else {"mode": "slow"}  # lost, or another one
    elif mishap == "retry":
        hot = [dict(each, checks=[("sane", False)]) for each in visit["ranks"] if each["checks"]]
        visits.insert(0, dict(visit, ranks=hot) if hot and random_.random() < 0.5 else dict(visit, outcome="crashed", ranks=[]))
        visit["attempt"] = 2
    return visits
