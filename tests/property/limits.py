# SPDX-License-Identifier: Apache-2.0
"""What a generated suite asks of its rows: limits near to what they measured, groups, derived quantities, claims."""
import bands
import expression
import peers
from expression import RELATIONS, SCALES
from interval import Number, Unsure, combine
from scope import NoReference, NotAvailable, NotJudged, RowScope, evaluate

FACTORS = (0.2, 0.6, 0.9, 0.985, 0.995, 1.0, 1.0, 1.0, 1.005, 1.015, 1.1, 1.6, 3.0)


def number(value, unit=""):
    """A quantity near `value` in base units, with six digits and no exponent."""
    written = "%.6g" % (value / SCALES[unit])
    if "e" in written:
        written = "%.12f" % float(written)
    return ("number", written.lstrip("-"), unit) if float(written) >= 0 else ("negate", number(-value, unit))


def derive(random_, cases):
    found = []
    for case in cases[:1]:
        metrics = [name for name, each in case["metrics"].items() if each["source"] != "work" and not each.get("beside")]
        for name in ("first", "second")[:random_.choice([0, 1, 2])]:
            a, b = random_.sample(metrics, 2)
            tree = random_.choice([
                ("*", ("name", a), number(random_.choice([0.5, 2.0]))), ("/", ("name", a), number(2.0)),
                ("*", ("name", a), ("name", b)), ("/", ("name", a), ("name", b)), ("negate", ("name", a)),
                ("*", number(3.0), ("/", ("name", a), number(4.0))), ("*", ("name", "time"), number(2.0)),
                ("/", ("*", number(3.0), ("name", "time")), ("name", "time"))])
            found.append((name, tree))
        if random_.random() < 0.3:
            found.append(("each_watt", ("/", number(1000.0), ("name", "power"))))
        if random_.random() < 0.2:
            found.append(("twice_energy", ("*", number(2.0), ("name", "energy"))))
    return found


def _operand(random_, case):
    """Something to be limited."""
    metrics = list(case["metrics"]) + ["time"]
    name, other = ("name", random_.choice(metrics)), ("name", random_.choice(metrics))
    percentile = ("call", random_.choice(["p50", "p90", "p95", "p99", "p999"]), ("name", "time"), None)
    if case["single"] and random_.random() < 0.25:
        return percentile
    roll = random_.random()
    if roll < 0.5:
        return name
    if roll < 0.75:
        inner = name if roll < 0.67 else ("/", name, number(2.0))
        return ("call", random_.choice(["min", "max", "mean", "sum", "spread", "cv"]), inner, None)
    if roll < 0.8:
        return ("negate", name)
    if roll < 0.85:
        return percentile
    if roll < 0.9 and other != name:
        return (random_.choice(["/", "*", "+", "-"]), name, other)
    return ("*", number(float(random_.choice([2, 3]))), name)


def _unit(case, tree):
    """The unit in which a suite writes a limit on it; None if there is none here."""
    kind = tree[0]
    if kind == "name":
        declared = case["metrics"].get(tree[1])
        if tree[1] in ("time", "energy"):
            return "us" if tree[1] == "time" else "J"
        return declared["written_unit"] if declared and declared["source"] != "work" and not declared.get("beside") else None
    if kind == "number":
        return tree[2]
    if kind == "call":
        return "" if tree[1] in ("spread", "cv") else _unit(case, tree[2])
    units = [_unit(case, part) for part in tree[1:]]
    if None in units or (kind in ("+", "-") and len(set(units)) > 1):
        return None
    if kind == "/" and units[0] == units[1]:
        return ""
    if kind == "/" and units[1]:
        return None
    return None if kind == "*" and all(units) else units[0] or units[-1]


def _value(tree, row, world, rows):
    try:
        found = evaluate(tree, RowScope(row, world, rows), None)
    except (NotJudged, NoReference, NotAvailable, Unsure):
        return None
    return found


def _relation(random_, left, unit, values, limit=None):
    relation = random_.choice(RELATIONS)
    if limit is None:
        chosen = random_.choice(values)
        at = random_.choice([chosen.value, chosen.value, *chosen.inner])
        if at in (float("inf"), float("-inf")):
            at = chosen.value
        limit = number(at * random_.choice(FACTORS), unit or "")
    if random_.random() < 0.15:
        return (relation, limit, left)
    return (relation, left, limit)


def _where(random_, case):
    """Some of the points; only such as are planned."""
    if not case["axes"] or case["exclude"] or random_.random() < 0.7:
        return {}
    axis, texts = random_.choice(case["axes"])
    return {axis: sorted(random_.sample(texts, random_.randint(1, len(texts))))}


