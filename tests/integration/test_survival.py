# SPDX-License-Identifier: Apache-2.0
"""What a run survives: kills, signals, full disks, folders that vanish, closed streams, a second run, a clock that jumps."""

import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import harness
from harness import Assay, HEADER

sys.path.insert(0, str(harness.SOURCE / "tests/campaign"))
import kills  # noqa: E402

MANY = HEADER + "cases:\n  - {id: a, uses: series, measure: {samples: 6}, matrix: {bytes: [%s]}}\n"
FAULTS = harness.BUILD / "tests/preload/assay_faults.so"


def many(count):
    return MANY % ", ".join(f"{i + 1}KiB" for i in range(count))


class Survival(Assay):
    def arguments(self, *more, name="suite.yaml"):
        return self.command("run", name, "--plugin-dir", harness.FIXTURES, "-o", self.results, *more)

    def execute(self, arguments, environment=None, **keywords):
        keywords = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **keywords}
        done = subprocess.run([str(a) for a in arguments], cwd=self.folder, env={**self.environment, **(environment or {})}, timeout=harness.PATIENCE_S,
                              stdin=subprocess.DEVNULL, text=True, **keywords)
        return harness.Result(done.returncode, done.stdout, done.stderr, self.results)

    def start_run(self, *more, environment=None, **keywords):
        process = subprocess.Popen([str(a) for a in self.arguments(*more)], cwd=self.folder, env={**self.environment, **(environment or {})},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **keywords)
        for step in (process.stdout.close, process.stderr.close, process.wait, process.kill):
            self.addCleanup(step)
        return process

    def start_waiting(self, fault="wait", **keywords):
        """A run whose first three visits are finished and whose last, which never ends, is in flight."""
        self.write("suite.yaml", HEADER + "cases:\n  - {id: a, uses: series, processes: 3, measure: {samples: 6}}\n"
                                          f"  - {{id: b, uses: series, processes: 4, with: {{fault: {fault}, phase: iterate}}, timeout: 60s}}\n")
        text = (self.folder / "suite.yaml").read_text().replace("processes: 4", "processes: 1")
        self.write("suite.yaml", text)
        process = self.start_run("--filter", "^b$" if fault == "hang" else ".", **keywords)
        for _ in range(3000):
            if (self.results / "journal.jsonl").exists() and self.children(process.pid) >= 2:
                return process
            self.assertIsNone(process.poll(), "the run ended early")
            time.sleep(0.01)
        self.fail("no worker was started")

    def faults(self, **which):
        """The environment that lets the C library fail."""
        environment = {"LD_PRELOAD": str(FAULTS), **{f"FAULT_{name.upper()}": str(value) for name, value in which.items()}}
        if "ASan" in self.assay("--version", environment=environment).err:
            self.skipTest("a sanitizer wants to be the first library")
        return environment

    def children(self, pid):
        found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout
        return len(found.split())

    def journal(self, folder=None):
        return [json.loads(line) for line in ((folder or self.results) / "journal.jsonl").read_text().splitlines()]

    def visits(self):
        return [record["visit"] for record in self.journal() if record["type"] == "visit"]

    def resume(self, *more, **keywords):
        return self.assay("run", "suite.yaml", "--plugin-dir", harness.FIXTURES, "--resume", self.results, *more, **keywords)

    def stop_after(self, process, lines):
        """Reads so many finished visits, then holds the controller still."""
        for _ in range(lines):
            process.stderr.readline()
        process.send_signal(signal.SIGSTOP)


