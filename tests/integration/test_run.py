# SPDX-License-Identifier: Apache-2.0
"""From a suite to a verdict: outcomes, exit codes, files, order."""

import json
import math
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import unittest

import harness
from harness import Assay, HEADER


class Verdicts(Assay):
    def test_a_passing_suite_leaves_reports_a_journal_and_exit_0(self):
        result = self.run_suite("cases:\n  - {id: a, uses: series, expect: [bandwidth > 1 MB/s]}\n")
        self.assertEqual(result.code, 0, result.err + result.out)
        self.assertEqual({p.name for p in self.results.iterdir()}, {"result.json", "report.md", "junit.xml", "journal.jsonl"})
        self.assertEqual(result.document["verdict"]["outcome"], "passed")
        self.assertIn("results", result.out)

    def test_each_visit_has_a_line_with_its_value_and_the_time_left(self):
        done = self.run_suite("cases:\n  - {id: a, uses: series, processes: 1, matrix: {bytes: [1KiB, 2KiB]}}\n  - {id: b, uses: series, processes: 1, with: {bytes: 4KiB}}\n")
        self.assertEqual(done.code, 0, done.err)
        lines = re.findall(r"(?m)^\d/3  .*$", done.err)
        self.assertEqual(len(lines), 3, done.err)
        for line in lines:
            self.assertRegex(line, r"^\d/3  (a\[bytes=[12]KiB\]|b)  [\d.]+ \w?B/s(  \d+ s left)?$")
        self.assertIn(" s left", lines[0])
        self.assertNotIn("left", lines[2])
        shutil.rmtree(self.results)
        failed = self.run_suite("cases:\n  - {id: a, uses: series, processes: 1, with: {fault: error, phase: prepare}}\n")
        self.assertRegex(failed.err, r"(?m)^1/1  a  error  \d+\.\d\d s$")

    def test_a_missed_limit_is_exit_1_with_place_and_next_step(self):
        result = self.run_suite("cases:\n  - id: a\n    uses: series\n    expect:\n      - {that: bandwidth > 1 TB/s, say: Check the cooling.}\n")
        self.assertEqual(result.code, 1)
        case = result.case("a[device=fake:0]") if "a[device=fake:0]" in result.outcomes() else result.document["cases"][0]
        expectation = case["expectations"][0]
        self.assertEqual(expectation["status"], "failed")
        self.assertEqual((expectation["position"]["line"], expectation["position"]["column"]), (8, 9))
        self.assertIn("Check the cooling.", result.out)

    def test_every_fault_costs_its_own_visit_and_no_other(self):
        cases = "cases:\n"
        expected = {}
        for fault, phase, outcome in [("error", "prepare", "error"), ("device_error", "iterate", "error"), ("skip", "probe", "skipped"),
                                      ("exception", "create", "error"), ("throw_integer", "verify", "error"), ("out_of_memory", "prepare", "error"),
                                      ("segv", "prepare", "crashed"), ("abort", "iterate", "crashed"), ("exit", "verify", "crashed"),
                                      ("leak", "prepare", "passed"), ("noise", "iterate", "passed"), ("segv", "release", "crashed")]:
            ident = f"{fault}-{phase}".replace("_", "-")
            cases += f"  - {{id: {ident}, uses: series, with: {{fault: {fault}, phase: {phase}}}}}\n"
            cases += f"  - {{id: after-{ident}, uses: series}}\n"
            expected[ident] = outcome
            expected[f"after-{ident}"] = "passed"
        result = self.run_suite(cases)
        self.assertEqual(result.code, 5, result.err)
        seen = {case["case"]: case["outcome"] for case in result.document["cases"]}
        self.assertEqual(seen, expected)
        crashed = next(case for case in result.document["cases"] if case["case"] == "segv-prepare")
        self.assertEqual(crashed["reason"]["phase"], "prepare")
        self.assertIn("SIGSEGV", crashed["reason"]["text"])
        self.assert_nothing_left()

    def test_a_hang_ends_at_its_deadline(self):
        result = self.run_suite("cases:\n  - {id: stuck, uses: series, timeout: 1s, with: {fault: hang, phase: prepare}}\n  - {id: b, uses: series, processes: 1}\n")
        self.assertEqual(result.code, 5)
        self.assertEqual({c["case"]: c["outcome"] for c in result.document["cases"]}, {"stuck": "timeout", "b": "passed"})
        self.assert_nothing_left()

    def test_wrong_results_have_no_rate(self):
        result = self.run_suite("cases:\n  - {id: a, uses: series, with: {results: wrong}}\n  - {id: b, uses: series, with: {results: wrong_after}}\n")
        self.assertEqual(result.code, 1)
        for case in result.document["cases"]:
            self.assertEqual(case["outcome"], "failed")
            self.assertEqual(case["metrics"], [])

    def test_a_clock_that_lies_is_invalid(self):
        for lie in ("device_above_host", "fixed_overhead"):
            with self.subTest(lie):
                self.results = self.folder / lie
                result = self.run_suite(f"cases:\n  - {{id: a, uses: series, with: {{lie: {lie}}}}}\n")
                self.assertEqual(result.code, 1, result.out)
                self.assertEqual(result.document["cases"][0]["outcome"], "invalid")
                self.assertEqual(result.document["cases"][0]["metrics"], [])

    def test_zero_and_not_a_number_are_errors(self):
        for lie in ("zero_time", "not_a_number"):
            with self.subTest(lie):
                self.results = self.folder / lie
                result = self.run_suite(f"cases:\n  - {{id: a, uses: series, with: {{lie: {lie}}}}}\n")
                self.assertEqual(result.code, 5)
                self.assertEqual(result.document["cases"][0]["outcome"], "error")

    def test_missing_devices_are_exit_6_and_named(self):
        result = self.run_suite("version: 1\nsuite: test\nrequires: {backend: fake, devices: 8}\ncases:\n  - {id: a, uses: series}\n")
        self.assertEqual(result.code, 6)
        self.assertRegex(result.out + result.err, r"8.*(fake|device)")

    def test_what_a_case_or_an_included_suite_requires_is_exit_6(self):
        self.write("base.yaml", "version: 1\nsuite: base\nrequires: {backend: fake, devices: 8}\ncases:\n  - {id: b, uses: series}\n")
        for name, text in (("case", "requires: {backend: fake}\ncases:\n  - {id: a, uses: series}\n  - {id: c, uses: series, requires: {devices: 8}}\n"),
                           ("included", "requires: {backend: fake}\ninclude: base.yaml\ncases:\n  - {id: a, uses: series}\n")):
            with self.subTest(name):
                self.results = self.folder / name
                result = self.run_suite("version: 1\nsuite: test\n" + text)
                self.assertEqual(result.code, 6, result.out + result.err)
                self.assertIn("8 fake devices are required; 4 found", result.out)
                self.assertEqual({case["outcome"] for case in result.document["cases"]}, {"not_run"})

    def test_what_the_command_line_requires_is_exit_6(self):
        text = "cases:\n  - {id: a, uses: series}\n"
        for words, code in ((["--require", "devices=4"], 0), (["--require", "devices=>=2,backend=fake"], 0), (["--require", "devices=8"], 6),
                            (["--require", "driver=>=1"], 6),
                            (["--require", "libraries=ncll"], 3), (["--require", "divers=1"], 3)):
            with self.subTest(words):
                self.results = self.folder / "-".join(words).replace("=", "-").replace(">", "")
                result = self.run_suite(text, *words)
                self.assertEqual(result.code, code, result.out + result.err)

    def test_what_an_option_made_is_told_as_that_option(self):
        self.write("suite.yaml", "version: 1\nsuite: test\ncases:\n  - {id: a, uses: membw@host}\n")
        for words, place in ((["--require", "divers=1"], "--require: error: "), (["--set", "requires.divers=1"], "--set:1:10: error: "),
                             (["--pairs", "as-is", "with:kernel=none"], "--pairs: error: ")):
            for command in ("run", "validate"):
                if words[0] == "--pairs" and command == "validate":
                    continue
                done = self.assay(command, "suite.yaml", "--plugin-dir", harness.FIXTURES, *words)
                self.assertEqual(done.code, 3, done.err)
                self.assertRegex(done.err, "(?m)^" + place)

    def test_a_case_whose_when_is_not_met_is_skipped(self):
        result = self.run_suite("cases:\n  - {id: a, uses: series}\n  - {id: c, uses: series, when: {devices: 8}}\n")
        self.assertEqual(result.code, 0, result.out + result.err)
        cases = {case["case"]: case for case in result.document["cases"]}
        self.assertEqual((cases["c"]["outcome"], cases["c"]["reason"]["code"]), ("skipped", "when.unmet"))

    def test_a_suite_that_is_strict_fails_what_is_skipped(self):
        result = self.run_suite("version: 1\nsuite: test\nrequires: {backend: fake}\npolicy: {strict: true}\n"
                                "cases:\n  - {id: a, uses: series}\n  - {id: c, uses: series, when: {devices: 8}}\n")
        self.assertEqual(result.code, 6, result.out + result.err)
        self.assertTrue(result.document["run"]["mode"]["strict"])

    def test_a_check_that_fails_fails_its_case(self):
        result = self.run_suite("cases:\n  - {id: a, uses: series, with: {check: failed}}\n")
        self.assertEqual(result.code, 1)
        self.assertFalse(result.document["cases"][0]["checks"][0]["passed"])

    def test_a_group_check_is_a_row_of_its_own(self):
        result = self.run_suite("cases:\n  - id: a\n    uses: series\n    devices: each\n    expect: [spread(bandwidth over device) <= 5%]\n")
        self.assertEqual(result.code, 0, result.out + result.err)
        self.assertEqual(len(result.document["groups"]), 1)
        self.assertEqual(len(result.document["groups"][0]["members"]), 4)