def expectations(random_, case, rows, world):
    measured = [row for row in rows if row.measured]
    if not measured:
        name = random_.choice([name for name in case["metrics"] if _unit(case, ("name", name)) is not None])
        return [{"that": (">=", ("name", name), number(0.0, _unit(case, ("name", name)) or "")), "where": {}}]
    found = {}
    for _ in range(random_.randint(1, 7)):
        row = random_.choice(measured)
        that = random_.choice([_plain, _plain, _plain, _share, _text, _group, _derived, _telemetry, _peers])(
            random_, case, row, world, rows)
        if that:
            found[expression.write(that)] = {"that": that, "where": _where(random_, case),
                                             "alone": peers.asks(that) and random_.random() < 0.5}
    return list(found.values())


def _plain(random_, case, row, world, rows):
    left = _operand(random_, case)
    unit = _unit(case, left)
    near = left[2] if left[0] == "call" and left[1][0] == "p" else left
    values = _value(near, row, world, rows) if unit is not None else None
    return _relation(random_, left, unit, values) if values else None


def _share(random_, case, row, world, rows):
    name = random_.choice(list(case["metrics"]))
    base = random_.choice(["reference", "reference", "peak", "other"])
    if base == "peak":
        share = random_.choice([1, 50, 99, 103])
        if name not in row.metrics or case["metrics"][name]["source"] != "work":
            return None
    else:
        share = random_.choice([50, 90, 98, 99, 100, 100, 101, 120])
    if base == "other":
        alike = [other for other in case["metrics"] if other != name and case["metrics"][other]["unit"] ==
                 case["metrics"][name]["unit"]]
        if not alike:
            return None
        base = random_.choice(alike)
    if base == "reference" and not case["reference"]:
        return None
    left = ("name", name)
    if base == "reference":  # of a function of it, the reference's is the same function's
        if random_.random() < 0.2:
            left = name = ("name", "time")
        left = random_.choice([left, left, left, ("call", random_.choice(["min", "max", "mean", "sum"]), left, None),
                               ("*", number(2.0), left), ("/", left, number(1.02)), ("+", left, left)])
        several = [each for each, declared in case["metrics"].items() if declared["dimensions"]]
        if several and random_.random() < 0.3:  # of several values at once
            left = ("call", random_.choice(["min", "max", "mean", "sum"]), ("name", random_.choice(several)), None)
    return _relation(random_, left, "", None, ("share", str(share), base))


def peak_expectations(random_, case, rows):
    """Near to the share that a row reached of the peak beside its work."""
    found = {}
    for row in (row for row in rows if row.measured and row.beside):
        share = 100 * row.metrics["throughput"].numbers[0].value / row.peak("throughput").value
        name = ("name", "throughput")
        left = random_.choice([name, name, name, ("/", name, number(2.0)), ("call", "max", name, None)])
        half = 0.5 if left[0] == "/" else 1.0
        written = ("share", number(share * half * random_.choice(FACTORS))[1], "peak")
        that = _relation(random_, left, "", None, written)
        found[expression.write(that)] = {"that": that, "where": {}}
    return list(found.values())[:2]


def _text(random_, case, row, world, rows):
    name = random_.choice([axis for axis, _ in case["axes"] if axis != "device"] + ["mode"] * (not case["printed"]) + [None])
    if not name:
        return None
    sides = [("name", name), ("text", random_.choice(["fast", "slow", "a", "1"]))]
    random_.shuffle(sides)
    return (random_.choice(["==", "!="]), *sides)


def _group(random_, case, row, world, rows):
    if not case["axes"]:
        return None
    axis = random_.choice(case["axes"])[0]
    name = random_.choice(list(case["metrics"]) + ["time"])
    function = random_.choice(["min", "max", "mean", "sum", "spread", "cv"])
    left = ("call", function, ("name", name), axis)
    members = [r for r in rows if r.measured]
    if function in ("spread", "cv"):
        return _relation(random_, left, "", None, number(random_.choice([0.0, 1.0, 5.0, 40.0, 200.0]) / 100, "%"))
    if random_.random() < 0.3:
        other = ("call", random_.choice(["min", "max"]), ("name", name), axis)
        return None if other == left else _relation(random_, left, "", None, ("*", number(1.2), other))
    if _unit(case, ("name", name)) is None:
        return None
    values = _value(("name", name), random_.choice(members), world, rows)
    if not values:
        return None
    if function == "sum":
        values = [combine("*", value, Number(float(len(members)))) for value in values]
    return _relation(random_, left, _unit(case, ("name", name)), values)


