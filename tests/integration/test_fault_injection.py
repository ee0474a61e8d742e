# SPDX-License-Identifier: Apache-2.0
"""Every fault that a plugin can have ends in its documented outcome, costs its own visit only, and leaves nothing behind. fault_table.py lists them.

Hangs cost seconds of waiting and no work, so all runs are made at once, a few at a time, before the first test looks at them.
"""

import concurrent.futures
import json
import os
import pathlib
import resource
import shutil
import subprocess
import tempfile
import time
import unittest
import uuid

import harness
import fault_table as table

FAULTY = harness.BUILD / "tests/faulty"
MODES = ["worker", "case"]
AT_ONCE = 8
HEAD = "version: 1\nsuite: faulty\nrequires: {backend: faulty}\ndefaults: {measure: {samples: 3, warmup: 0}}\ncases:\n"
GOOD = "  - {id: good, uses: calm}\n  - {id: other, uses: \"null\", backend: host}\n"
LATE = {"close_all", "hang_up", "garbage_frame", "begin_frame"}  # the plugin goes on until the other side notices
ITERATING = {"calibrate", "warmup", "sample"}


class Run:
    """One command in a folder of its own, and what it left there."""

    def __init__(self, folder, name, suite, arguments, environment):
        self.folder = folder / name
        self.folder.mkdir(parents=True)
        (self.folder / "tmp").mkdir()
        (self.folder / "suite.yaml").write_text(suite, encoding="utf-8")
        self.arguments = ["run", "suite.yaml", "--plugin-dir", FAULTY, "--plugin-dir", harness.FIXTURES, "-q", "-o", "out", *arguments]
        self.environment = {**environment, "TMPDIR": str(self.folder / "tmp"), "ASSAY_LOCK_FOLDER": str(self.folder / "locks")}

    def go(self):
        begin = time.monotonic()
        done = subprocess.run([str(harness.ASSAY), *map(str, self.arguments)], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=harness.PATIENCE_S)
        self.code, self.out, self.err, self.seconds = done.returncode, done.stdout, done.stderr, time.monotonic() - begin

    def document(self):
        return json.loads((self.folder / "out/result.json").read_text(encoding="utf-8"))

    def cases(self):
        return {case["case"]: case for case in self.document()["cases"]}


def ident(fault, phase=""):
    return "-".join([fault.how, phase] if phase else [fault.how]).replace("_", "-").replace(":", "-")


def case(name, keys):
    return f"  - {{id: {name}, uses: faulty, {keys}}}\n"


def one_per_phase(faults, keys="", rank=""):
    """Each fault in each of its phases, with a sound case after it."""
    text = HEAD + GOOD
    for fault in faults:
        for phase in fault.phases:
            text += case(ident(fault, phase), f"{keys}with: {{how: {fault.how}, phase: {phase}{rank}}}")
            text += f"  - {{id: after-{ident(fault, phase)}, uses: calm{', devices: all' if rank else ''}}}\n"
    return text