class SimulatedClock(Assay):
    def test_the_headline_is_exact_to_the_digit(self):
        result = self.run_suite("cases:\n  - {id: a, uses: series, with: {duration: 2ms, bytes: 1MiB}}\n")
        metric = next(m for m in result.document["cases"][0]["metrics"] if m["name"] == "bandwidth")
        self.assertAlmostEqual(metric["value"], (1 << 20) / 2e-3, delta=1)
        self.assertTrue(result.document["run"]["mode"]["simulated"])

    def test_two_runs_with_one_seed_measure_the_same(self):
        text = "cases:\n  - {id: a, uses: series, devices: each, with: {noise: ar09, sigma: 0.05}, measure: {seed: 7}}\n"
        values = []
        for name in ("one", "two"):
            self.results = self.folder / name
            values.append([c["metrics"] for c in self.run_suite(text).document["cases"]])
        self.assertEqual(values[0], values[1])

    def test_three_rounds_give_an_interval_between_processes(self):
        result = self.run_suite("cases:\n  - {id: a, uses: series, processes: 3, with: {noise: iid}}\n")
        metric = result.document["cases"][0]["metrics"][0]
        self.assertEqual(metric["interval"]["kind"], "between_process")
        self.assertEqual(len(metric["rounds"]), 3)
        pids = set()
        self.results = self.folder / "pids"
        document = self.run_suite("cases:\n  - {id: a, uses: series, processes: 3, with: {note: pid}}\n").document
        journal = (self.results / "journal.jsonl").read_text().splitlines()
        for line in journal[1:-1]:
            visit = json.loads(line)
            visit = visit.get("visit", visit)
            pids.add(visit["ranks"][0]["facts"]["algorithm"])
        self.assertEqual(len(pids), 3, document["cases"][0]["flags"])


