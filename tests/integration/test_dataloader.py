#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dataloader@host in real runs: what becomes of a case whose files or workers fail, and that nothing is left of it."""

import os
import pathlib
import shutil
import signal
import time

import harness
from harness import Assay

SUITE = "version: 1\nsuite: loader\nrequires: {backend: host}\ncases:\n"
# Long enough for whatever is done to it meanwhile.
LONG = "consumer_time: 5ms, items: 64, batch: 4, side: 16"
KILLED = ("worker_kind: process, persistent: true", "worker_kind: process, persistent: false")


class Dataloader(Assay):
    def case(self, ident, parameters, samples=6):
        return f"  - {{id: {ident}, uses: dataloader@host, with: {{{parameters}}}, measure: {{samples: {samples}}}}}\n"

    def begin(self, parameters):
        """A run whose first case goes on until something happens to it, and whose second one is like it and short."""
        shutil.rmtree(self.results, ignore_errors=True)  # of another such run
        short = parameters.replace(LONG, "items: 64, batch: 4, side: 16")
        self.write("suite.yaml", SUITE + self.case("long", parameters, 100000) + self.case("after", short))
        process = self.start("run", "suite.yaml", "-o", self.results, "--report", "json")
        for step in (process.stdout.close, process.stderr.close, process.wait, process.kill):
            self.addCleanup(step)
        return process

    def wait_until(self, process, find):
        """What `find` gives, once it gives something."""
        for _ in range(6000):
            found = find()
            if found:
                return found
            self.assertIsNone(process.poll(), "the run ended early")
            time.sleep(0.01)
        raise AssertionError("it did not come to that within a minute")

    def end(self, process):
        process.communicate(timeout=harness.PATIENCE_S)
        return harness.Result(process.returncode, "", "", self.results)

    @staticmethod
    def children(pid):
        try:
            return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        except OSError:
            return []

    def loaders(self, process):
        """Processes that a worker of the run has forked, two at least: one alone may be a leak checker's, at the end of the worker."""
        forked = [self.children(worker) for worker in self.children(process.pid)]
        return [pid for pids in forked if len(pids) > 1 for pid in pids]

    def assert_error(self, done, *words):
        case = done.case("long")
        self.assertEqual(case["outcome"], "error", case)
        for word in words:
            self.assertIn(word, case["reason"]["text"])
        self.assertEqual(done.case("after")["outcome"], "passed", done.case("after"))
        self.assertTrue(done.case("after")["verification"]["verified"])
        self.assert_nothing_left()

    def test_every_way_to_load_passes_verified(self):
        ways = ["workers: 0", "workers: 1, persistent: true", "workers: 3, prefetch: 1", "workers: 9, items: 5, batch: 2", "worker_kind: process",
                "worker_kind: process, persistent: true", "source: files, folder: .", "source: files, folder: ., worker_kind: process, order: sequential",
                "collate: direct, decode_spread: 1, crop: 1", "consumer_time: 100us, consumer: busy, start_cost: 1ms", "items: 1, batch: 65536, side: 4"]
        cases = "".join(self.case(f"c{i}", way if "items" in way else f"{way}, items: 64, batch: 5, side: 16", 3) for i, way in enumerate(ways))
        self.write("suite.yaml", SUITE + cases)
        done = self.assay("run", "suite.yaml", "-o", self.results, "--report", "json")
        for i, way in enumerate(ways):
            case = done.case(f"c{i}")
            self.assertEqual(case["outcome"], "passed", (way, case["reason"]))
            self.assertTrue(case["verification"]["verified"], way)
            values = {metric["name"]: metric["value"] for metric in case["metrics"]}
            for name in ("throughput", "epoch", "startup", "wait", "wait_p99", "item_cost", "bound"):
                self.assertGreater(values[name], 0, (way, name))
            self.assertLessEqual(values["starved"], 1)
            self.assertNotIn("state.changed", [flag["code"] for flag in case["flags"]], way)
        self.assertEqual(list(self.folder.glob("assay-loader-*")), [])
        self.assert_nothing_left()

    def test_a_file_that_changes_ends_its_case_with_the_files_name(self):
        def vanish(path):
            path.unlink()

        def shrink(path):
            os.truncate(path, 100)

        def become_a_pipe(path):
            path.unlink()
            os.mkfifo(path)

        for kind in ("thread", "process"):
            for change, words in ((shrink, "has 100 bytes, but was written with 768"), (vanish, "cannot be opened: No such file"),
                                  (become_a_pipe, "is no longer a regular file")):
                with self.subTest(kind=kind, change=change.__name__):
                    process = self.begin(f"source: files, folder: ., worker_kind: {kind}, {LONG}")
                    self.wait_until(process, lambda: len(list(self.folder.glob("assay-loader-*/item-*"))) == 64)
                    change(next(self.folder.glob("assay-loader-*/item-0")))
                    done = self.end(process)
                    self.assert_error(done, "item 0 (batch", "item-0'", words)
                    self.assertEqual(done.case("long")["reason"]["code"], "plugin.error", "memory is not what it lacked")
                    self.assertEqual(list(self.folder.glob("assay-loader-*")), [])

    def test_a_process_that_is_killed_is_named(self):
        for kind in KILLED:
            with self.subTest(kind):
                process = self.begin(f"workers: 3, {kind}, {LONG}")
                # Those that end with their epoch may have ended between looking and killing.
                while process.poll() is None:
                    for pid in self.loaders(process)[:1]:
                        try:
                            os.kill(pid, signal.SIGKILL)
                        except ProcessLookupError:
                            pass
                    if (self.results / "journal.jsonl").exists() and "was ended by signal 9" in (self.results / "journal.jsonl").read_text():
                        break
                self.assertIn("was ended by signal 9", self.end(process).case("long")["reason"]["text"])
                self.assert_nothing_left()

    def test_a_process_that_hangs_ends_its_case_and_is_killed(self):
        process = self.begin(f"workers: 2, worker_kind: process, persistent: true, stall_limit: 1s, {LONG}")
        os.kill(self.wait_until(process, lambda: self.loaders(process))[0], signal.SIGSTOP)
        self.assert_error(self.end(process), " hangs: it ", "has come no further for 1.0 s")

    def test_a_killed_workers_processes_end_and_its_files_go_later(self):
        process = self.begin(f"source: files, folder: ., worker_kind: process, persistent: true, {LONG}")
        loaders = self.wait_until(process, lambda: self.loaders(process))
        left = list(self.folder.glob("assay-loader-*"))
        self.assertEqual(len(left), 1)
        parent = int(pathlib.Path(f"/proc/{loaders[0]}/stat").read_text().rsplit(")", 1)[1].split()[1])
        os.kill(parent, signal.SIGKILL)
        done = self.end(process)
        self.assertEqual(done.case("long")["outcome"], "crashed")
        self.assertEqual(done.case("after")["outcome"], "passed", done.case("after"))
        self.assertFalse(left[0].exists())
        self.assert_nothing_left()

    def test_what_cannot_be_is_refused_at_its_line(self):
        for parameter, words in (("prefetch: 0", "prefetch"), ("workers: -1", "workers"), ("workers: 2000", "workers"), ("items: 0", "items"),
                                 ("batch: 0", "batch"), ("side: 3", "side"), ("crop: 0", "crop"), ("crop: 1.5", "crop"), ("decode_spread: 2", "decode_spread"),
                                 ("worker_kind: fibre", "worker_kind"), ("consumer_time: -1s", "consumer_time")):
            with self.subTest(parameter):
                self.write("suite.yaml", SUITE + self.case("a", parameter))
                done = self.assay("run", "suite.yaml", "-o", self.results)
                self.assertEqual(done.code, 3, done.err)
                self.assertIn("suite.yaml:5:", done.err)
                self.assertIn(words, done.err)

    def test_what_does_not_fit_is_skipped_with_both_numbers(self):
        for parameters, words in (("items: 16777216, side: 4096", "of host memory for the data set and 2 workers' batches, and"),
                                  ("workers: 1024, prefetch: 1024, batch: 65536, side: 4096", "of host memory"),
                                  ("items: 16777216, side: 4096, source: files, folder: .", "need"),
                                  ("source: files, folder: missing", "no folder for files can be made in 'missing'"),
                                  ("source: files, folder: /proc", "no folder for files can be made in '/proc'")):
            with self.subTest(parameters):
                shutil.rmtree(self.results, ignore_errors=True)
                self.write("suite.yaml", SUITE + self.case("a", parameters))
                case = self.assay("run", "suite.yaml", "-o", self.results, "--report", "json").case("a")
                self.assertEqual(case["outcome"], "skipped", case["reason"])
                self.assertIn(words, case["reason"]["text"])


if __name__ == "__main__":
    harness.main()
