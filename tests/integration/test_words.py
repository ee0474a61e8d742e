# SPDX-License-Identifier: Apache-2.0
"""The command line: what words and options mean, and what a plan says before anything runs."""

import html
import json
import re

import harness
from harness import Assay, HEADER


GOLDEN = harness.SOURCE / "tests/golden"


def texts_in(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from texts_in(each)


def printed_headings():
    for page in (GOLDEN / "reporters").iterdir():
        text = page.read_text(encoding="utf-8").replace("\u00a0", " ")
        if page.name.startswith("hostile."):
            continue
        if page.name.endswith(".github.md"):
            for head in re.findall(r"^\|(.*)\|\n\|[-:| ]+\|$", text, re.MULTILINE):
                yield from head.split("|")
        elif page.suffix == ".html":
            for head in re.findall(r"<thead>(.*?)</thead>", text, re.DOTALL):
                for cell in re.findall(r"<th[^>]*>(.*?)</th>", head, re.DOTALL):
                    yield html.unescape(re.sub("<[^>]*>", "", cell))
        elif page.suffix == ".txt":
            yield from re.findall(r"^ {4}([a-z]+): ", text, re.MULTILINE)
            yield from re.findall(r"95 %[^\[(\n]*rounds?", text)


# What the approved documents say themselves: axes, metrics, labels of cases.
WRITTEN = {"reference", "unset"}
for document in [*(GOLDEN / "documents").iterdir(), *(GOLDEN / "comparisons").iterdir()]:
    WRITTEN.update(texts_in(json.loads(document.read_text(encoding="utf-8"))))


class Words(Assay):
    def test_a_filter_takes_the_name_that_junit_has(self):
        suite = "cases:\n  - {id: a, uses: series, processes: 1, matrix: {tick: [1ns, 2ns], bytes: [1KiB, 2KiB]}}\n"
        done = self.run_suite(suite)
        names = re.findall(r'<testcase [^>]*\bname="(a\[[^"]*)"', (self.results / "junit.xml").read_text())
        self.assertEqual(len(names), 4, done.err)
        for name in names:
            with self.subTest(name):
                plan = self.assay("run", "suite.yaml", "--plugin-dir", harness.FIXTURES, "--filter", name, "--dry-run")
                self.assertIn("1 case,", plan.out, plan.err)

    def test_what_a_table_prints_in_brackets_is_explained(self):
        for words in ("few samples", "one value", "(one value)", "resumed", "max time", "not answered"):
            self.assertEqual(self.assay("explain", words).code, 0, words)

    def test_what_a_table_prints_of_a_row_is_explained(self):
        for printed, word in (("! disturbed", "disturbed"), ("95 % over 12 rounds", "95 % over N rounds"), ("worst of 8", "worst of N"), ("✗ no baseline", "no reference"), ("no peak", "no reference"), ("undecided over device", "undecided"), ("– not judged over device", "not judged"),
                              ("+22 %?", "?"), ("✓", "✓")):
            self.assertEqual(self.assay("explain", printed).out.split(" (")[0], word)

    def test_flags_of_kept_results_are_explained(self):
        kept = [json.loads(path.read_text(encoding="utf-8")) for path in (harness.SOURCE / "docs/results").glob("*/*.json")]
        for code in sorted({flag["code"] for one in kept if isinstance(one, dict) for case in one.get("cases", []) for flag in case["flags"]}):
            with self.subTest(code):
                self.assertEqual(self.assay("explain", code).code, 0)

    def test_every_heading_of_the_approved_reports_is_explained(self):
        """All that heads a column or leads a line, but for what the document says, names of variables, claims, and plain words."""
        plain = {"", "#", "what", "why", "four / (4  one)"}
        for heading in sorted({re.sub(r"[*\\]", "", heading.strip()) for heading in printed_headings()} - plain):
            if any(part in WRITTEN for part in re.split(r" / | \(", heading.split(", ")[0])) or heading.isupper():
                continue
            with self.subTest(heading):
                self.assertEqual(self.assay("explain", heading.split(" (")[0]).code, 0)

    def test_a_reporter_says_its_options(self):
        out = self.assay("describe", "markdown").out
        self.assertIn("heading_base  1 ", out)
        self.assertIn("github | gitlab | plain", out)
        self.assertIn("--report markdown:flavor=", out)
        self.assertIn("writes report.html", self.assay("describe", "html").out)

    def test_a_folder_does_not_hide_a_suite_that_is_called_like_it(self):
        expected = [self.assay("validate", "quick").code, self.assay("run", "quick", "--dry-run").out]
        (self.folder / "quick").mkdir()
        self.assertEqual([self.assay("validate", "quick").code, self.assay("run", "quick", "--dry-run").out], expected)
        (self.folder / "own").mkdir()
        self.assertIn("it is a folder", self.assay("run", "own").err)

    def test_a_file_does_not_hide_a_suite_that_is_called_like_it(self):
        """Somebody else may have put it into the folder in which a command is typed."""
        expected = self.assay("run", "quick", "--dry-run").out
        suite = "version: 1\nsuite: mine\ncases: [{id: a, uses: external, command: ['true']}]\n"
        self.write("quick", suite)
        self.assertEqual(self.assay("run", "quick", "--dry-run").out, expected)
        self.assertNotEqual(self.assay("run", "./quick", "--dry-run").out, expected)
        self.write("quick.yaml", suite)
        self.assertNotEqual(self.assay("run", "quick.yaml", "--dry-run").out, expected, "its ending says that it is a file")
        self.write("mine", suite)
        self.assertEqual(self.assay("validate", "mine").code, 0)

    def test_options_that_users_of_other_tools_expect(self):
        printed = self.assay("bench", "--warmup", "3", "--print-suite", "--", "true")
        self.assertEqual((printed.code, printed.out), (0, self.assay("bench", "warmup=3", "--yaml", "--", "true").out), printed.err)
        self.assertIn("warmup: 3", printed.out)
        self.assertIn("warmup: 3", self.assay("bench", "membw@host", "--warmup", "3", "bytes=1MiB", "--print-suite").out)

    def test_report_leaves_out_charts(self):
        self.assertEqual(self.assay("bench", "membw@host", "kernel=copy,scale,add", "bytes=1MiB", "--quick", "-q", "-o", self.results).code, 0)
        report = lambda *more: self.assay("report", self.results, "-o", self.folder / "again", *more)
        self.assertEqual(report("--report", "markdown", "--no-charts").code, 0)
        self.assertEqual([file.name for file in (self.folder / "again").iterdir()], ["report.md"])
        self.assertEqual(report("--report", "markdown").code, 0)
        self.assertGreater(len(list((self.folder / "again").iterdir())), 1)
        refused = report("--report", "csv", "--no-charts")
        self.assertEqual((refused.code, "add --report markdown" in refused.err), (2, True), refused.err)

    def test_a_benchmark_without_backend_takes_one_with_devices(self):
        hidden = {"CUDA_VISIBLE_DEVICES": ""}
        for command in (["describe", "membw", "--yaml"], ["bench", "membw", "bytes=1MiB", "--yaml"]):
            self.assertIn("requires: {backend: host}\n", self.assay(*command, environment=hidden).out)
        plan = self.assay("bench", "membw", "bytes=1MiB", "--dry-run", environment=hidden)
        self.assertEqual((plan.code, "missing here" in plan.out, plan.err), (0, False, "no device of cuda is here: 'membw' runs on the host\n"), plan.out)
        self.assertEqual(self.assay("bench", "membw@host", "bytes=1MiB", "--dry-run").err, "")
        self.assertIn("requires: {backend: cuda}", self.assay("bench", "membw@cuda", "bytes=1MiB", "--yaml", environment=hidden).out)

    def test_help_has_many_options_under_headings(self):
        for command in ("run", "bench"):
            out = self.assay(command, "--help").out
            headings = {"Instead of a run", "Choose and change cases", "Measure", "Require of the machine", "Judge", "Report", "Plugins"}
            self.assertEqual(sorted(line[:-1] for line in out.splitlines() if line[:-1] in headings and line.endswith(":")), sorted(headings), out)
            self.assertLess(out.index("\nJudge:"), out.index("--baseline FILE"))
            self.assertEqual(out.partition("\nOptions:\n")[2].partition("\n\n")[0].count("\n"), 0, "--help alone belongs to none")
            self.assertNotIn("\n\n\n", out)

    def test_list_gives_its_columns_to_what_things_are_for(self):
        out, verbose = self.assay("list").out, self.assay("list", "-v").out
        self.assertTrue(out.startswith("benchmarks ('assay system' says which devices are here)\n"), out)
        for word in ("org.assay.membw.host", "doctor@host"):
            self.assertNotIn(word, out)
            self.assertIn(word, verbose)

    def test_describe_says_what_a_suite_measures_and_asks(self):
        out = self.assay("describe", "training-study").out
        self.assertRegex(out, r"^training-study: Do loader workers")
        self.assertRegex(out, r"(?m)^needs host$")
        self.assertRegex(out, r"(?m)^  workers +dataloader +workers: 1, 2, 4$")
        self.assertRegex(out, r"(?m)^questions\n  ")
        self.assertIn("'assay run training-study --dry-run' says what it measures here", out)
        self.assertIn("cases:\n", self.assay("describe", "training-study", "--yaml").out)
        broken = self.assay("describe", self.write("broken.yaml", "version: 1\ncases: {\n").name)
        self.assertEqual(broken.code, 3)
        self.assertIn("broken.yaml:", broken.err)

    def test_a_suite_in_place_of_a_benchmark_is_told_what_to_type(self):
        self.write("own.yaml", HEADER + "cases:\n  - {id: a, uses: series}\n")
        for name in ("quick", "own.yaml"):
            result = self.assay("bench", name)
            self.assertEqual((result.code, result.err), (2, f"assay: '{name}' is a suite and no benchmark; 'assay run {name} --dry-run' shows what it measures\n"))
            self.assertIn(f"'assay run {name} --dry-run' says", self.assay("describe", name).out)

    def test_a_command_is_told_where_it_stands(self):
        result = self.assay("bench", "external", "command=sleep 1")
        self.assertEqual((result.code, result.err), (2, "assay: a command of your own stands behind '--': assay bench -- ./program argument\n"))

    def test_dry_run_says_once_why_several_cases_are_left_out(self):
        suite = self.write("suite.yaml", HEADER + "cases:\n  - {id: a, uses: series, when: {devices: 8}, matrix: {bytes: [1MiB, 2MiB]}}\n  - {id: b, uses: series}\n")
        plan = self.assay("run", suite.name, "--plugin-dir", harness.FIXTURES, "--dry-run").out
        self.assertIn("\n2 cases skipped: ", plan)
        self.assertEqual(plan.count("devices are required"), 1, plan)

    def test_dry_run_says_how_long_the_run_takes_at_most(self):
        suite = self.write("suite.yaml", HEADER + "cases:\n  - {id: a, uses: series, processes: 2, matrix: {bytes: [1MiB, 2MiB]}, measure: {max_time: 38s}}\n"
                           "  - {id: b, uses: external, command: [sleep, 1], processes: 1}\n")
        plan = lambda *options: self.assay("run", suite.name, "--plugin-dir", harness.FIXTURES, "--dry-run", *options).out.splitlines()[-1]
        # Two visits share 38 s, and each gets a second for what is around it.
        self.assertTrue(plan("--filter", "^a").endswith("seed 1, estimated time at most 1 min 20 s on an idle machine"), plan("--filter", "^a"))
        self.assertTrue(plan("--filter", "^b").endswith("seed 1, as long as the commands take"), plan("--filter", "^b"))
        self.assertTrue(plan().endswith("seed 1, estimated time at most 1 min 20 s on an idle machine, and as long as the commands take"), plan())


if __name__ == "__main__":
    harness.main()