class OwnProcess(Assay):
    """A benchmark that what ran before in its process would change."""

    def processes(self, text, plugins):
        self.results = self.folder / f"results of {plugins.parent.name} {plugins.name}"
        done = self.assay("run", self.write("suite.yaml", HEADER + text).name, "--plugin-dir", plugins, "-o", self.results)
        self.assertEqual(done.code, 0, done.out + done.err)
        return [case["facts"]["algorithm"] for case in done.document["cases"]]

    def test_every_case_of_one_that_asks_for_it_has_a_fresh_process(self):
        copies = self.folder / "plugins"
        copies.mkdir()
        for name in ("assay_fake.so", "assay_fake.assay.json"):
            shutil.copy(harness.FIXTURES / name, copies)
        manifest = json.loads((copies / "assay_fake.assay.json").read_text())
        next(one for one in manifest["benchmarks"] if one["name"] == "series")["own_process"] = True
        (copies / "assay_fake.assay.json").write_text(json.dumps(manifest))
        text = "cases:\n  - {id: a, uses: series, with: {note: pid}, matrix: {duration: [1ms, 2ms, 3ms]}}\n"
        self.assertEqual(len(set(self.processes(text, harness.FIXTURES))), 1)
        self.assertEqual(len(set(self.processes(text, copies))), 3)