class Runs:
    """All of them, by name."""

    def __init__(self):
        self.token = str(uuid.uuid4())
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="assay-faulty-"))
        self.all = {}
        base = {k: v for k, v in os.environ.items() if not k.startswith("ASSAY_")}
        self.environment = {**base, "HOME": str(self.folder), "NO_COLOR": "1", "FAULTY_TOKEN": self.token}
        self.plan()
        order = sorted(self.all.values(), key=lambda run: "sleep" not in str(run.folder))  # the longest first
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(Run.go, order))

    def add(self, name, suite, *arguments, **variables):
        self.all[name] = Run(self.folder, name, suite, arguments, {**self.environment, **variables})

    def plan(self):
        for mode in MODES:
            self.add(f"benchmark/{mode}", one_per_phase(table.BENCHMARK), "--isolation", mode)
            self.add(f"ranks/{mode}", one_per_phase(table.RANKS, "devices: all, ", ", bad_rank: 2"), "--isolation", mode)
            self.add(f"load/{mode}", HEAD + GOOD + "".join(
                case(ident(f), f"timeout: {'300ms' if f.outcome == 'timeout' else '1min'}, env: {{ASSAY_FAULTY_LOAD: {f.how}}}") for f in table.LOAD),
                "--isolation", mode)
            self.add(f"device/{mode}", HEAD + "".join(f"  - {{id: {i}, uses: faulty, devices: ['faulty:{d}'], with: {{how: device_lost}}}}\n" for i, d in
                                                      [("one", 1), ("two", 1)]) + "  - {id: elsewhere, uses: calm, devices: ['faulty:2']}\n"
                     + "  - {id: all, uses: calm, devices: all}\n" + GOOD, "--isolation", mode, "--seed", "2")
            # A benchmark's second timeout ends it: each pair has a run of its own.
            hangs = [(f, p, "") for f in table.HANGS for p in f.phases] + [(f, p, ", bad_rank: 2") for f in table.RANK_HANGS for p in f.phases]
            for i in range(0, len(hangs), 2):
                text = HEAD + GOOD
                for fault, phase, rank in hangs[i:i + 2]:
                    name = ident(fault, phase) + ("-ranks" if rank else "")
                    text += case(name, f"timeout: 300ms, {'devices: all, ' if rank else ''}with: {{how: {fault.how}, phase: {phase}{rank}}}")
                self.add(f"hang-{i // 2}/{mode}", text, "--isolation", mode)
            # Of two visits that leave much behind, the first may.
            for fault in table.LEAKS:
                twice = "".join(case(f"{ident(fault)}-{i}", f"with: {{how: {fault.how}}}") for i in range(2))
                self.add(f"{ident(fault)}/{mode}", HEAD + GOOD + twice, "--isolation", mode)
        three = HEAD + GOOD + "".join(case(f"hang-{i}", "timeout: 300ms, with: {how: sleep}") for i in range(3))
        self.add("timeouts", three)
        for call, faults in table.BACKEND.items():
            for fault in faults:
                self.add(f"{call}-{ident(fault)}", HEAD + GOOD + "  - {id: again, uses: calm}\n", **{f"ASSAY_FAULTY_{call.upper()}": fault.how})
        for fault in table.REPORTER:
            self.add(f"report-{ident(fault)}", HEAD + GOOD, "--report", f"faulty:how={fault.how}", "--report", "junit")
        self.plan_manifests()

    def plan_manifests(self):
        folder = self.folder / "manifests"
        folder.mkdir()
        manifest = json.loads((FAULTY / "assay_faulty.assay.json").read_text())
        for name in ("absent", "broken", "lying"):
            shutil.copy(FAULTY / "assay_faulty.so", folder / f"{name}.so")
        (folder / "broken.assay.json").write_text('{"id": ')
        for name in ("lying", "gone"):
            benchmark = {**manifest["benchmarks"][0], "name": name}
            other = {**manifest, "id": f"org.assay.{name}", "library": f"{name}.so", "provides_backend": "", "telemetry": [], "benchmarks": [benchmark], "reporters": []}
            (folder / f"{name}.assay.json").write_text(json.dumps(other))
            self.add(f"manifest-{name}", HEAD + GOOD + f"  - {{id: bad, uses: {name}}}\n", "--plugin-dir", folder)
        for name in ("absent", "broken"):
            self.add(f"manifest-{name}", HEAD + GOOD, "--plugin", folder / f"{name}.so")


def setUpModule():
    global RUNS
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    RUNS = Runs()


def tearDownModule():
    shutil.rmtree(RUNS.folder, ignore_errors=True)


