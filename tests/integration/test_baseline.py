# SPDX-License-Identifier: Apache-2.0
"""assay baseline: a file of what healthy devices reach, a run that is held to it, and one that was measured before."""

import json
import shutil
import unittest

import harness

SUITE = """version: 1
suite: step
cases:
  - id: step
    uses: external
    command: [cat, speed]
    processes: 3
    metrics:
      throughput: {pattern: '^([0-9.]+) tokens/s', unit: tokens/s, direction: higher}
    expect: [throughput within band, throughput >= 90% of baseline]
"""


class Baseline(harness.Assay):
    def measure(self, speed, *options):
        self.write("speed", f"{speed} tokens/s\n")
        shutil.rmtree(self.results, ignore_errors=True)
        return self.run_suite(SUITE, *options)

    def runs(self, speeds):
        names = []
        for number, speed in enumerate(speeds):
            self.write("speed", f"{speed} tokens/s\n")
            self.write("suite.yaml", SUITE)
            self.assertEqual(self.assay("run", "suite.yaml", "--baseline", "none", "-o", f"run{number}", "-q").code, 1)
            names.append(f"run{number}")
        return names

    def made(self):
        names = self.runs([1000, 1003, 998, 1001, 1005, 996, 1000, 1002])
        done = self.assay("baseline", *names, "-o", "base.yaml")
        self.assertEqual(done.code, 0, done.err)
        self.assertIn("wrote base.yaml with 2 rows", done.err)

    def expectations(self, result):
        return [each["status"] for each in result.document["cases"][0]["expectations"]]

    def test_a_run_is_held_to_it_and_so_is_an_earlier_one(self):
        self.made()
        healthy = self.measure(999, "--baseline", "base.yaml")
        self.assertEqual((healthy.code, self.expectations(healthy)), (0, ["passed", "passed"]), healthy.err)
        self.assertEqual(healthy.document["run"]["baseline"]["file"], "base.yaml")
        slow = self.measure(960, "--baseline", "base.yaml")
        self.assertEqual((slow.code, self.expectations(slow)), (1, ["failed", "passed"]))
        self.assertIn("below the mean of 8 that were healthy", slow.document["verdict"]["reasons"][0]["text"])
        # The journal has all that it was judged by.
        (self.folder / "base.yaml").rename(self.folder / "moved.yaml")
        again = self.assay("report", self.results / "journal.jsonl", "--report", "json=again.json", "-q")
        self.assertEqual(again.code, 0, again.err)
        self.assertEqual(json.loads((self.folder / "again.json").read_text(encoding="utf-8"))["verdict"], slow.document["verdict"])
        for run, code in (("run0", 0), (self.results, 1)):
            judged = self.assay("judge", run, "--baseline", "moved.yaml")
            self.assertEqual(judged.code, code, judged.out + judged.err)

    def test_without_it_there_is_no_reference(self):
        alone = self.measure(1000, "--baseline", "none")
        self.assertEqual((alone.code, self.expectations(alone)), (1, ["no_reference", "no_reference"]))
        self.assertIn("--baseline FILE", alone.document["cases"][0]["expectations"][0]["why"])
        self.assertEqual(self.assay("judge", self.results).code, 2)

    def test_a_run_that_lacks_it_is_refused_before_it_measures(self):
        self.write("suite.yaml", SUITE)
        self.write("other.yaml", SUITE.replace("[throughput within band, throughput >= 90% of baseline]", "[throughput >= 1 tokens/s]"))
        for command in (["suite.yaml"], ["suite.yaml", "--dry-run"], ["other.yaml", "suite.yaml"]):
            done = self.assay("run", *command)
            self.assertEqual(done.code, 3, done.err)
            self.assertIn("suite.yaml:10:25: error: this is held to a baseline, and none was given", done.err)
            self.assertIn("--baseline FILE", done.err)
            self.assertFalse((self.folder / "assay-results").exists())
        valid = self.assay("validate", "suite.yaml")
        self.assertEqual((valid.code, valid.out[:17]), (0, "suite.yaml: valid"))
        self.assertIn("suite.yaml:10:25: warning: this is held to a baseline (a run of this suite takes --baseline FILE)", valid.err)
        # Of a case that is left out nothing is asked, and a run that was begun without one goes on so.
        self.assertNotIn("held to a baseline", self.assay("run", "suite.yaml", "--filter", "nothing").err)
        self.write("speed", "1000 tokens/s\n")
        self.assertEqual(self.assay("run", "suite.yaml", "--baseline", "none", "-o", "alone", "-q").code, 1)
        for again in ([], ["--baseline", "none"]):
            self.assertEqual(self.assay("run", "suite.yaml", "--resume", "alone", "-q", *again).code, 1)

    def test_several_suites_are_refused_before_the_first_measures(self):
        self.made()
        self.write("other.yaml", SUITE.replace("[throughput within band, throughput >= 90% of baseline]", "[throughput >= 1 tokens/s]"))
        done = self.assay("run", "suite.yaml", "other.yaml", "--baseline", "base.yaml")
        self.assertEqual(done.code, 3, done.err)
        self.assertFalse((self.folder / "assay-results").exists())

    def test_a_run_in_its_place_is_told_the_way(self):
        self.measure(1000, "--baseline", "none")
        for run in (self.results, self.results / "result.json"):
            done = self.assay("judge", self.results, "--baseline", run)
            self.assertEqual(done.code, 2, done.err)
            self.assertIn("is a run, but --baseline takes a file that 'assay baseline' made of several runs", done.err)
            self.assertIn("assay compare OLD NEW", done.err)

    def test_a_suite_that_does_not_ask_for_it_is_refused(self):
        self.made()
        self.write("other.yaml", SUITE.replace("[throughput within band, throughput >= 90% of baseline]", "[throughput >= 1 tokens/s]"))
        for command in (["run", "other.yaml"], ["judge", "run0", "--suite", "other.yaml"]):
            done = self.assay(*command, "--baseline", "base.yaml", "-o", "unused")
            self.assertEqual(done.code, 3, done.err)
            self.assertIn("other.yaml:5:", done.err)
            self.assertIn("within band", done.err)

    def test_what_makes_none_is_refused(self):
        names = self.runs([1000] * 8)
        for runs, words in ((names[:1], "a band takes 8"), (names[:1] * 2, "is given twice")):
            done = self.assay("baseline", *runs, "-o", "base.yaml")
            self.assertEqual(done.code, 2)
            self.assertIn(words, done.err)
            self.assertFalse((self.folder / "base.yaml").exists())
        # How long it took differs from run to run; what is printed does not.
        done = self.assay("baseline", *names, "-o", "time.yaml")
        self.assertIn("left out: step throughput has the same value every time", done.err)
        self.assertNotIn("throughput", (self.folder / "time.yaml").read_text(encoding="utf-8"))
        self.write("base.yaml", "baseline: 1\n")
        self.assertIn("is there already", self.assay("baseline", *names, "-o", "base.yaml").err)
        broken = self.measure(1000, "--baseline", "base.yaml")
        self.assertIn("'base.yaml'", broken.err)
        self.assertEqual(broken.code, 3)


if __name__ == "__main__":
    unittest.main()
