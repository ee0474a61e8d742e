#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""launch@cuda against a bare CUDA loop, in turn in one run.

    launch_peer.py --assay bin/assay --loop FILE [--pairs 10] [--json FILE]

The loop is launch_loop.cu, compiled beforehand: nvcc -O3 -std=c++17 -arch=native -o launch_loop launch_loop.cu. Times are in µs and for one
kernel ('launched and waited for': for one chain of one kernel); ratios are above 1 where ours is shorter. Ends with 1 if Assay is slower.

Launches in a stream are the host's, and a host that others use holds some of them up for seconds. So of these the shortest sample of each process,
of 5 ms or more, is compared, too: what the way to the device takes where nothing comes between.
"""

import json
import sys

import peer

SECONDS = 0.3
THETA = 0.03
SUITE = f"""
version: 1
suite: launch-peer
requires: {{backend: cuda}}
defaults: {{devices: [cuda:0], measure: {{precision: 0.3%, max_time: {SECONDS}s}}}}
cases:
  - {{id: eager, uses: launch@cuda, measure: {{samples: {round(3 * SECONDS / 0.005)}, max_time: {10 * SECONDS}s}}}}
  - {{id: one, uses: launch@cuda, with: {{kernels: 1}}, measure: {{samples: {round(3 * SECONDS / 0.005)}, max_time: {10 * SECONDS}s}}}}
  - {{id: graph, uses: launch@cuda, with: {{mode: graph}}}}
  - {{id: submission, uses: launch@cuda, with: {{cost: submission, kernels: 500}}}}
  - {{id: round_trip, uses: launch@cuda, with: {{cost: round_trip, kernels: 1}}}}
  - {{id: instantiation, uses: launch@cuda, with: {{cost: instantiation, mode: graph}}}}
"""
NAMES = {"eager": "1000 kernels, a stream", "eager.shortest": "shortest of these", "one": "1 kernel, a stream", "one.shortest": "shortest of these", "graph": "1000 kernels, a graph", "submission": "the call alone",
         "round_trip": "launched and waited for", "instantiation": "instantiating a graph"}


def ours_of(program):
    cases = peer.assay_cases(program, SUITE)
    found = {name: peer.headline(case) for name, case in cases.items()}
    return {**found, **{f"{name}.shortest": cases[name]["time"]["minimum"] / cases[name]["parameters"]["kernels"] for name in ("eager", "one")}}


def main():
    given = peer.arguments(__doc__, "loop")
    ours, theirs = peer.in_turn(given, lambda: ours_of(given.assay), lambda: json.loads(peer.call(given.loop, SECONDS)))
    rows = [peer.Row(text, lambda a, n=name: a[n], lambda b, n=name: b[n], THETA, higher_is_better=False) for name, text in NAMES.items()]
    return 0 if peer.table(rows, ours, theirs, "µs", 1e6) else 1


if __name__ == "__main__":
    sys.exit(main())
