# SPDX-License-Identifier: Apache-2.0
"""A row against a baseline: what healthy devices reached."""
import hashlib
import json
import math

from interval import Unsure
from peers import FALSE_ALARMS, quantile
from rows import FEWEST_ROUNDS, FEWEST_SAMPLES
from scope import NoReference, NotJudged

FEWEST_FOR_TOLERANCE, CONFIDENCE = 60, 0.95


def asks(that):
    return that[0] == "band"


def comparisons(world, rows, applies):
    """How many there are in the run: each leaves less to chance."""
    return sum(row.case is case and applies(entry["where"], row)
               for case in world["cases"] for entry in case["expect"] if asks(entry["that"]) for row in rows)


def key_of(row):
    """A row without its device: what is alike on all of them."""
    point = ",".join(axis + "=" + text for axis, text in row.point.items() if axis != "device")
    return row.case["id"] + ("[" + point + "]" if point else "")


def row_of(world, row, name):
    """The baseline's row that fits."""
    unit = row.case["metrics"].get(name, {"unit": "s"})["unit"]
    for band in world["baseline"] or []:
        if band["model"] != "" or band["driver"] or band["power"] or band["device"] not in ("", "nowhere " + row.point.get("device", "host:0")):
            continue
        for entry in band["rows"]:
            if (entry["row"], entry["metric"], entry["unit"]) == (key_of(row), name, unit) and not entry["otherwise"]:
                return entry
    raise NoReference("no row of the baseline fits")


def status(that, row, world, count):
    name = that[1]
    if name not in row.metrics:
        raise NotJudged("it was not measured")
    metric = row.metrics[name]
    if metric.observed or any(number.indices for number in metric.numbers) or metric.numbers[0].value <= 0:
        raise NotJudged("it is not one measured value above zero")
    entry = row_of(world, row, name)
    direction = row.case["metrics"].get(name, {"direction": "lower"})["direction"]
    shift = math.log(metric.numbers[0].value / entry["mean"])
    sides = 2 if direction == "none" else 1
    reach = factor(entry["count"], FALSE_ALARMS / count / sides) * entry["deviation"] / 100
    beyond = abs(shift) if direction == "none" else -shift if direction == "higher" else shift
    if abs(beyond - reach) < 1e-6:
        raise Unsure("just at the limit")
    if len(row.rounds) < FEWEST_ROUNDS and sum(len(visit["ranks"][0]["samples"]) for visit in row.rounds) < FEWEST_SAMPLES:
        return "undecided"
    return "passed" if beyond <= reach else "failed"


def factor(count, tail):
    """So many standard deviations from the mean: a prediction limit of one more, or a tolerance limit for the share 1 - tail."""
    if count < FEWEST_FOR_TOLERANCE:
        return quantile(tail, count - 1) * math.sqrt(1 + 1 / count)
    shift, low, high = _normal(1 - tail) * math.sqrt(count), 0.0, 1e3
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if _below(middle, count - 1, shift) < CONFIDENCE else (low, middle)
    return low / math.sqrt(count)


def _phi(z):
    return math.erfc(-z / math.sqrt(2)) / 2


def _normal(probability):
    low, high = -40.0, 40.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if _phi(middle) < probability else (low, middle)
    return low


def _below(t, freedom, shift):
    """Of noncentral t: the mean over the standard deviation that was found, by Simpson's rule over its density."""
    steps, low, high = 400, max(1e-9, 1 - 8 / math.sqrt(2 * freedom)), 1 + 8 / math.sqrt(2 * freedom)
    log_scale = math.log(2) + freedom / 2 * math.log(freedom / 2) - math.lgamma(freedom / 2)
    total = 0.0
    for i in range(steps + 1):
        s = low + (high - low) * i / steps
        density = math.exp(log_scale + (freedom - 1) * math.log(s) - freedom * s * s / 2)
        total += (1 if i in (0, steps) else 4 if i % 2 else 2) * density * _phi(t * s - shift)
    return total * (high - low) / steps / 3


def text(world, model, works):
    """The baseline's file. `works`: digests of what was measured, by row without its device."""
    lines = ["baseline: 1", "suite: property", "bands:"]
    for band in world["baseline"]:
        lines.append("  - model: " + json.dumps(band["model"] or model))
        if band["power"]:
            lines.append("    power_limit_w: 700")
        if band["driver"]:
            lines += ['    oldest_driver: "580.1"', '    newest_driver: "580.9"']
        if band["device"]:
            lines.append("    device: " + json.dumps(band["device"]))
        lines.append("    rows:")
        for entry in band["rows"]:
            work = "000000000000" if entry["otherwise"] else works.get(entry["row"], "111111111111")
            lines.append("      - " + json.dumps({"row": entry["row"], "metric": entry["metric"], "mean": entry["mean"], "unit": entry["unit"],
                                                  "deviation_percent": entry["deviation"], "count": entry["count"], "work": work}))
    return "\n".join(lines) + "\n"


def works_of(document):
    """By row without its device, from a result: the digest of what is measured."""
    works = {}
    for case in document["cases"]:
        conditions = {name: value for name, value in case["conditions"].items() if name != "seed"}
        placement = case["placement"]
        everything = [case["benchmark"], case["backend"], case.get("revision", 1), case["parameters"], conditions, case.get("command", []),
                      placement["ranks"], placement["load"], placement["bind"]]
        if case["environment"]:
            everything.append(dict(sorted(case["environment"].items())))
        dumped = json.dumps(everything, separators=(",", ":"), ensure_ascii=False)
        works[case["comparison_key"]] = hashlib.sha256(dumped.encode()).hexdigest()[:12]
    return works
