#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""results_test.py BUILD: every kept result renders to the report that is kept beside it, byte for byte, on a machine that has none of its devices."""

import os
import pathlib
import subprocess
import sys
import tempfile

RESULTS = pathlib.Path(__file__).resolve().parents[2] / "docs/results"


def main():
    assay = pathlib.Path(sys.argv[1]).resolve() / "bin/assay"
    documents = sorted(path for path in RESULTS.rglob("*.json") if path.with_suffix(".md").exists())
    failed = 0 if documents else 1
    for document in documents:
        with tempfile.TemporaryDirectory(prefix="assay-results-") as folder:
            report = pathlib.Path(folder, "report.md")
            done = subprocess.run([assay, "report", document, "-q", "--report", f"markdown={report}"], cwd=folder, capture_output=True, text=True,
                                  env={**os.environ, "HOME": folder})
            good = done.returncode == 0 and report.read_bytes() == document.with_suffix(".md").read_bytes()
        if not good:
            failed += 1
            print(f"{document.relative_to(RESULTS)}: renders to another report than the one beside it\n{done.stderr}")
    print(f"{len(documents) - failed if documents else 0} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
