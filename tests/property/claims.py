# SPDX-License-Identifier: Apache-2.0
"""Findings: a claim about the ratio of its two sides, round by round."""
import itertools
import math

import expression
from interval import Number, Unsure, combine, equal, negate, same, student, student_interval
from rows import FEWEST_ROUNDS
from scope import NotJudged, fold

UNSURE = "unsure"


def selectors(finding):
    """Every selector of the claim by its name in `let`: (case, terms, metric, call); `call` is what is called on it, or None."""
    found = {}
    for name, tree in finding["let"]:
        call = tree if tree[0] == "call" else None
        selector = tree[2] if call else tree
        found[name] = (selector[1], dict(selector[2]), selector[3], call)
    used = set(expression.names(finding["claim"])) | {
        part[2] for part in expression.parts(finding["claim"]) if part[0] == "share"}
    return {name: selector for name, selector in found.items() if name in used}


def split(tree):
    """A side of a claim: the product of its plain factors, and whether it has a quantity with a unit."""
    kind = tree[0]
    if kind == "number":
        return (1.0, True) if tree[2] not in ("", "%") else (expression.quantity(tree), False)
    if kind == "share":
        return expression.share(tree), False
    if kind in ("*", "/"):
        (a, x), (b, y) = split(tree[1]), split(tree[2])
        return (a * b if kind == "*" else a / b), x or y
    return 1.0, False


def _named(tree):
    """The names that a side has."""
    return [part[1] for part in expression.parts(tree) if part[0] == "name"] + \
        [part[2] for part in expression.parts(tree) if part[0] == "share"]


class NoValue(Exception):
    """A side of a claim divides by zero, or by a difference of which rounding alone is left."""


class Alone(Exception):
    """What says how far values lie apart has one of them, or nothing above zero to be a share of."""


def number_of(tree, values):
    """A side of a claim where its names have these values."""
    kind = tree[0]
    if kind == "number":
        return Number(expression.quantity(tree))
    if kind == "name":
        return Number(values[tree[1]])
    if kind == "share":
        return Number(expression.share(tree) * values[tree[2]])
    if kind == "negate":
        return negate(number_of(tree[1], values))
    found = combine(kind, number_of(tree[1], values), number_of(tree[2], values))
    if not math.isfinite(found.value):
        raise NoValue
    return found


def value(tree, values):
    return number_of(tree, values).value


def near(a, b):
    if abs(a - b) <= 1e-9:
        raise Unsure("the interval ends where the claim's limit lies")
    return a < b


def verdict(relation, low, high, margin, tolerance):
    """Of the logarithms of an interval, of what is asked for, and of what counts as none."""
    above, below = margin + tolerance, margin - tolerance
    on = [limit for limit in {">": [above], "<=": [above], ">=": [below], "<": [below]}.get(relation, [above, below])
          if abs(low - limit) <= 1e-12 and abs(high - limit) <= 1e-12]
    if on:  # of exact values that are what is asked for
        return "confirmed" if relation in ("<=", ">=", "==") else "refuted"
    if relation == ">":
        yes, no = near(above, low), near(high, above)
    elif relation == ">=":
        yes, no = near(below, low), near(high, below)
    elif relation == "<":
        yes, no = near(high, below), near(below, low)
    elif relation == "<=":
        yes, no = near(high, above), near(above, low)
    else:
        yes, no = near(below, low) and near(high, above), near(above, low) or near(high, below)
        if relation == "!=":
            yes, no = no, yes
    if yes or no:
        return "confirmed" if yes else "refuted"
    # A difference that is shown, and not whether it is as large as what counts as one.
    return "small" if near(margin, low) or near(high, margin) else "undecided"


def is_difference(side):
    """A side that may be zero or below has no ratio to its limit."""
    return side[0] in ("-", "negate")


def largest(tree, values):
    """The largest number that a side is calculated from."""
    return max([abs(value(tree, values))] + [largest(part, values) for part in tree[1:] if isinstance(part, tuple)])


