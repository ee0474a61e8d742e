#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""membw@cuda against BabelStream and nvbandwidth's local copy, in turn in one run.

    stream_peer.py --assay bin/assay --babelstream FILE --nvbandwidth FILE [--pairs 10] [--json FILE]

Arrays of 1 GiB, as BabelStream counts them; of BabelStream the best of its repetitions is taken, which is what it prints, and of Assay
the rate over all of them. The local copy is of 512 MiB, and what nvbandwidth counts once counts twice here. Ends with 1 if Assay is slower.
"""

import sys

import peer

ELEMENTS = 1 << 27
PEAK = 4.8e12  # B/s, an H200's data sheet
SUITE = """
version: 1
suite: stream-peer
requires: {backend: cuda}
defaults: {devices: [cuda:0], measure: {samples: 60, warmup: 10}}
cases:
  - {id: stream, uses: membw@cuda, with: {bytes: 1GiB}, matrix: {kernel: [copy, scale, add, triad, dot, read, write]}}
  - {id: local, uses: membw@cuda, with: {bytes: 512MiB}, matrix: {kernel: [copy, memcpy]}}
"""


def main():
    given = peer.arguments(__doc__, "babelstream", "nvbandwidth")

    def theirs():
        rows = [line.split(",") for line in peer.call(given.babelstream, "--csv", "-s", ELEMENTS).splitlines() if "," in line]
        head = next(i for i, row in enumerate(rows) if row[0] == "function")
        column = next(i for i, name in enumerate(rows[head]) if name.startswith("max_"))
        found = {row[0]: 1e6 * float(row[column]) for row in rows[head + 1:]}
        found["local"] = 2e9 * peer.nvbandwidth(given.nvbandwidth, "device_local_copy")["device_local_copy"]
        return found

    ours, others = peer.in_turn(given, lambda: peer.run_assay(given.assay, SUITE), theirs)
    names = {"copy": "Copy", "scale": "Mul", "add": "Add", "triad": "Triad", "dot": "Dot"}
    rows = [peer.Row(f"{kernel} (BabelStream)", lambda a, k=kernel: a[f"stream[kernel={k}]"], lambda b, n=name: b[n])
            for kernel, name in names.items()]
    rows += [peer.Row(f"{kernel} (nvbandwidth)", lambda a, k=kernel: a[f"local[kernel={k}]"], lambda b: b["local"])
             for kernel in ("copy", "memcpy")]
    good = peer.table(rows, ours, others, "TB/s", 1e-12, PEAK)
    for kernel in ("read", "write"):
        values = [answer[f"stream[kernel={kernel}]"] for answer in ours]
        mean = sum(values) / len(values)
        print(f"{kernel} (no peer)".ljust(24), f"{mean * 1e-12:10.4g} {'':10} TB/s    sd {peer.relative_deviation(values):.4%}  {mean / PEAK:7.2%} of peak")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