class Kill(Survival):
    def test_random_kills_lose_no_finished_visit(self):
        figures = kills.run_and_kill(harness.BUILD, visits=60, kills=20, seed=7)
        self.assertEqual(figures["visits"], 60)

    def test_a_run_killed_before_its_header_is_begun_by_resume(self):
        self.write("suite.yaml", many(3))
        for name, text in (("empty", None), ("torn", '{"type":"header","journ'), ("zeros", "\0" * 4096)):
            with self.subTest(name):
                self.results = self.folder / name
                self.results.mkdir()
                if text is not None:
                    (self.results / "journal.jsonl").write_text(text)
                result = self.resume()
                self.assertEqual(result.code, 0, result.err)
                self.assertIn("nothing was measured", result.err)
                self.assertEqual(len(self.visits()), 3)

    def test_a_run_killed_after_resume_does_not_show_the_old_report(self):
        self.write("suite.yaml", many(6))
        self.assertEqual(self.execute(self.arguments()).code, 0)
        journal = self.results / "journal.jsonl"
        lines = journal.read_text().splitlines(keepends=True)
        # As after an interruption behind three visits, with the result that was rendered then.
        journal.write_text("".join(lines[:4]))
        process = subprocess.Popen(self.command("run", "suite.yaml", "--plugin-dir", harness.FIXTURES, "--resume", self.results), cwd=self.folder,
                                   env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in process.stderr:
            if "/6" in line:  # a visit was finished
                break
        process.kill()
        process.communicate()
        report = self.assay("report", self.results, "--report", "json=-")
        self.assertEqual(report.code, 0, report.err)
        complete = [c for c in json.loads(report.out)["cases"] if c["outcome"] == "passed"]
        self.assertEqual(len(complete), len(self.visits()))

    def test_a_resumed_runs_document_comes_from_its_journal_exactly(self):
        self.write("suite.yaml", many(6))
        self.assertEqual(self.execute(self.arguments("--seed", "4", "--strict")).code, 0)
        journal = self.results / "journal.jsonl"
        journal.write_text("".join(journal.read_text().splitlines(keepends=True)[:3]))
        resumed = self.resume()
        self.assertEqual(resumed.code, 0, resumed.err)
        self.assertTrue(resumed.document["run"]["mode"]["resumed"])
        again = self.assay("report", journal, "--report", f"json={self.folder}/again.json")
        self.assertEqual(again.code, 0, again.err)
        self.assertEqual((self.folder / "again.json").read_bytes(), (self.results / "result.json").read_bytes())

    def test_a_whole_run_is_rendered_again_and_not_called_resumed(self):
        self.write("suite.yaml", many(3))
        self.assertEqual(self.execute(self.arguments()).code, 0)
        journal, document = (self.results / "journal.jsonl").read_bytes(), (self.results / "result.json").read_bytes()
        (self.results / "report.md").unlink()
        resumed = self.resume()
        self.assertEqual(resumed.code, 0, resumed.err)
        self.assertIn("nothing is left to measure", resumed.err)
        self.assertEqual((self.results / "journal.jsonl").read_bytes(), journal)
        self.assertEqual((self.results / "result.json").read_bytes(), document)
        self.assertTrue((self.results / "report.md").exists())


class Torn(Survival):
    def report(self):
        result = self.assay("report", self.results, "--report", "json=-")
        self.assertEqual(result.code, 0, result.err)
        return json.loads(result.out)

    def reason(self, document):
        return next(r["text"] for r in document["verdict"]["reasons"] if r["code"] == "run.incomplete")

    def lines(self, count=6):
        self.write("suite.yaml", many(count))
        self.assertEqual(self.execute(self.arguments()).code, 0)
        (self.results / "result.json").unlink()
        return (self.results / "journal.jsonl").read_bytes().splitlines(keepends=True)

    def test_a_torn_journal_is_rendered_and_what_is_missing_is_named(self):
        lines = self.lines()
        (self.results / "journal.jsonl").write_bytes(b"".join(lines[:3]) + lines[3][:100])
        document = self.report()
        text = self.reason(document)
        self.assertIn("the run was killed", text)
        self.assertIn("2 of 6 cases are complete", text)
        missing = [c["id"] for c in document["cases"] if c["outcome"] == "not_run"]
        self.assertEqual(len(missing), 4)
        self.assertIn(", ".join(missing[:3]) + " and 1 more", text)
        self.assertIn("cut off after 100 bytes", text)
        self.assertIsNone(document["run"]["mode"]["interrupted_by"])
        table = self.assay("report", self.results)
        self.assertIn(f"--resume {self.results}", table.out)

    def test_lines_that_a_dead_machine_garbled_are_measured_again(self):
        lines = self.lines()
        lines[2] = b"\0" * (len(lines[2]) - 1) + b"\n"
        (self.results / "journal.jsonl").write_bytes(b"".join(lines))
        document = self.report()
        self.assertEqual(document["verdict"]["exit_code"], 5)
        self.assertIn("1 of its lines cannot be read, the first is line 3", self.reason(document))
        resumed = self.resume()
        self.assertEqual(resumed.code, 0, resumed.err)
        self.assertEqual(set(resumed.outcomes().values()), {"passed"})

    def test_a_run_killed_after_its_last_visit_lacks_nothing(self):
        lines = self.lines()
        (self.results / "journal.jsonl").write_bytes(b"".join(lines[:-1]))
        document = self.report()
        self.assertEqual(document["verdict"]["outcome"], "passed")
        self.assertEqual(document["verdict"]["reasons"], [r for r in document["verdict"]["reasons"] if r["code"] != "run.incomplete"])


class Signals(Survival):
    def test_sigterm_and_sighup_end_the_visit_and_report(self):
        for number, code in ((signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            with self.subTest(number.name):
                self.results = self.folder / number.name
                process = self.start_waiting()
                process.send_signal(number)
                out, err = process.communicate(timeout=harness.PATIENCE_S)
                self.assertEqual(process.returncode, code, out + err)
                document = json.loads((self.results / "result.json").read_text())
                self.assertEqual(document["run"]["mode"]["interrupted_by"], number.name)
                self.assert_nothing_left()

    def test_a_second_sigterm_kills_a_visit_that_hangs(self):
        process = self.start_waiting("hang")
        process.send_signal(signal.SIGTERM)
        harness.wait_until_delivered(process.pid, signal.SIGTERM)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=harness.PATIENCE_S)
        self.assertEqual(process.returncode, 143, out + err)
        self.assert_nothing_left()

    def test_a_signal_that_was_ignored_at_the_start_stays_ignored(self):
        self.write("suite.yaml", many(40))
        process = self.start_run(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.stderr.readline()
        process.send_signal(signal.SIGHUP)
        out, err = process.communicate(timeout=harness.PATIENCE_S)
        self.assertEqual(process.returncode, 0, out + err)


class FullDisk(Survival):
    def test_a_journal_that_takes_no_more_stops_the_run_with_advice(self):
        self.write("suite.yaml", many(40))
        whole = self.execute(self.arguments())
        self.assertEqual(whole.code, 0, whole.err)
        size = (self.results / "journal.jsonl").stat().st_size
        shutil.rmtree(self.results)
        stopped = self.execute(self.arguments(), environment=self.faults(space=size - size // 8))
        self.assertEqual(stopped.code, 5, stopped.err)
        self.assertIn("No space left on device; free space", stopped.err)
        kept = int(re.search(r"(\d+) of 40 visits are kept", stopped.err).group(1))
        told = len(re.findall(r"(?m)^\d+/40  ", stopped.err))
        self.assertEqual(kept, told)
        self.assertGreater(kept, 0)
        self.assertFalse((self.results / "result.json").exists())
        report = self.assay("report", self.results, "--report", "json=-")
        self.assertEqual(len([c for c in json.loads(report.out)["cases"] if c["outcome"] == "passed"]), kept)
        words = shlex.split(re.search(r"go on with: (assay .*)", stopped.err).group(1))
        # LD_PRELOAD is recorded: what measures on is what measured before.
        resumed = self.assay(*words[1:], "--plugin-dir", harness.FIXTURES, environment=self.faults(space=1 << 40))
        self.assertEqual(resumed.code, 0, resumed.err)
        self.assertEqual(len(self.visits()), 40)
        self.assert_nothing_left()

    def test_a_run_on_a_full_disk_goes_on_where_there_is_room(self):
        small = pathlib.Path(tempfile.mkdtemp(prefix="assay-small-"))
        self.addCleanup(shutil.rmtree, small, ignore_errors=True)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48k", "tmpfs", small], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("no file system can be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", small], capture_output=True)
        self.write("suite.yaml", many(60))
        self.results = small / "results"
        stopped = self.execute(self.arguments())
        self.assertEqual(stopped.code, 5, stopped.err)
        self.assertIn("No space left on device", stopped.err)
        told = re.findall(r"(?m)^\d+/60  ", stopped.err)
        self.assertGreater(len(told), 0)
        self.results = self.folder / "moved"
        shutil.copytree(small / "results", self.results)
        resumed = self.resume()
        self.assertEqual(resumed.code, 0, resumed.err)
        self.assertEqual(len(re.findall(r"(?m)^\d+/60  ", resumed.err)), 60 - len(told))
        self.assertEqual(len(self.visits()), 60)

    def test_a_header_that_does_not_fit_leaves_nothing_behind(self):
        self.write("suite.yaml", many(3))
        for folder in (self.results, None):
            arguments = self.arguments() if folder else self.command("run", "suite.yaml", "--plugin-dir", harness.FIXTURES)
            result = self.execute(arguments, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500)))
            self.assertEqual(result.code, 5, result.err)
            self.assertIn("free space", result.err)
            self.assertFalse(self.results.exists())
        self.assertEqual(list((self.folder / "assay-results").iterdir()), [])

    def test_a_report_that_does_not_fit_is_absent(self):
        self.write("suite.yaml", many(3))
        self.assertEqual(self.execute(self.arguments("--report", "json", "--report", "junit")).code, 0)
        large, small = (self.results / "result.json").stat().st_size, (self.results / "journal.jsonl").stat().st_size
        self.assertGreater(large, small + 1000)
        shutil.rmtree(self.results)
        result = self.execute(self.arguments("--report", "json", "--report", "junit"),
                              environment=self.faults(space=small + 2000))
        self.assertEqual(result.code, 7, result.err)
        self.assertEqual({p.name for p in self.results.iterdir()}, {"journal.jsonl"})
        self.assertEqual(set(re.findall("the reporter '(.*)' did not succeed", result.err)), {"json", "junit"})
        self.assertEqual(self.assay("report", self.results, "--report", f"json={self.results}/result.json").code, 0)

    def test_a_disk_that_cannot_sync_stops_the_run(self):
        self.write("suite.yaml", many(3))
        result = self.execute(self.arguments(), environment=self.faults(sync=1))
        self.assertEqual(result.code, 5, result.err)
        self.assertIn("cannot be synced: Input/output error", result.err)


class Output(Survival):
    def test_a_closed_output_is_no_table_and_no_damage(self):
        self.write("suite.yaml", many(3))
        command = " ".join(shlex.quote(str(a)) for a in self.arguments())
        for closing in (">&-", ">&- 2>&-", "<&- >&- 2>&-"):
            with self.subTest(closing):
                shutil.rmtree(self.results, ignore_errors=True)
                result = self.execute(["sh", "-c", f"{command} {closing}"])
                self.assertEqual(result.code, 0, result.err)
                self.assertEqual(len(self.visits()), 3)  # the journal did not become somebody's standard output
                self.assertEqual(set(result.outcomes().values()), {"passed"})

    def test_a_reader_that_leaves_is_no_error(self):
        self.write("suite.yaml", many(3))
        command = " ".join(shlex.quote(str(a)) for a in self.arguments())
        result = self.execute(["bash", "-c", f"set -o pipefail; {command} 2>&1 | true"])
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(len(self.visits()), 3)

    def test_a_report_that_was_asked_for_and_lost_is_exit_7(self):
        self.write("suite.yaml", many(3))
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = self.execute(self.arguments(), stdout=full)
            self.assertEqual(result.code, 7, result.err)
            self.assertIn("standard output: No space left on device", result.err)
            self.assertEqual(set(result.outcomes().values()), {"passed"})
            self.assertEqual(self.execute(self.command("list"), stdout=full).code, 7)
            self.assertEqual(self.execute([harness.ASSAY, "--version"], stdout=full).code, 7)
            self.assertEqual(self.execute(self.command("report", self.results, "--report", "json=-"), stdout=full).code, 7)
        closed = self.execute(["sh", "-c", f"{harness.ASSAY} report {self.results} --report json=- >&-"])
        self.assertEqual(closed.code, 7, closed.err)


class Folders(Survival):
    def test_an_unusable_folder_is_refused_before_anything_runs(self):
        self.write("suite.yaml", many(3))
        self.write("file", "")
        for folder, words in (("/proc/assay", ""), ("/sys/assay", ""), (self.folder / "file", ""), (self.folder / "file/below", "")):
            self.results = folder
            result = self.execute(self.arguments())
            self.assertEqual(result.code, 2, result.err)
            self.assertIn(str(folder), result.err)
            self.assertNotIn("defect", result.err)
            self.assertNotIn("measured", result.err)

    def test_a_read_only_folder_is_refused(self):
        self.write("suite.yaml", many(3))
        self.results.mkdir(mode=0o555)
        # Root may write anywhere unless it gives that right away.
        without_rights = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
        result = self.execute(without_rights + self.arguments())
        self.assertEqual(result.code, 5, result.err)
        self.assertIn("Permission denied; choose another folder with -o", result.err)
        self.assertEqual(list(self.results.iterdir()), [])

    def test_a_folder_removed_during_the_run_is_made_again_whole(self):
        self.write("suite.yaml", many(40))
        process = self.start_run()
        self.stop_after(process, 5)
        before = self.visits()
        shutil.rmtree(self.results)
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=harness.PATIENCE_S)
        self.assertEqual(process.returncode, 0, out + err)
        self.assertIn("was removed meanwhile", err)
        self.assertEqual(len(self.visits()), 40)
        self.assertEqual(self.visits()[: len(before)], before)
        self.assertEqual(len(json.loads((self.results / "result.json").read_text())["cases"]), 40)

    def test_a_folder_that_cannot_be_made_again_stops_the_run(self):
        self.write("suite.yaml", many(40))
        process = self.start_run()
        self.stop_after(process, 5)
        shutil.rmtree(self.results)
        self.results.write_text("somebody else's")
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=harness.PATIENCE_S)
        self.assertEqual(process.returncode, 5, out + err)
        self.assertIn("was removed while the run went on and cannot be made again", err)
        self.assertEqual(self.results.read_text(), "somebody else's")

    def test_resume_takes_the_folder_of_a_run_only(self):
        self.write("suite.yaml", many(3))
        other = self.folder / "other"
        other.mkdir()
        (other / "letter.txt").write_text("dear")
        for name, words in (("none", "there is no folder"), ("suite.yaml", "is not a folder"), ("other", "no journal.jsonl")):
            result = self.assay("run", "suite.yaml", "--plugin-dir", harness.FIXTURES, "--resume", name)
            self.assertEqual(result.code, 2, result.err)
            self.assertIn(words, result.err)

    def test_a_file_system_without_locks_is_good_enough(self):
        self.write("suite.yaml", "version: 1\nsuite: test\nrequires: {backend: host}\ncases:\n  - {id: a, uses: 'null', with: {}}\n")
        result = self.execute(self.arguments(), environment=self.faults(flock=1))
        self.assertEqual(result.code, 0, result.err)


class TwoRuns(Survival):
    def test_a_journal_in_use_is_refused_with_its_process(self):
        process = self.start_waiting()
        second = self.resume(environment={"ASSAY_LOCK_FOLDER": str(self.folder / "other-locks")})
        self.assertEqual(second.code, 5, second.err)
        self.assertIn(f"process {process.pid}", second.err)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 143)

    def test_a_device_in_use_leaves_no_folder_behind(self):
        process = self.start_waiting()
        first, self.results = self.results, self.folder / "second"
        second = self.execute(self.arguments())
        self.assertEqual(second.code, 5, second.err)
        self.assertIn(f"process {process.pid}", second.err)
        self.assertFalse(self.results.exists())
        third = self.assay("run", "suite.yaml", "--plugin-dir", harness.FIXTURES)
        self.assertEqual(third.code, 5, third.err)
        self.assertFalse((self.folder / "assay-results").exists())
        self.results = first
        process.kill()
        process.wait()
        self.assertNotEqual(self.resume("--dry-run").code, 5)


