#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a crashed worker costs. replace.py BUILD prints the median over 100 crashes: from the end of the visit that crashed to the end of a null visit on the
fresh worker, less what a null visit takes on a warm one.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(sys.argv[1]).resolve()
LIMIT_MS = 50


def main():
    crashes = 100
    with tempfile.TemporaryDirectory(prefix="assay-perf-") as name:
        folder = pathlib.Path(name)
        environment = {**os.environ, "ASSAY_LOCK_FOLDER": str(folder / "locks")}
        numbers = ", ".join(str(i) for i in range(crashes))
        (folder / "suite.yaml").write_text(
            "version: 1\nsuite: replace\nrequires: {backend: faulty}\ndefaults: {measure: {samples: 1, warmup: 0}}\ncases:\n"
            f"  - {{id: bad, uses: faulty, with: {{how: segv}}, matrix: {{bad_rank: [-1], seed: [{numbers}]}}}}\n"
            f"  - {{id: good, uses: calm, matrix: {{seed: [{numbers}]}}}}\n")
        subprocess.run([str(BUILD / "bin/assay"), "run", "suite.yaml", "--plugin-dir", str(BUILD / "tests/faulty"), "-q", "-o", "out", "--report", "json"],
                       cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        visits = [json.loads(line) for line in (folder / "out/journal.jsonl").read_text().splitlines()[1:-1]]
    visits = [visit.get("visit", visit) for visit in visits]
    fresh, warm = [], []
    for before, after in zip(visits, visits[1:]):
        if after["outcome"] == "passed":
            (fresh if before["outcome"] == "crashed" else warm).append(after)
    gaps = [after["started_at_s"] - before["started_at_s"] - before["duration_s"] for before, after in zip(visits, visits[1:]) if after in fresh]
    cost_ms = 1e3 * (statistics.median(v["duration_s"] for v in fresh) + statistics.median(gaps) - statistics.median(v["duration_s"] for v in warm))
    verdict = "reached" if cost_ms <= LIMIT_MS else "MISSED"
    print(f"{'a crashed worker replaced (host, ' + str(len(fresh)) + ' crashes)':<52} {cost_ms:10.3g} ms   ≤ {LIMIT_MS} ms  {verdict}")
    return cost_ms > LIMIT_MS


if __name__ == "__main__":
    sys.exit(main())
