# SPDX-License-Identifier: Apache-2.0
"""Runs on file systems that are full or out of inodes, of every size: what was said to be measured is kept, nothing is torn, and the run goes
on elsewhere with exactly the rest."""

import contextlib
import json
import os
import random
import re
import shutil
import subprocess

from common import Budget, Place, Skipped, check

VISITS = 20
SUITE = """version: 1
suite: disk
requires: {backend: fake}
cases:
  - {id: a, uses: series, measure: {samples: 6}, matrix: {bytes: [%s]}}
""" % ", ".join(f"{i + 1}KiB" for i in range(VISITS))

# In blocks of 4 KiB each, and inodes in plenty; then room in plenty, and few inodes.
SMALL = [f"size={kilobytes}k" for kilobytes in (*range(4, 100, 4), *range(100, 200, 12))] + [f"size=4m,nr_inodes={inodes}" for inodes in range(1, 10)]


@contextlib.contextmanager
def mounted(folder, options):
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Skipped(f"no file system can be mounted here ({done.stderr.strip()}); it needs root, or CAP_SYS_ADMIN in a container")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)
        folder.rmdir()


def measured(text):
    return re.findall(rf"^\d+/{VISITS}  (\S+)  (?!error|crashed|timeout|failed|invalid|cancelled)", text, re.MULTILINE)


def whole(folder):
    """Every file in it can be read to its end."""
    for path in folder.rglob("*"):
        if path.suffix == ".json":
            json.loads(path.read_text(encoding="utf-8"))
        if path.name == "journal.jsonl":
            for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
                check(not line.endswith("\n") or json.loads(line), f"{path} holds an empty line")


def one(place, number, options):
    """Gives whether it was stopped by the disk."""
    with mounted(place.folder / f"small-{number}", options) as small:
        plugins = place.build / "tests/plugins"
        done = place.assay("run", "suite.yaml", "--plugin-dir", plugins, "-o", small / "results")
        told = measured(done.err)
        check(done.code in (0, 2, 5, 7), f"{options}: ended with {done.code}: {done.err}")
        check(done.code != 0 or len(told) == VISITS, f"{options}: exit 0 with {len(told)} visits")
        check(done.code == 0 or "No space left on device" in done.err, f"{options}: it does not say that the disk is full: {done.err}")
        moved = place.folder / f"moved-{number}"
        if (small / "results").exists():
            whole(small / "results")
            shutil.copytree(small / "results", moved)
        if not (moved / "journal.jsonl").exists():
            check(not told, f"{options}: visits were told and no journal is left")
            return True
        again = place.assay("run", "suite.yaml", "--plugin-dir", plugins, "--resume", moved)
        check(again.code == 0, f"{options}: resuming ended with {again.code}: {again.err}")
        check(len(told) + len(measured(again.err)) == VISITS, f"{options}: {len(told)} told, {len(measured(again.err))} again: {again.err}")
        cases = json.loads((moved / "result.json").read_text(encoding="utf-8"))["cases"]
        check([case["outcome"] for case in cases] == ["passed"] * VISITS, f"{options}: the result is not whole")
        shutil.rmtree(moved)
        return done.code != 0


def run(build, seconds=None, seed=1):
    budget, tried, stopped = Budget(seconds), 0, 0
    order = list(SMALL)
    random.Random(seed).shuffle(order)  # a short campaign tries others with another seed
    with Place(build) as place:
        os.makedirs(place.folder / "locks")
        place.write("suite.yaml", SUITE)
        for options in order:
            if not budget.left():
                break
            stopped += one(place, tried, options)
            tried += 1
    check(tried > 0 and stopped > 0, "no file system was small enough to stop a run")
    return [f"{tried} of {len(SMALL)} small file systems, {stopped} of which stopped the run: nothing torn, told and measured again are {VISITS} each time"]
