#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds Assay's rates against a peer's on this machine, in turn (A B B A …), and prints the ratio with its interval.

parity.py BUILD triad|gemm [--pairs N] [--seconds S]

A pair is one process of each; the statistic is ln(assay / peer), its interval Student's t over the pairs, the verdict against θ:
'slower' only if the whole interval lies below −θ.
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

T95 = {2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228, 11: 2.201, 14: 2.145, 19: 2.093}


def assay_rate(build, settings, metric, seconds):
    with tempfile.TemporaryDirectory() as folder:
        command = [f"{build}/bin/assay", "bench", *settings, f"max_time={seconds}s", "for=" + f"{seconds}s", "-q", "-o", f"{folder}/r", "--report", "json"]
        subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        document = json.loads(pathlib.Path(folder, "r/result.json").read_text())
        case = document["cases"][0]
        assert case["outcome"] == "passed", case["reason"]
        return next(m["value"] for m in case["metrics"] if m["name"] == metric)


def peer_rate(command):
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def compare(name, ours, peer, pairs, theta):
    logs = []
    for pair in range(pairs):
        first, second = (ours, peer) if pair % 2 == 0 else (peer, ours)
        one, two = first(), second()
        a, b = (one, two) if pair % 2 == 0 else (two, one)
        logs.append(math.log(a / b))
        print(f"  pair {pair + 1}: assay {a:.5g}  peer {b:.5g}  ratio {a / b:.4f}", flush=True)
    mean = statistics.fmean(logs)
    half = T95[pairs - 1] * statistics.stdev(logs) / math.sqrt(pairs)
    low, high = math.exp(mean - half), math.exp(mean + half)
    verdict = "slower" if high < 1 - theta else "not slower" if low > 1 - theta else "undecided"
    print(f"{name}: assay / peer = {math.exp(mean):.4f} [{low:.4f}, {high:.4f}] (95 %, {pairs} pairs), θ = {theta:.0%}: {verdict}")
    return verdict != "slower"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("what", choices=["triad", "gemm"])
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=2)
    given = parser.parse_args()
    build, seconds = given.build.resolve(), given.seconds
    good = True
    if given.what == "triad":
        size = 256 << 20
        good = compare("host triad, 256 MiB arrays, against OpenMP STREAM",
                       lambda: assay_rate(build, ["membw@host", "kernel=triad", "bytes=256MiB"], "bandwidth", seconds),
                       lambda: peer_rate([f"{build}/bin/peer_triad", str(size), str(seconds)]), given.pairs, 0.03)
    else:
        for dtype in ("fp32", "fp64"):
            good &= compare(f"host GEMM 2048³ {dtype}, against a bare OpenBLAS loop",
                            lambda: assay_rate(build, ["gemm@host", f"dtype={dtype}", "m=2048", "n=2048", "k=2048"], "throughput", seconds),
                            lambda: peer_rate([f"{build}/bin/peer_gemm", "2048", dtype, str(seconds)]), given.pairs, 0.01)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
