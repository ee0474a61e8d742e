#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hostcopy@cuda against nvbandwidth, in turn in one run.

    copy_peer.py --assay bin/assay --nvbandwidth FILE [--pairs 10] [--json FILE]

Copies of 512 MiB of page-locked memory by copy engine and by kernel, each way; and the latency of a load from host memory, by all
multiprocessors in turn as nvbandwidth does it. Ends with 1 if Assay is slower.
"""

import sys

import peer

SUITE = """
version: 1
suite: copy-peer
requires: {backend: cuda}
defaults: {devices: [cuda:0], measure: {samples: 16, warmup: 4}}
cases:
  - {id: copy, uses: hostcopy@cuda, with: {bytes: 512MiB}, matrix: {direction: [h2d, d2h], engine: [copy, kernel]}}
  - {id: latency, uses: hostcopy@cuda, with: {direction: latency, bytes: 2MiB}, measure: {samples: 4, warmup: 1}}
"""
TESTS = {("h2d", "copy"): "host_to_device_memcpy_ce", ("d2h", "copy"): "device_to_host_memcpy_ce",
         ("h2d", "kernel"): "host_to_device_memcpy_sm", ("d2h", "kernel"): "device_to_host_memcpy_sm"}
LATENCY = "host_device_latency_sm"


def main():
    given = peer.arguments(__doc__, "nvbandwidth")
    ours, theirs = peer.in_turn(given, lambda: peer.run_assay(given.assay, SUITE),
                                lambda: peer.nvbandwidth(given.nvbandwidth, *TESTS.values(), LATENCY))
    rows = [peer.Row(f"{direction}, {engine}", lambda a, d=direction, e=engine: a[f"copy[direction={d},engine={e}]"],
                     lambda b, t=test: 1e9 * b[t]) for (direction, engine), test in TESTS.items()]
    good = peer.table(rows, ours, theirs, "GB/s", 1e-9)
    latency = peer.Row("load from the host", lambda a: a["latency"], lambda b: 1e-9 * b[LATENCY], 0.02, False)
    good = peer.table([latency], ours, theirs, "ns", 1e9) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
