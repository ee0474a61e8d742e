# SPDX-License-Identifier: Apache-2.0
"""Kills runs at random moments, again and again: the controller, and whichever process comes to hand; and commands that run no suite.

Every kill is SIGKILL, at the very start, later in a start, or in a visit; a controller that was killed goes on with --resume, until the run is whole. A visit is
finished once the command has said so. In the end each of them must be in the journal once, with the outcome that was told, and in the result;
no file may be torn, and no process, shared memory or lock be left.
"""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import threading
import time

import killed_commands
from common import Budget, Defect, Place, check, check_files, shared_memory, wait_until_alone

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "perf"))
import turns  # noqa: E402

# Of one kind, whose visits are as short as they come.
ALIKE = """version: 1
suite: kills
requires: {backend: fake}
cases:
  - {id: a, uses: series, processes: 2, measure: {samples: 6}, matrix: {bytes: [%s]}, with: {note: pid}}
"""

# Whatever a run starts: workers, sets of ranks, commands of several processes with the process that watches them.
MIXED = """version: 1
suite: kills
cases:
  - {id: a, uses: series, processes: 2, measure: {samples: 6}, matrix: {bytes: [%s]}}
  - {id: ranks, uses: series, devices: 4, measure: {samples: 6}, matrix: {bytes: [1KiB, 2KiB, 3KiB]}}
  - {id: command, uses: external, command: [sh, -c, "sh -c 'sleep 0.0{digit}; true' & wait"], measure: {samples: 3}, matrix: {digit: ["1", "2"]}}
"""


class Life:
    """One process of the run; what it says is finished is added to `told` at once."""

    def __init__(self, command, told, **keywords):
        self.told, self.fresh = told, threading.Semaphore(0)
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **keywords)
        self.text = ""
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stderr:
            words = line.split("  ")
            if not line.endswith("\n") or len(words) < 3 or "/" not in words[0]:
                self.text += line
                continue
            self.told.append((words[1], words[2].strip()))
            self.fresh.release()

    def wait(self):
        code = self.process.wait()
        self.reader.join()
        self.process.stderr.close()
        return code

    def kill(self):
        self.process.kill()
        return self.wait()


OUTCOMES = {"error", "crashed", "timeout", "failed", "invalid", "skipped", "cancelled"}


def check_whole(results, told, visits, outcomes):
    records = [json.loads(line) for line in (results / "journal.jsonl").read_text(encoding="utf-8").splitlines()]
    kept = [record["visit"] for record in records if record["type"] == "visit"]
    document = json.loads((results / "result.json").read_text(encoding="utf-8"))
    count = {}
    for visit in kept:
        count[visit["case"]] = count.get(visit["case"], 0) + 1
    check(len({(v["case"], v["round"]) for v in kept}) == len(kept), "a finished visit was run again")
    check(len(kept) == visits, f"{len(kept)} visits are in the journal, not {visits}")
    lost = [case for case, _ in told if sum(1 for c, _ in told if c == case) > count.get(case, 0)]
    check(not lost, f"finished visits were lost: {lost}")
    said = {case: set() for case, _ in told}
    for case, outcome in told:
        # A visit that went well is told by its value.
        said[case].add(outcome if outcome in OUTCOMES else "passed")
    for visit in kept:
        told_otherwise = visit["case"] in said and visit["outcome"] not in said[visit["case"]]
        check(not told_otherwise, f"{visit['case']} is {visit['outcome']} in the journal, and {said.get(visit['case'])} was told")
    found = {c["outcome"] for c in document["cases"]}
    check(found <= outcomes, f"the result holds {found}")
    check(sum(len(c["visits"]) for c in document["cases"]) == visits, "the result does not hold all visits")


