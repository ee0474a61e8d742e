# SPDX-License-Identifier: Apache-2.0
"""The command line: what is wrong with a suite, before anything runs."""

import harness
from harness import Assay, HEADER


class Validation(Assay):
    BAD = """version: 1
suite: bad
requires: {backend: fake}
measur: {}
cases:
  - id: a
    uses: seris
  - id: b
    uses: series
    with: {byts: 1MiB, bytes: 3s, laps: yes}
    matrix: {}
  - id: c
    uses: series
    matrix:
      bytes: {from: 1KiB, to: 5KiB, factor: 2}
    expect:
      - latency <= 3 MiB
      - bandwith >= 1 GB/s
  - id: c
    uses: series
    timeout: 5 parsecs
"""

    def test_all_problems_in_one_pass_each_at_its_place(self):
        suite = self.write("bad.yaml", self.BAD)
        result = self.assay("validate", suite.name, "--plugin-dir", harness.FIXTURES)
        self.assertEqual(result.code, 3)
        for place, words in [("bad.yaml:4:1", "measur"), ("bad.yaml:11:13", "matrix"), ("bad.yaml:15:", "5KiB"), ("bad.yaml:19:", "c"), ("bad.yaml:21:", "parsecs")]:
            with self.subTest(place):
                lines = [line for line in result.err.splitlines() if line.startswith(place)]
                self.assertTrue(lines, result.err)
                self.assertTrue(any(words in line for line in lines), lines)

    def test_problems_with_plugins_have_suggestions(self):
        suite = self.write("bad.yaml", HEADER + "cases:\n  - {id: a, uses: seris}\n  - id: b\n    uses: series\n    with: {byts: 1MiB, bytes: 3s}\n"
                           "    expect:\n      - latency <= 3 MiB\n      - bandwith >= 1 GB/s\n")
        result = self.assay("run", suite.name, "--plugin-dir", harness.FIXTURES)
        self.assertEqual(result.code, 3)
        for words in ("series", "bytes", "bandwidth", "did you mean"):
            self.assertIn(words, result.err)
        self.assertFalse((self.folder / "assay-results").exists(), "nothing runs")

    def test_seconds_are_not_compared_with_bytes(self):
        suite = self.write("bad.yaml", HEADER + "cases:\n  - id: a\n    uses: series\n    expect: [time <= 3MiB]\n")
        result = self.assay("validate", suite.name, "--plugin-dir", harness.FIXTURES)
        self.assertEqual(result.code, 3, result.err)
        self.assertRegex(result.err, r"bad\.yaml:7:\d+: error: .*time.*data")

    def test_a_missing_backend_is_a_requirement_a_misspelt_an_error(self):
        text = "version: 1\nsuite: test\nrequires: {backend: BACKEND}\ncases:\n  - {id: a, uses: gemm, with: {dtype: fp32}, expect: [throughput > 1 GFLOP/s]}\n" \
               "  - {id: b, uses: latency, backend: fake}\n" \
               "findings: [{id: f, question: 'Why?', let: {x: 'a[].throughput'}, claim: x > 1 TFLOP/s, confirmed: {say: Yes.}}]\n"
        suite = self.write("suite.yaml", text.replace("BACKEND", "tpuchip").replace("  - {id: b, uses: latency, backend: fake}\n", ""))
        result = self.assay("run", suite)
        self.assertEqual(result.code, 6, result.err)
        self.assertIn("no plugin here is for the backend 'tpuchip'", result.out + result.err)
        validated = self.assay("validate", suite)
        self.assertEqual(validated.code, 0, validated.err)
        self.assertIn("missing here: 'a' cannot run", validated.out)
        misspelt = self.assay("run", self.write("misspelt.yaml", text.replace("BACKEND", "hots")))
        self.assertEqual(misspelt.code, 3, misspelt.err)
        self.assertIn("did you mean 'host'?", misspelt.err)

    def test_every_suite_is_checked_before_the_first_runs(self):
        good = self.write("good.yaml", HEADER + "cases: [{id: a, uses: series}]\n")
        bad = self.write("bad.yaml", HEADER + "cases: [{id: a, uses: seires}]\n")
        result = self.assay("run", good, bad, "--plugin-dir", harness.FIXTURES)
        self.assertEqual(result.code, 3, result.err)
        self.assertIn("bad.yaml:4:", result.err)
        self.assertFalse((self.folder / "assay-results").exists(), "nothing runs")

    def test_run_gives_all_problems_in_one_pass(self):
        suite = self.write("bad.yaml", HEADER + "cases:\n  - {id: a, uses: series, devcies: each}\n  - {id: b, uses: seires}\n")
        result = self.assay("run", suite, "--plugin-dir", harness.FIXTURES)
        self.assertEqual(result.code, 3, result.err)
        self.assertRegex(result.err, r"bad\.yaml:5:\d+: error: .*devcies")
        self.assertRegex(result.err, r"bad\.yaml:6:\d+: error: .*seires")

    def test_what_cannot_be_read_is_a_matter_of_usage(self):
        full = self.write("full/file", "")
        for arguments in (("run", "."), ("run", "quick", "--dry-run", "--inventory", "nowhere.json"), ("run", "quick", "--dry-run", "--inventory", "."),
                          ("run", "quick", "-o", full.parent), ("run", "quick", "--seed", "-1"), ("run",), ("run", "--failed", "nowhere"),
                          ("report", "nowhere"), ("validate", "nowhere.yaml"), ("run", "quick", "--dry-run", "--peaks", "nowhere.yaml")):
            with self.subTest(arguments):
                result = self.assay(*arguments)
                self.assertEqual(result.code, 2, result.err)
                self.assertRegex(result.err, "^assay: ")
                self.assertLess(len(result.err), 400)

    def test_a_file_that_is_no_text_is_told_in_few_lines(self):
        (self.folder / "binary.yaml").write_bytes(bytes(range(128, 256)) * 20)
        result = self.assay("validate", "binary.yaml")
        self.assertEqual(result.code, 3)
        self.assertEqual(result.err.count("error:"), 6)
        self.assertIn("in 2554 more places the same", result.err)

    def test_a_result_is_no_suite(self):
        result = harness.SOURCE / "docs/results/h200/node-acceptance.json"
        for command in ("run", "validate", "plan"):
            done = self.assay(command, result)
            self.assertEqual((done.code, done.err), (2, f"assay: '{result}' is a result, not a suite; 'assay report {result}' shows it\n"))

    def test_many_problems_are_cut_short(self):
        self.write("bad.yaml", "version: 1\nsuite: bad\ncases:\n" + "".join(f"  - {{id: c{i}, uses: membw, wrong: 1}}\n" for i in range(30)))
        done = self.assay("validate", "bad.yaml")
        self.assertEqual((done.code, done.err.count("error:")), (3, 20), done.err)
        self.assertIn("… and 10 more\nbad.yaml: 30 errors\n", done.err)

    def test_a_mistyped_name_is_sought_where_it_was_meant(self):
        self.write("sub/suite.yaml", "")
        self.assertIn("did you mean 'sub/suite.yaml'?", self.assay("run", "sub/siute.yaml").err)
        self.assertIn("did you mean 'quick.yaml'?", self.assay("run", "qick.yaml").err)
        self.assertIn("did you mean 'quick'?", self.assay("run", "qick").err)

    def test_the_shipped_suites_are_valid(self):
        for suite in sorted((harness.SOURCE / "suites").glob("*.yaml")):
            with self.subTest(suite.name):
                result = self.assay("validate", suite)
                self.assertEqual(result.code, 0, result.err)

    def test_dry_run_shows_the_plan_and_starts_nothing(self):
        suite = self.write("suite.yaml", HEADER + "cases:\n  - {id: a, uses: series, devices: each, matrix: {bytes: [1MiB, 2MiB]}}\n")
        result = self.assay("run", suite.name, "--plugin-dir", harness.FIXTURES, "--dry-run")
        self.assertEqual(result.code, 0, result.err)
        self.assertIn("8 cases, 24 visits", result.out)
        self.assertRegex(result.out, r"all with\n  a +\S+=", "what no axis says")
        self.assertFalse((self.folder / "assay-results").exists())


if __name__ == "__main__":
    harness.main()
