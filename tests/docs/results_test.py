#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""results_test.py BUILD: what was measured on other machines and is kept says what it said there.

Every kept result renders to the report beside it, byte for byte, on a machine that has none of its devices; and of the values that a comparison with
another tool kept, its program prints the table beside them.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

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


def main():
    assay = pathlib.Path(sys.argv[1]).resolve() / "bin/assay"
    found = sorted(RESULTS.rglob("*.json"))
    checks = [(path, "renders to another report than the one beside it", *renders_the_same(assay, path)) for path in found if path.with_suffix(".md").exists()]
    checks += [(path, "gives another table than the one beside it", *prints_the_same(path)) for path in found if "-peer" in path.name]
    failed = 0 if checks else 1
    for path, what, good, said in checks:
        if not good:
            failed += 1
            print(f"{path.relative_to(RESULTS)}: {what}\n{said}")
    print(f"{len(checks) - failed if checks else 0} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
