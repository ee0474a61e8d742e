#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""results_test.py BUILD: what was measured on other machines and is kept says what it said there.

Every kept result renders on a machine that has none of its devices; each machine's showcase renders to the report beside it, without pictures, byte for byte; of the values that a comparison with
another tool kept, its program prints the table beside them; a result is by the suite as it is today, or marked in earlier-suites.json with the text
that it was taken by and what it still shows; and what today's rules make of all of them is what judged-anew.txt says.
"""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import judged_anew

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "docs/results"


SHOWCASE = {"h100": "quick", "h100x2": "training-study", "h100x4": "pipeline-study", "h200": "h200-guide", "h200x2": "node-acceptance", "h200x4": "node-acceptance"}


def renders(assay, document):
    """The result as a report: of a showcase, the one beside it."""
    with tempfile.TemporaryDirectory(prefix="assay-results-") as folder:
        report = pathlib.Path(folder, "report.md")
        done = subprocess.run([assay, "report", document, "-q", "--report", f"markdown:charts=false={report}"], cwd=folder, capture_output=True, text=True,
                              env={**os.environ, "HOME": folder})
        if done.returncode != 0:
            return False, done.stderr
        text = report.read_bytes()
    if document.stem != SHOWCASE[document.parent.name]:
        return text.startswith(b"# "), "no heading"
    return text == document.with_suffix(".md").read_bytes(), "another report than the one beside it"


def prints_the_same(values):
    program = ROOT / "tests/gpu/peers" / f"{values.name.split('-peer')[0]}_peer.py"
    done = subprocess.run([sys.executable, "-B", program, "--from", values], capture_output=True, text=True, env={**os.environ, "PYTHONUTF8": "1"})
    # 1: Assay was slower somewhere, which the table says.
    return done.returncode in (0, 1) and done.stdout == values.with_suffix(".txt").read_text(encoding="utf-8"), done.stdout + done.stderr


def sha256_of_suite(name, folder):
    """Of a suite of today, as results have it: one that comes with Assay, that lies beside the comparisons with other tools, or that the README in the
    result's folder shows; None if there is none of that name."""
    for path in (ROOT / "suites" / f"{name}.yaml", ROOT / "tests/gpu/peers" / f"{name}.yaml"):
        if path.exists():
            return hashlib.sha256(path.read_bytes()).hexdigest()
    shown = re.search(rf"<!-- file: {name}\.yaml -->\n```yaml\n(.*?)^```$", (folder / "README.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return hashlib.sha256(shown[1].encode()).hexdigest() if shown else None


def holds_todays_text(run):
    """Whether the suite's text in the result, and those that it includes, are those of the files of today."""
    texts = [(run["suite_file"], run["suite_text"])] + [(each["file"], each["text"]) for each in run.get("suite_includes", [])]
    files = [(ROOT / "suites" / pathlib.PurePath(file).name, text) for file, text in texts]
    return all(file.exists() and file.read_text(encoding="utf-8") == text for file, text in files)


def is_by_todays_suite_or_marked(result, marks):
    """True, and why not. A mark: {"suite": a file beside the result or null where the text is lost, "still_shows": words}; the folder's README repeats the words."""
    run = json.loads(result.read_text(encoding="utf-8"))["run"]
    today = sha256_of_suite(run["suite"], result.parent)
    if "suite_text" in run and (ROOT / "suites" / f"{run['suite']}.yaml").exists():  # the sum is over what the suite includes, too
        today = run["suite_sha256"] if holds_todays_text(run) else "of other texts"
    name = str(result.relative_to(RESULTS))
    mark = marks.pop(name, None)
    if today == run["suite_sha256"]:
        return mark is None, f"{name} is marked in earlier-suites.json and needs no mark"
    if mark is None:
        return False, f"the suite {run['suite']} {'was changed since' if today else 'is there no more'}: measure it again, or mark it in earlier-suites.json"
    if mark["suite"] is not None:  # newer results hold the text themselves
        kept = result.parent / mark["suite"]
        if not kept.exists() or hashlib.sha256(kept.read_bytes()).hexdigest() != run["suite_sha256"]:
            return False, f"{mark['suite']} is not the text that it was taken by (SHA-256 {run['suite_sha256']})"
    readme = " ".join((result.parent / "README.md").read_text(encoding="utf-8").split())
    return bool(mark["still_shows"]) and mark["still_shows"] in readme, f"the README beside it does not say: {mark['still_shows']}"


def kept():
    """Result documents; what comparisons with other tools kept is none."""
    return sorted(path for path in RESULTS.rglob("*/*.json") if "schema_version" in json.loads(path.read_text(encoding="utf-8")))


def named(folder):
    """The files that the folder's README says are kept there: none of them went away."""
    spans = re.findall(r"`([\w-]+\.(?:json|txt|md))`", (folder / "README.md").read_text(encoding="utf-8"))
    return sorted({folder / name for name in spans} - {folder / name for name in ("result.json", "report.md", "earlier-suites.json")})


def said_times(folder):
    """(file, whether the time that the README's table has is the run's, both) of every result of the table."""
    row = re.compile(r"^\| `([\w-]+\.json)`.*\| (?:(\d+) min )?([\d.]+) s\b[^|]*\|$", re.MULTILINE)
    for name, minutes, seconds in row.findall((folder / "README.md").read_text(encoding="utf-8")):
        run = json.loads((folder / name).read_text(encoding="utf-8")).get("run") if (folder / name).exists() else None
        if run:
            said, digit = 60 * int(minutes or 0) + float(seconds), 0.1 if "." in seconds else 1
            yield folder / name, abs(said - run["duration_s"]) <= 0.51 * digit, f"{said} s in the README, {run['duration_s']:.2f} s in the result"


def checks_of_suites():
    """(path, what would be wrong, whether it is right, why not) of every kept result, of every mark, and of every file that is said to be there."""
    marks = json.loads((RESULTS / "earlier-suites.json").read_text(encoding="utf-8"))
    checks = [(path, "is not by its suite", *is_by_todays_suite_or_marked(path, marks)) for path in kept()]
    checks += [(RESULTS / name, "is marked", False, "and there is no such result") for name in marks]
    folders = sorted(path.parent for path in RESULTS.rglob("*/README.md"))
    checks += [(path, "is named in the README beside it", path.exists(), "and is not there") for folder in folders for path in named(folder)]
    checks += [(path, "took another time than the README says", right, why) for folder in folders for path, right, why in said_times(folder)]
    checks += [(RESULTS / folder / f"{name}.md", "is a showcase", (RESULTS / folder / f"{name}.md").exists(), "and is not there") for folder, name in SHOWCASE.items()]
    return checks


def main():
    assay = pathlib.Path(sys.argv[1]).resolve() / "bin/assay"
    checks = [(path, "does not render", *renders(assay, path)) for path in kept()]
    checks += checks_of_suites()
    checks += [(path, "gives another table than the one beside it", *prints_the_same(path)) for path in sorted(RESULTS.rglob("*/*-peer*.json"))]
    anew = judged_anew.report(kept())
    checks.append((RESULTS / "judged-anew.txt", "is not what tests/docs/judged_anew.py prints", anew == (RESULTS / "judged-anew.txt").read_text(encoding="utf-8"), anew))
    failed = 0 if checks else 1
    for path, what, good, said in checks:
        if not good:
            failed += 1
            print(f"{path.relative_to(RESULTS)}: {what}\n{said}")
    print(f"{len(checks) - failed if checks else 0} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
