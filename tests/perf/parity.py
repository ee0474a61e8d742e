#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds Assay's durations against a peer's on this machine, and prints the ratio of the rates with its interval.

parity.py BUILD triad|gemm [--pairs N] [--seconds S]

A pair is one process of each; they take turns of a tenth of a second, so that what the machine does besides meets both. Each gives the
median duration of its laps. The statistic is ln(peer / assay) of these, its interval Student's t over the pairs, the verdict against θ:
'slower' only if the whole interval lies below −θ.
"""

import argparse
import json
import math
import pathlib
import statistics
import sys
import tempfile

from turns import Program, in_turn

TURN_S = 0.1
T95 = {2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228, 11: 2.201, 14: 2.145, 19: 2.093}


def medians(build, settings, peer, seconds, ours_first):
    """Of Assay's and the peer's laps, in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        ours = Program([f"{build}/bin/assay", "bench", *settings, f"max_time={seconds}s", f"for={seconds}s", "-q", "-o", f"{folder}/r", "--report", "json"], cwd=folder)
        other = Program([*peer, str(seconds)])
        in_turn(*((ours, other) if ours_first else (other, ours)), TURN_S)
        case = json.loads(pathlib.Path(folder, "r/result.json").read_text())["cases"][0]
        assert case["outcome"] == "passed", case["reason"]
        return case["time"]["median"], float(other.text)


def compare(name, build, settings, peer, given, theta):
    logs = []
    for pair in range(given.pairs):
        ours, other = medians(build, settings, peer, given.seconds, pair % 2 == 0)
        logs.append(math.log(other / ours))
        print(f"  pair {pair + 1}: assay {ours * 1e3:.4g} ms  peer {other * 1e3:.4g} ms  ratio of rates {other / ours:.4f}", flush=True)
    mean = statistics.fmean(logs)
    half = T95[given.pairs - 1] * statistics.stdev(logs) / math.sqrt(given.pairs)
    low, high = math.exp(mean - half), math.exp(mean + half)
    verdict = "slower" if high < 1 - theta else "not slower" if low > 1 - theta else "undecided"
    print(f"{name}: assay / peer = {math.exp(mean):.4f} [{low:.4f}, {high:.4f}] (95 %, {given.pairs} pairs), θ = {theta:.0%}: {verdict}")
    return verdict != "slower"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("what", choices=["triad", "gemm"])
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=4)
    given = parser.parse_args()
    build = given.build.resolve()
    good = True
    if given.what == "triad":
        good = compare("host triad, 256 MiB arrays, against OpenMP STREAM", build, ["membw@host", "kernel=triad", "bytes=256MiB"],
                       [f"{build}/bin/peer_triad", str(256 << 20)], given, 0.03)
    else:
        for dtype in ("fp32", "fp64"):
            good &= compare(f"host GEMM 1024³ {dtype}, against a bare OpenBLAS loop", build,
                            ["gemm@host", f"dtype={dtype}", "m=1024", "n=1024", "k=1024"], [f"{build}/bin/peer_gemm", "1024", dtype], given, 0.01)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