class FaultInjection(unittest.TestCase):
    maxDiff = None

    def check(self, seen, fault, phase="", rank=-1, device="faulty:0"):
        self.assertEqual(seen["outcome"], fault.outcome, seen["reason"])
        if fault.outcome == "passed":
            flags = {flag["code"]: flag["text"] for flag in seen["flags"]}
            if fault.code:
                self.assertRegex(flags[fault.code], "^the plugin('s library changed| left| did not free) ")
            else:
                self.assertFalse({"state.changed", "memory.leaked"} & set(flags), flags)
            self.assertTrue(seen["metrics"])
            return
        reason = seen["reason"]
        self.assertEqual(reason["code"], fault.code, reason)
        self.assertEqual(seen["metrics"], [])
        if fault.how == "overwrite_segment":
            return  # who wrote there cannot be known
        if fault.code == "state.changed":
            self.assertEqual(reason["phase"], "")  # found when the visit is over
        elif phase and fault.how in LATE:
            self.assertTrue(reason["phase"], reason)
        elif phase:
            self.assertIn(reason["phase"], ITERATING if phase == "iterate" else {phase}, reason)
        self.assertEqual(reason["rank"], rank, reason)
        self.assertEqual(reason["device"], device, reason)
        if fault.code == "worker.signal":
            self.assertEqual(reason["number"], fault.number)
        if fault.code == "worker.signal" and fault.number != 9:
            self.assertRegex(seen["log"], rf"backtrace of signal {fault.number} \(SIG[A-Z]+\).*:\n(.*\n)*?  assay_faulty\.so\+0x[0-9a-f]+")
        if fault.outcome == "timeout" and fault.how in ("spin", "sleep", "open_sleep"):
            self.assertRegex(seen["log"], r"backtrace of signal 15 \(SIGTERM\):\n(.*\n)*?  assay_faulty\.so\+0x")

    def check_good(self, run, but=()):
        for name, seen in run.cases().items():
            if name in but:
                continue
            with self.subTest(name):
                self.assertEqual(seen["outcome"], "passed", seen["reason"])
                self.assertTrue(name == "other" or seen["metrics"])
                self.assertNotIn("state.changed", [flag["code"] for flag in seen["flags"]])

    def check_phases(self, name, faults, rank=-1, device="faulty:0"):
        for mode in MODES:
            run = RUNS.all[f"{name}/{mode}"]
            self.assertEqual(run.code, 5, run.err)
            cases = run.cases()
            expected = {ident(f, p): (f, p) for f in faults for p in f.phases}
            for each, (fault, phase) in expected.items():
                with self.subTest(each, mode=mode):
                    if fault.how == "affinity" and len(os.sched_getaffinity(0)) == 1:
                        fault = fault._replace(outcome="passed", code="")
                    self.check(cases[each], fault, phase, rank, device)
            self.check_good(run, expected)

    def test_every_fault_in_every_phase_costs_its_own_visit(self):
        self.check_phases("benchmark", table.BENCHMARK)

    def test_a_second_visit_that_leaves_much_behind_costs_the_worker(self):
        for mode in MODES:
            for fault in table.LEAKS:
                run = RUNS.all[f"{ident(fault)}/{mode}"]
                self.assertEqual(run.code, 0, run.err)
                cases = run.cases()
                flags = [[f["text"] for f in cases[f"{ident(fault)}-{i}"]["flags"] if f["code"] == "state.changed"] for i in range(2)]
                with self.subTest(fault.how, mode=mode):
                    self.assertEqual(any(flags), mode == "worker", flags)  # a worker that serves one visit has no second

    def test_one_rank_of_four_is_named_with_its_device(self):
        self.check_phases("ranks", table.RANKS, 2, "faulty:2")

    def test_every_hang_ends_at_its_deadline(self):
        expected = {ident(f, p): (f, p, -1) for f in table.HANGS for p in f.phases}
        expected.update({ident(f, p) + "-ranks": (f, p, 2) for f in table.RANK_HANGS for p in f.phases})
        for mode in MODES:
            met = set()
            for name, run in RUNS.all.items():
                if not name.startswith("hang-") or not name.endswith(mode):
                    continue
                cases = run.cases()
                for each in cases.keys() & expected.keys():
                    fault, phase, rank = expected[each]
                    with self.subTest(each, mode=mode):
                        self.check(cases[each], fault, phase, rank, "faulty:0" if rank < 0 else f"faulty:{rank}")
                    met.add(each)
                self.check_good(run, expected)
            self.assertEqual(met, set(expected))

    def test_two_timeouts_of_a_benchmark_end_its_remaining_visits(self):
        cases = RUNS.all["timeouts"].cases()
        outcomes = [cases[f"hang-{i}"]["outcome"] for i in range(3)]
        self.assertEqual(sorted(outcomes)[:1] + sorted(outcomes)[1:], ["not_run", "timeout", "timeout"])
        self.assertEqual(next(c["reason"]["code"] for c in cases.values() if c["outcome"] == "not_run"), "benchmark.timeouts")
        self.assertEqual(cases["other"]["outcome"], "passed")

    def test_faults_of_a_library_are_told_when_it_is_loaded(self):
        for mode in MODES:
            run = RUNS.all[f"load/{mode}"]
            cases = run.cases()
            for fault in table.LOAD:
                with self.subTest(fault.how, mode=mode):
                    self.check(cases[ident(fault)], fault)
            self.check_good(run, {ident(fault) for fault in table.LOAD})

    def test_faults_of_a_manifest(self):
        for fault in table.MANIFESTS:
            with self.subTest(fault.how):
                run = RUNS.all[f"manifest-{fault.how}"]
                self.assertEqual(run.code, fault.number, run.err)
                if fault.outcome == "refused":
                    self.assertIn(fault.code, run.err)
                    self.assertFalse((run.folder / "out").exists())
                else:
                    self.check(run.cases()["bad"], fault)
                    self.check_good(run, {"bad"})

    def test_a_device_that_vanishes_is_withdrawn(self):
        for mode in MODES:
            run = RUNS.all[f"device/{mode}"]
            with self.subTest(mode):
                cases = run.cases()
                self.assertEqual(sorted(cases[name]["outcome"] for name in ("one", "two")), ["error", "not_run"])
                for name in ("one", "two"):
                    lost = cases[name]["outcome"] == "error"
                    self.assertEqual(cases[name]["reason"]["code"], "device.lost" if lost else "device.quarantined")
                    self.assertEqual(cases[name]["reason"]["device"], "faulty:1")
                self.assertIn("fallen off the bus", next(c["reason"]["text"] for c in cases.values() if c["reason"] and c["reason"]["code"] == "device.lost"))
                self.assertEqual(cases["elsewhere"]["outcome"], "passed")
                if cases["all"]["outcome"] != "passed":  # its turn came before the loss
                    self.assertEqual((cases["all"]["reason"]["code"], cases["all"]["reason"]["rank"]), ("device.quarantined", 1))

    def test_faults_of_a_backend(self):
        for call, faults in table.BACKEND.items():
            for fault in faults:
                with self.subTest(fault.how, call=call):
                    run = RUNS.all[f"{call}-{ident(fault)}"]
                    self.assertEqual(run.code, fault.number, run.err)
                    cases = run.cases()
                    mine = [cases["good"], cases["again"]]
                    if fault.code == "device.lost":
                        self.assertEqual(sorted(c["reason"]["code"] for c in mine), ["device.lost", "device.quarantined"])
                        self.assertEqual({c["reason"]["device"] for c in mine}, {"faulty:0"})
                    elif "." in fault.code:
                        self.assertEqual({(c["outcome"], c["reason"]["code"]) for c in mine}, {(fault.outcome, fault.code)})
                    elif fault.code:
                        self.assertEqual({c["outcome"] for c in mine}, {fault.outcome})
                        self.assertIn(fault.code, mine[0]["reason"]["text"])
                    else:
                        self.assertEqual({c["outcome"] for c in mine}, {"passed"})
                    if fault.code.startswith("signal"):
                        self.assertIn("assay_faulty.so+0x", mine[0]["reason"]["text"])
                    if call != "inventory":
                        self.assertEqual(cases["other"]["outcome"], "passed")

    def test_faults_of_a_reporter(self):
        for fault in table.REPORTER:
            with self.subTest(fault.how):
                run = RUNS.all[f"report-{ident(fault)}"]
                self.assertEqual(run.code, fault.number, run.err)
                self.check_good(run)
                self.assertTrue((run.folder / "out/junit.xml").exists())
                self.assertEqual((run.folder / "out/faulty.txt").exists(), fault.outcome == "passed")
                self.assertIn(fault.code, run.err)
                if fault.code.startswith("signal"):
                    self.assertIn("assay_faulty.so+0x", run.err)

    def test_nothing_is_left(self):
        allowed = {"suite.yaml", "out", "tmp", "locks"}
        for name, run in RUNS.all.items():
            with self.subTest(name):
                self.assertLessEqual({path.name for path in run.folder.iterdir()}, allowed)
                self.assertEqual(list((run.folder / "tmp").iterdir()), [])
                self.assertEqual(list((run.folder / "locks").glob("*")), [])
                known = {"journal.jsonl", "result.json", "report.md", "junit.xml", "faulty.txt"}
                self.assertLessEqual({path.name for path in (run.folder / "out").glob("*")}, known)
        self.assertEqual(list(pathlib.Path("/dev/shm").glob("*assay*")), [])
        left = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if RUNS.token.encode() in (entry / "environ").read_bytes():
                    left.append((entry.name, (entry / "cmdline").read_text().replace("\0", " ")))
            except OSError:
                continue
        self.assertEqual(left, [])


if __name__ == "__main__":
    harness.main()
