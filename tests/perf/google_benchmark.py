#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same registrations run by Google Benchmark itself and by Assay through the adapter, in turn. google_benchmark.py BUILD [PAIRS] prints for each the
median over the pairs of Assay's mean time of an iteration over the library's, with the smallest and the largest. No figure is to be reached: it shows that
the adapter adds nothing to what is timed."""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(sys.argv[1]).resolve()
PAIRS = int(sys.argv[2]) if len(sys.argv) > 2 else 10
HERE = pathlib.Path(__file__).resolve().parent
CASES = {"copy/bytes:4096/real_time": "copy[bytes=4096]", "copy/bytes:65536/real_time": "copy[bytes=65536]", "sum/real_time": "sum",
         "by_hand/manual_time": "by_hand"}
SUITE = """version: 1
suite: kernels
requires: {backend: host}
defaults: {measure: {max_time: 1s}}
cases:
  - {id: copy, uses: copy, matrix: {bytes: [4096, 65536]}}
  - {id: sum, uses: sum_}
  - {id: by_hand, uses: by_hand}
"""


def run(*command, **keywords):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, **keywords).stdout


def build(folder):
    run("cmake", "--install", BUILD, "--prefix", folder / "sdk", "--component", "sdk")
    run("cmake", "-S", HERE / "google_benchmark", "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={folder / 'sdk'}", "-DCMAKE_BUILD_TYPE=Release")
    run("cmake", "--build", folder / "build")
    (folder / "suite.yaml").write_text(SUITE)


def alone(folder):
    report = json.loads(run(folder / "build/kernels_alone", "--benchmark_format=json"))
    unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
    return {entry["name"]: entry["real_time"] * unit[entry["time_unit"]] for entry in report["benchmarks"]}


def through_assay(folder, pair):
    out = folder / f"out{pair}"
    run(BUILD / "bin/assay", "run", "suite.yaml", "--plugin-dir", folder / "build", "-o", out, "-q", "--report", "json", cwd=folder)
    cases = json.loads((out / "result.json").read_text())["cases"]
    # The library divides all of its time by all of its iterations: a mean.
    return {case["id"]: case["time"]["mean"] for case in cases}


def main():
    with tempfile.TemporaryDirectory(prefix="assay-perf-") as name:
        folder = pathlib.Path(name)
        build(folder)
        ratios = {one: [] for one in CASES}
        for pair in range(PAIRS):
            library = alone(folder)
            ours = through_assay(folder, pair)
            for one, ident in CASES.items():
                ratios[one].append(ours[ident] / library[one])
    for one, values in ratios.items():
        print(f"{one:<32} assay / library {statistics.median(values):6.3f}   [{min(values):.3f}, {max(values):.3f}] in {len(values)} pairs")


if __name__ == "__main__":
    main()