def _derived(random_, case, row, world, rows):
    if not world["derive"]:
        return None
    name, tree = random_.choice(world["derive"])
    unit, values = _unit(case, tree), _value(("name", name), row, world, rows)
    return _relation(random_, ("name", name), unit, values) if values and unit is not None else None


def _telemetry(random_, case, row, world, rows):
    name, unit, limits = random_.choice([("power", "W", [99, 100, 200, 250, 251]), ("energy", "J", [0, 10, 15, 20, 40]),
                                         ("broken", "", [0, 0, 1])])
    return _relation(random_, ("name", name), unit, None, number(float(random_.choice(limits)), unit))


def _peers(random_, case, row, world, rows):
    if "device" not in dict(case["axes"]):
        return None
    name = ("name", random_.choice([name for name, each in case["metrics"].items() if each["kind"] != "value"] + ["time"]))
    least = random_.random() < 0.5
    share = ("share", random_.choice(["50", "95", "98", "99.5"] if least else ["101", "103", "150"]), "peers")
    relation = random_.choice([">", ">="] if least else ["<", "<="])
    return (relation, name, share) if random_.random() < 0.8 else (peers.turned(relation), share, name)


def baseline(random_, rows):
    """What healthy devices reached, near to what the rows measured; or None. A band or a row of it may be of something else."""
    if random_.random() < 0.5:
        return None
    found = {}
    for row in rows:
        for name, metric in row.metrics.items() if row.measured else []:
            number = metric.numbers[0]
            if metric.observed or number.indices or number.value <= 0 or random_.random() < 0.3:
                continue
            unit = row.case["metrics"].get(name, {"unit": "s"})["unit"]
            mean = float("%.6e" % (number.value * random_.choice(FACTORS)))
            found[(bands.key_of(row), name)] = {
                "row": bands.key_of(row), "metric": name, "unit": unit, "mean": mean, "deviation": random_.choice([0.05, 0.4, 2, 12.5]),
                "count": random_.choice([8, 8, 12, 59, 60, 200]), "otherwise": random_.random() < 0.1}
    if not found:
        return None
    band = {"model": random_.choice([""] * 8 + ["Another"]), "driver": random_.random() < 0.05, "power": random_.random() < 0.05,
            "device": random_.choice([""] * 6 + ["nowhere host:0"]), "rows": list(found.values())}
    # Of no device that the first one may be of: else the file is refused.
    other = dict(band, model="A third" if band["model"] else "Another", rows=band["rows"][:1])
    return random_.choice([[band], [band], [other, band]])


def baseline_expectations(random_, case, known):
    """Of its metrics that are measured by themselves, and at times without a baseline."""
    names = [name for name, each in case["metrics"].items() if each["kind"] != "value" and not each["observed"]] + ["time"]
    entries = []
    for _ in range(random_.randint(0, 2) if known or random_.random() < 0.1 else 0):
        name = random_.choice(names)
        that = ("band", name)
        if random_.random() < 0.4:
            that = _relation(random_, ("name", name), "", None, ("share", str(random_.choice([50, 95, 99, 100, 101, 150])), "baseline"))
        if expression.write(that) not in [expression.write(each["that"]) for each in case["expect"] + entries]:
            entries.append({"that": that, "where": _where(random_, case), "alone": False})
    return entries


def aim_beside(random_, cases):
    """Now and then an expectation on rows that are not there: a device that is missing, a point that is excluded."""
    for case in cases:
        if not case["expect"] or random_.random() < 0.7:
            continue
        entry = random_.choice(case["expect"])
        if "device" in dict(case["axes"]):
            entry["where"] = {"device": ["host:7"]}
        elif case["exclude"]:
            entry["where"] = dict(case["exclude"][0])


