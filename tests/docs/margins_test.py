#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""margins_test.py BUILD: no limit of a suite that is shipped lies within three run-to-run deviations of what a healthy H200 reached.

Every expectation of suites/*.yaml whose limit is a number, a share of a cited peak or of a device's peers is compared with docs/results/h200, h200x2 and h200x4. A record is a case of the
same benchmark, parameters and conditions, one value for each round of fresh processes; the worst of them counts. The deviation is theirs if they
are three or more, else (marked *) the largest that any case of the benchmark of the same sizes showed in three or more processes (a product of
1024 varies more than one of 8192), or of any size where none was recorded. What has no record fails, unless it stands in WITHOUT_RECORD; what stands
there and has one fails, too.
"""

import collections
import itertools
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUITES = ROOT / "suites"
RESULTS = [ROOT / "docs/results/h200", ROOT / "docs/results/h200x2", ROOT / "docs/results/h200x4"]
MODEL, TABLE = "NVIDIA H200", "H200 SXM"
DEVIATIONS, ROUNDS, FEWEST_OTHERS = 3, 3, 3
WITHOUT_RECORD = {}  # (suite, case, check): why
# What a backend counts is not a rate that varies about a mean: it has no margin.
TELEMETRY = {each["name"] for each in json.loads((ROOT / "plugins/cuda/cuda.assay.json").read_text(encoding="utf-8"))["telemetry"]}
# What a comparison with a peer kept of ours, a fresh process each: of one benchmark, the rows that are bandwidths, not latencies.
PEERS = {"h200/stream-peer.json": ("membw", lambda row: "[" in row), "h200/stream-peer-again.json": ("membw", lambda row: "[" in row),
         "h200/copy-peer.json": ("hostcopy", lambda row: "[" in row),
         "h200x4/p2p-peer.json": ("p2p", lambda row: "[" in row),
         "h200x4/collective-peer.json": ("collective", lambda row: int(row.split()[1]) >= 1 << 20),
         "h200x2/collective-peer.json": ("collective", lambda row: int(row.split()[1]) >= 1 << 27)}  # no limit is for smaller ones, and the host varies them

UNITS = {"": 1, "%": 0.01, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "kB": 1e3, "MB": 1e6, "GB": 1e9,
         "MB/s": 1e6, "GB/s": 1e9, "TB/s": 1e12, "GFLOP/s": 1e9, "TFLOP/s": 1e12}
QUANTITY = r"([0-9.]+) ?(%|[A-Za-z/]*)"
CHECK = re.compile(rf"(?P<metric>\w+) (?P<operator><=|>=) {QUANTITY}(?: of (?P<base>\w+))?")

Row = collections.namedtuple("Row", "where limit worst count deviation own")


def quantity(text):
    found = re.fullmatch(QUANTITY, str(text))
    return float(found[1]) * UNITS[found[2]] if found and found[2] in UNITS else None


def same(written, recorded):
    if isinstance(recorded, bool):
        return str(written).lower() == str(recorded).lower()
    if isinstance(recorded, (int, float)):
        value = quantity(written)
        return value is not None and math.isclose(value, recorded)
    return str(written) == str(recorded)


def documents():
    """The results of whole suites on an H200, as they were written."""
    for path in sorted(path for folder in RESULTS for path in folder.glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        if "schema_version" in document and any(d["model"] == MODEL for b in document["run"]["backends"] for d in b["devices"]):
            yield document


def rounds_of(recorded, metric):
    found = next((m for m in recorded["metrics"] if m["name"] == metric and not m["indices"]), None)
    return [value for value in found["rounds"] if value is not None] if found else []


def relative_deviation(values):
    return statistics.stdev(values) / statistics.mean(values)


class Records:
    def __init__(self):
        self.documents = list(documents())
        self.deviations = []  # (benchmark, parameters, relative deviation between processes)
        for document in self.documents:
            for case in document["cases"]:
                headline = next((m["name"] for m in case["metrics"] if m["headline"] and m["kind"] == "rate"), None)
                if headline:
                    self.note(case["benchmark"], case["parameters"], rounds_of(case, headline))
        for name, (benchmark, is_bandwidth) in PEERS.items():
            ours = json.loads((ROOT / "docs/results" / name).read_text(encoding="utf-8"))["ours"]
            for row in ours[0]:
                if is_bandwidth(row):
                    self.note(benchmark, {}, [each[row] for each in ours])

    def note(self, benchmark, parameters, values):
        if len(values) >= ROUNDS:
            self.deviations.append((benchmark, parameters, relative_deviation(values)))

    def largest(self, benchmark, parameters):
        """The largest deviation of the benchmark's cases, of those with the same sizes if there are any; None without a case."""
        sizes = {name: value for name, value in parameters.items() if quantity(value) is not None}
        own = [(recorded, deviation) for name, recorded, deviation in self.deviations if name == benchmark]
        alike = [deviation for recorded, deviation in own if all(name in recorded and same(value, recorded[name]) for name, value in sizes.items())]
        return max(alike or [deviation for _, deviation in own], default=None)

    def alike(self, benchmark, parameters, conditions):
        """The recorded cases of each document that are this one on whatever device."""
        for document in self.documents:
            yield [case for case in document["cases"] if case["benchmark"] == benchmark and case["outcome"] == "passed" and case["backend"] == "cuda"
                   and all(name in case["parameters"] and same(value, case["parameters"][name]) for name, value in parameters.items())
                   and set(case["parameters"]) <= set(case["defaults"]) | set(parameters)
                   and all(value == conditions.get(name, "default") for name, value in case["conditions"].items() if name != "seed")]


def peak_of(records, benchmark, metric, dtype):
    """The cited peak as the table has it today; which one the benchmark refers to, a record knows."""
    table = next(d for d in yaml.safe_load((SUITES / "devices/nvidia.yaml").read_text(encoding="utf-8"))["devices"] if d["name"] == TABLE)
    for document in records.documents:
        for case in document["cases"]:
            for found in case["metrics"]:
                if case["benchmark"] == benchmark and found["name"] == metric and found["peak"]:
                    peak = table["peaks"][found["peak"]["name"]]
                    return quantity(peak[dtype] if isinstance(peak, dict) else peak)
    return None


def judge(records, benchmark, check, parameters, conditions):
    """A Row, or in words why there is none."""
    found = CHECK.fullmatch(check)
    if not found:
        return "this test does not know how to read it"
    metric, limit = found["metric"], float(found[3]) * UNITS[found[4]]
    if found["base"] not in (None, "peers"):
        peak = peak_of(records, benchmark, metric, parameters.get("dtype")) if found["base"] == "peak" else None
        if peak is None:
            return f"no record has a {found['base']} of {metric}"
        limit *= peak
    groups = [[rounds_of(case, metric) for case in cases] for cases in records.alike(benchmark, parameters, conditions)]
    if found["base"] == "peers":
        values = [value / statistics.median(of[:i] + of[i + 1:]) for cases in groups if len(cases) > FEWEST_OTHERS
                  for of in map(list, zip(*cases)) for i, value in enumerate(of)]
    else:
        values = list(itertools.chain.from_iterable(itertools.chain.from_iterable(groups)))
    if not values:
        return "no record"
    own = len(values) >= ROUNDS
    largest = records.largest(benchmark, parameters)
    if not own and largest is None:
        return f"no case of {benchmark} was recorded in {ROUNDS} processes"
    if own:
        deviation = statistics.stdev(values)
    else:
        deviation = largest * statistics.mean(values)
    higher = found["operator"] == ">="
    return Row("", limit, min(values) if higher else max(values), len(values), deviation, own), higher


def margin(row, higher):
    return (row.worst - row.limit if higher else row.limit - row.worst) / row.deviation


def cases_of(path):
    """id → (case, defaults of its file), of an included suite first."""
    suite = yaml.safe_load(path.read_text(encoding="utf-8"))
    cases = cases_of(path.parent / suite["include"]) if "include" in suite else {}
    return {**cases, **{case["id"]: (case, suite.get("defaults", {})) for case in suite["cases"]}}


def planned(build, suite, inventory):
    """id → axes of what would be measured on the recorded machine."""
    done = subprocess.run([build / "bin/assay", "run", suite, "--dry-run", "--inventory", inventory], capture_output=True, text=True)
    if done.returncode not in (0, 6):  # 6: not for this machine
        raise AssertionError(f"{suite}: {done.stdout}{done.stderr}")
    for line in done.stdout.split("\n\n")[0].splitlines():
        ident, where = line.split()[:2]
        if where.startswith("cuda:"):
            yield dict(point.split("=", 1) for point in re.findall(r"[^,\[\]]+=[^,\[\]]+", ident)), ident.split("[")[0]


def table(build):
    """(suite, case, check, axes) → what judge says, for everything that is shipped."""
    records, rows = Records(), {}
    with tempfile.TemporaryDirectory(prefix="assay-margins-") as folder:
        inventory = pathlib.Path(folder, "inventory.json")
        inventory.write_text(json.dumps({"inventory_version": 1, "backends": records.documents[0]["run"]["backends"]}), encoding="utf-8")
        for path in sorted(SUITES.glob("*.yaml")):
            cases = cases_of(path)
            if not any(case.get("expect") for case, _ in cases.values()):
                continue
            for axes, ident in planned(build, path, inventory):
                case, defaults = cases[ident]
                conditions = {**defaults.get("measure", {}), **case.get("measure", {})}
                parameters = {**case.get("with", {}), **{name: text for name, text in axes.items() if name != "device"}}
                for entry in case.get("expect", []):
                    check = entry["that"] if isinstance(entry, dict) else entry
                    where = entry.get("where", {}) if isinstance(entry, dict) else {}
                    if check.split()[0] in TELEMETRY:
                        continue
                    if all(axes.get(name) in map(str, value if isinstance(value, list) else [value]) for name, value in where.items()):
                        point = ",".join(f"{name}={text}" for name, text in axes.items() if name != "device")
                        rows[path.stem, ident, check, point] = judge(records, case["uses"].split("@")[0], check, parameters, conditions)
    return rows


class Margins(unittest.TestCase):
    BUILD = None

    def test_every_limit_is_three_deviations_from_what_was_recorded(self):
        rows = table(self.BUILD)
        self.assertGreater(len(rows), 10)
        print(f"\n{'case':48}{'limit':>12}{'recorded':>12}{'n':>4}{'deviation':>12}{'margin':>10}")
        problems, waiting = [], set()
        for (suite, case, check, point), judged in rows.items():
            name = f"{suite}: {case}[{point}]"
            if isinstance(judged, str):
                if judged == "no record" and (suite, case, check) in WITHOUT_RECORD:
                    waiting.add((suite, case, check))
                    print(f"{name:48}  {check}: no record, for {WITHOUT_RECORD[suite, case, check]}")
                else:
                    problems.append(f"{name}: {check}: {judged}")
                continue
            row, higher = judged
            print(f"{name:48}{row.limit:12.4g}{row.worst:12.4g}{row.count:4}{row.deviation:11.2g}{' ' if row.own else '*'}{margin(row, higher):7.0f} sd")
            if margin(row, higher) < DEVIATIONS:
                problems.append(f"{name}: {check}: the limit {row.limit:.4g} is {margin(row, higher):.1f} deviations of {row.deviation:.2g} from {row.worst:.4g}")
        problems += [f"{' '.join(key)}: is on record now, or no longer shipped: take it out of WITHOUT_RECORD" for key in set(WITHOUT_RECORD) - waiting]
        self.assertEqual(problems, [])

    def test_a_limit_that_is_too_near_is_seen(self):
        records = Records()
        parameters, conditions = {"m": 8192, "n": 8192, "k": 8192, "dtype": "bf16"}, {"data": "normal", "thermal": "sustained"}
        row, higher = judge(records, "gemm", "throughput >= 600 TFLOP/s", parameters, conditions)
        self.assertGreaterEqual(row.count, 4)  # of both suites
        self.assertTrue(row.own)
        self.assertGreater(margin(row, higher), DEVIATIONS)
        row, higher = judge(records, "gemm", f"throughput >= {(row.worst - 2.5 * row.deviation) / 1e12:.3f} TFLOP/s", parameters, conditions)
        self.assertLess(margin(row, higher), DEVIATIONS)
        row, higher = judge(records, "gemm", "throughput >= 70% of peak", parameters, conditions)
        self.assertLess(margin(row, higher), 0)

    def test_what_was_not_recorded_is_seen(self):
        records = Records()
        product = {"m": 8192, "n": 8192, "k": 8192, "dtype": "bf16"}
        self.assertEqual(judge(records, "gemm", "throughput >= 1 TFLOP/s", {**product, "m": 4096}, {"data": "normal", "thermal": "sustained"}), "no record")
        self.assertEqual(judge(records, "gemm", "throughput >= 1 TFLOP/s", product, {"data": "uniform", "thermal": "sustained"}), "no record")
        self.assertEqual(judge(records, "membw", "bandwidth >= 1 GB/s", {"kernel": "read", "bytes": "2GiB"}, {}), "no record")

    def test_what_varies_in_products_of_other_sizes_is_no_measure(self):
        records = Records()
        small, large = ({name: size for name in "mnk"} for size in (1024, 8192))
        self.assertGreater(records.largest("gemm", small), 2 * records.largest("gemm", large))
        self.assertEqual(records.largest("gemm", {"m": 3}), max(d for name, _, d in records.deviations if name == "gemm"))
        self.assertIsNone(records.largest("fft", {}))


if __name__ == "__main__":
    Margins.BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
