#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""p2p@cuda against nvbandwidth, in turn in one run, between cuda:0 and cuda:1.

    p2p_peer.py --assay bin/assay --nvbandwidth FILE [--pairs 10] [--json FILE]

Copies of 512 MiB by copy engine and by kernel, pulled and pushed; both ways at once; and the latency of a load from the other GPU, by
all multiprocessors in turn as nvbandwidth does it. Needs two GPUs that reach each other. Ends with 1 if Assay is slower.

Both tools' first cell of each test is compared, between the same two GPUs in the same direction and done by the same one: nvbandwidth
counts what GPU 0 pulls from GPU 1, and what GPU 0 pushes to GPU 1. Of both ways at once it gives each way's rate by its own time while
the other is under way, and their sum; 'directions' are the same quantities. (The headline of Assay is less than that sum where one way
ends first.)
"""

import sys

import peer

SUITE = """
version: 1
suite: p2p-peer
requires: {backend: cuda, devices: ">=2"}
defaults: {with: {bytes: 512MiB}, measure: {samples: 16, warmup: 4}}
cases:
  - {id: write, uses: p2p@cuda, with: {direction: write}, matrix: {engine: [copy, kernel]}, devices: [cuda:0, cuda:1]}
  - {id: read, uses: p2p@cuda, with: {direction: read}, matrix: {engine: [copy, kernel]}, devices: [cuda:1, cuda:0]}
  - {id: both, uses: p2p@cuda, with: {direction: both}, devices: [cuda:0, cuda:1]}
  - {id: latency, uses: p2p@cuda, with: {direction: latency, bytes: 2MiB}, devices: [cuda:1, cuda:0], measure: {samples: 4, warmup: 1}}
"""
TESTS = {("write", "copy"): "device_to_device_memcpy_write_ce", ("read", "copy"): "device_to_device_memcpy_read_ce",
         ("write", "kernel"): "device_to_device_memcpy_write_sm", ("read", "kernel"): "device_to_device_memcpy_read_sm"}
BOTH = "device_to_device_bidirectional_memcpy_write_ce"
LATENCY = "device_to_device_latency_sm"


def ours(program):
    cases = peer.assay_cases(program, SUITE)
    found = {name: peer.headline(case) for name, case in cases.items()}
    ways = {metric["indices"][0]: metric["value"] for metric in cases["both"]["metrics"] if metric["name"] == "directions"}
    return {**found, "both.way": ways[1], "both.sum": ways[0] + ways[1]}


def theirs(program):
    cells = peer.nvbandwidth_cells(program, *TESTS.values(), BOTH, LATENCY)
    found = {test: values[0] for test, values in cells.items()}
    # Three matrices, one below the other: what goes from the column to the row, the other way, and the sum.
    found[f"{BOTH}.sum"] = cells[BOTH][2 * len(cells[BOTH]) // 3]
    return found


def main():
    given = peer.arguments(__doc__, "nvbandwidth")
    a, b = peer.in_turn(given, lambda: ours(given.assay), lambda: theirs(given.nvbandwidth))
    rows = [peer.Row(f"{direction}, {engine}", lambda answer, d=direction, e=engine: answer[f"{d}[engine={e}]"],
                     lambda answer, t=test: 1e9 * answer[t]) for (direction, engine), test in TESTS.items()]
    rows.append(peer.Row("one way of both, copy", lambda answer: answer["both.way"], lambda answer: 1e9 * answer[BOTH]))
    rows.append(peer.Row("sum of both, copy", lambda answer: answer["both.sum"], lambda answer: 1e9 * answer[f"{BOTH}.sum"]))
    good = peer.table(rows, a, b, "GB/s", 1e-9)
    latency = peer.Row("load from the other", lambda answer: answer["latency"], lambda answer: 1e-9 * answer[LATENCY], 0.02, False)
    good = peer.table([latency], a, b, "ns", 1e9) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