def findings(random_, cases):
    found = []
    for case in cases:
        wide = [(axis, texts) for axis, texts in case["axes"] if len(texts) > 1]
        names = [name for name, each in case["metrics"].items() if each["dimensions"] == 0 and each["kind"] != "value"]
        names.append("time")
        if not wide or case["exclude"] or random_.random() < 0.4:
            continue
        axis, texts = random_.choice(wide)
        metric = random_.choice(names)
        one, other = random_.sample(texts, 2)
        let = [(name, ("selector", case["id"], ((axis, text),), metric)) for name, text in (("x", one), ("y", other))]
        if random_.random() < 0.2:  # with fewer than six rounds it is undecided
            let[1] = ("y", ("call", "best", ("selector", case["id"], (), metric), None))
        units = [_unit(case, ("name", metric))] * 2
        if random_.random() < 0.2:  # over an axis, one or both
            functions = random_.choice([("min", "max", "mean", "sum"), ("spread", "cv")])
            both = functions[0] == "spread" or random_.random() < 0.5
            over = random_.choice([each for each, _ in case["axes"]]) if both else axis  # at times of one row
            for i, name in enumerate("xy"[:1 + both]):
                let[i] = (name, ("call", random_.choice(functions), ("selector", case["id"], (), metric), over))
            units = ["" if functions[0] == "spread" else each for each in units]
        elif random_.random() < 0.15:  # of two metrics
            second = random_.choice(names)
            if None not in (units[0], _unit(case, ("name", second))):
                let[1] = ("y", ("selector", case["id"], ((axis, other),), second))
                units[1] = _unit(case, ("name", second))
        claim = _claim(random_, *units)
        if random_.random() < 0.2:
            let = [("x", ("selector", case["id"], (), metric))]
            claim = (random_.choice(["==", "==", "!="]), ("call", random_.choice(["argmax", "argmin"]), ("name", "x"), axis),
                     ("number", one, "") if one.isdigit() else ("text", one))
        used = {part[1] if part[0] == "name" else part[2] for part in expression.parts(claim)
                if part[0] in ("name", "share")}
        let = [each for each in let if each[0] in used]
        found.append({"id": "f" + case["id"], "let": let, "over": random_.choice([0.02, 0.02, 0.1, 0.005]),
                      "claim": claim, "assert": random_.random() < 0.3,
                      "for": random_.choice([None, None, "all", "any", "worst"])})
    return found


def _factor(random_):
    return number(random_.choice([0.5, 0.9, 0.95, 1.01, 1.05, 1.3, 2.02]))


def _claim(random_, unit, other):
    """About x and y, in these units; None of one that no suite can write."""
    x, y = ("name", "x"), ("name", "y")
    if unit != other:
        return _of_two_units(random_, unit, other)
    if random_.random() < 0.05:
        return _of_nothing(random_)
    left = random_.choice([x, x, ("*", _factor(random_), x), ("/", x, _factor(random_)), ("+", x, y), ("/", x, y)])
    right = random_.choice([y, y, ("*", _factor(random_), y), ("*", ("*", _factor(random_), _factor(random_)), y),
                            ("*", y, _factor(random_)), ("share", str(random_.choice([90, 98, 101])), "y"),
                            ("/", ("*", y, _factor(random_)), _factor(random_))])
    if left == ("/", x, y):
        right = _factor(random_)
    elif unit and random_.random() < 0.2:
        left, right = x, number(random_.choice([10.0, 50.0, 300.0]) * SCALES[unit] * random_.choice(FACTORS), unit)
        if random_.random() < 0.5:
            left, right = ("/", x, number(4.0)), ("*", number(0.25), right)
    elif unit == "" and random_.random() < 0.4:  # of a share
        left, right = x, number(random_.choice([0.0, 0.01, 0.05, 0.3]), "%")
    elif random_.random() < 0.1:  # a factor with a unit on both sides
        left, right = ("*", number(2e-6, "us"), x), ("*", number(2e-6 * random_.choice(FACTORS), "us"), y)
    if unit and random_.random() < 0.1:  # a difference, in its own unit
        left, right = ("-", x, y), number(random_.choice([0.0, 0.0, 5.0, -5.0]) * SCALES[unit], unit)
    if random_.random() < 0.5:
        left, right = right, left
    return (random_.choice(RELATIONS), left, right)


def _of_two_units(random_, unit, other):
    """A quantity with a unit turns one into the other."""
    x, y = ("name", "x"), ("name", "y")
    turned = ("/", number(random_.choice(FACTORS) * SCALES[unit], unit), number(random_.choice([1.0, 10.0]) * SCALES[other], other))
    return (random_.choice(RELATIONS), x, ("*", turned, y))


def _of_nothing(random_):
    """Divides by zero, or by a difference of which rounding alone is left; one of x and y may be zero by chance."""
    x, y = ("name", "x"), ("name", "y")
    nothing = random_.choice([
        ("-", y, y), ("-", x, y), ("-", ("+", x, y), ("+", y, x)), ("-", ("*", number(0.3), y), ("+", ("*", number(0.1), y), ("*", number(0.2), y))),
        ("-", ("*", number(1.1), x), ("*", x, number(1.1)))])
    left, right = random_.choice([(("/", x, nothing), _factor(random_)), (("/", ("*", x, y), nothing), y)])
    if random_.random() < 0.5:
        left, right = right, left
    return (random_.choice(RELATIONS), left, right)