class Repeatability(Assay):
    """What `assay doctor` measured of this machine, used to judge other runs."""

    def doctor(self, text, name="doctor", suite="doctor"):
        self.write("doctor.yaml", f"version: 1\nsuite: {suite}\nrequires: {{backend: fake}}\ncases:\n{text}")
        done = self.assay("run", "doctor.yaml", "--plugin-dir", harness.FIXTURES, "-q", "-o", self.folder / name)
        self.assertEqual(done.code, 0, done.err)
        return json.loads((self.folder / name / "result.json").read_text())

    def judged_by(self, *arguments):
        self.results = self.folder / "judged"
        return self.run_suite("cases:\n  - {id: a, uses: series, processes: 1}\n", *arguments)

    def test_single_runs_are_judged_by_what_was_measured_here(self):
        measured = self.doctor("  - {id: steady, uses: series, processes: 4}\n  - {id: worst, uses: series, processes: 4}\n")
        rounds = [0.97, 1.0, 1.05, 1.01]  # the simulated machine repeats itself to the digit
        for metric in (metric for case in measured["cases"] if case["id"] == "worst" for metric in case["metrics"] if metric["headline"]):
            metric["rounds"] = [value * metric["value"] for value in rounds]
        (self.folder / "doctor/result.json").write_text(json.dumps(measured))
        result = self.judged_by("--doctor", "doctor")
        self.assertEqual(result.code, 0, result.err)
        known = result.document["run"]["run_to_run"]
        self.assertEqual(known["run"], measured["run"]["id"])
        logs = [math.log(value) for value in rounds]
        share = 3.1824 * statistics.stdev(logs)  # Student's t of three degrees of freedom
        self.assertAlmostEqual(known["shares"]["fake"] / share, 1, places=4)
        metric = result.document["cases"][0]["metrics"][0]
        self.assertAlmostEqual((metric["interval"]["low"] - metric["verdict_interval"]["low"]) / (known["shares"]["fake"] * metric["value"]), 1, places=6)
        (self.results / "result.json").rename(self.folder / "first.json")
        again = self.assay("report", self.results / "journal.jsonl", "-q", "--report", f"json={self.results / 'result.json'}")
        self.assertEqual(again.code, 0, again.err)
        self.assertEqual(result.document["cases"], json.loads((self.folder / "first.json").read_text())["cases"])

    def test_without_it_there_is_no_word_of_it(self):
        self.assertNotIn("run_to_run", self.judged_by().document["run"])

    def test_what_says_nothing_of_this_machine_is_refused(self):
        other = self.doctor("  - {id: a, uses: series, processes: 3}\n", "other", suite="another")
        few = self.doctor("  - {id: a, uses: series, processes: 2}\n", "few")
        self.assertTrue(other and few)
        moved = self.doctor("  - {id: a, uses: series, processes: 3}\n", "moved")
        for device in (device for backend in moved["run"]["backends"] for device in backend["devices"]):
            device["uuid"] = "FAKE-elsewhere"
        (self.folder / "moved" / "result.json").write_text(json.dumps(moved))
        for name, words in (("other", "takes one of 'assay doctor'"), ("few", "three processes"), ("moved", "says nothing of this machine"),
                            ("nowhere", "nowhere")):
            with self.subTest(name):
                done = self.judged_by("--doctor", name)
                self.assertEqual(done.code, 2, done.out + done.err)
                self.assertIn(words, done.err)
                self.assertFalse(self.results.exists())

    def test_a_run_goes_on_with_what_it_began_with(self):
        self.doctor("  - {id: a, uses: series, processes: 3}\n")
        whole = self.judged_by("--doctor", "doctor").document
        (self.results / "result.json").unlink()
        resumed = self.assay("run", "suite.yaml", "--plugin-dir", harness.FIXTURES, "--resume", self.results)
        self.assertEqual(resumed.code, 0, resumed.err)
        self.assertEqual(resumed.document["run"]["run_to_run"], whole["run"]["run_to_run"])
        other = self.assay("run", "suite.yaml", "--plugin-dir", harness.FIXTURES, "--resume", self.results, "--doctor", "elsewhere")
        self.assertEqual(other.code, 3)
        self.assertIn("begun with --doctor doctor", other.err)

    def test_what_failed_is_not_run_again_without_it(self):
        self.doctor("  - {id: a, uses: series, processes: 3}\n")
        self.results = self.folder / "judged"
        self.assertEqual(self.run_suite("cases:\n  - {id: a, uses: series, processes: 1, expect: [bandwidth > 1 TB/s]}\n", "--doctor", "doctor").code, 1)
        failed = ["run", "suite.yaml", "--plugin-dir", harness.FIXTURES, "--failed", self.results, "-o", self.folder / "again"]
        done = self.assay(*failed)
        self.assertEqual(done.code, 3, done.err)
        self.assertIn("give that again: --doctor RESULT", done.err)
        self.assertEqual(self.assay(*failed, "--doctor", "doctor").code, 1)