class Callers(Survival):
    """assay is executed by a shell that has started daemons of its own: they come to it as its children."""

    SUITE = """version: 1
suite: callers
requires: {backend: faulty}
defaults: {timeout: 1min, processes: 1, measure: {samples: 2, warmup: 0, max_time: 1s}}
cases:
  - {id: first, uses: calm, devices: ["faulty:0"], measure: {samples: 400, max_time: 20s}}
  - {id: guilty, uses: faulty, devices: ["faulty:0"], with: {how: leave_orphan, phase: prepare}}
  - {id: last, uses: calm, devices: ["faulty:0"]}
"""

    def test_their_daemons_live_on_and_no_plugin_is_blamed_for_them(self):
        suite = self.write("suite.yaml", self.SUITE)
        # Its parent ends once a plugin is at work: then nobody but assay is there to adopt it.
        started = "(setsid sleep 1000 > /dev/null 2>&1 & echo $! > daemon; until [ -s results/journal.jsonl ]; do sleep 0.01; done) > /dev/null 2>&1 & "
        run = shlex.join(map(str, self.command("run", suite, "--plugin-dir", harness.BUILD / "tests/faulty", "-o", self.results)))
        done = self.execute(["sh", "-c", f"{started}exec {run}"])
        daemon = int((self.folder / "daemon").read_text())
        self.addCleanup(lambda: pathlib.Path(f"/proc/{daemon}").exists() and os.kill(daemon, signal.SIGKILL))
        self.assertEqual(done.outcomes(), {"first": "passed", "guilty": "passed", "last": "passed"}, done.out + done.err)
        self.assertTrue(self.lives(daemon), "the caller's daemon")
        blamed = {case["id"]: [flag["text"] for flag in case["flags"] if flag["code"] == "state.changed"] for case in done.document["cases"]}
        self.assertEqual([name for name, texts in blamed.items() if texts], ["guilty"], blamed)
        self.assertNotIn(f" {daemon} ", " ".join(blamed["guilty"]))
        os.kill(daemon, signal.SIGKILL)
        while self.lives(daemon):
            time.sleep(0.01)
        self.assert_nothing_left()

    @staticmethod
    def lives(process):
        try:
            return "State:\tZ" not in pathlib.Path(f"/proc/{process}/status").read_text(encoding="utf-8")
        except OSError:
            return False