def difference_verdict(relation, low, high, limit):
    """Of an interval of a difference in its own unit; its scale keeps rounding from deciding."""
    if same(low, limit) and same(high, limit):
        return "confirmed" if relation in ("<=", ">=", "==") else "refuted"
    scale = max(abs(low), abs(high), abs(limit), 1e-300)
    low, high, limit = low / scale, high / scale, limit / scale
    if relation in (">", ">="):
        yes, no = near(limit, low), near(high, limit)
    elif relation in ("<", "<="):
        yes, no = near(high, limit), near(limit, low)
    else:
        yes, no = False, near(limit, low) or near(high, limit)
        if relation == "!=":
            yes, no = no, yes
    return "confirmed" if yes else "refuted" if no else "undecided"


def every(found):
    """Of observations: they hold all, or not."""
    return "confirmed" if found == "confirmed" else "refuted"


def row_value(row, metric, number):
    """What a row measured in a round, of metrics with one value."""
    found = row.metrics.get(metric)
    if not found or list(found.rounds) != [()]:
        return None
    for visit, each in zip(row.rounds, found.rounds[()]):
        if visit["round"] == number:
            return each
    return None


def over_axis(call, rows, metric, number):
    """What a function over an axis makes in a round, of all rows along it."""
    if any(len(seen(row, metric, number)) > 1 for row in rows):
        raise Unsure("which of several values that were seen a function takes")
    if call[1] in ("spread", "cv") and len(rows) == 1:
        raise Alone
    try:
        return fold(call[1], [[Number(row_value(row, metric, number))] for row in rows])[0].value
    except NotJudged as why:
        raise Alone from why


def pick(rows, metric, direction, rounds):
    """best(): the largest geometric mean, or the smallest."""
    scores = [math.fsum(math.log(row_value(row, metric, number)) for number in rounds) for row in rows]
    if direction == "lower":
        scores = [-score for score in scores]
    ordered = sorted(scores, reverse=True)
    if len(ordered) > 1 and ordered[0] - ordered[1] < 1e-9 and rounds:
        raise Unsure("two that are as good")
    return rows[scores.index(max(scores))]


def wrongness(relation, above):
    """How far on the claim's wrong side: `above` is how far what was measured lies above what is asked for."""
    return {">": -above, ">=": -above, "<": above, "<=": above, "==": abs(above), "!=": -abs(above)}[relation]


def seen(row, metric, number):
    """Every value of an observation in a round."""
    given = [value for visit in row.rounds if visit["round"] == number for rank in visit["ranks"]
             for name, indices, value in rank["values"] if name == metric and indices == ()]
    return sorted(set(given)) or [row_value(row, metric, number)]


def combinations(finding, picked, rounds, made):
    """Every way to give each name of the claim a value that was seen, round by round."""
    names = [name for side in finding["claim"][1:] for name in _named(side)]
    for number in rounds:
        each = {name: [made[name][number]] if name in made else seen(row, metric, number) for name, (row, metric) in picked.items()}
        if any(names.count(name) > 1 and len(values) > 1 for name, values in each.items()):
            raise Unsure("whether a name has one value in two places is not said")
        for values in itertools.product(*each.values()):
            yield dict(zip(each, values))


class NoRatio(Exception):
    """A quantity that a limit is asked of is not above zero in a round."""


def judge_row(finding, chosen, directions, comparisons=1, by_difference=False):
    """The verdict of one row of a finding, and how wrong it lies (None without a value); `chosen` is
    name -> (rows, metric, call). By intervals that hold for so many comparisons together."""
    numbers = None
    for name, (rows, metric, call) in list(chosen.items()):
        if call and call[1] == "best" and len(rows) > 1:
            rows = [row for row in rows if row.outcome != "skipped" or row.measured]
        if not rows or any(not row.measured or metric not in row.metrics for row in rows):
            return "undecided", None
        chosen[name] = (rows, metric, call)
        for row in rows:
            own = {v["round"] for v in row.rounds if row_value(row, metric, v["round"]) is not None}
            numbers = own if numbers is None else numbers & own
    rounds = sorted(numbers)
    picking = rounds
    if any(call and call[1] == "best" for _, _, call in chosen.values()):
        picking, rounds = [r for r in rounds if r % 2 == 1], [r for r in rounds if r % 2 == 0]
    if not rounds:
        return "undecided", None
    over = {name: each for name, each in chosen.items() if each[2] and each[2][3]}
    picked = {name: (rows[0] if len(rows) == 1 or name in over else pick(rows, metric, directions[metric], picking), metric)
              for name, (rows, metric, _) in chosen.items()}
    try:
        made = {name: {number: over_axis(call, rows, metric, number) for number in rounds} for name, (rows, metric, call) in over.items()}
    except Alone:
        return "not_comparable", None
    looks = max(row.case["looks"] for rows, _, _ in chosen.values() for row in rows)
    relation, left, right = finding["claim"]
    if not _named(left):
        left, right = right, left
        relation = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(relation, relation)
    observed = all(row.metrics[metric].observed for row, metric in picked.values())
    if observed:
        given = list(combinations(finding, picked, rounds, made))
    else:
        given = [{name: made[name][number] if name in made else row_value(row, metric, number)
                  for name, (row, metric) in picked.items()} for number in rounds]
    try:
        return judge_values(finding, (relation, left, right), given, observed, looks, comparisons, by_difference)
    except NoValue:
        return "undecided", None


