#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the harness itself costs. harness.py BUILD prints each figure beside the figure to reach.

Times of whole commands are medians of 21 runs. The 10,000 null visits run a benchmark that does nothing (org.assay.null) on one warm worker, `warmup: 0,
samples: 1`.
"""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

BUILD = pathlib.Path(sys.argv[1]).resolve()
ASSAY = str(BUILD / "bin/assay")
FIXTURES = str(BUILD / "tests/plugins")


def seconds(command, **keywords):
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **keywords)
    return time.perf_counter() - begin


def median(command, runs=21):
    return statistics.median(seconds(command) for _ in range(runs))


def row(what, value, unit, limit):
    verdict = "reached" if value <= limit else "MISSED"
    print(f"{what:<52} {value:10.3g} {unit:<4} ≤ {limit:g} {unit}  {verdict}", flush=True)
    return value <= limit


def twenty_manifests(folder):
    base = json.loads((BUILD / "lib/assay/plugins/membw_host.assay.json").read_text())
    for i in range(20):
        manifest = {**base, "id": f"com.example.plugin{i}", "library": f"plugin{i}.so"}
        manifest["benchmarks"] = [{**benchmark, "name": f"{benchmark['name']}{i}", "implements": ""} for benchmark in base["benchmarks"]]
        (folder / f"plugin{i}.assay.json").write_text(json.dumps(manifest))
        shutil.copy(BUILD / "lib/assay/plugins/membw_host.so", folder / f"plugin{i}.so")


def null_suite(folder, count):
    values = ", ".join(str(i) for i in range(1, count + 1))
    path = folder / "null.yaml"
    path.write_text("version: 1\nsuite: nothing\nrequires: {backend: host}\ncases:\n  - id: a\n    uses: \"null\"\n    measure: {warmup: 0, samples: 1}\n"
                    f"    matrix: {{seed: [{values}]}}\n")
    return path


def beyond_the_region(folder):
    """From one sample's end to the next one's begin, in the worker, through the ABI: 20,000 samples of nothing."""
    command = [ASSAY, "bench", "null@host", "samples=20000", "warmup=0", "--plugin-dir", FIXTURES, "-q", "-o", str(folder / "samples"), "--report", "json"]
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    visit = json.loads((folder / "samples/journal.jsonl").read_text().splitlines()[1])
    series = visit.get("visit", visit)["ranks"][0]["series"]
    gaps = [after - before - inside for before, after, inside in zip(series["begin_s"], series["begin_s"][1:], series["host_s"])]
    return statistics.fmean(gaps)


def main():
    good = True
    with tempfile.TemporaryDirectory(prefix="assay-perf-") as name:
        folder = pathlib.Path(name)
        os.environ["ASSAY_LOCK_FOLDER"] = str(folder / "locks")
        good &= row("assay --version", 1e3 * median([ASSAY, "--version"]), "ms", 10)
        plugins = folder / "plugins"
        plugins.mkdir()
        twenty_manifests(plugins)
        good &= row("assay list with 20 manifests more", 1e3 * median([ASSAY, "list", "--plugin-dir", str(plugins)]), "ms", 50)

        count = 10_000
        suite = null_suite(folder, count)
        command = [ASSAY, "run", str(suite), "--plugin-dir", FIXTURES, "-q", "-o", str(folder / "out"), "--report", "json"]
        good &= row("planning 10,000 cases, the whole --dry-run", seconds([*command, "--dry-run"]), "s", 1)
        total = seconds(command, cwd=folder)
        good &= row("10,000 null visits, the whole command", total, "s", 15)
        writing = BUILD / "bin/assay_journal_perf"
        if writing.exists():
            written = float(subprocess.run([writing, folder / "out/journal.jsonl"], check=True, capture_output=True, text=True).stdout)
            good &= row("  of which the journal", 100 * written / total, "%", 5)
        journal = (folder / "out/journal.jsonl").read_text().splitlines()[1:-1]
        assert len(journal) == count, len(journal)
        visits = [json.loads(line) for line in journal]
        starts = [visit.get("visit", visit)["started_at_s"] for visit in visits]
        good &= row("a null visit on a warm worker, median", 1e3 * statistics.median(b - a for a, b in zip(starts, starts[1:])), "ms", 1)
        good &= row("host time per sample beyond the timed region", 1e6 * beyond_the_region(folder), "µs", 1)
        peer = BUILD / "bin/peer_manual_time"
        if peer.exists():
            out = subprocess.run([peer, "--benchmark_format=json"], check=True, capture_output=True, text=True).stdout
            print(f"{'  the same in Google Benchmark, manual time':<52} {1e6 * json.loads(out)['benchmarks'][0]['beyond_s']:10.3g} µs")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
