#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds gemm@cuda against cuBLAS through PyTorch on this GPU, in turn (A B B A …), and prints ratios with their intervals.

gemm_torch.py BUILD [--mode burst|sustained] [--dtype bf16 …] [--size 8192 …] [--algorithm heuristic|autotune] [--pairs N] [--seconds S]

A pair is one fresh process of each; a process measures every dtype and size. Both use the library that PyTorch loads, normal data, the
same number of buffer sets in turn, and the same kind of load:
  sustained  half of the seconds to warm up, work over time of the other half
  burst      1 s of rest, then 20 ms of products, as often as the seconds allow; work over time of all bursts
The statistic is ln(assay / torch), its interval Student's t over the pairs; 'slower' only if the whole interval lies below −1 %.
'sd' is the standard deviation between the processes of one tool. Run it with the Python that has PyTorch.
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "perf"))

from parity import T95  # noqa: E402  (its folder was added just now)

THETA = 0.01
DTYPES = ["fp64", "fp32", "tf32", "fp16", "bf16", "fp8_e4m3", "fp8_e5m2", "int8"]
BURST_S, REST_S, CHUNK_S = 0.02, 1.0, 0.02


# The peer: one process, which prints {"library": path, "rates": {case: FLOP/s}}.

def products(torch, dtype, size, cache):
    """A function that queues product i, on one of so many buffer sets that none is found in the L2 cache."""
    device = torch.device("cuda")
    narrow = dtype.startswith("fp8") or dtype == "int8"
    plain = {"fp64": torch.float64, "fp32": torch.float32, "tf32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16,
             "fp8_e4m3": torch.float8_e4m3fn, "fp8_e5m2": torch.float8_e5m2, "int8": torch.int8}[dtype]
    out = {"int8": torch.int32}.get(dtype, torch.bfloat16 if narrow else plain)
    torch.backends.cuda.matmul.allow_tf32 = dtype == "tf32"

    def matrix(kind):
        values = torch.randn(size, size, device=device, dtype=torch.float64 if kind == torch.float64 else torch.float32)
        if kind == torch.int8:
            values = (values * 127 / 4).round().clamp(-127, 127)
        return values.to(kind)

    per_set = (2 * plain.itemsize + out.itemsize) * size * size
    caches = torch.cuda.get_device_properties(device).L2_cache_size
    sets = max(1, -(-5 * caches // per_set)) if cache == "rotating" else 1
    second = torch.float8_e4m3fn if dtype == "fp8_e5m2" else plain
    a = [matrix(plain) for _ in range(sets)]
    b = [matrix(second).t() if narrow else matrix(second) for _ in range(sets)]
    c = [torch.empty(size, size, device=device, dtype=out) for _ in range(sets)]
    one = torch.ones((), device=device)

    def queue(i):
        s = i % sets
        if dtype.startswith("fp8"):
            torch._scaled_mm(a[s], b[s], scale_a=one, scale_b=one, out_dtype=out, use_fast_accum=False, out=c[s])
        elif dtype == "int8":
            torch._int_mm(a[s], b[s], out=c[s])
        else:
            torch.mm(a[s], b[s], out=c[s])

    return queue


def held(torch, queue, n, seconds):
    """Seconds per product of a load that never pauses: two chunks are always queued."""
    events, begin = [], time.monotonic()
    i = 0
    while time.monotonic() - begin < seconds or len(events) < 3:
        for _ in range(n):
            queue(i)
            i += 1
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        events.append(event)
        if len(events) > 2:
            events[-3].synchronize()
    events[-1].synchronize()
    return events[0].elapsed_time(events[-1]) * 1e-3 / (n * (len(events) - 1))


def bursts(torch, queue, n, count):
    """Seconds per product of bursts of n, each after a rest."""
    total = 0.0
    for _ in range(count):
        torch.cuda.synchronize()
        time.sleep(REST_S)
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        queue(0)  # not timed: the host's first call after a rest is slow, and the device works meanwhile
        begin.record()
        for i in range(n):
            queue(i)
        end.record()
        end.synchronize()
        total += begin.elapsed_time(end) * 1e-3
    return total / (n * count)


def peer(settings):
    import torch
    rates = {}
    for dtype in settings["dtypes"]:
        for size in settings["sizes"]:
            queue = products(torch, dtype, size, settings["cache"])
            queue(0)
            torch.cuda.synchronize()
            once = held(torch, queue, 1, 0.01)
            if settings["mode"] == "sustained":
                n = max(1, math.ceil(CHUNK_S / once))
                held(torch, queue, n, settings["seconds"] / 2)
                each = held(torch, queue, n, settings["seconds"] / 2)
            else:
                each = bursts(torch, queue, max(1, round(BURST_S / once)), max(1, int(settings["seconds"] / (REST_S + BURST_S))))
            rates[f"{dtype} {size}"] = 2.0 * size**3 / each
            del queue
            torch.cuda.empty_cache()
    libraries = {line.split()[-1] for line in open("/proc/self/maps", encoding="utf-8") if "libcublasLt" in line}
    print(json.dumps({"library": sorted(libraries)[0], "rates": rates}))


def peer_process(settings):
    done = subprocess.run([sys.executable, __file__, "--peer", json.dumps(settings)], check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


# Ours: one run of a suite with the same cases.

def assay_process(given, library):
    suite = f"""version: 1
suite: gemm-against-torch
requires: {{backend: cuda}}
defaults:
  timeout: 5min
  measure: {{thermal: {given.mode}, cache: {given.cache}, max_time: {given.seconds}s, precision: 0.05%}}
cases:
  - id: gemm
    uses: gemm@cuda
    with: {{algorithm: {given.algorithm}}}
    matrix:
      dtype: [{', '.join(given.dtype)}]
      shape: [{', '.join(f'{{m: {s}, n: {s}, k: {s}}}' for s in given.size)}]
    devices: [cuda:0]
"""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "suite.yaml")
        path.write_text(suite)
        command = [given.build / "bin/assay", "run", path, "-q", "-o", f"{folder}/r", "--report", "json", "--library-path", library]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        result = pathlib.Path(folder, "r/result.json")
        if not result.exists():
            sys.exit(f"assay ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        rates = {}
        for case in json.loads(result.read_text())["cases"]:
            if case["outcome"] != "passed":
                sys.exit(f"{case['id']} {case['outcome']}: {case['reason']}")
            value = next(m["value"] for m in case["metrics"] if m["name"] == "throughput")
            rates[f"{case['parameters']['dtype']} {case['parameters']['m']}"] = value
        return rates


def interval(logs):
    mean = statistics.fmean(logs)
    if len(logs) < 3:
        return math.exp(mean), None
    half = T95[max(n for n in T95 if n <= len(logs) - 1)] * statistics.stdev(logs) / math.sqrt(len(logs))
    return math.exp(mean), (math.exp(mean - half), math.exp(mean + half))


def spread(rates):
    return statistics.stdev(math.log(rate) for rate in rates) if len(rates) > 1 else math.nan


def main():
    if sys.argv[1:2] == ["--peer"]:
        return peer(json.loads(sys.argv[2]))
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--mode", choices=["burst", "sustained"], default="sustained")
    parser.add_argument("--dtype", nargs="+", choices=DTYPES, default=DTYPES)
    parser.add_argument("--size", nargs="+", type=int, default=[4096, 8192, 16384])
    parser.add_argument("--algorithm", choices=["heuristic", "autotune"], default="heuristic")
    parser.add_argument("--cache", choices=["rotating", "hot"], default="rotating")
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=5)
    given = parser.parse_args()
    given.build = given.build.resolve()
    settings = {"mode": given.mode, "dtypes": given.dtype, "sizes": given.size, "cache": given.cache, "seconds": given.seconds}

    ours, theirs, library = {}, {}, None
    library = pathlib.Path(peer_process({**settings, "dtypes": ["bf16"], "sizes": [256], "mode": "sustained", "seconds": 0.1})["library"])
    print(f"both use {library}; {given.mode}, {given.seconds:g} s a case, cache {given.cache}, {given.algorithm}", flush=True)
    for pair in range(given.pairs):
        for tool in ("assay", "torch") if pair % 2 == 0 else ("torch", "assay"):
            rates = assay_process(given, library.parent) if tool == "assay" else peer_process(settings)["rates"]
            for case, rate in rates.items():
                (ours if tool == "assay" else theirs).setdefault(case, []).append(rate)
        print(f"pair {pair + 1}: " + ", ".join(f"{case} {ours[case][-1] / 1e12:.1f}/{theirs[case][-1] / 1e12:.1f}" for case in ours), flush=True)

    good = True
    print(f"\n{'case':>16} {'assay':>9} {'torch':>9}  ratio [95 %]               sd assay  sd torch  verdict at θ = {THETA:.0%}")
    for case, mine in ours.items():
        ratio, bounds = interval([math.log(a / b) for a, b in zip(mine, theirs[case])])
        verdict = "undecided"
        if bounds and bounds[1] < 1 - THETA:
            verdict, good = "slower", False
        elif bounds and bounds[0] > 1 - THETA:
            verdict = "not slower"
        between = f"[{bounds[0]:.4f}, {bounds[1]:.4f}]" if bounds else "(too few pairs)"
        print(f"{case:>16} {statistics.fmean(mine) / 1e12:9.1f} {statistics.fmean(theirs[case]) / 1e12:9.1f}  {ratio:.4f} {between:<20} "
              f"{spread(mine):8.2%} {spread(theirs[case]):9.2%}  {verdict}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
