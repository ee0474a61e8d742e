#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""launch@cuda against a bare CUDA loop.

    launch_peer.py --assay bin/assay --loop FILE [--pairs 10] [--json FILE]

The loop is launch_loop.cu, compiled beforehand: nvcc -O3 -std=c++17 -arch=native -o launch_loop launch_loop.cu. Times are in µs and for one
kernel ('launched and waited for': for one chain of one kernel); ratios are above 1 where ours is shorter. Ends with 1 if Assay is slower.

Launches in a stream are the host's, and a host that others use holds them up for seconds. Those are therefore measured in the same seconds: both programs
are there, on the same two CPUs, and in turns of 40 ms one of them is stopped. A turn's end lengthens the sample that it falls into, so the time that a quarter
of the samples are shorter than is compared. The rest is measured by fresh processes in turn, a process for each of our cases, because what a process did before
matters to graphs; the medians are compared.
"""

import json
import os
import pathlib
import sys
import tempfile

import peer

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "perf"))

import turns  # noqa: E402  (its folder was added just now)

SECONDS = 0.3
TURN_S = 0.04
THETA = 0.03
SAMPLES = 100  # of 5 ms or more
HEAD = "version: 1\nsuite: launch-peer\nrequires: {backend: cuda}\n"
SUITE = f"""{HEAD}defaults: {{devices: [cuda:0], measure: {{precision: 0.3%, max_time: {SECONDS}s}}}}
cases:
  - {{id: graph, uses: launch@cuda, with: {{mode: graph}}}}
  - {{id: submission, uses: launch@cuda, with: {{cost: submission, kernels: 500}}}}
  - {{id: round_trip, uses: launch@cuda, with: {{cost: round_trip, kernels: 1}}}}
  - {{id: instantiation, uses: launch@cuda, with: {{cost: instantiation, mode: graph}}}}
"""
STREAM = {"eager": 1000, "one": 1}  # kernels of a chain
NAMES = {"eager": "1000 kernels, a stream", "one": "1 kernel, a stream", "graph": "1000 kernels, a graph", "submission": "the call alone",
         "round_trip": "launched and waited for", "instantiation": "instantiating a graph"}


def quarter(ascending):
    return ascending[len(ascending) // 4]


def in_the_same_seconds(given, name):
    """(ours, theirs): of Assay's samples and of as many of the loop's, the last ones."""
    with tempfile.TemporaryDirectory(prefix="assay-peer-") as folder:
        folder = pathlib.Path(folder)
        # Its time is the wall's, of which a half is the other's.
        (folder / "suite.yaml").write_text(f"{HEAD}cases:\n  - {{id: {name}, uses: launch@cuda, devices: [cuda:0], with: {{kernels: {STREAM[name]}}}, "
                                           f"measure: {{samples: {SAMPLES}, max_time: 60s}}}}\n", encoding="utf-8")
        cpus = sorted(os.sched_getaffinity(0))[-2:]
        loop = turns.Program([given.loop, SECONDS, name], cpus)
        turns.beside(turns.Program([given.assay, "run", folder / "suite.yaml", "-q", "-o", folder / "results", "--report", f"json={folder / 'result.json'}"], cpus),
                     loop, TURN_S)
        case, = json.loads((folder / "result.json").read_text(encoding="utf-8"))["cases"]
    if not (case["verification"] or {}).get("verified"):
        sys.exit(f"'{case['id']}' was not verified: {case['reason']}")
    lines = [line for line in loop.text.splitlines(keepends=True) if line.endswith("\n")]  # the last one may have been cut off
    if len(lines) < SAMPLES:
        sys.exit(f"the loop had time for {len(lines)} samples only")
    return case["time"]["p25"] / STREAM[name], quarter(sorted(map(float, lines[-SAMPLES:])))


def main():
    given = peer.arguments(__doc__, "loop")
    beside = {}  # what the loop did meanwhile

    def ours():
        found = peer.run_assay(given.assay, SUITE, "--isolation=case")
        for name in STREAM:
            found[name], beside[name] = in_the_same_seconds(given, name)
        return found

    def theirs():
        return json.loads(peer.call(given.loop, SECONDS))

    a, b = peer.in_turn(given, ours, theirs, lambda answer: answer.update(beside))
    rows = [peer.Row(text, lambda answer, n=name: answer[n], lambda answer, n=name: answer[n], THETA, higher_is_better=False) for name, text in NAMES.items()]
    return 0 if peer.table(rows, a, b, "µs", 1e6) else 1


if __name__ == "__main__":
    sys.exit(main())
