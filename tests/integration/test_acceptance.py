#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a machine must have: every device that it has, a number that somebody stated, what a site file says."""

import pathlib
import re
import unittest

import harness

CASES = "cases:\n  - {id: a, uses: series}\n"
COMPLETE = harness.HEADER + "policy: {complete: true}\n" + CASES
STATED = harness.HEADER + "policy: {stated: true}\n" + CASES


class Acceptance(harness.Assay):
    def run_text(self, text, *words, name="suite.yaml", **environment):
        suite = self.write(name, text)
        self.results = self.folder / f"results-{len(list(self.folder.glob('results-*')))}"
        return self.assay("run", suite.name, "--plugin-dir", harness.FIXTURES, "-o", self.results, *words, environment=environment)

    def assert_unmet(self, result, code, *parts):
        self.assertEqual(result.code, 6, result.out + result.err)
        verdict = result.document["verdict"]
        self.assertEqual(verdict["outcome"], "unmet")
        self.assertEqual({case["outcome"] for case in result.document["cases"]}, {"not_run"})
        texts = [reason["text"] for reason in verdict["reasons"] if reason["code"] == code]
        self.assertTrue(texts, verdict["reasons"])
        for part in parts:
            self.assertIn(part, "\n".join(texts))
            self.assertIn(part, re.sub(r"\s+", " ", result.out))


class Complete(Acceptance):
    def test_a_whole_machine_passes_and_says_how_many_and_who_knows(self):
        result = self.run_text(COMPLETE, ASSAY_FAKE_CENSUS="whole")
        self.assertEqual(result.code, 0, result.out + result.err)
        text = "4 accelerators, as the bus and the library know them"
        self.assertEqual(result.document["verdict"]["devices"], [{"backend": "fake", "count": 4, "text": text}])
        self.assertIn(text, result.out)
        self.assertIn(text + ".", (self.results / "report.md").read_text(encoding="utf-8"))

    def test_a_device_that_is_missing_is_exit_6_and_named(self):
        result = self.run_text(COMPLETE, ASSAY_FAKE_CENSUS="missing")
        self.assert_unmet(result, "devices.missing", "accelerator slot 4 is missing: the bus knows it, the library does not")
        junit = (self.results / "junit.xml").read_text(encoding="utf-8")
        self.assertIn("slot 4", junit)

    def test_a_device_that_was_left_out_on_purpose_is_said(self):
        result = self.run_text(COMPLETE, ASSAY_FAKE_CENSUS="withheld")
        self.assertEqual(result.code, 0, result.out + result.err)
        self.assertIn("the bus knows 5; 1 more is withheld: FAKE_VISIBLE leaves it out", result.document["verdict"]["devices"][0]["text"])

    def test_a_backend_that_does_not_say_is_exit_6(self):
        self.assert_unmet(self.run_text(COMPLETE), "devices.unknown", "the backend fake does not say which devices there should be")

    def test_an_included_suite_asks_for_it_too(self):
        self.write("base.yaml", COMPLETE)
        result = self.run_text("version: 1\nsuite: outer\ninclude: base.yaml\n", name="outer.yaml", ASSAY_FAKE_CENSUS="missing")
        self.assert_unmet(result, "devices.missing")

    def test_the_journal_tells_the_same(self):
        result = self.run_text(COMPLETE, ASSAY_FAKE_CENSUS="missing")
        again = self.assay("report", self.results / "journal.jsonl", "--report", "json=again.json")
        self.assertEqual(again.code, 0, again.err)
        document = harness.json.loads((self.folder / "again.json").read_text(encoding="utf-8"))
        self.assertEqual(document["verdict"], result.document["verdict"])

    def test_every_acceptance_that_is_shipped_asks_for_it(self):
        suites = sorted((harness.SOURCE / "suites").glob("*acceptance.yaml"))
        self.assertGreaterEqual(len(suites), 3)
        for suite in suites:
            self.assertRegex(suite.read_text(encoding="utf-8"), r"(?m)^policy: \{.*\bcomplete: true\b", suite.name)


