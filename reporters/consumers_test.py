#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The approved reports, read by what they are made for. 'consumers_test.py SOURCES FORMAT' prints 'N passed, N failed'; 77: its reader is not here.

Readers that are packages (Google Benchmark's compare.py, prometheus_client) are installed by './dev test'; promtool is asked, too, where it is installed. Services
that have none are held to the rules that they publish, written down here.
"""

import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT, FORMAT = pathlib.Path(sys.argv[1]), sys.argv[2]
GOLDEN = ROOT / "tests/golden/reporters"
DOCUMENTS = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "tests/golden/documents").glob("*.json"))}
COMPARE = pathlib.Path("/usr/share/benchmark/compare.py")
passed, problems = 0, []


def expect(condition, what):
    global passed
    if condition:
        passed += 1
    else:
        problems.append(what)


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def report(name, suffix):
    return GOLDEN / f"{name}.{suffix}"


def check_csv():
    """As Python's csv reads it: nothing of the document is lost, nothing is a formula."""
    for name, document in DOCUMENTS.items():
        with open(report(name, "csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file, strict=True))
        expect(len(rows) == sum(max(1, len(case["metrics"])) for case in document["cases"]), f"{name}: one row per case and metric")
        expect(all(None not in row and None not in row.values() for row in rows), f"{name}: every row has every column")
        metrics = [(case, metric) for case in document["cases"] for metric in case["metrics"] or [None]]
        for row, (case, metric) in zip(rows, metrics):
            expect(row["outcome"] == case["outcome"], f"{name}: outcome of {case['id']}")
            if metric is None:
                continue
            interval = metric.get("interval")
            # A hostile document has intervals that no reporter shows.
            if interval and interval["low"] is not None and interval["high"] is not None and interval["low"] <= interval["high"]:
                expect([float(row[key]) for key in ("low", "high", "level")] == [interval[key] for key in ("low", "high", "level")],
                       f"{name}: interval of {case['id']}")
            if metric.get("value") is not None:
                expect(float(row["value"]) == metric["value"], f"{name}: value of {case['id']}")
        numbers = {"value", "low", "high", "level", "rounds", "samples", "change", "change_low", "change_high", "of_peak"}
        texts = [row[key] for row in rows for key in row if key not in numbers]
        expect(not any(text[:1] in "=+-@\t" for text in texts if text), f"{name}: a formula")


def check_gbench():
    """As compare.py of Google Benchmark compares two files."""
    if not COMPARE.exists():
        skip(f"{COMPARE} is not installed (package libbenchmark-tools)")
    if subprocess.run([sys.executable, "-c", "import scipy"], capture_output=True).returncode != 0:
        skip("compare.py needs python3-scipy")
    for name, document in DOCUMENTS.items():
        ours = json.loads(report(name, "gbench.json").read_text(encoding="utf-8"))
        entries = ours["benchmarks"]
        errors = [one for one in entries if one.get("error_occurred")]
        timed = [one for one in entries if "real_time" in one]
        expect(len(errors) + len(timed) == len(entries), f"{name}: an entry is timed or says why not")
        expect(len({one["run_name"] for one in entries}) <= len(document["cases"]), f"{name}: a name a case")
        if not timed:
            continue
        with tempfile.TemporaryDirectory() as folder:
            # Twice as slow: compare.py must say +100 % of each.
            slower = json.loads(json.dumps(ours))
            for one in slower["benchmarks"]:
                for key in ("real_time", "cpu_time"):
                    if key in one:
                        one[key] *= 2
            other, dumped = pathlib.Path(folder) / "other.json", pathlib.Path(folder) / "difference.json"
            other.write_text(json.dumps(slower), encoding="utf-8")
            done = subprocess.run([sys.executable, str(COMPARE), "--no-color", "-d", str(dumped), "benchmarks", str(report(name, "gbench.json")), str(other)],
                                  capture_output=True, text=True)
            expect(done.returncode == 0, f"{name}: compare.py: {done.stderr[-400:]}")
            if done.returncode != 0:
                continue
            difference = json.loads(dumped.read_text())
            changes = [one["time"] for row in difference for one in row["measurements"]]
            expect(changes and all(abs(change - 1) < 1e-9 for change in changes), f"{name}: twice the time is +100 %")
            expect({row["name"] for row in difference} >= {one["name"] for one in timed}, f"{name}: every case is compared")


def check_bench_history():
    """github-action-benchmark takes an array of {name, unit, value, range?, extra?}, refuses an empty one, and has one direction a file; Bencher an object of
    objects of {value, lower_value?, upper_value?}, with the value between them."""
    for name, document in DOCUMENTS.items():
        text = report(name, "history.txt").read_text(encoding="utf-8")
        mode = document["run"]["mode"]
        if mode.get("quick") or mode.get("wrap") or mode.get("simulated"):
            expect(text.startswith("refused: "), f"{name}: no baseline")
            continue
        parts = re.split(r"^== (\S+)\n", text, flags=re.MULTILINE)
        for benchmark, measures in json.loads(parts[0]).items():
            expect(benchmark.strip() and isinstance(measures, dict) and measures, f"{name}: {benchmark}")
            for measure in measures.values():
                expect(set(measure) <= {"value", "lower_value", "upper_value"} and isinstance(measure["value"], (int, float)), f"{name}: {benchmark}")
        directions = {(metric["name"], metric["direction"]) for case in document["cases"] for metric in case["metrics"]}
        for file, body in zip(parts[1::2], parts[2::2]):
            entries = json.loads(body)
            expect(isinstance(entries, list) and entries, f"{name}: {file} is empty")
            expect(len({one["name"] for one in entries}) == len(entries), f"{name}: {file}: a name twice")
            for one in entries:
                expect({"name", "unit", "value"} <= set(one) <= {"name", "unit", "value", "range", "extra"}, f"{name}: {file}: keys")
                expect(isinstance(one["value"], (int, float)) and all(isinstance(one[key], str) for key in one if key != "value"), f"{name}: {file}: types")
                way = "higher" if "bigger" in file else "lower"
                expect(name == "hostile" or any(one["name"].endswith(" " + metric) and direction == way for metric, direction in directions),
                       f"{name}: {file}: {one['name']} is no '{way} is better'")


STATUSES = {"passed", "failed", "skipped", "pending", "other"}
TEST_KEYS = {"name": str, "status": str, "duration": int, "suite": list, "message": str, "trace": str, "line": int, "rawStatus": str, "tags": list, "type": str,
             "filePath": str, "retries": int, "flaky": bool, "stdout": list, "device": str, "parameters": dict, "extra": dict}
SUMMARY_KEYS = {"tests", "passed", "failed", "skipped", "pending", "other", "start", "stop"}


def check_ctrf():
    """The rules of ctrf.io: which keys there are, of what type, what must be there, and that the counts are those of the tests."""
    for name, document in DOCUMENTS.items():
        ours = json.loads(report(name, "ctrf.json").read_text(encoding="utf-8"))
        expect(set(ours) <= {"reportFormat", "specVersion", "reportId", "timestamp", "generatedBy", "extra", "results"}, f"{name}: keys")
        expect(ours["reportFormat"] == "CTRF" and re.fullmatch(r"\d+\.\d+\.\d+", ours["specVersion"]), f"{name}: format and version")
        results = ours["results"]
        expect(set(results) <= {"tool", "summary", "tests", "environment", "extra"} and results["tool"]["name"], f"{name}: results")
        summary, tests = results["summary"], results["tests"]
        expect(SUMMARY_KEYS <= set(summary) <= SUMMARY_KEYS | {"flaky", "suites", "duration", "extra"}, f"{name}: summary")
        expect(all(type(summary[key]) is int for key in summary), f"{name}: whole numbers")
        expect(summary["tests"] == len(tests) == sum(summary[status] for status in STATUSES), f"{name}: counts")
        expect(all(summary[status] == sum(test["status"] == status for test in tests) for status in STATUSES), f"{name}: counts by status")
        for test in tests:
            wrong = [key for key, value in test.items() if key not in TEST_KEYS or type(value) is not TEST_KEYS[key]]
            expect(not wrong, f"{name}: {test['name']}: {wrong}")
            expect(test["name"] and test["status"] in STATUSES and {"duration"} <= set(test), f"{name}: {test['name']}")
            expect(all(isinstance(line, str) for key in ("suite", "tags", "stdout") for line in test.get(key, [])), f"{name}: {test['name']}: texts")
        expect(document["verdict"]["outcome"] == "passed" or summary["failed"] > 0, f"{name}: green by accident")


def check_prometheus():
    """As prometheus_client parses it, which is what Prometheus takes; and as promtool lints it, where that is installed."""
    try:
        from prometheus_client.parser import text_string_to_metric_families
    except ImportError:
        skip("python3-prometheus-client is not installed")
    promtool = shutil.which("promtool")
    for name, document in DOCUMENTS.items():
        text = report(name, "prom").read_text(encoding="utf-8")
        families = list(text_string_to_metric_families(text))
        samples = [(sample.name, tuple(sorted(sample.labels.items()))) for family in families for sample in family.samples]
        expect(len(set(samples)) == len(samples), f"{name}: a series twice")
        expect(all(family.type == "gauge" and family.documentation for family in families), f"{name}: help and type")
        expect(all(sample.timestamp is None for family in families for sample in family.samples), f"{name}: node_exporter refuses time stamps")
        cases = [sample for family in families if family.name == "assay_case_passed" for sample in family.samples]
        expect(len(cases) == sum(case["outcome"] != "skipped" for case in document["cases"]), f"{name}: outcomes")
        values = [sample.value for family in families if re.fullmatch(r"assay_metric_(?!low_|high_).*", family.name) for sample in family.samples]
        expect(len(values) == sum(metric.get("value") is not None for case in document["cases"] for metric in case["metrics"]), f"{name}: values")
        if promtool:
            done = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, text=True)
            expect(done.returncode == 0, f"{name}: promtool: {done.stderr[-600:]}")


globals()[f"check_{FORMAT}"]()
for problem in problems:
    print("FAILED: " + problem)
print(f"{passed} passed, {len(problems)} failed")
sys.exit(1 if problems else 0)