class Clock(Survival):
    def test_a_clock_that_jumps_changes_no_duration(self):
        self.write("suite.yaml", many(6))
        for jump in ("-86400", "86400"):
            with self.subTest(jump):
                self.results = self.folder / f"results{jump}"
                result = self.execute(self.arguments(), environment=self.faults(clock=jump))
                self.assertEqual(result.code, 0, result.err)
                run = result.document["run"]
                self.assertGreater(run["duration_s"], 0)
                self.assertLess(run["duration_s"], 600)
                for case in result.document["cases"]:
                    self.assertLess(case["duration_s"], 600)
                    self.assertEqual(case["outcome"], "passed")
                starts = [visit["started_at_s"] for visit in self.visits()]
                self.assertGreater(max(starts) - min(starts), 80000)  # it did jump


class Resume(Survival):
    def interrupted(self, *more):
        self.write("suite.yaml", many(6))
        self.assertEqual(self.execute(self.arguments(*more)).code, 0)
        journal = self.results / "journal.jsonl"
        journal.write_text("".join(journal.read_text().splitlines(keepends=True)[:3]))
        return journal

    def test_it_goes_on_with_the_options_it_began_with(self):
        self.interrupted("--seed", "9", "--filter", "bytes=[1-4]KiB", "--set", "a.measure.samples=7", "--isolation", "case")
        resumed = self.resume()
        self.assertEqual(resumed.code, 0, resumed.err)
        self.assertEqual(resumed.document["run"]["seed"], 9)
        self.assertEqual(len(resumed.document["cases"]), 4)
        self.assertEqual({c["measurement"]["samples"] for c in resumed.document["cases"]}, {7})

    def test_other_options_are_refused_with_the_reason(self):
        self.interrupted("--seed", "9")
        for option, words in ((["--seed", "8"], "begun with --seed 9"), (["--quick"], "begun without --quick"), (["--set", "a.measure.samples=7"], "without --set"),
                              (["--filter", "a"], "without --filter"), (["--wrap", "env"], "without --wrap"), (["--isolation", "case"], "--isolation worker")):
            result = self.resume(*option)
            self.assertEqual(result.code, 3, result.err)
            self.assertIn(words, result.err)
        self.assertEqual(len(self.visits()), 2)

    def test_another_machine_is_refused_with_the_reason(self):
        journal = self.interrupted()
        text = journal.read_text()
        uuid = re.search(r'"name":"fake:0","uuid":"([^"]+)"', text).group(1)
        header, rest = text.split("\n", 1)
        journal.write_text(harness.sealed(json.loads(header.replace(uuid, "GPU-elsewhere"))) + rest)
        result = self.resume()
        self.assertEqual(result.code, 3, result.err)
        self.assertIn(f"device 'fake:0' was GPU-elsewhere and is {uuid} now", result.err)

    def test_a_host_without_device_identities_is_known_by_its_name(self):
        self.write("suite.yaml", "version: 1\nsuite: test\nrequires: {backend: host}\ncases:\n  - {id: a, uses: 'null'}\n")
        self.assertEqual(self.execute(self.arguments()).code, 0)
        journal = self.results / "journal.jsonl"
        header = json.loads(journal.read_text().splitlines()[0])
        header["system"]["hostname"] = "elsewhere"
        journal.write_text(harness.sealed(header))
        result = self.resume()
        self.assertEqual(result.code, 3, result.err)
        self.assertIn("its hostname was 'elsewhere'", result.err)


