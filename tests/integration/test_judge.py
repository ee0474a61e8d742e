# SPDX-License-Identifier: Apache-2.0
"""assay judge: a run judged by another suite, what is marked, and what stored samples cannot answer."""

import json
import unittest
from decimal import Decimal

import harness

SUITE = """version: 1
suite: test
cases:
  - id: speed
    uses: external
    command: [cat, number]
    processes: 3
    metrics:
      rate: {pattern: '^([0-9.]+)$', unit: GB/s, direction: higher}
    expect:
      - rate >= 5 GB/s
"""


class Judge(harness.Assay):
    def setUp(self):
        super().setUp()
        self.write("number", "10\n")
        self.write("suite.yaml", SUITE)
        done = self.assay("run", "suite.yaml", "-o", self.results)
        self.assertEqual(done.code, 0, done.err)

    def judge(self, text, *options):
        self.write("edited.yaml", text)
        return self.assay("judge", self.results, "--suite", "edited.yaml", *options)

    def judged(self, text):
        done = self.judge(text, "--report", "json=judged.json", "--report", "markdown=judged.md")
        return done, json.loads((self.folder / "judged.json").read_text(encoding="utf-8"))

    def test_what_was_asked_before_is_not_marked(self):
        done, document = self.judged(SUITE)
        self.assertEqual(done.code, 0, done.err)
        self.assertNotIn("post_hoc", document["cases"][0]["expectations"][0])
        self.assertEqual(document["run"]["judged_by"]["post_hoc"], 0)

    def test_a_new_condition_is_judged_and_marked(self):
        before = (self.results / "result.json").read_bytes()
        done, document = self.judged(SUITE + "      - rate >= 20 GB/s\n")
        self.assertEqual(done.code, 1, done.err)
        old, new = document["cases"][0]["expectations"]
        self.assertEqual((old["status"], old.get("post_hoc")), ("passed", None))
        self.assertEqual((new["status"], new.get("post_hoc")), ("failed", True))
        self.assertEqual(document["run"]["judged_by"]["post_hoc"], 1)
        self.assertEqual(document["run"]["suite_text"], SUITE)
        self.assertIn("post hoc", (self.folder / "judged.md").read_text(encoding="utf-8"))
        self.assertIn("post hoc", self.judge(SUITE + "      - rate >= 20 GB/s\n").out)
        self.assertEqual((self.results / "result.json").read_bytes(), before)

    def test_a_run_that_was_killed_does_not_pass(self):
        journal = self.results / "journal.jsonl"
        lines = journal.read_text(encoding="utf-8").splitlines(keepends=True)
        journal.write_text("".join(lines[:3]), encoding="utf-8")
        done = self.judge(SUITE)
        self.assertIn("so the run was killed", done.out)
        self.assertEqual(done.code, 137, done.out)

    def test_a_changed_limit_is_marked(self):
        _, document = self.judged(SUITE.replace("5 GB/s", "6 GB/s"))
        self.assertTrue(document["cases"][0]["expectations"][0]["post_hoc"])

    def test_what_is_not_asked_any_more_is_told(self):
        strict = SUITE.replace("cases:", "policy: {decided: true}\ncases:", 1)
        self.write("suite.yaml", strict + "findings:\n  - {id: own, question: 'Is it?', let: {a: 'speed[].rate'}, claim: a > 5 GB/s}\n")
        self.results = self.folder / "strict"
        self.assay("run", "suite.yaml", "-o", self.results)
        done, document = self.judged(SUITE.split("    expect:")[0])
        self.assertEqual(done.code, 0, done.err)
        reason = document["verdict"]["reasons"][0]
        self.assertEqual((reason["code"], reason["text"]),
                         ("run.asks-less", "not asked any more: policy: decided; finding own; speed: rate >= 5 GB/s"))
        self.assertIn("not asked any more", (self.folder / "judged.md").read_text(encoding="utf-8"))
        self.assertIn("not asked any more", self.judge(SUITE.split("    expect:")[0]).out)

    def test_a_comparison_that_is_passed_over_alone_is_told(self):
        suite = harness.HEADER + "cases:\n  - {id: one, uses: series, devices: each, processes: 1, expect: [%s]}\n"
        self.write("suite.yaml", suite % "bandwidth >= 50% of peers")
        self.results = self.folder / "peers"
        self.assay("run", "suite.yaml", "--plugin-dir", harness.FIXTURES, "-o", self.results)
        _, document = self.judged(suite % "{that: bandwidth >= 50% of peers, alone: skip}")
        self.assertEqual([reason["text"] for reason in document["verdict"]["reasons"] if reason["code"] == "run.asks-less"],
                         ["not asked any more: one: bandwidth >= 50% of peers, where a row is alone"])

    def test_what_was_not_measured_is_refused(self):
        for text, said in [
            (SUITE.replace("id: speed", "id: other"), "the case 'other', which was not measured"),
            (SUITE.replace("[cat, number]", "[cat, ./number]"), "'external' of the case 'speed' is not what was measured"),
            (SUITE.replace("direction: higher", "direction: lower"), "'metrics' of the case 'speed' is not what was measured"),
            (SUITE.replace("direction: higher", "direction: higher, as: observed"), "'metrics' of the case 'speed'"),
            (SUITE.replace("processes: 3", "processes: 4"), "'rounds' of the case 'speed'"),
            (SUITE + "  - {id: more, uses: external, command: ['true']}\n", "the case 'more', which was not measured"),
        ]:
            done = self.judge(text)
            self.assertEqual(done.code, 3, done.out + done.err)
            self.assertIn(said, done.err)

    def test_a_suite_that_is_not_valid_is_told_with_its_line(self):
        done = self.judge(SUITE + "      - speed >= 20 GB/s\n")
        self.assertEqual(done.code, 3)
        self.assertIn("edited.yaml:12:", done.err)

    def test_a_result_without_its_journal_is_refused(self):
        (self.results / "journal.jsonl").unlink()
        done = self.judge(SUITE)
        self.assertEqual(done.code, 3)
        self.assertIn("has no journal beside it", done.err)