class Ranks(Assay):
    def test_the_slowest_rank_sets_the_time(self):
        result = self.run_suite("cases:\n  - {id: a, uses: series, devices: all, with: {duration: 1ms, rank_skew: 0.1}}\n")
        self.assertEqual(result.code, 0, result.out + result.err)
        case = result.document["cases"][0]
        self.assertEqual(case["placement"]["ranks"], 4)
        self.assertAlmostEqual(case["time"]["median"], 1.3e-3, delta=1e-6)
        self.assertEqual(len(case["ranks"]), 4)

    def test_a_rank_that_dies_is_named_and_the_others_are_not_blamed(self):
        result = self.run_suite("cases:\n  - {id: a, uses: series, devices: all, with: {fault: segv, phase: iterate, fault_rank: 2}}\n"
                                "  - {id: b, uses: series, devices: all}\n")
        seen = {c["case"]: c for c in result.document["cases"]}
        self.assertEqual(seen["a"]["outcome"], "crashed")
        self.assertEqual(seen["a"]["reason"]["rank"], 2)
        self.assertEqual(seen["b"]["outcome"], "passed", seen["b"]["reason"])
        self.assert_nothing_left()

    def test_a_rank_that_hangs_ends_the_visit_at_its_deadline(self):
        result = self.run_suite("cases:\n  - {id: a, uses: series, timeout: 1s, devices: all, with: {fault: hang, phase: iterate, fault_rank: 1}}\n")
        self.assertEqual(result.document["cases"][0]["outcome"], "timeout")
        self.assert_nothing_left()


