#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long two results of 10,000 cases take to be compared. compare.py BUILD makes them from a kept one, each case with its samples, and prints the least of five
times without a report, with the table, and with Markdown.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = 10_000
LIMIT_S = 2


def result(ident):
    document = json.loads((ROOT / "docs/results/h200/gemm-shapes.json").read_text(encoding="utf-8"))
    cases = [case for case in document["cases"] if case["outcome"] == "passed"]
    document["run"]["id"] = ident
    document["cases"] = [{**cases[i % len(cases)], "id": f"case{i}", "comparison_key": f"case{i}"} for i in range(CASES)]
    open_ones = sum(each["status"] == "undecided" for case in document["cases"] for each in case["expectations"])
    document["verdict"].update(counts={**dict.fromkeys(document["verdict"]["counts"], 0), "passed": CASES}, undecided=open_ones)
    return document


def main():
    with tempfile.TemporaryDirectory(prefix="assay-perf-") as name:
        folder = pathlib.Path(name)
        for ident in ("old", "new"):
            (folder / f"{ident}.json").write_text(json.dumps(result(ident), indent=1), encoding="utf-8")
        megabytes = (folder / "old.json").stat().st_size / 1e6
        reached = {}
        for text, options in (("no report", ["-q"]), ("the table", []), ("Markdown", ["--report", "markdown=x.md"])):
            times = []
            for _ in range(5):
                begin = time.monotonic()
                subprocess.run([str(BUILD / "bin/assay"), "compare", "old.json", "new.json", *options], cwd=folder, check=True, stdout=subprocess.DEVNULL)
                times.append(time.monotonic() - begin)
            reached[text] = min(times)
        print(f"two results of {CASES} cases, {megabytes:.0f} MB each: " + ", ".join(f"{text} {s:.2f} s" for text, s in reached.items()))
        slowest = max(reached.values())
        print(f"{'reached' if slowest <= LIMIT_S else 'NOT reached'}: {LIMIT_S} s")
        return 0 if slowest <= LIMIT_S else 1


if __name__ == "__main__":
    sys.exit(main())
