# SPDX-License-Identifier: Apache-2.0
"""A second, deliberately plain judge: what the documents say, and nothing of how Assay does it.

judge(world) answers {"outcomes", "expectations", "groups", "findings", "exit_code"}; where the rules leave the last
digit open, an expectation's or a finding's answer is UNSURE.
"""
import bands
import claims
import expression
import paired
import peers
from interval import Number, Unsure, compare
from rows import rows_of
from scope import NoReference, NotAvailable, NotJudged, RowScope, evaluate, first_named, fold, together

UNSURE = claims.UNSURE
RowScope.baseline_row = staticmethod(bands.row_of)


def relation(that, scope):
    """The status of an expectation: it holds if it holds for every value."""
    try:
        if "text" in (that[1][0], that[2][0]):
            name, text = (that[1][1], that[2][1]) if that[2][0] == "text" else (that[2][1], that[1][1])
            texts = scope.texts(name)
            if not texts:
                raise NotJudged(name + " was not recorded")
            if not all(each is None or (each == text) == (that[0] == "==") for each in texts):
                return "failed"
            if None in texts:
                raise NotJudged(name + " was not recorded by all")
            return "passed"
        left_name, right_name = first_named(that[1]), first_named(that[2])
        sides, missing, absent = [], None, False
        for tree, about in ((that[1], right_name or left_name), (that[2], left_name or right_name)):
            try:
                sides.append(evaluate(tree, scope, about))
            except NoReference as why:
                missing = why
            except NotAvailable:
                absent = True
        if missing:
            raise missing
        if absent:
            return "not_available"
        if isinstance(scope, RowScope) and scope.is_reference() and \
                any(part[0] == "share" and part[2] == "reference" for part in expression.parts(that)):
            return _with_itself(that[0], *sides)
        found = paired.statuses(that, scope, sides) or [compare(a, that[0], b) for a, b in together(*sides)]
    except NotJudged:
        return "not_judged"
    except NoReference:
        return "no_reference"
    except Unsure:
        return UNSURE
    return next((status for status in ("failed", "undecided") if status in found), "passed")


def beside_others(judged, *asked):
    """By peers or by a band."""
    try:
        found = judged(*asked)
    except NotJudged:
        return "not_judged"
    except NoReference:
        return "no_reference"
    except Unsure:
        return UNSURE
    found = [found] if isinstance(found, str) else found
    return next((status for status in ("failed", "undecided") if status in found), "passed")


def _with_itself(operator, left, right):
    """A row is equal to itself: its values, or what a function makes of them, one by one against shares of the same."""
    left, right = [[Number(number.value, indices=number.indices) for number in side] for side in (left, right)]
    if len(left) != len(right):
        raise Unsure("which values of a sum are those of the row itself")
    found = [compare(a, operator, b) for a, b in zip(left, right)]
    return "failed" if "failed" in found else "passed"


class GroupScope:
    def __init__(self, members, world, rows):
        self.members, self.world, self.rows = members, world, rows

    def name(self, name):
        raise NotJudged(name + " stands outside of a function over rows")

    texts = name

    def share(self, base, about):
        raise NoReference("a group check has no " + base)

    def call(self, tree):
        if not all(row.measured for row in self.members):
            raise NotJudged("a member has no result")
        sets = []
        for row in self.members:
            try:
                sets.append(evaluate(tree[2], RowScope(row, self.world, self.rows), None))
            except NotAvailable:
                continue
        if not sets:
            raise NotAvailable()
        if tree[1] == "sum" and len(sets) < len(self.members):
            raise NotJudged("a sum without one of its parts")
        return fold(tree[1], sets)


