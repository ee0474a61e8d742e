#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/reference/outcomes.md, line by line: each outcome beside cases that pass, without and with --strict, and each way to each exit code, by runs.

The page names the test of each line; what a line says is read from the page, so that neither can differ from the program.
"""

import json
import os
import re
import signal
import time
import unittest
import xml.etree.ElementTree as ElementTree

import harness
from harness import Assay

PAGE = (harness.SOURCE / "docs/reference/outcomes.md").read_text(encoding="utf-8")
OUTCOMES = {cells[0].strip("`"): cells for cells in
            ([cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if re.match(r"\| `\w+` \|", line))}
# One visit a case, so that a case is what its visit is.
HEADER = harness.HEADER + "defaults: {processes: 1}\n"
GOOD = "  - {id: good, uses: series}\n"
UNSURE = "with: {noise: iid, sigma: 0.2, duration: 1ms, bytes: 1MB}, measure: {samples: 8, warmup: 0}, expect: [bandwidth >= 1 GB/s]"
ASSERTED = """findings:
  - id: faster
    question: Is one faster than the other?
    let: {one: "one[].bandwidth", other: "other[].bandwidth"}
    claim: %s
    assert: confirmed
    confirmed: {say: "Yes."}
    refuted: {say: "No."}
"""


class Table(Assay):
    """Runs whose exit code, verdict and JUnit report are compared."""

    runs = 0

    def tried(self, text, *words, **keywords):
        self.runs += 1
        self.results = self.folder / f"results-{self.runs}"
        return self.run_suite(text if text.startswith("version") else HEADER + text, *words, **keywords)

    def junit(self, name="bad"):
        """What the JUnit report has in the test case of that name: a set of elements."""
        tests = ElementTree.parse(self.results / "junit.xml").getroot().iter("testcase")
        return {child.tag for test in tests if name in (test.get("classname") + test.get("name")) for child in test
                if child.tag in ("failure", "error", "skipped")}

    def has_the_line(self, outcome, code, element):
        """Whether the document and the JUnit report are what the page's line says; `code` is the one that the line has for this run."""
        seen = {case["case"]: case["outcome"] for case in self.document()["cases"]}
        self.assertEqual(seen["bad"], outcome, self.document()["cases"])
        self.assertEqual({outcome for case, outcome in seen.items() if case != "bad"}, {"passed"})
        self.assertEqual(self.document()["verdict"]["exit_code"], code)
        self.assertEqual(self.junit(), set() if element == "passes" else {element.strip("`")})

    def document(self):
        return json.loads((self.results / "result.json").read_text(encoding="utf-8"))

    def ends_as_the_page_says(self, outcome, case, **keywords):
        """`case` beside one that passes ends in the outcome, and the run as the line of the page says."""
        _, _, plain, strict, element = OUTCOMES[outcome][:5]
        for name, words, code in (("plain", (), int(plain)), ("strict", ("--strict",), int(strict))):
            with self.subTest(outcome, mode=name):
                uses = "" if "uses" in case else "uses: series, "
                done = self.tried(f"cases:\n{GOOD}  - {{id: bad, {uses}{case}}}\n", *words, **keywords)
                self.assertEqual(done.code, code, done.out + done.err)
                self.has_the_line(outcome, code, element)

    def wait_for(self, what, process):
        deadline = time.monotonic() + harness.PATIENCE_S
        while not what():
            self.assertIsNone(process.poll(), "it ended before")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def in_flight(self, bad="with: {fault: wait, phase: iterate}"):
        """A run of which one case has passed, and the next is measured and waits."""
        self.runs += 1
        self.results = self.folder / f"results-{self.runs}"
        waits = self.folder / f"waits-{self.runs}"
        self.write("suite.yaml", HEADER + f"cases:\n{GOOD}  - {{id: bad, uses: series, timeout: 60s, env: {{FAKE_WAITS: {waits}}}, {bad}}}\n")
        process = self.start("run", "suite.yaml", "--plugin-dir", harness.FIXTURES, "-o", self.results)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.wait_for(waits.exists, process)
        return process