class Interruption(Assay):
    SUITE = HEADER + "cases:\n  - id: a\n    uses: series\n    timeout: 60s\n    matrix: {bytes: [1MiB, 2MiB, 3MiB, 4MiB]}\n" \
                     "    with: {note: x}\n  - {id: slow, uses: series, timeout: 60s, with: {fault: wait, phase: iterate}}\n"

    def interrupt(self, number):
        self.write("suite.yaml", self.SUITE)
        process = self.start("run", "suite.yaml", "--plugin-dir", harness.FIXTURES, "-o", self.results)
        for line in process.stderr:
            if "4/5" in line:  # the four quick ones are done, or it is in the slow one
                break
            if "slow" in line:
                break
        process.send_signal(number)
        out, err = process.communicate(timeout=harness.PATIENCE_S)
        return process.returncode, out, err

    def test_sigint_ends_the_visit_and_reports(self):
        self.write("suite.yaml", HEADER + "cases:\n  - {id: slow, uses: series, timeout: 60s, with: {fault: wait, phase: iterate}}\n")
        process = self.start("run", "suite.yaml", "--plugin-dir", harness.FIXTURES, "-o", self.results)
        self.wait_for_worker(process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=harness.PATIENCE_S)
        self.assertEqual(process.returncode, 130, out + err)
        document = json.loads((self.results / "result.json").read_text())
        self.assertEqual(document["verdict"]["outcome"], "interrupted")
        self.assertIn(document["cases"][0]["outcome"], ("cancelled", "not_run"))
        self.assert_nothing_left()

    def wait_for_worker(self, process):
        """Until the journal exists and a worker has been started: the visit is in flight."""
        import time
        for _ in range(2000):
            children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split()
            if (self.results / "journal.jsonl").exists() and children:
                return
            time.sleep(0.01)
        self.fail("no worker was started")

    def test_a_killed_run_is_reported_from_its_journal_and_resumed(self):
        cases = "".join(f"  - {{id: c{i}, uses: series}}\n" for i in range(5))
        text = HEADER + "cases:\n" + cases + "  - {id: slow, uses: series, timeout: 60s, with: {fault: wait, phase: iterate}}\n"
        self.write("suite.yaml", text)
        process = self.start("run", "suite.yaml", "--plugin-dir", harness.FIXTURES, "-o", self.results, "--seed", "3")
        self.wait_for_worker(process)
        process.kill()
        process.communicate(timeout=harness.PATIENCE_S)
        self.assertFalse((self.results / "result.json").exists())
        report = self.assay("report", self.results, "--plugin-dir", harness.FIXTURES, "--report", f"json={self.folder}/torn.json")
        self.assertEqual(report.code, 0, report.err)
        torn = json.loads((self.folder / "torn.json").read_text())
        self.assertIn("not_run", {c["outcome"] for c in torn["cases"]})

        finished = [json.loads(l) for l in (self.results / "journal.jsonl").read_text().splitlines()[1:]]
        resumed = self.assay("run", "suite.yaml", "--plugin-dir", harness.FIXTURES, "--resume", self.results, "--seed", "3", "--set", "slow.fault=none")
        self.assertEqual(resumed.code, 3, "another plan is refused: " + resumed.err)
        self.write("suite.yaml", text.replace("timeout: 60s", "timeout: 1s"))
        changed = self.assay("run", "suite.yaml", "--plugin-dir", harness.FIXTURES, "--resume", self.results, "--seed", "3")
        self.assertEqual(changed.code, 3)
        self.assertIn("changed", changed.err)
        self.assertGreaterEqual(len(finished), 0)

    def test_resume_goes_on_where_the_journal_ends(self):
        cases = "".join(f"  - {{id: c{i}, uses: series, with: {{note: pid}}}}\n" for i in range(6))
        whole = self.run_suite("cases:\n" + cases, "--seed", "5")
        self.assertEqual(whole.code, 0, whole.err)
        journal = self.results / "journal.jsonl"
        lines = journal.read_text().splitlines(keepends=True)
        journal.write_text("".join(lines[:4]) + lines[4][: len(lines[4]) // 2])  # header, three visits, a torn line
        (self.results / "result.json").unlink()
        resumed = self.assay("run", "suite.yaml", "--plugin-dir", harness.FIXTURES, "--resume", self.results, "--seed", "5")
        self.assertEqual(resumed.code, 0, resumed.err)
        self.assertEqual(set(resumed.outcomes().values()), {"passed"})
        self.assertTrue(resumed.document["run"]["mode"]["resumed"])
        kept = journal.read_text().splitlines(keepends=True)
        self.assertEqual(kept[1:4], lines[1:4])


class Rendering(Assay):
    def test_the_table_is_shown_once_in_the_way_that_is_asked_for(self):
        text = "cases:\n  - {id: a, uses: series}\n"
        plain = self.run_suite(text, "--report", "console").out
        self.assertEqual(plain.count("exit 0"), 1, plain)
        self.results = self.folder / "narrow"
        narrow = self.run_suite(text, "--report", "console:width=60", "--report", "json").out
        self.assertEqual(narrow.count("exit 0"), 1, narrow)
        self.assertIn("bytes=1 MiB,\n    tick=1 ns, ", narrow)
        self.assertNotIn(",\n    tick=1 ns", plain)
        self.results = self.folder / "quiet"
        self.assertEqual(self.run_suite(text, "-q", "--report", "console").out.count("exit 0"), 1, "it was asked for")
        self.results = self.folder / "silent"
        self.assertEqual(self.run_suite(text, "-q").out, "")
        self.results = self.folder / "file"
        kept = self.run_suite(text, "--report", f"console={self.folder / 'table.txt'}").out
        self.assertEqual(kept.count("exit 0"), 1, kept)
        self.assertIn("PASS", (self.folder / "table.txt").read_text())

    def test_report_renders_byte_for_byte_what_run_rendered(self):
        result = self.run_suite("cases:\n  - id: a\n    uses: series\n    devices: each\n    matrix: {bytes: [1MiB, 4MiB]}\n"
                                "    expect: [bandwidth > 1 GB/s]\n", "--report", "markdown", "--report", "junit")
        again = self.folder / "again"
        again.mkdir()
        report = self.assay("report", self.results, "--plugin-dir", harness.FIXTURES, "-o", again, "--report", "markdown", "--report", "junit",
                            "--report", "json")
        self.assertEqual(report.code, 0, report.err)
        for name in ("report.md", "junit.xml", "result.json"):
            self.assertEqual((again / name).read_bytes(), (self.results / name).read_bytes(), name)
        self.assertIn(result.code, (0, 1))

    def test_a_journal_gives_the_same_document_as_the_run(self):
        self.run_suite("cases:\n  - {id: a, uses: series, devices: each}\n")
        report = self.assay("report", self.results / "journal.jsonl", "--plugin-dir", harness.FIXTURES, "--report", f"json={self.folder}/again.json")
        self.assertEqual(report.code, 0, report.err)
        self.assertEqual((self.folder / "again.json").read_text(), (self.results / "result.json").read_text())

    def test_junit_is_valid_for_the_strictest_consumer(self):
        self.run_suite("cases:\n  - {id: a, uses: series, devices: each}\n  - {id: b, uses: series, with: {fault: segv, phase: prepare}}\n"
                       "  - {id: c, uses: series, with: {fault: skip, phase: probe}}\n  - {id: d, uses: series, with: {results: wrong}}\n")
        check = subprocess.run(["xmllint", "--noout", "--schema", str(harness.SOURCE / "reporters/junit/junit.xsd"), str(self.results / "junit.xml")],
                               capture_output=True, text=True)
        self.assertEqual(check.returncode, 0, check.stderr)


if __name__ == "__main__":
    harness.main()