def judge_group(that, members, world, rows, strict):
    """Status and outcome of one group check."""
    status = relation(that, GroupScope(members, world, rows))
    calls = [part for part in expression.parts(that) if part[0] == "call" and part[3]]
    compares = any(call[1] in ("spread", "cv") for call in calls) or len({call[2] for call in calls}) < len(calls)
    if len(members) == 1 and compares and status not in ("no_reference", "not_available"):
        status = "not_judged"
    if status == "passed" or (status == "undecided" and not strict):
        return status, "passed"
    if status == "not_available":
        return status, "skipped"
    if status == "not_judged":
        for outcome in ("skipped", "not_run"):
            if all(row.outcome == outcome for row in members):
                return status, outcome
    return status, "failed"


def applies(where, row):
    return all(row.point.get(axis) in texts for axis, texts in where.items())


def groups_of(case, entry, rows):
    """The rows of each group check, by the points of the other axes."""
    axis = next(part[3] for part in expression.parts(entry["that"]) if part[0] == "call" and part[3])
    groups = {}
    for row in rows:
        if row.case is case and applies(entry["where"], row):
            others = ",".join(a + "=" + t for a, t in row.point.items() if a != axis)
            groups.setdefault(others, []).append(row)
    return groups


def judge(world):
    rows, strict = rows_of(world), world["strict"]
    for row in rows:
        row.measure()
    expectations, groups = {}, {}
    for case in world["cases"]:
        for entry in case["expect"]:
            text = expression.write(entry["that"])
            if not any(row.case is case and applies(entry["where"], row) for row in rows):
                where = ", ".join(axis + "=" + " or ".join(texts) for axis, texts in entry["where"].items())
                groups[f"{case['id']}: {text} where {where}"] = ("not_judged", "failed")
                continue
            if expression.is_group(entry["that"]):
                for others, members in groups_of(case, entry, rows).items():
                    key = case["id"] + ("[" + others + "]" if others else "") + ": " + text
                    groups[key] = judge_group(entry["that"], members, world, rows, strict)
                continue
            for row in rows:
                if row.case is case and applies(entry["where"], row):
                    status = "not_judged"
                    if row.measured and peers.asks(entry["that"]):
                        status = beside_others(peers.status, entry["that"], row, rows, peers.comparisons(world, rows, applies))
                    elif row.measured and bands.asks(entry["that"]):
                        status = beside_others(bands.status, entry["that"], row, world, bands.comparisons(world, rows, applies))
                    elif row.measured:
                        status = relation(entry["that"], RowScope(row, world, rows))
                    row.expectations.append("left out" if status == "no_reference" and entry.get("alone") else status)
                    expectations[(row.id, text)] = status
    for row in rows:
        bad = {"failed", "no_reference", "not_judged"} | ({"undecided"} if strict else set())
        if row.measured and (row.outcome == "passed" or row.hole) and bad & set(row.expectations):
            row.outcome = "failed"
    findings = {each["id"]: claims.judge_finding(each, world, rows) for each in world["findings"]}
    return {"outcomes": {row.id: row.outcome for row in rows},
            "expectations": expectations, "groups": groups, "findings": findings,
            "rates": {row.id: row.metrics["throughput"].numbers[0].value for row in rows if row.measured and "throughput" in row.metrics},
            "exit_code": exit_code(world, rows, expectations, groups, findings)}


def exit_code(world, rows, expectations, groups, findings):
    outcomes = {row.outcome for row in rows} | {outcome for _, outcome in groups.values()}
    ran = outcomes - {"skipped", "not_run"}
    undecided = "undecided" in expectations.values() or "undecided" in {status for status, _ in groups.values()}
    if world["interrupted_by"]:
        return 128 + world["interrupted_by"]
    if outcomes & {"error", "crashed", "timeout"} or (ran and outcomes & {"not_run", "cancelled"}):
        return 5
    if outcomes & {"failed", "invalid"} or (world["strict"] and undecided):
        return 1
    if not ran:
        return 6
    if any(each["assert"] and findings[each["id"]][0] != "confirmed" for each in world["findings"]):
        return 1
    left_out = any(row.outcome == "passed" and {"not_available", "left out"} & set(row.expectations) for row in rows)
    if world["strict"] and ("skipped" in outcomes or left_out):
        return 6
    return 0