class EachOutcome(Table):
    def test_every_line_of_the_page_has_its_test(self):
        self.assertEqual(list(OUTCOMES), ["passed", "failed", "error", "crashed", "timeout", "invalid", "skipped", "not_run", "cancelled"])
        for outcome, cells in OUTCOMES.items():
            self.assertEqual(cells[5], f"`test_outcome_{outcome}`")
            self.assertTrue(hasattr(self, f"test_outcome_{outcome}"))

    def test_outcome_passed(self):
        self.ends_as_the_page_says("passed", "expect: [bandwidth >= 1 B/s]")
        self.assertTrue(all(case["verification"]["verified"] for case in self.document()["cases"]))
        done = self.tried(f"cases:\n{GOOD}  - {{id: bad, uses: series, {UNSURE}}}\n")
        self.assertEqual((done.code, self.document()["verdict"]["undecided"]), (0, 1))
        self.assertIn("undecided", next(line for line in done.out.splitlines() if line.startswith("PASS")))
        done = self.tried(f"cases:\n{GOOD}  - {{id: bad, uses: external, command: [echo, '1']}}\n")
        flags = {flag["code"] for case in self.document()["cases"] if case["case"] == "bad" for flag in case["flags"]}
        self.assertEqual((done.code, "not_verified" in flags), (0, True), flags)

    def test_outcome_failed(self):
        for case, code in (("with: {results: wrong}", "verify.wrong"), ("with: {check: failed}", "check.failed"),
                           ("expect: [bandwidth >= 900 TB/s]", "expectation.failed"), ("uses: membw@host, with: {bytes: 1MiB}, measure: {samples: 6}, expect: [bandwidth >= 1% of peak]", "expectation.no-reference")):
            self.ends_as_the_page_says("failed", case)
            self.assertIn(code, next(case["reason"]["code"] for case in self.document()["cases"] if case["case"] == "bad"))

    def test_outcome_error(self):
        for case in ("with: {fault: error, phase: prepare}", "with: {lie: not_a_number}"):
            self.ends_as_the_page_says("error", case)
        self.write("value.sh", "#!/bin/sh\n[ -e told ] || echo v=1\ntouch told\n").chmod(0o755)
        done = self.tried("version: 1\nsuite: test\ncases:\n  - {id: bad, uses: external, command: [./value.sh], "
                                     "measure: {samples: 2, warmup: 0}, metrics: {v: {pattern: 'v=(.*)'}}}\n")
        self.assertEqual((done.code, [case["outcome"] for case in self.document()["cases"]]), (5, ["error"]), done.out)

    def test_outcome_crashed(self):
        self.ends_as_the_page_says("crashed", "with: {fault: segv, phase: iterate}")

    def test_outcome_timeout(self):
        self.ends_as_the_page_says("timeout", "timeout: 1s, with: {fault: hang, phase: iterate}")

    def test_outcome_invalid(self):
        self.ends_as_the_page_says("invalid", "with: {lie: device_above_host}")

    def test_outcome_skipped(self):
        for case in ("with: {fault: skip, phase: probe}", "when: {devices: 8}"):
            self.ends_as_the_page_says("skipped", case)
            self.assertTrue(next(case["reason"]["text"] for case in self.document()["cases"] if case["case"] == "bad"))

    def test_outcome_not_run(self):
        """Of a device that was lost in another case: nothing but an error or a signal leaves a case that was not run beside others that passed."""
        text = "version: 1\nsuite: test\nrequires: {backend: faulty}\ndefaults: {measure: {samples: 3, warmup: 0}}\ncases:\n" \
               "  - {id: lost, uses: faulty, devices: ['faulty:1'], with: {how: device_lost}}\n" \
               "  - {id: bad, uses: faulty, devices: ['faulty:1'], with: {how: device_lost}}\n  - {id: good, uses: calm, devices: ['faulty:2']}\n"
        _, _, plain, strict, element = OUTCOMES["not_run"][:5]
        for words, code in (((), int(plain)), (("--strict",), int(strict))):
            with self.subTest(words=words):
                done = self.tried(text, "--plugin-dir", harness.BUILD / "tests/faulty", *words)
                self.assertEqual(done.code, code, done.out + done.err)
                seen = {case["case"]: (case["outcome"], case["reason"] and case["reason"]["code"]) for case in self.document()["cases"]}
                self.assertEqual(seen["good"], ("passed", None))
                name = next(name for name in ("bad", "lost") if seen[name][0] == "not_run")  # of the two, the second
                self.assertEqual(seen[name], ("not_run", "device.quarantined"))
                self.assertEqual(self.junit(name), {element.strip("`")})

    def test_outcome_cancelled(self):
        """A visit that Ctrl-C stopped; nothing else leaves one that ended so."""
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            code = 128 + number
            with self.subTest(code):
                self.assertIn(str(code), OUTCOMES["cancelled"][2])
                process = self.in_flight()
                process.send_signal(number)
                self.assertEqual(process.wait(60), code)
                self.has_the_line("cancelled", code, OUTCOMES["cancelled"][4])