class ExactNumbers(harness.Assay):
    """Numbers that are equal on paper are, whatever doubles make of a factor, a share or a difference."""
    RELATIONS = {"<=": True, ">=": True, "==": True, "<": False, ">": False, "!=": False}

    def pairs(self):
        for base in (Decimal(3), Decimal("0.7"), Decimal(21)):
            for factor in ("0.33", "0.7", "0.95", "1.05", "1.1", "1.3", "1.7", "2.3", "3", "7", "9.9"):
                yield base, Decimal(factor), base * Decimal(factor)

    def case(self, name, numbers, more=""):
        printed = ", ".join('"m%d": %s' % each for each in enumerate(numbers))
        metrics = ", ".join("m%d: {json: /m%d, unit: img/s}" % (i, i) for i in range(len(numbers)))
        return "  - {id: %s, uses: external, processes: 5, command: [echo, '{%s}'], metrics: {%s}%s}\n" % (name, printed, metrics, more)

    def test_claims_of_factors_and_differences(self):
        pairs, findings, wanted = list(self.pairs()), [], {}
        for i, (base, factor, number) in enumerate(pairs):
            for j, (relation, holds) in enumerate(self.RELATIONS.items()):
                for form, claim in (("f", "a %s %s * b" % (relation, factor)), ("d", "a - b %s %s img/s" % (relation, number - base))):
                    if form == "f" and relation in ("==", "!="):
                        continue  # sameness is within theta
                    name = "%s%d-%d" % (form, i, j)
                    wanted[name] = "confirmed" if holds else "refuted"
                    findings.append('  - {id: %s, question: "Is it?", let: {a: "a[].m%d", b: "b[].m%d"}, claim: "%s"}\n' % (name, i, i, claim))
        done = self.run_suite("version: 1\nsuite: test\ncases:\n" + self.case("a", [n for _, _, n in pairs])
                              + self.case("b", [b for b, _, _ in pairs]) + "findings:\n" + "".join(findings))
        self.assertEqual({f["id"]: f["verdict"] for f in done.document["findings"]}, wanted, done.err)

    def test_shares_of_a_reference(self):
        for rounds in (3, 4):
            pairs = list(self.pairs())
            for row, index in (("one", 0), ("other", 2)):
                self.write(row, json.dumps({"m%d" % i: float(pair[index]) for i, pair in enumerate(pairs)}))
            expectations = ["{that: 'm%d %s %s%% of reference', where: {x: other}}" % (i, relation, pair[1] * 100)
                            for i, pair in enumerate(pairs) for relation in self.RELATIONS]
            metrics = ", ".join("m%d: {json: /m%d, unit: img/s}" % (i, i) for i in range(len(pairs)))
            done = self.run_suite("version: 1\nsuite: test\ncases:\n  - {id: a, uses: external, processes: %d, command: [cat, '{x}'], matrix: {x: [one, other]}, "
                                  "reference: {x: one}, metrics: {%s}, expect: [%s]}\n" % (rounds, metrics, ", ".join(expectations)))
            for each in done.case("a[x=other]")["expectations"]:
                holds = self.RELATIONS[each["text"].split()[1]]
                self.assertEqual(each["status"], "passed" if holds else "failed", each)


if __name__ == "__main__":
    unittest.main()
