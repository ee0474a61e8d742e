# SPDX-License-Identifier: Apache-2.0
"""assay judge: a run judged by another suite, what is marked, and what stored samples cannot answer."""

import json
import unittest

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


if __name__ == "__main__":
    unittest.main()
