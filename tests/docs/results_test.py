#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""results_test.py BUILD: what was measured on other machines and is kept says what it said there.

Every kept result renders to the report beside it, byte for byte, on a machine that has none of its devices; of the values that a comparison with
another tool kept, its program prints the table beside them; a result is by the suite as it is today, or marked in earlier-suites.json with the text
that it was taken by and what it still shows; and what today's rules make of all of them is what judged-anew.txt says.
"""

import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import judged_anew

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "docs/results"


def renders_the_same(assay, document):
    with tempfile.TemporaryDirectory(prefix="assay-results-") as folder:
        report = pathlib.Path(folder, "report.md")
        done = subprocess.run([assay, "report", document, "-q", "--report", f"markdown={report}"], cwd=folder, capture_output=True, text=True,
                              env={**os.environ, "HOME": folder})
        return done.returncode == 0 and report.read_bytes() == document.with_suffix(".md").read_bytes(), done.stderr


def prints_the_same(values):
    program = ROOT / "tests/gpu/peers" / f"{values.name.split('-peer')[0]}_peer.py"
    done = subprocess.run([sys.executable, "-B", program, "--from", values], capture_output=True, text=True, env={**os.environ, "PYTHONUTF8": "1"})
    # 1: Assay was slower somewhere, which the table says.
    return done.returncode in (0, 1) and done.stdout == values.with_suffix(".txt").read_text(encoding="utf-8"), done.stdout + done.stderr


def sha256_of_suite(name):
    """Of a suite that comes with Assay, as results have it; None if there is none of that name."""
    path = ROOT / "suites" / f"{name}.yaml"
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None


def holds_todays_text(run):
    """Whether the suite's text in the result, and those that it includes, are those of the files of today."""
    texts = [(run["suite_file"], run["suite_text"])] + [(each["file"], each["text"]) for each in run.get("suite_includes", [])]
    files = [(ROOT / "suites" / pathlib.PurePath(file).name, text) for file, text in texts]
    return all(file.exists() and file.read_text(encoding="utf-8") == text for file, text in files)


def is_by_todays_suite_or_marked(result, marks):
    """True, and why not. A mark: {"suite": a file beside the result or null where the text is lost, "still_shows": words}; the folder's README repeats the words."""
    run = json.loads(result.read_text(encoding="utf-8"))["run"]
    today = sha256_of_suite(run["suite"])
    if "suite_text" in run and today is not None:  # the sum is over what the suite includes, too
        today = run["suite_sha256"] if holds_todays_text(run) else "of other texts"
    name = str(result.relative_to(RESULTS))
    mark = marks.pop(name, None)
    if today is None or today == run["suite_sha256"]:
        return mark is None, f"{name} is marked in earlier-suites.json and needs no mark"
    if mark is None:
        return False, f"suites/{run['suite']}.yaml was changed since: measure it again, or mark it in earlier-suites.json"
    if mark["suite"] is not None:  # newer results hold the text themselves
        kept = result.parent / mark["suite"]
        if not kept.exists() or hashlib.sha256(kept.read_bytes()).hexdigest() != run["suite_sha256"]:
            return False, f"{mark['suite']} is not the text that it was taken by (SHA-256 {run['suite_sha256']})"
    readme = " ".join((result.parent / "README.md").read_text(encoding="utf-8").split())
    return bool(mark["still_shows"]) and mark["still_shows"] in readme, f"the README beside it does not say: {mark['still_shows']}"


def main():
    marks = json.loads((RESULTS / "earlier-suites.json").read_text(encoding="utf-8"))
    assay = pathlib.Path(sys.argv[1]).resolve() / "bin/assay"
    found = sorted(path for path in RESULTS.rglob("*/*.json"))
    checks = [(path, "renders to another report than the one beside it", *renders_the_same(assay, path)) for path in found if path.with_suffix(".md").exists()]
    checks += [(path, "is not by its suite", *is_by_todays_suite_or_marked(path, marks)) for path in found if path.with_suffix(".md").exists()]
    checks += [(RESULTS / name, "is marked", False, "and there is no such result") for name in marks]
    checks += [(path, "gives another table than the one beside it", *prints_the_same(path)) for path in found if "-peer" in path.name]
    anew = judged_anew.report(found)
    checks.append((RESULTS / "judged-anew.txt", "is not what tests/docs/judged_anew.py prints", anew == (RESULTS / "judged-anew.txt").read_text(encoding="utf-8"), anew))
    failed = 0 if checks else 1
    for path, what, good, said in checks:
        if not good:
            failed += 1
            print(f"{path.relative_to(RESULTS)}: {what}\n{said}")
    print(f"{len(checks) - failed if checks else 0} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
