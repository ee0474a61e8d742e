# SPDX-License-Identifier: Apache-2.0
"""A row against the rows of the other devices of its model."""
import math
import statistics

import expression
from interval import Unsure
from rows import CLOCK, FEWEST_ROUNDS, FEWEST_SAMPLES
from scope import NoReference, NotJudged

FEWEST_OTHERS, FALSE_ALARMS = 3, 0.01


def asks(that):
    return any(part[0] == "share" and part[2] == "peers" for part in expression.parts(that))


def comparisons(world, rows, applies):
    """How many there are in the run: each leaves less to chance."""
    return sum(row.case is case and applies(entry["where"], row)
               for case in world["cases"] for entry in case["expect"] if asks(entry["that"]) for row in rows)


def status(that, row, rows, count, few=None):
    """Of each value; `few` where a document says already whether there are too few samples to decide anything."""
    relation, metric, share = that if that[2][0] == "share" else (turned(that[0]), that[2], that[1])
    if metric[1] not in row.metrics:
        raise NotJudged("it was not measured")
    mine = row.metrics[metric[1]]
    if mine.observed:
        raise NotJudged("it is observed")
    found = [_one(relation, float(share[1]) * 0.01, number, metric[1], row, rows, count) for number in mine.numbers]
    if few is None:
        few = len(row.rounds) < FEWEST_ROUNDS and sum(len(visit["ranks"][0]["samples"]) for visit in row.rounds) < FEWEST_SAMPLES
    return ["undecided" if few else each for each in found]


def turned(relation):
    return {"<": ">", "<=": ">=", ">": "<", ">=": "<="}[relation]


def _one(relation, share, number, name, row, rows, count):
    if number.value <= 0:
        raise NotJudged("it is not above zero")
    others = []
    for other in rows:
        point = dict(other.point, device=row.point["device"])
        if other is row or other.case is not row.case or point != row.point or not other.measured or name not in other.metrics:
            continue
        others += [each.value for each in other.metrics[name].numbers if each.indices == number.indices and each.value > 0]
    if len(others) < FEWEST_OTHERS:
        raise NoReference("too few others")
    logs = [math.log(value) for value in others]
    shift = math.log(number.value) - statistics.median(logs)
    deviation = max(statistics.stdev(logs), CLOCK / 2)
    reach = quantile(FALSE_ALARMS / count, len(logs) - 1) * deviation * math.sqrt(1 + math.pi / 2 / len(logs))
    distance = shift - math.log(share)
    beyond = -shift if relation in (">", ">=") else shift
    if min(abs(distance), abs(beyond - reach)) < 1e-7:
        raise Unsure("just at the limit")
    if (distance > 0) == (relation in (">", ">=")):
        return "passed"
    return "undecided" if beyond < reach else "failed"


def quantile(tail, freedom):
    """Where so much of Student's t lies above."""
    low, high = 0.0, 1e6
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if _above(middle, freedom) > tail else (low, middle)
    return low


def _above(t, freedom):
    """The closed form for whole degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    angle = math.atan(t / math.sqrt(freedom))
    term = total = math.cos(angle) if freedom % 2 else 1.0
    for i in range(3 if freedom % 2 else 2, freedom - 1, 2):
        term *= math.cos(angle) ** 2 * (i - 1) / i
        total += term
    if freedom % 2:
        within = 2 / math.pi * (angle + (math.sin(angle) * total if freedom > 1 else 0))
    else:
        within = math.sin(angle) * total
    return (1 - within) / 2