class Failed(Survival):
    SUITE = HEADER + """defaults: {processes: 1}
cases:
  - id: flaky
    uses: series
    with: {fault: %s, phase: prepare}
  - id: grouped
    uses: series
    devices: each
    matrix: {bytes: [1MiB, 2MiB]}
    expect: [spread(bandwidth over device) <= 5%%]
  - id: shift
    uses: series
    matrix: {duration: [1ms, 2ms, 3ms]}
    reference: {duration: 1ms}
    expect: [{that: bandwidth >= 40%% of reference, where: {duration: [2ms, 3ms]}}]
  - id: fine
    uses: series
findings:
  - id: longer
    question: Is the longer one slower?
    let: {long: "shift[duration=2ms].bandwidth", short: "shift[duration=1ms].bandwidth"}
    claim: long <= 0.9 * short
"""

    def earlier(self, *more):
        """A run in which 'flaky' crashed and 'shift[duration=3ms]' missed its limit."""
        self.write("suite.yaml", self.SUITE % "segv")
        self.results = self.folder / "first"
        result = self.execute(self.arguments(*more))
        self.assertEqual(result.code, 5, result.err + result.out)
        return result

    def again(self, source, *more, code=None):
        self.results = self.folder / f"again-{len(list(self.folder.iterdir()))}"
        result = self.execute(self.arguments("--failed", source, *more))
        if code is not None:
            self.assertEqual(result.code, code, result.err + result.out)
        return result

    def test_what_did_not_pass_runs_again_with_its_companions(self):
        first = self.earlier("--seed", "5")
        again = self.again(first.folder, code=5)
        self.assertEqual(set(again.outcomes()), {"flaky", "shift[duration=1ms]", "shift[duration=2ms]", "shift[duration=3ms]"})
        self.assertEqual(again.document["run"]["seed"], 5)
        self.assertEqual(again.document["run"]["mode"]["failed_of"], {"run": first.document["run"]["id"], "cases": 13})
        self.assertEqual([f["id"] for f in again.document["findings"]], ["longer"])
        self.assertEqual(again.document["groups"], [])

    def test_both_attempts_are_kept_and_told(self):
        first = self.earlier()
        again = self.again(first.folder)
        flaky = again.case("flaky")
        self.assertEqual([(v["round"], v["attempt"], v["outcome"]) for v in flaky["visits"]], [(1, 1, "crashed"), (1, 2, "crashed")])
        missed = again.case("shift[duration=3ms]")
        self.assertEqual([(v["attempt"], v["outcome"]) for v in missed["visits"]], [(1, "failed"), (2, "passed")])
        flag = next(f["text"] for f in missed["flags"] if f["code"] == "retried")
        self.assertIn(f"attempt 1, in run {first.document['run']['id']}, was failed: ", flag)
        self.assertIn("limit", flag)
        self.assertIn("again what did not pass in run", again.out)
        third = self.again(again.folder)
        self.assertEqual([v["attempt"] for v in third.case("flaky")["visits"]], [1, 2, 3])

    def test_a_group_member_brings_the_whole_group(self):
        self.write("suite.yaml", self.SUITE % "segv")
        first = self.earlier()
        document = first.document
        row = next(c for c in document["cases"] if c["id"].startswith("grouped[bytes=1MiB,device=fake:2"))
        row["outcome"] = "timeout"
        self.write("edited.json", json.dumps(document))
        self.assertIn("contradicts itself: its verdict counts", self.again(self.folder / "edited.json", code=3).err)
        document["verdict"]["counts"]["passed"] -= 1
        document["verdict"]["counts"]["timeout"] += 1
        self.write("edited.json", json.dumps(document))
        again = self.again(self.folder / "edited.json")
        self.assertEqual(len([i for i in again.outcomes() if i.startswith("grouped[bytes=1MiB")]), 4)
        self.assertEqual(len([i for i in again.outcomes() if i.startswith("grouped[bytes=2MiB")]), 0)
        self.assertEqual(len(again.document["groups"]), 1)
        self.assertEqual(len(again.document["groups"][0]["members"]), 4)

    def test_a_strict_run_is_run_again_strictly(self):
        self.write("suite.yaml", HEADER + "defaults: {processes: 1}\ncases:\n  - {id: open, uses: series, with: {noise: iid, sigma: 0.2, "
                                          "duration: 1ms, bytes: 1MB}, measure: {samples: 8, warmup: 0}, expect: [bandwidth >= 1 GB/s]}\n")
        first = self.execute(self.arguments("--strict"))
        self.assertEqual((first.code, first.document["verdict"]["undecided"]), (1, 1), first.out)
        again = self.again(first.folder, code=1)
        self.assertEqual(again.document["verdict"]["undecided"], 1)

    def test_a_journal_alone_leads_to_the_same_document(self):
        first = self.earlier()
        again = self.again(first.folder / "journal.jsonl")
        report = self.assay("report", again.folder / "journal.jsonl", "--report", f"json={self.folder}/again.json")
        self.assertEqual(report.code, 0, report.err)
        self.assertEqual((self.folder / "again.json").read_bytes(), (again.folder / "result.json").read_bytes())

    def test_it_can_be_resumed(self):
        again = self.again(self.earlier().folder)
        expected = {c["id"]: [v["attempt"] for v in c["visits"]] for c in again.document["cases"]}
        journal = again.folder / "journal.jsonl"
        journal.write_text("".join(journal.read_text().splitlines(keepends=True)[:2]))
        self.results = again.folder
        resumed = self.resume()
        self.assertEqual(resumed.code, 5, resumed.err)
        self.assertEqual({c["id"]: [v["attempt"] for v in c["visits"]] for c in resumed.document["cases"]}, expected)

    def test_an_interrupted_run_is_one_too(self):
        self.write("suite.yaml", many(6))
        self.assertEqual(self.execute(self.arguments()).code, 0)
        journal = self.results / "journal.jsonl"
        journal.write_text("".join(journal.read_text().splitlines(keepends=True)[:3]))
        again = self.again(journal, code=0)
        self.assertEqual(len(again.document["cases"]), 4)

    def test_another_suite_machine_or_plan_is_refused_with_why(self):
        first = self.earlier().folder
        refused = self.again(first, "--seed", "3", code=3)
        self.assertIn("--seed 1", refused.err)
        refused = self.again(first, "--quick", code=3)
        self.assertIn("in another way (measure)", refused.err)
        text = (first / "result.json").read_text()
        uuid = re.search(r'"uuid": "([^"]+)"', text).group(1)
        self.write("elsewhere.json", text.replace(uuid, "GPU-elsewhere"))
        self.assertIn("GPU-elsewhere", self.again(self.folder / "elsewhere.json", code=3).err)
        self.write("suite.yaml", self.SUITE % "none")
        self.assertIn("the suite was changed since", self.again(first, code=3).err)
        self.write("suite.yaml", (self.SUITE % "segv").replace("suite: test", "suite: other"))
        self.assertIn("of the suite 'test'", self.again(first, code=3).err)
        self.assertIn("leave --filter and --only out", self.again(first, "--filter", "a", code=2).err)
        self.write("broken.json", json.dumps({"schema_version": "1.0", "verdict": {}, "run": {}, "cases": []}))
        self.assertIn("is not whole", self.again(self.folder / "broken.json", code=3).err)
        self.assertEqual(self.again(self.folder / "none.json").code, 2)

    def test_a_row_that_was_not_there_is_looked_for_again(self):
        self.write("suite.yaml", HEADER + "cases:\n  - {id: a, uses: series, devices: each, expect: [{that: bandwidth >= 1 B/s, where: {device: fake:9}}]}\n")
        self.assertEqual(self.execute(self.arguments()).code, 1)
        self.assertIn("no row of this run has device=fake:9", self.again(self.results, code=1).out)
        self.results = self.folder / "nothing"
        self.assertEqual(self.execute(self.arguments("--filter", "nothing")).code, 6)

    def test_where_everything_passed_there_is_nothing_to_run_again(self):
        self.write("suite.yaml", many(3))
        self.assertEqual(self.execute(self.arguments()).code, 0)
        refused = self.again(self.results, code=2)
        self.assertIn("everything passed", refused.err)


if __name__ == "__main__":
    harness.main()
