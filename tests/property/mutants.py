#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts defects that the judge once had back, one at a time, and shows that the property tests alone find each.

  mutants.py FOLDER [COUNT]     builds a copy of the sources in FOLDER (minutes), then tries up to COUNT suites a defect
"""
import os
import pathlib
import random
import shutil
import subprocess
import sys

import defects
import generate
import judge_test
import output_test

ROOT = pathlib.Path(__file__).resolve().parents[2]
COUNT, OUTPUTS = 2000, 40
# What the tests run; the rest of the program takes as long again to build.
TARGETS = ("assay", "external", "host", "reporter_console", *(f"reporter_{name}" for name in judge_test.REPORTS))


def copy(folder):
    """The sources with every defect in them, asleep."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.splitlines():
        if name.startswith("docs/results/") or not (ROOT / name).is_file():
            continue
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        text = (ROOT / name).read_bytes()
        if not place.exists() or place.read_bytes() != text:
            shutil.copy2(ROOT / name, place)
    for file in {file for _, file, _, _ in defects.DEFECTS if file}:
        text = (ROOT / file).read_text()
        for name, _, old, new in [each for each in defects.DEFECTS if each[1] == file]:
            if text.count(old) != 1:
                raise SystemExit(f"{name}: {file} has its place {text.count(old)} times; mend defects.py")
            text = text.replace(old, new)
        first, rest = text.split("\n", 1)
        (folder / file).write_text(first + "\n" + defects.SWITCH + rest)


def build(folder):
    for command in (["cmake", "--preset", "release", "-DASSAY_CUDA=OFF", "-DASSAY_BUILD_TESTS=OFF"],
                    ["cmake", "--build", "build/release", "--parallel", str(os.cpu_count()), "--target", *TARGETS]):
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder / "build/release"


def found_in_suites(build_folder, count):
    """After how many suites a difference shows, and the first one; None if none does."""
    judge = judge_test.Judge(build_folder)
    for seed in range(1, count + 1):
        world, expected = generate.world(seed, judge.classes)
        found = judge_test.differences(judge, world, expected)
        if found:
            return f"after {seed} suites: {found[0]}"
    return None


def found_in_outputs(build_folder, count):
    for seed in range(1, count + 1):
        random_ = random.Random(seed)
        outputs = [output_test.draw(random_) for _ in range(output_test.CASES)]
        for output, case in zip(outputs, output_test.run(build_folder / "bin/assay", outputs)):
            found = output_test.difference(output, case)
            if found:
                return f"after {seed * len(outputs)} outputs: {found}"
    return None


def main(arguments):
    folder = pathlib.Path(arguments[0]).resolve()
    count = int(arguments[1]) if len(arguments) > 1 else COUNT
    copy(folder)
    build_folder = build(folder)
    missed = 0
    for name in [None] + list(dict.fromkeys(each[0] for each in defects.DEFECTS)):
        os.environ["ASSAY_MUTANT"] = name or ""
        files = [each[1] for each in defects.DEFECTS if each[0] == name]
        by_output = any(file and file.startswith("plugins/") for file in files)
        found = None if by_output else found_in_suites(build_folder, count if name else min(count, 200))
        if by_output or not name:
            found = found or found_in_outputs(build_folder, OUTPUTS if name else 5)
        good = bool(found) == bool(name)
        missed += not good
        print(f"{'ok  ' if good else 'BAD '} {name or 'no defect'}: {found or 'no difference'}", flush=True)
    print(f"{missed} wrong")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
