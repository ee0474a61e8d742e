#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/studies.md says the truth: all 67 claims are there, and every suite, case, finding, metric, guard, rule and test that it names exists. So
are the guards of docs/reference/guards.md and the rules of docs/reference/rules.md, each with its test."""

import json
import pathlib
import re
import sys
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/studies.md"
VERDICTS = ["measured", "modelled", "refuted by a guard", "needs hardware that is not at hand"]
STUDIES = {"S000": 18, "S001": 15, "S002": 9, "S003": 16, "S004": 16}  # claims that name it; some name two
GUARDS = [f"G{i}" for i in range(1, 18)]
PART = re.compile(r"(suite|case|finding|metric|guard|rule|test)|`([^`]+)`")


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def rows_of(page, columns):
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("|") and len(cells(line)) == columns and not line.startswith("|--"):
            yield cells(line)


def claims():
    return [row for row in rows_of(PAGE, 6) if row[0].isdigit()]


def parts(cell):
    """(suite or None, kind, name) of each name of a cell: a suite, then what it has, up to the next semicolon."""
    for clause in cell.split(";"):
        suite, kind = None, "suite"
        for word, name in PART.findall(clause):
            kind = word or kind
            if not name:
                continue
            if kind == "suite":
                suite = name
            yield suite, kind, name


def read_suite(name):
    suite = yaml.safe_load((ROOT / f"suites/{name}.yaml").read_text(encoding="utf-8"))
    cases = {case["id"]: case for case in suite["cases"]}
    included = suite.get("include", [])
    for other in included if isinstance(included, list) else [included]:
        cases |= read_suite(other.removesuffix(".yaml"))[0]
    return cases, {finding["id"] for finding in suite.get("findings", [])}


def metrics_of(case):
    """Of the case's benchmark, by any backend."""
    uses = case["uses"].split("@")[0]
    found = set()
    for manifest in (ROOT / "plugins").glob("*/*.assay.json"):
        for benchmark in json.loads(manifest.read_text(encoding="utf-8"))["benchmarks"]:
            if benchmark["name"] == uses:
                found |= {metric["name"] for metric in benchmark["metrics"]}
    return found


def facts_and_parameters_of(uses):
    found = set()
    for manifest in (ROOT / "plugins").glob("*/*.assay.json"):
        for benchmark in json.loads(manifest.read_text(encoding="utf-8"))["benchmarks"]:
            if benchmark["name"] == uses:
                found |= {each["name"] for each in benchmark["facts"] + benchmark["parameters"]}
    return found


def rules():
    for path in sorted((ROOT / "suites/rules").glob("*.yaml")):
        for rule in yaml.safe_load(path.read_text(encoding="utf-8"))["rules"]:
            yield path.name, rule


def tests_of_python():
    text = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    return set(re.findall(r"def (test_\w+)\(", text))


class Studies(unittest.TestCase):
    def test_all_claims_are_there_each_with_one_of_four_verdicts(self):
        rows = claims()
        self.assertEqual([int(row[0]) for row in rows], list(range(1, 68)))
        for row in rows:
            self.assertIn(row[5], VERDICTS, row)
            self.assertTrue(set(row[1].split(", ")) <= set(STUDIES), row)
            self.assertTrue(row[2] and row[3] and row[4], row)
        named = {study: sum(study in row[1] for row in rows) for study in STUDIES}
        self.assertEqual(named, STUDIES)

    def test_the_verdicts_are_counted(self):
        counted = {row[0]: int(row[2]) for row in rows_of(PAGE, 3) if row[0] in VERDICTS}
        self.assertEqual(counted, {verdict: sum(row[5] == verdict for row in claims()) for verdict in VERDICTS})

    def test_everything_that_is_named_exists(self):
        suites, checked = {}, 0
        tests, known_rules = tests_of_python(), {rule["id"] for _, rule in rules()}
        for row in claims():
            named = list(parts(row[4]))
            self.assertTrue(named, row)
            for suite, kind, name in named:
                with self.subTest(claim=row[0], kind=kind, name=name):
                    checked += 1
                    if kind == "suite":
                        suites[name] = read_suite(name)
                    elif kind == "guard":
                        self.assertIn(name, GUARDS)
                    elif kind == "rule":
                        self.assertIn(name, known_rules)
                    elif kind == "test":
                        self.assertIn(name.split(".")[-1], tests)
                    elif kind == "case":
                        self.assertIn(name, suites[suite][0])
                    elif kind == "finding":
                        self.assertIn(name, suites[suite][1])
                    else:
                        of = [each for s, k, each in named if s == suite and k == "case"]
                        self.assertTrue(any(name in metrics_of(suites[suite][0][case]) for case in of), of)
        self.assertGreater(checked, 200)

    def test_a_refuted_claim_names_its_guard_a_measured_one_its_case(self):
        for row in claims():
            kinds = {kind for _, kind, _ in parts(row[4])}
            if row[5] == "refuted by a guard":
                self.assertIn("guard", kinds, row)
            elif row[5] != "modelled":
                self.assertTrue(kinds & {"case", "rule", "test"}, row)

    def test_every_finding_of_a_study_answers_a_claim(self):
        answered = {(suite, name) for row in claims() for suite, kind, name in parts(row[4]) if kind == "finding"}
        beside = {"gemm-shapes"}  # asks what no study does
        extra = {("broadcast-study", "relay-over-all-at-once"), ("broadcast-study", "locking-afterwards"), ("broadcast-study", "shares"),
                 ("broadcast-study", "library"), ("nccl-tuning", "ring"), ("nccl-tuning", "any"), ("numa-study", "bandwidth"),
                 ("numa-study", "latency"), ("numa-study", "habits"), ("training-study", "fed"), ("training-study", "averaging-slows")}  # what the studies left out, and controls
        for path in sorted((ROOT / "suites").glob("*.yaml")):
            if path.stem in beside:
                continue
            for finding in read_suite(path.stem)[1]:
                if (path.stem, finding) in extra or finding.startswith(("gpu-", "gpus-")):
                    continue
                known = {"schedules", "simulator", "averaging-costs", "batch"}  # controls of the claims beside them
                self.assertTrue((path.stem, finding) in answered or finding in known, f"{path.stem}: {finding}")

    def test_a_finding_shows_what_the_studies_of_its_claims_say(self):
        without = {("training-study", "second-worker"), ("training-study", "gpu-fed"), ("broadcast-study", "memory-or-chunks"), ("training-tuning", "buckets"),
                   ("training-tuning", "prefetch"), ("training-tuning", "scaling"), ("h200-guide", "fp8-kinds")}  # their claims have no figure for them
        studies = {}
        for row in claims():
            for suite, kind, name in parts(row[4]):
                if kind == "finding":
                    studies.setdefault((suite, name), set()).update(row[1].split(", "))
        for path in sorted((ROOT / "suites").glob("*.yaml")):
            for finding in yaml.safe_load(path.read_text(encoding="utf-8")).get("findings", []):
                of = (path.stem, finding["id"])
                named = set(re.findall(r"S\d{3}", finding.get("expected", {}).get("source", "")))
                with self.subTest(of):
                    self.assertEqual(bool(named), of in studies and of not in without)
                    self.assertTrue(named <= studies.get(of, set()), named)


