#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""judged_anew.py [RESULT...]: what today's rules make of results that are kept, where it is not what was said then.

A result is a document that was judged; what a judge starts from, the samples of each visit, is in the journal, of which it keeps at most 200 samples a
case. What verdicts rest on is all in it: the value of every round, the interval of fewer rounds, peaks and the members of group checks. So this reads those
and judges again by the naive judge of tests/property, which shares nothing with Assay: expectations and group checks by their interval, findings by the
interval of the ratio round by round, with the factors that the claim writes taken out at any depth. Prints a line a change, and how many were looked at.
"""

import json
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "docs/results"
sys.path.insert(0, str(ROOT / "tests/property"))

import claims  # noqa: E402
import expression  # noqa: E402
import naive  # noqa: E402
import peers  # noqa: E402
from interval import Number, compare, over_rounds  # noqa: E402
from rows import ALLOWANCE, FEWEST_ROUNDS, FEWEST_SAMPLES, PRIOR, clocked  # noqa: E402
from scope import NoReference, NotAvailable, NotJudged, fold  # noqa: E402

CLOCK_REASON = "no interval is narrower than the clock is accurate"
FACTOR_REASON = "factors are taken out of products at any depth, so that the effect is that of the sides"
WORD_REASON = "what is decided and not alike is mixed; a difference that is shown, and not its size, is small"
TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?)\s*(%|[A-Za-z]+/[A-Za-z]+)?|([A-Za-z_]\w*)|([<>=!]=|[<>*/()]))")
# What the backend for GPUs declares that it reads.
TELEMETRY = {each["name"] for each in json.loads((ROOT / "plugins/cuda/cuda.assay.json").read_text(encoding="utf-8"))["telemetry"]}
CLOCKED = ("median", "mean", "work over time")


class Parser:
    """The part of the language that kept results use: a comparison of products, shares and functions over an axis."""

    def __init__(self, text):
        self.tokens, at = [], 0
        while at < len(text.rstrip()):
            match = TOKEN.match(text, at)
            if not match:
                raise SystemExit(f"cannot read {text!r} from {at} on; teach {pathlib.Path(__file__).name}")
            self.tokens.append(match.groups())
            at = match.end()
        self.next = 0

    def peek(self, place=3):
        return self.tokens[self.next][place] if self.next < len(self.tokens) else None

    def take(self):
        self.next += 1
        return self.tokens[self.next - 1]

    def relation(self):
        left = self.product()
        sign = self.take()[3]
        return (sign, left, self.product())

    def product(self):
        tree = self.factor()
        while self.peek() in ("*", "/"):
            sign = self.take()[3]
            tree = (sign, tree, self.factor())
        return tree

    def factor(self):
        number, unit, name, sign = self.take()
        if sign == "(":
            tree = self.product()
            self.take()
            return tree
        if number and unit == "%" and self.peek(2) == "of":
            self.take()
            return ("share", number, self.take()[2])
        if number:
            return ("number", number, unit or "")
        if self.peek() != "(":
            return ("name", name)
        self.take()
        inner, axis = self.product(), None
        if self.peek(2) == "over":
            self.take()
            axis = self.take()[2]
        self.take()
        return ("call", name, inner, axis)


def known(metric, allowance):
    """A metric as verdicts rely on it today."""
    of_clock = metric["statistic"] in CLOCKED
    if metric["statistic"] == "recorded":
        raise SystemExit("an expectation on a recorded value needs the values themselves, which a result does not keep")
    if len(metric["rounds"]) >= FEWEST_ROUNDS:
        number = over_rounds(metric["rounds"])
        return clocked(number) if of_clock else number
    value, spread = metric["value"], metric["spread"]
    if metric["n"] < FEWEST_SAMPLES:
        return Number(value, (spread["minimum"] / PRIOR, spread["maximum"] * PRIOR))
    seen = metric["interval"] or {"low": spread["minimum"], "high": spread["maximum"]}
    widening = allowance * abs(value)
    return Number(value, (seen["low"] - widening, seen["high"] + widening))


class Kept:
    """What names mean beside a case of a kept result."""

    def __init__(self, case, allowance):
        self.case, self.allowance = case, allowance

    def metric(self, name):
        found = [each for each in self.case["metrics"] if each["name"] == name and not each["indices"]]
        if not found:
            raise NotJudged(f"{self.case['id']} has no '{name}'")
        return found[0]

    def name(self, name):
        if name in TELEMETRY:
            return self.telemetry(name)
        return [known(self.metric(name), self.allowance)]

    def telemetry(self, name):
        """Observations: every value counts. Of a gauge a result keeps the extremes, of which one is the worst whatever is asked."""
        kept = [each for each in self.case["telemetry"] if each["quantity"] == name]
        if not kept:
            raise NotAvailable(name)
        return [Number(value) for each in kept for value in ([each["added"]] if each["kind"] == "counter" else [each["minimum"], each["maximum"]])]

    def share(self, base, about):
        peak = self.metric(expression.names(about)[0])["peak"] if base == "peak" else None
        if not peak:
            raise NoReference(base)
        return [Number(peak["value"])]


class Row:
    """A case as the rules of peers see a row."""

    def __init__(self, case):
        self.id, self.case, self.point = case["id"], sys.intern(case["case"]), {axis["name"]: axis["text"] for axis in case["axes"]}
        self.measured = bool(case["metrics"])
        self.metrics = {}
        for metric in case["metrics"]:
            of_name = self.metrics.setdefault(metric["name"], Values(metric))
            of_name.numbers.append(Number(metric["value"], indices=tuple(metric["indices"])))


class Values:
    def __init__(self, metric):
        self.numbers, self.observed = [], metric["statistic"] == "recorded"
        self.few = len(metric["rounds"]) < FEWEST_ROUNDS and metric["n"] < FEWEST_SAMPLES


def beside_peers(that, row, rows, count):
    return naive.beside_others(peers.status, that, row, rows, count, row.metrics[that[1][1]].few)


class Group:
    def __init__(self, members, allowance):
        self.members = [Kept(member, allowance) for member in members]

    def call(self, tree):
        if len(self.members) == 1 and tree[1] == "spread":
            raise NotJudged("it has one member")
        return fold(tree[1], [member.name(tree[2][1]) for member in self.members])


def of_shared(tree):
    """The plain factor that versions before took out of a side: of a product the one that stands alone."""
    if tree[0] != "*":
        return 1.0
    plain = [claims.split(part)[0] for part in tree[1:] if part[0] == "number" and not claims.split(part)[1]]
    return plain[0] if plain else 1.0


def finding_verdicts(finding, has_today):
    """Its rows' verdicts, by the interval that the result has of each."""
    relation, left, right = Parser(finding["claim"]).relation()
    (left_factor, left_unit), (right_factor, right_unit) = claims.split(left), claims.split(right)
    # What is still in the kept effect, and is not today.
    rest = 0.0 if has_today else math.log(right_factor / of_shared(right)) - math.log(left_factor / of_shared(left))
    # A number by itself is a side, and no factor of one.
    is_number = right[0] == "number" or left[0] == "number"
    margin = 1.0 if is_number else right_factor / left_factor
    written = margin != 1 or is_number or left_unit or right_unit
    tolerance = 0.0 if written and relation not in ("==", "!=") else math.log1p(finding["theta"])
    verdicts, effects = [], []
    for row in finding["rows"]:
        if row["low"] is None:
            verdicts.append(row["verdict"])
            effects.append(row["effect"])
            continue
        low, high = math.log1p(row["low"]) + rest, math.log1p(row["high"]) + rest
        verdicts.append(claims.verdict(relation, low, high, math.log(margin), tolerance))
        effects.append(math.expm1(math.log1p(row["effect"]) + rest))
    return verdicts, effects


