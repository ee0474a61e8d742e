#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `assay run quick` is worth here: quick_coverage.py BUILD [FOLDER] [--runs N].

Runs `quick` so many times (20) on the machine as it is, and as many times beside a program that takes half of a processor. Of each row: does the interval
that a run prints hold the row's grand value, the geometric mean of the *other* runs? Which rows carry a mark, and which runs say `disturbed`? Ends with an
error where a figure is not reached. The results stay in FOLDER (`quiet-1` …); what is there is not run again, so that a campaign that was stopped goes on.
Forty runs take half an hour, and mean something only if nothing else runs.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

MARKS = ["straggler", "throttled", "disturbed", "unsteady", "wide", "one_run"]  # as in core/model/vocabulary.hpp, the worst first
# Busy for 10 ms of 20: of a processor's time, and not of the wall's, so that it takes half where others run, too.
HALF = """
import time
while True:
    begin = time.process_time()
    while time.process_time() - begin < 0.010: pass
    time.sleep(0.010)
"""


def run_quick(build, folder):
    result = folder / "result.json"
    if not result.exists():
        done = subprocess.run([build / "bin/assay", "run", "quick", "-q", "-o", folder], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode not in (0, 1):
            sys.exit(f"quick_coverage: 'assay run quick' ended with {done.returncode}: {done.stderr}")
    return json.loads(result.read_text(encoding="utf-8"))


def rows_of(document):
    """Id → the headline metric and the mark that tables show: the worst, unless most rows would carry it."""
    found = {}
    for case in document["cases"]:
        headline = next((metric for metric in case["metrics"] if metric["headline"]), None)
        if case["outcome"] == "passed" and headline:
            found[case["id"]] = (headline, [mark for mark in MARKS if any(flag["code"] == mark for flag in case["flags"])])
    of_most = [mark for mark in MARKS if 2 * sum(mark in marks for _, marks in found.values()) > len(found)]
    return {key: (metric, next((mark for mark in marks if mark not in of_most), None)) for key, (metric, marks) in found.items()}, of_most


def is_disturbed(document):
    return any(flag["code"] == "disturbed" for case in document["cases"] for flag in case["flags"])


def grand(values):
    """The geometric mean and the half-width of its own 95 % interval, in logarithms (normal: there are many)."""
    logs = [math.log(value) for value in values]
    mean = sum(logs) / len(logs)
    return mean, 1.96 * math.sqrt(sum((one - mean) ** 2 for one in logs) / (len(logs) - 1) / len(logs)) if len(logs) > 1 else 0


class Counted:
    def __init__(self, documents):
        self.rows = self.covered = self.nearly = self.marked = self.marked_covered = 0
        self.widths, self.seconds = [], [document["run"]["duration_s"] for document in documents]
        self.disturbed = sum(is_disturbed(document) for document in documents) / len(documents)
        self.said_once, self.marks = {}, {}
        runs = [rows_of(document) for document in documents]
        for i, (rows, of_most) in enumerate(runs):
            for mark in of_most:
                self.said_once[mark] = self.said_once.get(mark, 0) + 1
            for key, (metric, mark) in rows.items():
                others = [other[key][0]["value"] for j, (other, _) in enumerate(runs) if j != i and key in other]
                if metric["interval"] and len(others) > 1:
                    self.add(metric["interval"], mark, *grand(others))

    def add(self, interval, mark, truth, error):
        low, high = math.log(interval["low"]), math.log(interval["high"])
        covers = low <= truth <= high
        self.rows += 1
        self.covered += covers
        self.nearly += low - error <= truth <= high + error
        self.marked += mark is not None
        self.marked_covered += covers and mark is not None
        self.marks[mark] = self.marks.get(mark, 0) + 1
        self.widths.append((high - low) / 2)

    def tell(self, name):
        share = lambda part, of: f"{100 * part / of:.0f} %" if of else "–"
        print(f"{name}: {len(self.seconds)} runs of {min(self.seconds):.0f} to {max(self.seconds):.0f} s, {self.rows} rows")
        print(f"  the printed interval holds the grand value of the other runs: {share(self.covered, self.rows)} ({share(self.nearly, self.rows)} with that value's own error)")
        print(f"  median half-width: {100 * sorted(self.widths)[len(self.widths) // 2]:.1f} %")
        print(f"  rows with a mark: {share(self.marked, self.rows)}, of which {share(self.marked_covered, self.marked)} are covered; without one "
              f"{share(self.covered - self.marked_covered, self.rows - self.marked)}")
        print(f"  marks: {', '.join(f'{mark} {count}' for mark, count in sorted(self.marks.items(), key=str) if mark) or 'none'}; said once for the run: "
              f"{', '.join(f'{mark} {count}' for mark, count in sorted(self.said_once.items())) or 'none'}")
        print(f"  runs that say disturbed: {100 * self.disturbed:.0f} %", flush=True)


def reached(what, value, limit, at_least):
    met = value >= limit if at_least else value <= limit
    print(f"{what:<62} {100 * value:5.1f} % {'≥' if at_least else '≤'} {100 * limit:g} %  {'reached' if met else 'MISSED'}")
    return met


def main():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("build", type=pathlib.Path)
    reader.add_argument("folder", type=pathlib.Path, nargs="?")
    reader.add_argument("--runs", type=int, default=20)
    given = reader.parse_args()
    folder = (given.folder or pathlib.Path(tempfile.mkdtemp(prefix="assay-quick-"))).resolve()
    build = given.build.resolve()
    print(f"results: {folder}", flush=True)
    quiet = Counted([run_quick(build, folder / f"quiet-{i + 1}") for i in range(given.runs)])
    quiet.tell("as it is")
    # Busy beside each run, and not between them, where it would take time from nobody.
    beside = []
    for i in range(given.runs):
        with subprocess.Popen([sys.executable, "-c", HALF]) as program:
            try:
                beside.append(run_quick(build, folder / f"beside-{i + 1}"))
            finally:
                program.kill()
    disturbed = Counted(beside)
    disturbed.tell("beside a program that takes half of a processor")
    met = [reached("rows whose interval holds the grand value, as it is", quiet.covered / max(1, quiet.rows), 0.85, True),
           reached("rows with a mark, as it is", quiet.marked / max(1, quiet.rows), 0.25, False),
           reached("runs that say disturbed, beside half of a processor", disturbed.disturbed, 0.95, True)]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
