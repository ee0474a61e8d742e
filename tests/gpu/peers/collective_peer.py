#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""collective@cuda against nccl-tests, in turn in one run, on all GPUs here.

    collective_peer.py --assay bin/assay --nccl-tests FOLDER [--operations all_reduce,all_gather] [--launcher "mpirun …"] [--pairs 10] [--json FILE]

FOLDER holds the programs of nccl-tests. With --launcher each GPU has a process of its own, as with Assay; without, nccl-tests has a thread for each.
Out of place, from 8 B to 1 GiB. Both are compared on the average over ranks that nccl-tests prints: times below 1 MiB at 2 %, bandwidths at 1 %.
Ends with 1 if Assay is slower.
"""

import json
import pathlib
import re
import shlex
import sys
import tempfile

import peer

PROGRAMS = {"all_reduce": "all_reduce_perf", "all_gather": "all_gather_perf", "reduce_scatter": "reduce_scatter_perf", "broadcast": "broadcast_perf",
            "reduce": "reduce_perf", "all_to_all": "alltoall_perf", "gather": "gather_perf", "scatter": "scatter_perf", "send_recv": "sendrecv_perf"}
SIZES = [8 << (3 * power) for power in range(10)]  # 8 B to 1 GiB
LATENCY_BELOW = 1 << 20
LINE = re.compile(r"^ *(\d+) +\d+ +\w+ +\w+ +-?\d+ +([\d.]+) +[\d.]+ +[\d.]+ +(\S+)", re.MULTILINE)


def sizes_of(operation):
    return SIZES if operation in ("all_reduce", "broadcast", "reduce", "send_recv") else SIZES[2:]  # smaller ones have no part for each rank


def run_ours(given, operations):
    cases = "".join(f"  - {{id: {operation}, uses: collective@cuda, with: {{op: {operation}}}, matrix: {{bytes: [{', '.join(f'{size}B' for size in sizes_of(operation))}]}}}}\n"
                    for operation in operations)
    suite = f"version: 1\nsuite: collective-peer\nrequires: {{backend: cuda}}\ndefaults: {{devices: all, measure: {{samples: {given.samples}, warmup: 3}}}}\ncases:\n{cases}"
    with tempfile.TemporaryDirectory(prefix="assay-peer-") as folder:
        folder = pathlib.Path(folder)
        (folder / "suite.yaml").write_text(suite, encoding="utf-8")
        peer.call(given.assay, "run", folder / "suite.yaml", "-q", "-o", folder / "results", "--report", f"json={folder / 'result.json'}")
        document = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    times = {}
    for case in document["cases"]:
        if not (case["verification"] or {}).get("verified"):
            sys.exit(f"'{case['id']}' was not verified: {case['reason']}")
        parameters = {entry["name"]: entry["value"] for entry in case["parameters"]} if isinstance(case["parameters"], list) else case["parameters"]
        times[f"{case['case']} {parameters['bytes']}"] = case["team"]["mean_over_ranks_s"]
    return times


def gpus_of(program):
    inventory = json.loads(peer.call(program, "system", "--json"))
    return len(next(backend for backend in inventory["backends"] if backend["name"] == "cuda")["devices"])


def run_theirs(given, operations, gpus):
    times = {}
    for operation in operations:
        program = given.nccl_tests / PROGRAMS[operation]
        sizes = sizes_of(operation)
        words = [program, "-b", sizes[0], "-e", sizes[-1], "-f", 8, "-n", 40, "-w", 5, "-c", 1, "-g", 1]
        command = [*shlex.split(given.launcher), *words] if given.launcher else [*words, "-t", gpus]
        for size, time_us, wrong in LINE.findall(peer.call(*command)):
            if wrong not in ("0", "N/A"):
                sys.exit(f"{program} says that {wrong} values are wrong")
            times[f"{operation} {size}"] = float(time_us) * 1e-6
    return times


def size_text(size):
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size // unit} {name}"
    return f"{size} B"


def main():
    parser = peer.parser(__doc__, "nccl-tests")
    parser.add_argument("--operations", default=",".join(PROGRAMS), help="some of them, separated by commas")
    parser.add_argument("--launcher", default="", help="starts a process for each GPU, 'mpirun -np 4 --allow-run-as-root'")
    parser.add_argument("--samples", type=int, default=20)
    given = peer.parsed(parser)
    operations = given.operations.split(",")
    ours, theirs = peer.in_turn(given, lambda: run_ours(given, operations), lambda: run_theirs(given, operations, gpus_of(given.assay)))
    good = True
    for operation in operations:
        rows = []
        for size in sizes_of(operation):
            key = f"{operation} {size}"
            if not all(key in answer for answer in theirs):
                continue  # nccl-tests rounds sizes to what all ranks can share, and --from may have some operations only
            rows.append(peer.Row(f"{operation} {size_text(size)}", lambda a, k=key: a[k], lambda b, k=key: b[k],
                                 0.02 if size < LATENCY_BELOW else 0.01, False))
        if rows:
            good = peer.table(rows, ours, theirs, "µs", 1e6) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