class Stated(Acceptance):
    def test_a_number_from_outside_holds_for_included_suites(self):
        self.write("base.yaml", harness.HEADER + CASES)
        outer = "version: 1\nsuite: outer\ninclude: base.yaml\n"
        self.assertEqual(self.run_text(outer, "--require", "devices=4", name="outer.yaml").code, 0)
        self.assert_unmet(self.run_text(outer, "--require", "devices=8", name="outer.yaml"), "requires.unmet", "8 fake devices are required; 4 found")

    def test_a_number_that_nobody_stated_is_exit_6_with_what_to_type(self):
        self.assert_unmet(self.run_text(STATED), "devices.unstated", "--require devices=4", "--site FILE")
        self.assertEqual(self.run_text(STATED, "--require", "devices=4").code, 0)
        self.assert_unmet(self.run_text(STATED, "--require", "devices=>=2"), "devices.unstated")

    def test_a_site_file_states_it(self):
        site = self.write("site.yaml", "version: 1\nbackends: {fake: {devices: 4}}\n")
        self.assertEqual(self.run_text(STATED, "--site", site).code, 0)


class Site(Acceptance):
    def written(self):
        done = self.assay("system", "--write-site", "site.yaml", "--plugin-dir", harness.FIXTURES)
        self.assertEqual(done.code, 0, done.err)
        return self.folder / "site.yaml"

    def test_a_machine_is_what_was_written_of_it(self):
        site = self.written()
        self.assertIn("devices: 4", site.read_text(encoding="utf-8"))
        result = self.run_text(STATED, "--site", "site.yaml")
        self.assertEqual(result.code, 0, result.out + result.err)
        self.assertEqual(result.document["run"]["site"]["text"], site.read_text(encoding="utf-8"))

    def test_a_site_file_is_not_replaced(self):
        before = self.written().read_text(encoding="utf-8")
        done = self.assay("system", "--write-site", "site.yaml")
        self.assertEqual(done.code, 2, done.err)
        self.assertEqual((self.folder / "site.yaml").read_text(encoding="utf-8"), before)

    def test_each_difference_is_exit_6_with_values_and_place(self):
        site = self.written()
        text = site.read_text(encoding="utf-8").replace("devices: 4", "devices: 8").replace("fake 1.0", "fake 2.0")
        site.write_text(text, encoding="utf-8")
        result = self.run_text(STATED, "--site", "site.yaml")
        self.assert_unmet(result, "site.differs", "devices of fake is 4; the site file says 8", "driver of the backend fake is fake 1.0; the site file says fake 2.0")
        places = {reason["position"]["file"] for reason in result.document["verdict"]["reasons"] if reason["code"] == "site.differs"}
        self.assertEqual(places, {"site.yaml"})
        self.assertEqual(self.assay("run", "suite.yaml", "--plugin-dir", harness.FIXTURES, "--dry-run", "--site", "site.yaml").code, 6)

    def test_a_wrong_site_file_is_exit_3_before_anything_runs(self):
        self.write("site.yaml", "version: 1\nhosts: {threads: 8}\n")
        result = self.run_text(STATED, "--site", "site.yaml")
        self.assertEqual(result.code, 3)
        self.assertIn("site.yaml:2:1", result.err)
        self.assertIn("did you mean 'host'", result.err)
        self.assertFalse(self.results.exists())
        self.assertEqual(self.run_text(STATED, "--site", "none.yaml").code, 2)

    def test_a_run_goes_on_with_the_site_that_it_was_begun_with(self):
        self.written()
        first = self.run_text(STATED, "--site", "site.yaml")
        self.assertEqual(first.code, 0, first.err)
        resume = ["run", "suite.yaml", "--plugin-dir", harness.FIXTURES, "--resume", self.results]
        done = self.assay(*resume)
        self.assertEqual(done.code, 0, done.err)
        site = pathlib.Path(self.folder, "site.yaml")
        site.write_text(site.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
        done = self.assay(*resume, "--site", "site.yaml")
        self.assertNotEqual(done.code, 0)
        self.assertIn("it was begun with --site site.yaml, which said something else", done.err)

    def test_a_run_that_was_begun_without_a_site_gets_none_later(self):
        self.written()
        self.run_text(harness.HEADER + CASES)
        done = self.assay("run", "suite.yaml", "--plugin-dir", harness.FIXTURES, "--resume", self.results, "--site", "site.yaml")
        self.assertIn("it was begun without --site", done.err)

    def test_what_failed_is_not_run_again_without_its_site(self):
        self.written()
        text = STATED.replace("uses: series", "uses: series, expect: [bandwidth > 1 TB/s]")
        self.assertEqual(self.run_text(text, "--site", "site.yaml").code, 1)
        failed = ["run", "suite.yaml", "--plugin-dir", harness.FIXTURES, "--failed", self.results, "-o", self.folder / "again"]
        done = self.assay(*failed)
        self.assertIn("give it again: --site site.yaml", done.err)
        self.assertEqual(self.assay(*failed, "--site", "site.yaml").code, 1)


if __name__ == "__main__":
    harness.main()
