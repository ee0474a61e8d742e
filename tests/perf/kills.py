#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Kills a run at random moments, again and again, and counts the finished visits that were lost.

    kills.py BUILD [--visits 500] [--kills 200] [--seed 1]

Every life of the controller ends with SIGKILL, at a random moment of its start or of a visit, and the next one goes on with --resume. A
visit is finished once the command has said so. In the end each of them must be in the journal once, with the outcome that was told, and in
the result; no file may be torn; and no worker may be left.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

CASES = """version: 1
suite: kills
requires: {backend: fake}
cases:
  - {id: a, uses: series, processes: 2, measure: {samples: 6}, matrix: {bytes: [%s]}, with: {note: pid}}
"""


class Losses(AssertionError):
    pass


def check(condition, text):
    if not condition:
        raise Losses(text)


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
            if not line.endswith("\n") or len(words) != 4 or "/" not in words[0]:
                self.text += line
                continue
            self.told.append((words[1], words[2]))
            self.fresh.release()

    def wait(self):
        code = self.process.wait()
        self.reader.join()
        self.process.stderr.close()
        return code

    def kill(self):
        self.process.kill()
        return self.wait()


def left_in(folder):
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(entry / "cwd") == str(folder) and ") Z " not in (entry / "stat").read_text():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def wait_until_alone(folder):
    for _ in range(1000):
        left = left_in(folder)
        if not left:
            return
        time.sleep(0.01)
    raise Losses(f"workers live on: {left}")


def check_files(folder):
    for path in folder.iterdir() if folder.exists() else []:
        if path.suffix == ".json":
            json.loads(path.read_text(encoding="utf-8"))
        elif path.name == "journal.jsonl":
            lines = path.read_text(encoding="utf-8").split("\n")
            for line in lines[:-1]:
                json.loads(line)


def run_and_kill(build, visits, kills, seed):
    """Gives {"told": …, "lives": …, "visits": …}; throws Losses."""
    chance = random.Random(seed)
    build = pathlib.Path(build).resolve()
    with tempfile.TemporaryDirectory(prefix="assay-kills-") as name:
        folder = pathlib.Path(name).resolve()
        environment = {k: v for k, v in os.environ.items() if not k.startswith("ASSAY_")}
        environment.update(ASSAY_LOCK_FOLDER=str(folder / "locks"), NO_COLOR="1", HOME=name)
        (folder / "suite.yaml").write_text(CASES % ", ".join(f"{i + 1}KiB" for i in range(visits // 2)), encoding="utf-8")
        base = [str(build / "bin/assay"), "run", "suite.yaml", "--plugin-dir", str(build / "tests/plugins")]
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
        records = [json.loads(line) for line in (results / "journal.jsonl").read_text(encoding="utf-8").splitlines()]
        kept = [record["visit"] for record in records if record["type"] == "visit"]
        document = json.loads((results / "result.json").read_text(encoding="utf-8"))
        count = {}
        for visit in kept:
            count[visit["case"]] = count.get(visit["case"], 0) + 1
        check(len({(v["case"], v["round"]) for v in kept}) == len(kept), "a finished visit was run again")
        check(len(kept) == visits, f"{len(kept)} visits are in the journal, not {visits}")
        lost = [case for case, outcome in told if sum(1 for c, o in told if c == case) > count.get(case, 0)]
        check(not lost, f"finished visits were lost: {lost}")
        check({c["outcome"] for c in document["cases"]} == {"passed"}, "the result does not hold all visits")
        check(sum(len(c["visits"]) for c in document["cases"]) == visits, "the result does not hold all visits")
        return {"kills": done, "visits": visits, "told": len(told), "unsaid": visits - len(told)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--visits", type=int, default=500)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    began = time.monotonic()
    figures = run_and_kill(options.build, options.visits, options.kills, options.seed)
    print(f"{figures['kills']} kills of a run of {figures['visits']} visits, in {time.monotonic() - began:.0f} s: 0 finished visits lost, 0 run "
          f"twice, 0 torn files ({figures['unsaid']} were kept though the kill came before their line was read)")


if __name__ == "__main__":
    sys.exit(main())