def judge_values(finding, claim, given, observed, looks, comparisons, by_difference):
    """The same, of the values that the names of a claim have: round by round, or all that were seen."""
    relation, left, right = claim
    if not _named(right) and (by_difference or is_difference(left) or value(right, {}) <= 0):
        limit = value(right, {})
        values = [Number(value(left, each), operand=largest(left, each)) for each in given]
        values = [limit if equal(each, Number(limit)) else each.value for each in values]
        if observed:
            return every(difference_verdict(relation, min(values), max(values), limit)), max(wrongness(relation, each - limit) for each in values)
        wrong = wrongness(relation, math.fsum(values) / len(values) - limit)
        if len(given) < FEWEST_ROUNDS:
            return "undecided", wrong
        _, low, high = interval_of(values, looks, comparisons)
        return difference_verdict(relation, low, high, limit), wrong
    (left_factor, left_unit), (right_factor, right_unit) = split(left), split(right)
    logs = []
    for values in given:
        a, b = value(left, values) / left_factor, value(right, values) / right_factor
        if not (a > 0 and b > 0):
            if not _named(right) and math.isfinite(a) and relation not in ("==", "!="):
                raise NoRatio
            return "undecided", None
        logs.append(math.log(a / b))
    margin = right_factor / left_factor
    if same(margin, 1.0):
        margin = 1.0
    elif abs(margin - 1) < 1e-9:
        raise Unsure("factors that nearly cancel")
    written = margin != 1 or left_unit or right_unit
    tolerance = 0.0 if written and relation not in ("==", "!=") else math.log1p(finding["over"])
    if observed:
        return (every(verdict(relation, min(logs), max(logs), math.log(margin), tolerance)),
                max(wrongness(relation, each - math.log(margin)) for each in logs))
    wrong = wrongness(relation, math.fsum(logs) / len(logs) - math.log(margin))
    if len(given) < FEWEST_ROUNDS:
        return "undecided", wrong
    _, low, high = interval_of(logs, looks, comparisons)
    return verdict(relation, low, high, math.log(margin), tolerance), wrong


def judge_value_row(finding, rows, metric, comparisons=1):
    """argmax(x over axis) == value: the row at that value falls behind none of the others, or behind one, by more than
    what counts; by intervals that hold for all others together (and for so many rows of the finding)."""
    relation, call, wanted = finding["claim"]
    rows = [row for row in rows if row.outcome != "skipped" or row.measured]
    if not rows or any(not row.measured or metric not in row.metrics for row in rows):
        return "undecided", None
    rounds = sorted(set.intersection(*({v["round"] for v in row.rounds if row_value(row, metric, v["round"]) is not None}
                                       for row in rows)))
    named = [row for row in rows if row.point[call[3]] == wanted[1]]
    others = [row for row in rows if row not in named]
    if not named or not others or not rounds:
        return "undecided", None
    sign = 1 if call[1] == "argmax" else -1
    looks = max(row.case["looks"] for row in rows)
    verdicts, means = [], []
    for other in others:
        pairs = [(row_value(named[0], metric, number), row_value(other, metric, number)) for number in rounds]
        if not all(a > 0 and b > 0 for a, b in pairs):
            return "undecided", None
        logs = [sign * math.log(a / b) for a, b in pairs]
        means.append(math.fsum(logs) / len(logs))
        if len(rounds) < FEWEST_ROUNDS:
            verdicts.append("undecided")
            continue
        _, low, high = interval_of(logs, looks, len(others))
        if comparisons > 1:
            wider = student(len(logs) - 1, looks, comparisons) / student(len(logs) - 1, looks)
            middle, half = (low + high) / 2, (high - low) / 2 * wider
            low, high = middle - half, middle + half
        verdicts.append(verdict(">=" if relation == "==" else "<", low, high, 0.0, math.log1p(finding["over"])))
    alone = "refuted" if relation == "==" else "confirmed"
    rank = {alone: 2, "undecided": 1, "small": 1}
    worst = max(rank.get(each, 0) for each in verdicts)
    deciding = sorted((mean, each) for mean, each in zip(means, verdicts) if rank.get(each, 0) == worst)
    if len(deciding) > 1 and deciding[1][0] - deciding[0][0] <= 1e-9 and deciding[0][1] != deciding[1][1]:
        raise Unsure("two values that are as good")
    return deciding[0][1], -deciding[0][0] if relation == "==" else deciding[0][0]


