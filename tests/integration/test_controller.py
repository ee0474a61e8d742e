# SPDX-License-Identifier: Apache-2.0
"""What the controller does with workers, backends, devices and signals."""

import json
import os
import pathlib
import signal
import time
import unittest

import harness
from harness import Assay, HEADER


class Controller(Assay):
    SLOW = HEADER + "cases:\n  - {id: slow, uses: series, timeout: 60s, with: {fault: %s, phase: iterate}}\n"

    def start_slow(self, fault):
        """A run whose only visit is in flight."""
        self.write("slow.yaml", self.SLOW % fault)
        process = self.start("run", "slow.yaml", "--plugin-dir", harness.FIXTURES, "-o", self.results)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for _ in range(3000):
            if len(self.workers(process.pid)) >= 2 and (self.results / "journal.jsonl").exists():  # the backend's and the plugin's
                return process
            self.assertIsNone(process.poll(), "the run ended early")
            time.sleep(0.01)
        self.fail("no worker was started")

    def workers(self, pid):
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = entry.read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == pid and fields[0] != "Z":
                found.append(int(entry.parent.name))
        return found

    @staticmethod
    def lives(pid):
        try:
            return ") Z " not in pathlib.Path(f"/proc/{pid}/stat").read_text()
        except OSError:  # also in the midst of reading
            return False

    def wait_until_gone(self, pids):
        for _ in range(1000):
            left = [pid for pid in pids if self.lives(pid)]
            if not left:
                return
            time.sleep(0.01)
        self.fail(f"processes live on: {left}")

    def facts(self, result):
        return [case["facts"] for case in result.document["cases"]]

    def test_cases_of_one_key_share_a_worker_unless_isolated(self):
        suite = "cases:\n  - {id: a, uses: series, with: {note: pid}}\n  - {id: b, uses: series, with: {note: pid}}\n"
        shared = self.run_suite(suite)
        self.assertEqual(shared.code, 0, shared.err)
        self.assertEqual(len({json.dumps(facts) for facts in self.facts(shared)}), 1)
        self.results = self.folder / "isolated"
        isolated = self.run_suite(suite, "--isolation", "case")
        self.assertEqual(isolated.code, 0, isolated.err)
        self.assertEqual(len({json.dumps(facts) for facts in self.facts(isolated)}), 2)

    def test_output_and_place_of_a_crash_are_in_the_result(self):
        result = self.run_suite("cases:\n  - {id: a, uses: series, with: {fault: abort, phase: iterate}}\n")
        self.assertEqual(result.code, 5)
        reason = result.document["cases"][0]["reason"]
        self.assertEqual(reason["code"], "worker.signal")
        self.assertIn("signal 6 (SIGABRT)", reason["text"])
        self.assertIn("phase", reason["text"])

    def test_two_timeouts_of_a_benchmark_end_it(self):
        cases = "".join(f"  - {{id: c{i}, uses: series, timeout: 300ms, with: {{fault: wait, phase: prepare}}}}\n" for i in range(4))
        result = self.run_suite("cases:\n" + cases)
        self.assertEqual(result.code, 5)
        self.assertEqual(sorted(result.outcomes().values()), ["not_run", "not_run", "timeout", "timeout"])
        reason = next(c["reason"] for c in result.document["cases"] if c["outcome"] == "not_run")
        self.assertEqual(reason["code"], "benchmark.timeouts")

    def test_a_device_in_use_is_refused_with_the_process_that_has_it(self):
        first = self.start_slow("wait")
        self.results = self.folder / "second"
        second = self.run_suite("cases:\n  - {id: a, uses: series}\n")
        self.assertEqual(second.code, 5, second.err)
        self.assertIn(f"process {first.pid}", second.err)
        self.assertIn("fake:0", second.err)

    def test_a_second_signal_kills_a_worker_that_hangs(self):
        process = self.start_slow("hang")
        workers = self.workers(process.pid)
        process.send_signal(signal.SIGINT)
        harness.wait_until_delivered(process.pid, signal.SIGINT)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(30), 130)
        self.wait_until_gone(workers)

    def test_workers_die_with_a_killed_controller(self):
        for fault in ("hang", "wait"):
            with self.subTest(fault):
                self.results = self.folder / fault
                process = self.start_slow(fault)
                workers = self.workers(process.pid)
                process.kill()
                process.wait()
                self.wait_until_gone(workers)

    def test_a_backend_that_cannot_answer_is_unmet_with_the_reason(self):
        for how, text in (("error", "no answer"), ("segv", "SIGSEGV")):
            with self.subTest(how):
                self.results = self.folder / how
                result = self.run_suite("cases:\n  - {id: a, uses: series}\n", environment={"ASSAY_FAKE_BACKEND": f"inventory:{how}"})
                self.assertEqual(result.code, 6, result.err + result.out)
                self.assertIn(text, " ".join(result.out.split()))  # wherever the lines were broken

    def test_telemetry_that_crashes_or_hangs_costs_telemetry_only(self):
        for how in ("error", "segv", "hang"):
            with self.subTest(how):
                self.results = self.folder / how
                result = self.run_suite("cases:\n  - {id: a, uses: series}\n", environment={"ASSAY_FAKE_BACKEND": f"read:{how}"})
                self.assertEqual(result.code, 0, result.err + result.out)
        self.assert_nothing_left()

    def test_failed_telemetry_is_told_and_decides_what_needs_it(self):
        text = ("cases:\n  - {id: a, uses: series}\n  - {id: b, uses: series, measure: {throttle: fail}}\n"
                "  - {id: c, uses: series, expect: [power <= 1 kW]}\n")
        for how, problem in (("error", "the fake management library has no answer"), ("segv", "SIGSEGV")):
            with self.subTest(how):
                self.results = self.folder / how
                result = self.run_suite(text, environment={"ASSAY_FAKE_BACKEND": f"read:{how}"})
                self.assertEqual(result.code, 1, result.err + result.out)
                for case in result.document["cases"]:
                    self.assertIn("telemetry_failed", [flag["code"] for flag in case["flags"]])
                    self.assertIn(problem, case["telemetry_problem"])
                self.assertEqual(result.outcomes(), {"a": "passed", "b": "failed", "c": "failed"})
                self.assertEqual({result.case(i)["reason"]["code"] for i in "bc"}, {"expectation.not-judged"})

    def test_a_reading_that_is_not_declared_is_refused_and_told(self):
        result = self.run_suite("cases:\n  - {id: a, uses: series}\n", environment={"ASSAY_FAKE_READING": "undeclared"})
        case = result.case("a")
        self.assertEqual((result.code, case["outcome"]), (0, "passed"), result.err + result.out)
        self.assertIn("reads 'aura', which its manifest does not declare", case["telemetry_problem"])
        self.assertNotIn("aura", {row["quantity"] for row in case["telemetry"]})

    def test_any_declared_quantity_can_be_limited(self):
        text = "cases:\n  - {id: a, uses: series, expect: [%s]}\n"
        for check, environment, code in (("errors == 0", {}, 0), ("errors == 0", {"ASSAY_FAKE_COUNT": "errors"}, 1), ("repairs <= 1", {"ASSAY_FAKE_COUNT": "repairs"}, 1),
                                         ("link_errors == 0", {}, 0), ("vanished == 0", {}, 1), ("energy >= 10 J", {}, 0)):
            with self.subTest(check=check, **environment):
                self.results = self.folder / f"{check}{environment}"
                result = self.run_suite(text % check, environment=environment)
                self.assertEqual(result.code, code, result.err + result.out)
        result = self.run_suite(text % "erors == 0")
        self.assertEqual(result.code, 3)
        self.assertIn("did you mean 'errors'?", result.err)
        result = self.run_suite(text % "errors <= 1 J")
        self.assertEqual(result.code, 3)
        self.assertIn("a plain number (errors)", result.err)

    def test_a_kept_journal_knows_what_was_declared(self):
        result = self.run_suite("cases:\n  - {id: a, uses: series, expect: [errors == 0, energy >= 1 J]}\n")
        self.assertEqual(result.code, 0, result.err + result.out)
        again = self.assay("report", self.results / "journal.jsonl", "--report", "json=-")
        self.assertEqual(harness.json.loads(again.out)["cases"][0]["expectations"], result.document["cases"][0]["expectations"])

    def test_a_peak_that_cannot_be_one_is_told_and_not_used(self):
        for how, what in (("unit", "is in 'FLOP/s'"), ("negative", "is -5")):
            with self.subTest(how):
                self.results = self.folder / how
                result = self.run_suite("cases:\n  - {id: a, uses: series, expect: [bandwidth >= 1% of peak]}\n", environment={"ASSAY_FAKE_PEAK": how})
                self.assertEqual(result.code, 1, result.err + result.out)
                self.assertIn(what, next(flag["text"] for flag in result.case("a")["flags"] if flag["code"] == "peak_refused"))
                self.assertEqual(result.case("a")["reason"]["code"], "expectation.no-reference")
                done = self.assay("plugin", "check", harness.FIXTURES / "assay_fake.assay.json", "--only", "backend-answers", environment={"ASSAY_FAKE_PEAK": how})
                self.assertEqual(done.code, 1, done.out)
                self.assertIn(what, " ".join(done.out.split()))
        for variable in ({"ASSAY_FAKE_READING": "undeclared"}, {"ASSAY_FAKE_REASON": "mood"}):
            done = self.assay("plugin", "check", harness.FIXTURES / "assay_fake.assay.json", "--only", "backend-answers", environment=variable)
            self.assertEqual(done.code, 1, done.out)
            self.assertIn("does not declare", " ".join(done.out.split()))

    def test_a_wrapped_worker_is_run_and_not_judged(self):
        mark = self.folder / "mark"
        wrapper = self.write("wrapper.sh", f'#!/bin/sh\necho wrapped > {mark}\nexec "$@"\n')
        os.chmod(wrapper, 0o755)
        result = self.run_suite("cases:\n  - {id: a, uses: series, expect: [bandwidth > 1 TB/s]}\n", "--wrap", str(wrapper))
        self.assertTrue(mark.exists(), result.err)
        self.assertNotEqual(result.document["cases"][0]["outcome"], "failed")
        self.assertEqual(result.code, 6, "nothing was judged")
        self.assertIn("nothing was judged", result.out)


if __name__ == "__main__":
    harness.main()
