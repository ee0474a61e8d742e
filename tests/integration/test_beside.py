#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs that use the same processors at the same time: named in both, or refused."""

import os
import pathlib
import subprocess
import sys
import time
import unittest

import harness

# Until somebody says that it may end.
HOLDING = "cases:\n  - id: held\n    uses: external\n    command: [sh, -c, 'touch begun; while ! test -e end; do sleep 0.02; done']\n"
ALONE = "policy: {alone: true}\n"
HEADER = "version: 1\nsuite: {name}\nrequires: {{backend: host}}\n"
# Busy for 10 ms of a processor's time, then idle for 10 ms, as in tests/perf/quick_coverage.py.
HALF = """
import time
print("begun", flush=True)
while True:
    begin = time.process_time()
    while time.process_time() - begin < 0.010: pass
    time.sleep(0.010)
"""


class Beside(harness.Assay):
    def suite(self, name, text):
        return self.write(f"{name}.yaml", HEADER.format(name=name) + text)

    def begin(self, text=HOLDING):
        """A run that measures until end()."""
        suite = self.suite("first", text)
        run = self.start("run", suite, "-o", self.folder / "first")
        self.addCleanup(run.communicate)
        self.addCleanup((self.folder / "end").touch)
        deadline = time.monotonic() + harness.PATIENCE_S
        while not (self.folder / "begun").exists():
            self.assertIsNone(run.poll(), "it ended early")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        return run

    def end(self, run):
        (self.folder / "end").touch()
        out, err = run.communicate(timeout=harness.PATIENCE_S)
        self.assertEqual(run.returncode, 0, out + err)
        return harness.Result(0, out, err, self.folder / "first").document

    def second(self, text="cases:\n  - {id: b, uses: external, command: ['true']}\n"):
        suite = self.suite("second", text)
        return self.assay("run", suite, "-o", self.results)

    @staticmethod
    def flags(document):
        return {case["case"]: [flag["text"] for flag in case["flags"] if flag["code"] == "shared_processors"] for case in document["cases"]}

    def test_each_names_the_other_and_marks_its_rows(self):
        run = self.begin()
        result = self.second("cases:\n  - {id: b, uses: external, command: [sleep, '0.5']}\n")
        self.assertEqual(result.code, 0, result.out + result.err)
        first = self.end(run)
        for document, mine, other, pid in ((result.document, "b", "first", run.pid), (first, "held", "second", None)):
            beside = document["run"]["beside"]
            self.assertEqual([each["suite"] for each in beside], [other])
            self.assertEqual(beside[0]["visits"], 1)
            self.assertRegex(beside[0]["since"], r"^\d{4}-\d\d-\d\dT")
            if pid is not None:
                self.assertEqual(beside[0]["pid"], pid)
            self.assertEqual(len(self.flags(document)[mine]), 1)
            self.assertIn(f"with suite '{other}' since", self.flags(document)[mine][0])
        self.assertIn("another run might have used the same processors meanwhile", result.out)
        self.assertEqual(list((self.folder / "locks").iterdir()), [])

    def test_a_run_that_wants_to_be_alone_begins_beside_no_other(self):
        run = self.begin()
        result = self.second(ALONE + "cases:\n  - {id: b, uses: external, command: ['true']}\n")
        self.assertEqual(result.code, 5, result.out + result.err)
        self.assertIn(f"process {run.pid} with suite 'first' since", result.err)
        self.assertFalse(self.results.exists())
        self.assertNotIn("beside", self.end(run)["run"])

    def test_none_begins_beside_a_run_that_wants_to_be_alone(self):
        run = self.begin(ALONE + HOLDING)
        result = self.second()
        self.assertEqual(result.code, 5, result.out + result.err)
        self.assertIn("wants its processors for itself", result.err)
        self.assertNotIn("beside", self.end(run)["run"])
        self.assertEqual(self.second().code, 0)

    def test_a_run_that_was_killed_is_none(self):
        run = self.begin(ALONE + HOLDING)
        run.kill()
        run.communicate()
        result = self.second(ALONE + "cases:\n  - {id: b, uses: external, command: ['true']}\n")
        self.assertEqual(result.code, 0, result.out + result.err)
        self.assertNotIn("beside", result.document["run"])

    def test_a_case_beside_half_of_a_processor_reads_disturbed(self):
        all_there = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, all_there)
        os.sched_setaffinity(0, sorted(all_there)[:2])  # so that what is taken is more than a twentieth of them
        half = subprocess.Popen([sys.executable, "-c", HALF], stdout=subprocess.PIPE)
        self.addCleanup(half.communicate)
        self.addCleanup(half.kill)
        half.stdout.readline()
        case = "  - {{id: {}, uses: membw@host, with: {{bytes: 1MiB}}, measure: {{samples: 1000000, max_time: 2s}}}}\n"
        result = self.second("defaults: {bind: inherit}\ncases:\n" + case.format("b"))
        self.assertEqual(result.code, 0, result.out + result.err)
        flag = next(flag for flag in result.document["cases"][0]["flags"] if flag["code"] == "disturbed")
        self.assertRegex(flag["text"], r"^other programs had [0-9.]+ % of the processors meanwhile$")
        self.assertRegex(result.out, r"! disturbed\b")

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2 or not pathlib.Path("/usr/bin/taskset").exists(), "needs two processors and taskset")
    def test_runs_on_other_processors_do_not_disturb_each_other(self):
        a, b = sorted(os.sched_getaffinity(0))[:2]
        bound = "defaults: {bind: inherit}\n"
        suite = self.suite("first", bound + HOLDING)
        command = self.command("run", suite, "-o", self.folder / "first")
        run = subprocess.Popen(["taskset", "-c", str(a), *command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.communicate)
        self.addCleanup((self.folder / "end").touch)
        while not (self.folder / "begun").exists() and run.poll() is None:
            time.sleep(0.02)
        other = self.suite("second", ALONE + bound + "cases:\n  - {id: b, uses: external, command: ['true']}\n")
        done = subprocess.run(["taskset", "-c", str(b), *self.command("run", other, "-o", self.results)], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=harness.PATIENCE_S)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("beside", self.end(run)["run"])

    def test_a_folder_for_locks_that_cannot_be_used_is_said(self):
        (self.folder / "locks").write_text("a file", encoding="utf-8")
        result = self.second()
        self.assertEqual(result.code, 0, result.out + result.err)
        self.assertIn("other runs on these processors cannot be seen", result.err)
        self.assertIn("cannot be taken", result.document["run"]["others_unseen"])
        self.assertIn("other runs on these processors could not be seen", " ".join(result.out.split()))
        self.results = self.folder / "again"
        result = self.second(ALONE + "cases:\n  - {id: b, uses: external, command: ['true']}\n")
        self.assertEqual(result.code, 5)


if __name__ == "__main__":
    harness.main()