def run_and_kill(build, visits, kills, seed):
    """Of the controller alone. Gives {"told": …, "kills": …, "visits": …}; throws Defect."""
    chance = random.Random(seed)
    with Place(build) as place:
        folder, environment = place.folder, place.environment
        place.write("suite.yaml", ALIKE % ", ".join(f"{i + 1}KiB" for i in range(visits // 2)))
        base = place.command("run", "suite.yaml", "--plugin-dir", place.build / "tests/plugins")
        begin = base + ["-o", "results", "--seed", str(seed), "--isolation", "case"]
        results, told, done = folder / "results", [], 0
        start_s = 0.15
        while done < kills:
            life = Life(base + ["--resume", "results"] if results.exists() else begin, told, cwd=folder, env=environment)
            ahead = len(told) / visits > (done + 1) / (kills + 1)
            if ahead or chance.random() < 0.2:
                time.sleep(chance.uniform(0, start_s))  # in its start
            else:
                began = time.monotonic()
                for _ in range(chance.randrange(max(1, 3 * visits // kills)) + 1):
                    while not life.fresh.acquire(timeout=0.05) and life.process.poll() is None:
                        pass
                    start_s = min(start_s, time.monotonic() - began)
                time.sleep(chance.uniform(0, 0.01))  # in a visit
            code = life.kill()
            done += 1
            check(code in (-9, 0), f"a life ended by itself with {code}: {life.text}")
            check_files(results)
            wait_until_alone(folder)
            if code == 0:
                break
        last = Life(base + ["--resume", "results"], told, cwd=folder, env=environment)
        code = last.wait()
        check(code == 0, f"the last life ended with {code}: {last.text}")
        check_whole(results, told, visits, {"passed"})
        return {"kills": done, "visits": visits, "told": len(told), "unsaid": visits - len(told)}


def kill_at_start(build, kills, budget, seed):
    """Of a controller that has told of no visit yet; each life has a folder of its own. Gives what was there then, counted."""
    chance, found = random.Random(seed), {}
    with Place(build) as place:
        folder, visits = place.folder, 4
        place.write("suite.yaml", ALIKE % "1KiB, 2KiB")
        base = place.command("run", "suite.yaml", "--plugin-dir", place.build / "tests/plugins", "--seed", str(seed))
        keywords = {"cwd": folder, "env": place.environment}
        began = time.monotonic()
        first = Life(base + ["-o", "first"], [], **keywords)
        first.fresh.acquire(timeout=60)
        start_s = time.monotonic() - began
        check(first.wait() == 0, f"a run that nobody kills fails: {first.text}")
        for i in range(kills):
            if i and not budget.left():
                break
            results, told = folder / f"results-{i}", []
            life = Life(base + ["-o", results.name], told, **keywords)
            time.sleep(chance.uniform(0, start_s))
            code = life.kill()
            check(code in (-9, 0), f"a life ended by itself with {code}: {life.text}")
            wait_until_alone(folder)
            check_files(results)
            journal = results / "journal.jsonl"
            there = "no folder" if not results.exists() else "no journal" if not journal.exists() else \
                "a line that is cut off" if not journal.read_bytes().endswith(b"\n") else "a journal"
            found[there] = found.get(there, 0) + 1
            last = Life(base + ["--resume" if results.exists() else "-o", results.name], told, **keywords)
            code = last.wait()
            check(code == 0, f"after a kill that left {there} the next life ended with {code}: {last.text}")
            check_whole(results, told, visits, {"passed"})
            shutil.rmtree(results)
    return found


def role(process, controller):
    """What the process is to the run, in a word; None if it has gone."""
    if process == controller:
        return "controller"
    try:
        words = pathlib.Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return None
    if b"sleep" in words[0] or words[0] in (b"sh", b"/bin/sh"):
        return "command"
    return "worker"


def backend_was_killed(results):
    result = results / "result.json"
    backends = json.loads(result.read_text(encoding="utf-8"))["run"]["backends"] if result.exists() else []
    return any("signal 9" in (backend["unavailable"] or "") for backend in backends)


def kill_any(build, seed):
    """One run to its end, in which any process is killed. Gives how many of each, and how many visits it had."""
    chance = random.Random(seed)
    with Place(build) as place:
        folder, before = place.folder, shared_memory()
        place.write("suite.yaml", MIXED % ", ".join(f"{i + 1}KiB" for i in range(8)))
        base = place.command("run", "suite.yaml", "--plugin-dir", place.build / "tests/plugins", "--isolation", chance.choice(("worker", "case")))
        results, told, killed = folder / "results", [], {}
        visits = 8 * 2 + 3 + 2 * 3
        keywords = {"cwd": folder, "env": place.environment}
        for _ in range(60):
            if (results / "journal.jsonl").exists() or results.exists():
                command = base + ["--resume", "results"]
            else:
                command = base + ["-o", "results"]
            life = Life(command, told, **keywords)
            while life.process.poll() is None:
                time.sleep(chance.uniform(0, 0.06))
                if sum(killed.values()) >= 12:
                    break  # and lets it come to its end
                victim = chance.choice(sorted(turns.tree(life.process.pid)))
                what = role(victim, life.process.pid)
                if what == "controller" and chance.random() < 0.7:
                    continue  # there is always one, and of the others seldom more
                if what != "controller" and not (results / "journal.jsonl").exists():
                    continue  # a backend that cannot say what it has leaves nothing to measure
                try:
                    os.kill(victim, 9)
                except ProcessLookupError:
                    continue
                if what:
                    killed[what] = killed.get(what, 0) + 1
            code = life.wait()
            # Nor can a run be resumed while the backend cannot say what it has; the next life asks again.
            asked = code == 3 and "gives no inventory now" in life.text and "signal 9" in life.text
            # Where a reporter's process was the victim its report is missing, and all was measured.
            unreported = code == 7 and "the reporter" in life.text and "signal 9" in life.text
            # A life that begins anew in the folder, and whose backend was killed before it said what it has, has nothing to measure: it says so,
            # in a result that is whole, and whoever reads it begins once more.
            if code == 6 and "the run begins there" in life.text and backend_was_killed(results):
                wait_until_alone(folder)
                shutil.rmtree(results)
                told.clear()
                continue
            check(code in (0, 5, -9) or asked or unreported, f"a life ended with {code}: {life.text}")
            check_files(results)
            wait_until_alone(folder)
            if code in (0, 5) or unreported:
                break
        else:
            raise Defect(f"sixty lives were not enough for a run of {visits} visits")
        if not (results / "result.json").exists():
            # That is said, and the journal makes the report again.
            check("signal 9" in life.text, f"there is no result, and nobody says why: {life.text}")
            made = place.assay("report", "results", "-o", "results", "--report", "json")
            check(made.code == 0, f"the journal makes no result: {made.err}")
        check_whole(results, told, visits, {"passed", "crashed", "error"})
        check(shared_memory() <= before, f"shared memory is left: {shared_memory() - before}")
        left = [name for name in os.listdir(folder) if name not in ("results", "suite.yaml", "locks")]
        check(not left, f"files are left: {left}")
        return killed, visits


def counts(numbers):
    return ", ".join(f"{name} {number}" for name, number in sorted(numbers.items()))


def run(build, seconds=None, seed=1):
    budget, lines = Budget(seconds), []
    whole = seconds is None
    # A kill of the controller takes some 0.06 s.
    kills = 220 if whole else max(10, int(2 * seconds))
    figures = run_and_kill(build, visits=240 if whole else max(30, kills // 2 * 3 // 2 * 2), kills=kills, seed=seed)
    lines.append(f"{figures['kills']} kills of the controller of a run of {figures['visits']} visits, in {budget.spent():.0f} s: 0 finished visits lost, "
                 f"0 run twice, 0 torn files ({figures['unsaid']} were kept though the kill came before their line was read)")
    # The whole campaign gives each part what it asks for; a short one a share of its time.
    part = budget if whole else Budget(seconds / 6)
    found = kill_at_start(build, 165, part, seed)
    lines.append(f"{sum(found.values())} kills at the very start of a run ({counts(found)} was left): the next life is whole")
    part = budget if whole else Budget(seconds / 3)
    count, helpers = killed_commands.kill(build, 20, part, seed)
    lines.append(f"{sum(count.values())} kills of other commands ({counts(count)}), {helpers} of them of a process that they started: they say so or "
                 "end, leave nothing, and work again")
    total, runs, visits = {}, 0, 0
    while (runs < 22 if whole else budget.left()) or not runs:
        killed, of = kill_any(build, seed * 1000 + runs)
        runs, visits = runs + 1, visits + of
        for what, count in killed.items():
            total[what] = total.get(what, 0) + count
    lines.append(f"{sum(total.values())} kills of any process ({counts(total)}) in {runs} runs of {visits} "
                 "visits: the same, and no process or shared memory left")
    return lines