class EachExitCode(Table):
    def ends_with(self, code, *runs):
        """Each run, (what, suite, words …), ends with the code; a document, where there is one, says the same."""
        for what, text, *words in runs:
            with self.subTest(what):
                done = self.tried(text, *words)
                self.assertEqual(done.code, code, done.out + done.err)
                if (self.results / "result.json").exists():
                    self.assertEqual(self.document()["verdict"]["exit_code"], 0 if code == 7 else code)
                    self.assert_journal_says_the_same()

    def assert_journal_says_the_same(self):
        """The journal alone, without plugins and suite, is judged to the same result."""
        again = self.assay("report", self.results / "journal.jsonl", "--report", "json=-", "-q")
        self.assertEqual(again.code, 0, again.err)
        self.assertEqual(again.out, (self.results / "result.json").read_text(encoding="utf-8"))

    def test_every_line_of_the_page_has_its_test(self):
        lines = re.findall(r"^\| (\d+) \| .* \| (.*) \|$", PAGE, flags=re.M)
        self.assertEqual([int(code) for code, _ in lines], [0, 1, 2, 3, 4, 5, 6, 7, 129, 130, 143])
        for code, test in lines:
            self.assertEqual(test, f"`test_exit_{code}`")
            self.assertTrue(hasattr(self, test.strip("`")), test)

    def test_exit_0(self):
        noisy = f"cases:\n{GOOD}  - {{id: bad, uses: series, {UNSURE}}}\n"
        self.ends_with(0, ("passed", "cases:\n" + GOOD), ("skipped beside what passed", f"cases:\n{GOOD}  - {{id: bad, uses: series, when: {{devices: 8}}}}\n"),
                       ("undecided", noisy), ("a finding that is refuted, and not asserted", self.finding("one > other").replace("    assert: confirmed\n", "")))
        self.assertEqual(self.document()["findings"][0]["verdict"], "refuted")
        self.assertEqual(self.tried(noisy, "--strict").code, 1)
        self.assertEqual(self.document()["verdict"]["undecided"], 1)

    @staticmethod
    def finding(claim):
        return "cases:\n" + "".join(f"  - {{id: {name}, uses: series, processes: 3}}\n" for name in ("one", "other")) + ASSERTED % claim

    def test_exit_1(self):
        self.ends_with(1, ("failed", f"cases:\n{GOOD}  - {{id: bad, uses: series, expect: [bandwidth >= 900 TB/s]}}\n"),
                       ("invalid", f"cases:\n{GOOD}  - {{id: bad, uses: series, with: {{lie: device_above_host}}}}\n"),
                       ("a group check", f"cases:\n{GOOD}  - {{id: bad, uses: series, matrix: {{bytes: [1MiB, 2MiB]}}, "
                                         "expect: [spread(bandwidth over bytes) <= 5%]}\n"),
                       ("an asserted finding that is refuted", self.finding("one > other")),
                       ("one that is not comparable", self.finding("one > other").replace("id: one, uses: series", "id: one, uses: series, with: {bytes: 1MiB, duration: 3ms}")),
                       ("undecided, and strict", f"cases:\n{GOOD}  - {{id: bad, uses: series, {UNSURE}}}\n", "--strict"))
        self.assertEqual(self.tried(self.finding("one == other")).code, 0)

    def test_exit_2(self):
        good = "cases:\n" + GOOD
        self.ends_with(2, ("an option that is none", good, "--no-such-option"), ("a value that is none", good, "--isolation=all"),
                       ("a folder that is none", good, "--peaks", self.folder))
        full = self.write("full/file", "")
        self.assertEqual(self.assay("run", "suite.yaml", "--plugin-dir", harness.FIXTURES, "-o", full.parent).code, 2)
        self.assertEqual(self.assay("run", "nowhere.yaml").code, 2)
        self.assertEqual(self.assay("bench", "serie", "--plugin-dir", harness.FIXTURES).code, 2)

    def test_exit_3(self):
        self.ends_with(3, ("a suite that is invalid", "cases:\n  - {id: a, usse: series}\n"),
                       ("a table of peaks that is", "cases:\n" + GOOD, "--peaks", self.write("peaks.yaml", "version: 2\n")))
        done = self.tried("cases:\n" + GOOD)
        self.assertEqual(done.code, 0)
        (self.folder / "suite.yaml").write_text(HEADER + f"cases:\n{GOOD}  - {{id: more, uses: series}}\n")
        again = self.assay("run", "suite.yaml", "--plugin-dir", harness.FIXTURES, "--resume", self.results)
        self.assertEqual(again.code, 3, again.err)

    def test_exit_4(self):
        self.ends_with(4, ("no plugin", "cases:\n" + GOOD, "--plugin", self.write("nothing.so", "text")))
        folder = self.folder / "open"
        folder.mkdir()
        for name in ("assay_fake.so", "assay_fake.assay.json"):
            (folder / name).write_bytes((harness.FIXTURES / name).read_bytes())
        (folder / "assay_fake.so").chmod(0o777)
        done = self.assay("run", "suite.yaml", "--plugin", folder / "assay_fake.so")
        self.assertEqual(done.code, 4, done.err)

    def test_exit_5(self):
        self.ends_with(5, *((what, f"cases:\n{GOOD}  - {{id: bad, uses: series, {case}}}\n") for what, case in
                            (("error", "with: {fault: error, phase: verify}"), ("crashed", "with: {fault: abort, phase: iterate}"),
                             ("timeout", "timeout: 1s, with: {fault: hang, phase: prepare}"))))
        process = self.in_flight()
        other = self.assay("run", "suite.yaml", "--plugin-dir", harness.FIXTURES, "-o", self.folder / "second")
        self.assertEqual(other.code, 5, other.err)
        self.assertIn("device", other.err)
        process.kill()

    def test_exit_6(self):
        good = "cases:\n" + GOOD
        self.ends_with(6, ("the suite requires it", "version: 1\nsuite: test\nrequires: {backend: fake, devices: 8}\n" + good),
                       ("a case requires it", f"cases:\n{GOOD}  - {{id: bad, uses: series, requires: {{devices: 8}}}}\n"),
                       ("the command line does", good, "--require", "devices=8"), ("nothing is left to run", good, "--filter", "nothing"),
                       ("all are skipped", "cases:\n  - {id: bad, uses: series, when: {devices: 8}}\n"),
                       ("nothing is judged", good, "--wrap", "env"), ("skipped, and strict", f"cases:\n{GOOD}  - {{id: bad, uses: series, when: {{devices: 8}}}}\n", "--strict"))

    def test_what_no_device_has_is_not_judged_and_never_ticked(self):
        """A limit of a case and one of a group end alike."""
        for limit in ("link_errors == 0", "max(link_errors over device) == 0"):
            text = f"cases:\n  - {{id: bad, uses: series, devices: each, expect: [{limit}]}}\n"
            for words, code in (((), 0), (("--strict",), 6)):
                with self.subTest(limit, words=words):
                    done = self.tried(text, *words)
                    self.assertEqual(done.code, code, done.out + done.err)
                    self.assertEqual(re.search("limits? was not judged|none of 4 limits was judged", done.out) is not None, True, done.out)
                    again = self.assay("report", self.results / "result.json", "-q")
                    self.assertEqual(again.code, 0, again.err)
                    if words:
                        self.assertEqual({reason["code"] for reason in self.document()["verdict"]["reasons"] if reason["severity"] == "unmet"}, {"not_available"})
        done = self.tried("cases:\n  - {id: bad, uses: series, expect: [link_errors == 0]}\n")
        self.assertNotIn("✓", done.out)
        for text in (done.out, *((self.results / name).read_text(encoding="utf-8") for name in ("report.md", "junit.xml"))):
            self.assertIn("limits not judged", text)

    def test_nothing_is_refuted_where_nothing_ran(self):
        finding = 'findings:\n  - {id: f, question: "Is it fast?", let: {b: "good[].bandwidth"}, claim: b >= 1 B/s, assert: confirmed}\n'
        stated = "version: 1\nsuite: test\nrequires: {backend: fake}\npolicy: {stated: true}\n"
        for what, text, words in (("required by the suite", "version: 1\nsuite: test\nrequires: {backend: fake, devices: 8}\n", ()),
                                  ("by the command line", "", ("--require", "devices=8")), ("stated by nobody", stated, ()), ("filtered", "", ("--filter", "nothing"))):
            with self.subTest(what):
                done = self.tried(text + "cases:\n" + GOOD + finding, "--report", f"junit={self.folder}/j.xml", "--report", f"ctrf={self.folder}/c.json", *words)
                self.assertEqual(done.code, 6, done.out + done.err)
                self.assertNotIn("✗", done.out)
                self.assertNotIn("finding.not-confirmed", done.out)
                self.assertEqual({reason["severity"] for reason in done.document["verdict"]["reasons"]}, {"unmet"})
                self.assertNotIn("<failure", (self.folder / "j.xml").read_text(encoding="utf-8"))
                tests = json.loads((self.folder / "c.json").read_text(encoding="utf-8"))["results"]["tests"]
                self.assertEqual([test["status"] for test in tests if test["name"] == "f"], ["skipped"])
                again = self.assay("report", self.results / "result.json", "-q")
                self.assertEqual(again.code, 0, again.err)

    def test_exit_7(self):
        self.ends_with(7, ("a file where a folder should be", "cases:\n" + GOOD, "--report", f"markdown={self.write('file', '')}/report.md"))

    def interrupted(self, number):
        process = self.in_flight()
        process.send_signal(number)
        self.assertEqual(process.wait(60), 128 + number)
        self.assertEqual(self.document()["verdict"]["outcome"], "interrupted")

    def test_exit_129(self):
        self.interrupted(signal.SIGHUP)

    def test_exit_130(self):
        self.interrupted(signal.SIGINT)

    def test_exit_143(self):
        self.interrupted(signal.SIGTERM)

    def test_the_order_of_exit_codes(self):
        """Two reasons at once, of which the earlier of 129/130/143, 5, 1, 6, 7, 0 counts."""
        failed = "  - {id: failed, uses: series, with: {results: wrong}}\n"
        crashed = "  - {id: crashed, uses: series, with: {fault: segv, phase: prepare}}\n"
        skipped = "  - {id: skipped, uses: series, when: {devices: 8}}\n"
        lost = ("--report", f"markdown={self.write('file', '')}/report.md")
        for code, text, words in ((5, crashed + failed, ()), (5, crashed + skipped, ("--strict",)), (5, crashed, lost), (1, failed + skipped, ("--strict",)),
                                  (1, failed, lost), (1, failed, ("--wrap", "env")), (6, skipped, ("--strict", *lost)), (7, skipped, lost)):
            with self.subTest(code, words=words):
                done = self.tried("cases:\n" + GOOD + text, *words)
                self.assertEqual(done.code, code, done.out + done.err)
        process = self.in_flight("with: {fault: wait, phase: iterate}, expect: [bandwidth >= 900 TB/s]")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), 130)


if __name__ == "__main__":
    harness.main()