def interval_of(values, looks, comparisons):
    return student_interval(values, looks, comparisons) if len(set(values)) > 1 else (values[0], values[0], values[0])


def by_rows(finding, verdicts, wrong, together):
    """The verdict of the whole under `for`; `together` are the rows' by intervals that hold for all of them."""
    if set(verdicts) == {"not_comparable"}:
        return "not_comparable"
    if finding["for"] == "worst":
        if None in wrong:
            return "undecided"
        ordered = sorted(wrong, reverse=True)
        if len(ordered) > 1 and ordered[0] - ordered[1] <= 1e-9 * max(1.0, abs(ordered[0])):
            raise Unsure("two rows that are as bad")
        return together[wrong.index(ordered[0])]
    alone, all_of_them = ("refuted", "confirmed") if finding["for"] == "all" else ("confirmed", "refuted")
    if alone in together or set(verdicts) == {alone}:
        return alone
    return all_of_them if set(verdicts) == {all_of_them} else "undecided"


def judge_finding(finding, world, rows):
    """The verdict, and those of its rows in order."""
    operands = selectors(finding)
    case = next(each for each in world["cases"] if each["id"] == next(iter(operands.values()))[0])
    directions = {name: declared["direction"] for name, declared in case["metrics"].items()}
    directions["time"] = "lower"
    named = {axis for _, terms, _, _ in operands.values() for axis in terms}
    named |= {call[3] for _, _, _, call in operands.values() if call and call[3]}
    of_value = finding["claim"][1][0] == "call"
    if of_value:
        named.add(finding["claim"][1][3])
    free = [axis for axis, _ in case["axes"] if axis not in named]
    matching = {name: [row for row in rows if row.case["id"] == selector[0] and
                       all(row.point.get(axis) == text for axis, text in selector[1].items())]
                for name, selector in operands.items()}
    points = list(dict.fromkeys(tuple(row.point[a] for a in free) for each in matching.values() for row in each))

    def judged(comparisons, by_difference=False):
        if of_value:
            (name, (_, _, metric, _)), = operands.items()
            return [judge_value_row(finding, [row for row in matching[name]
                                              if tuple(row.point[a] for a in free) == point], metric, comparisons)
                    for point in points]
        return [judge_row(finding, {
            name: ([row for row in matching[name] if tuple(row.point[a] for a in free) == point],
                   selector[2], selector[3]) for name, selector in operands.items()}, directions, comparisons, by_difference)
            for point in points]

    try:
        # All rows are held to the limit in one way.
        try:
            found, by_difference = judged(1), False
        except NoRatio:
            found, by_difference = judged(1, True), True
        verdicts = [each for each, _ in found]
        if finding.get("for"):
            together = [each for each, _ in judged(len(points), by_difference)]
            return by_rows(finding, verdicts, [wrong for _, wrong in found], together), verdicts
    except Unsure:
        return UNSURE, []
    if len(set(verdicts)) == 1:
        return verdicts[0], verdicts
    return ("mixed" if set(verdicts) == {"confirmed", "refuted"} else "undecided"), verdicts
