#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""launch@cuda against a bare CUDA loop, in turn in one run.

    launch_peer.py --assay bin/assay --loop FILE [--pairs 10] [--json FILE]

The loop is launch_loop.cu, compiled beforehand: nvcc -O3 -std=c++17 -arch=native -o launch_loop launch_loop.cu. Times are in µs and for one
kernel ('launched and waited for': for one chain of one kernel); ratios are above 1 where ours is shorter. Ends with 1 if Assay is slower.
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
  - {{id: eager, uses: launch@cuda}}
  - {{id: one, uses: launch@cuda, with: {{kernels: 1}}}}
  - {{id: graph, uses: launch@cuda, with: {{mode: graph}}}}
  - {{id: submission, uses: launch@cuda, with: {{cost: submission, kernels: 500}}}}
  - {{id: round_trip, uses: launch@cuda, with: {{cost: round_trip, kernels: 1}}}}
  - {{id: instantiation, uses: launch@cuda, with: {{cost: instantiation, mode: graph}}}}
"""
NAMES = {"eager": "1000 kernels, a stream", "one": "1 kernel, a stream", "graph": "1000 kernels, a graph", "submission": "the call alone",
         "round_trip": "launched and waited for", "instantiation": "instantiating a graph"}


def main():
    given = peer.arguments(__doc__, "loop")
    ours, theirs = peer.in_turn(given, lambda: peer.run_assay(given.assay, SUITE), lambda: json.loads(peer.call(given.loop, SECONDS)))
    rows = [peer.Row(text, lambda a, n=name: a[n], lambda b, n=name: b[n], THETA, higher_is_better=False) for name, text in NAMES.items()]
    return 0 if peer.table(rows, ours, theirs, "µs", 1e6) else 1


if __name__ == "__main__":
    sys.exit(main())