class Counts(unittest.TestCase):
    """Figures that are computed from counts alone."""

    def test_adapters_of_rank_64(self):
        # Two matrices of 64 columns for each product of a layer: 7.6e9 parameters, 28 layers of width 3584, keys and values of 512, inner width 18944.
        def adapter(rows, columns):
            return 64 * (rows + columns)

        self.assertEqual(adapter(4096, 4096), 524288)
        layer = 2 * adapter(3584, 3584) + 2 * adapter(3584, 512) + 3 * adapter(3584, 18944)
        attention = 2 * adapter(3584, 3584) + 2 * adapter(3584, 512)
        self.assertAlmostEqual(28 * layer / 1e6, 161.5, places=1)
        self.assertAlmostEqual(28 * attention / 1e6, 40.4, places=1)
        self.assertAlmostEqual(28 * layer / 7.6e9, 0.021, places=3)

    def test_an_all_reduce_of_four_ranks(self):
        ranks = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]
        self.assertEqual([sum(column) for column in zip(*ranks)], [28, 32, 36, 40])


class Guards(unittest.TestCase):
    def test_every_guard_stands_with_its_test(self):
        rows = {row[0]: row for row in rows_of(ROOT / "docs/reference/guards.md", 4) if row[0] in GUARDS}
        self.assertEqual(list(rows), GUARDS)
        cpp = (ROOT / "core/judge/studies_test.cpp").read_text(encoding="utf-8")
        python = (ROOT / "tests/integration/test_studies.py").read_text(encoding="utf-8")
        for guard, row in rows.items():
            self.assertTrue(re.search(rf"TEST\(Studies, {guard}[A-Z]", cpp) or re.search(rf"def test_{guard.lower()}_", python), guard)
            self.assertRegex(row[3], r"`(Studies, G\d|test_g\d|test_\w+)", guard)


class Rules(unittest.TestCase):
    def test_every_rule_has_its_page_and_names_what_there_is(self):
        page = (ROOT / "docs/reference/rules.md").read_text(encoding="utf-8")
        for file, rule in rules():
            with self.subTest(rule["id"]):
                self.assertIn(f"| `{rule['id']}` |", page)
                known = metrics_of(rule) | facts_and_parameters_of(rule["uses"])
                self.assertTrue(known, "no plugin has this benchmark")
                for evidence in rule.get("evidence", []):
                    words = set(re.findall(r"[a-z][a-z_]+", re.sub(r'"[^"]*"', "", evidence))) - {"of", "peak", "s"}
                    self.assertTrue(words <= known, words - known)
        listed = re.findall(r"^\| `([a-z-]+)` \| `\w+` \|", page, re.MULTILINE)
        self.assertEqual(sorted(listed), sorted(rule["id"] for _, rule in rules()))


if __name__ == "__main__":
    sys.exit(unittest.main())
