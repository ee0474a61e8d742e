# SPDX-License-Identifier: Apache-2.0
"""Runs that no result could hold: refused before they begin, or told with what the result lacks."""

import json
import unittest

import harness
from harness import HEADER, Assay


class Sizes(Assay):
    def test_more_cases_than_a_result_holds_are_refused_at_once(self):
        suite = HEADER + "cases:\n  - {id: a, uses: series, matrix: {bytes: {from: 1, to: 10000, step: 1}, duration: [1ms, 2ms, 3ms]}}\n"
        done = self.run_suite(suite)
        self.assertEqual(done.code, 3, done.err)
        self.assertIn("20000", done.err)
        self.assertFalse(self.results.exists())

    def test_more_than_a_result_holds_is_refused_with_the_number(self):
        expectations = "".join(f"      - {{that: time <= {i} s, say: {'x' * 300}}}\n" for i in range(100, 300))
        suite = HEADER + "cases:\n  - id: a\n    uses: series\n    matrix: {bytes: {from: 1, to: 10000, step: 1}}\n    expect:\n" + expectations
        for command in (["validate"], ["run", "-o", self.results]):
            with self.subTest(command[0]):
                done = self.assay(*command, self.write("s.yaml", suite), "--plugin-dir", harness.FIXTURES)
                self.assertEqual(done.code, 3)
                self.assertRegex(done.err[:2000], r"the result of these 10000 cases would have at least \d{9,} bytes, but a result holds at most 201326592; case 'a' alone needs \d+ bytes")
                self.assertFalse(self.results.exists())

    def test_more_samples_than_a_record_holds_are_refused_at_once(self):
        done = self.run_suite(HEADER + "cases:\n  - {id: a, uses: series, measure: {samples: 1000000000}}\n")
        self.assertEqual(done.code, 3, done.err)
        self.assertIn("1000000000 samples on 1 rank, and the record of a visit holds 3500000", done.err)
        self.assertFalse(self.results.exists())

    @unittest.skipIf(harness.IS_SANITIZED, "20,000 cases take minutes with sanitizers")
    def test_as_many_cases_as_there_may_be_end_in_a_result(self):
        """Of a journal that is written here, not measured."""
        small = HEADER + "cases:\n  - {id: a, uses: series, measure: {samples: 200, warmup: 0}, matrix: {seed: [1, 2], duration: [1ms, 2ms]}}\n"
        self.assertEqual(self.run_suite(small).code, 0)
        journal = self.results / "journal.jsonl"
        lines = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
        header = lines[0]
        header["suite_text"] = header["suite_text"].replace("[1, 2]", "{from: 1, to: 10000, step: 1}")
        visit = next(line for line in lines if line["type"] == "visit")
        large = self.folder / "large"
        large.mkdir()
        with open(large / "journal.jsonl", "w", encoding="utf-8") as out:
            out.write(harness.sealed(header))
            for seed in range(1, 10001):
                for duration in ("1ms", "2ms"):
                    visit["visit"]["case"] = f"a[seed={seed},duration={duration}]"
                    out.write(harness.sealed(visit))
            out.write(harness.sealed(lines[-1]))
        done = self.assay("report", large, "-o", large, "--report", "json", "--report", "junit", "--report", "markdown", timeout=harness.PATIENCE_S)
        self.assertEqual(done.code, 0, done.err)
        self.assertLess((large / "result.json").stat().st_size, 192 << 20)
        document = json.loads((large / "result.json").read_text(encoding="utf-8"))
        self.assertEqual(len(document["cases"]), 20000)
        self.assertEqual({case["outcome"] for case in document["cases"]}, {"passed"})
        self.assertIn("run.shortened", [reason["code"] for reason in document["verdict"]["reasons"]])


if __name__ == "__main__":
    harness.main()