def changes(path):
    """(what was looked at, [(what, then, now, why)])."""
    document = json.loads(path.read_text(encoding="utf-8"))
    shares = document["run"].get("run_to_run", {}).get("shares", {})
    cases = {case["id"]: case for case in document["cases"]}
    looked, found = {"expectations": 0, "group checks": 0, "findings": 0, "intervals": 0}, []

    def note(kind, what, then, now):
        looked[kind] += 1
        if then != now:
            found.append((what, then, now, WORD_REASON if now == "mixed" else "rules changed"))

    rows = {case_id: Row(case) for case_id, case in cases.items()}
    asked_of_peers = sum(peers.asks(Parser(each["text"]).relation()) for case in cases.values() for each in case["expectations"])
    for case in cases.values():
        kept = Kept(case, shares.get(case["backend"], ALLOWANCE))
        for each in case["expectations"]:
            that = Parser(each["text"]).relation()
            # Without a result nothing was judged, then and now.
            now = "not_judged"
            if case["metrics"] and peers.asks(that):
                now = beside_peers(that, rows[case["id"]], list(rows.values()), asked_of_peers)
            elif case["metrics"]:
                now = naive.relation(that, kept)
            note("expectations", f"{case['id']}: {each['text']}", each["status"], now)
        for metric in case["metrics"]:
            if metric["interval"] and len(metric["rounds"]) >= FEWEST_ROUNDS and metric["statistic"] in CLOCKED:
                number = clocked(Number(metric["value"], (metric["interval"]["low"], metric["interval"]["high"])))
                wider = number.inner != (metric["interval"]["low"], metric["interval"]["high"])
                looked["intervals"] += 1
                if wider:
                    half = (metric["interval"]["high"] - metric["interval"]["low"]) / 2 / metric["value"]
                    found.append((f"{case['id']}: interval of {metric['name']}", f"±{100 * half:.3f} %", "±0.05 %", CLOCK_REASON))
    for group in document["groups"]:
        members = [cases[member["id"]] for member in group["members"]]
        allowance = shares.get(members[0]["backend"], ALLOWANCE)
        now = naive.relation(Parser(group["text"]).relation(), Group(members, allowance)) \
            if all(member["metrics"] for member in members) else "not_judged"
        note("group checks", group["id"], group["status"], now)
    for finding in document["findings"]:
        verdicts, effects = finding_verdicts(finding, "asks" in finding)
        now = verdicts[0] if len(set(verdicts)) == 1 else "mixed" if set(verdicts) == {"confirmed", "refuted"} else "undecided"
        note("findings", f"finding {finding['id']}", finding["verdict"], now)
        for row, verdict, effect in zip(finding["rows"], verdicts, effects):
            if verdict != row["verdict"]:
                found.append((f"finding {finding['id']} at {row['label']}", row["verdict"], verdict, WORD_REASON if verdict == "small" else FACTOR_REASON))
            if row["effect"] is not None and abs(effect - row["effect"]) > 1e-9:
                found.append((f"finding {finding['id']} at {row['label']}, effect", f"{100 * row['effect']:+.1f} %",
                              f"{100 * effect:+.1f} %", FACTOR_REASON))
    return looked, found


def report(paths):
    """The text that is kept in docs/results/judged-anew.txt."""
    total, lines = {}, []
    for path in paths:
        if "cases" not in json.loads(path.read_text(encoding="utf-8")):
            continue
        looked, found = changes(path)
        for kind, number in looked.items():
            total[kind] = total.get(kind, 0) + number
        lines += [f"{path.relative_to(RESULTS)}: {what}: {then}, today {now} ({why})" for what, then, now, why in found]
    counts = ", ".join(f"{number} {kind}" for kind, number in total.items())
    verdicts = sum(1 for line in lines if CLOCK_REASON not in line and ", effect: " not in line)
    return "\n".join(lines + [f"{counts}: {verdicts} verdicts changed, {len(lines) - verdicts} numbers"]) + "\n"


if __name__ == "__main__":
    chosen = [pathlib.Path(each).resolve() for each in sys.argv[1:]] or sorted(RESULTS.rglob("*/*.json"))
    sys.stdout.write(report(chosen))
