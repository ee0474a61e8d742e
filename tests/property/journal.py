# SPDX-License-Identifier: Apache-2.0
"""A world as Assay reads it: a suite, and the journal of a run of it that never took place."""
import hashlib
import json

import expression

MODEL, PEAK = "Thought machine", "thought"
# What the machine's backend declares to read: kind, unit, and what more than zero means.
TELEMETRY = {"power": ("gauge", "W", "normal"), "energy": ("counter", "J", "normal"), "broken": ("counter", "1", "fail")}
_METRIC = {"unit": "1", "direction": "none", "kind": "value", "headline": False, "counting": "", "flow": "",
           "mechanism": "", "peak": "", "dimensions": 0, "summary": "made up"}


def manifest(metrics):
    """A benchmark with the metrics that a world's cases record, and the commands' own."""
    declared = []
    for name, each in metrics.items():
        declared.append(dict(_METRIC, name=name, unit=each["unit"] or "1", direction=each["direction"],
                             kind=each["kind"], headline=each["source"] == "work",
                             peak=PEAK if each["source"] == "work" else "", flow=each.get("flow", ""), dimensions=each["dimensions"]))
    common = {"manifest_version": 1, "version": "1.0.0", "vendor": "", "license": "", "needs": [], "backend": "host",
              "provides_backend": "", "reporters": [], "library": "none.so",
              "abi": {"major": 1, "built_minor": 0, "needs_minor": 0, "preview": True}}
    text = {"type": "text", "help": "an axis"}
    return dict(common, id="org.example.thought", summary="numbers that nobody measured", benchmarks=[{
        "name": "thought", "implements": "", "revision": 1, "summary": "numbers", "doc": "",
        "parameters": [dict(text, name="size", default="1"), dict(text, name="kind", default="a")],
        "metrics": declared, "facts": [{"name": "mode", "summary": "a fact"}], "checks": ["sane"], "conditions": {},
        "ranks": {"minimum": 1, "maximum": 0}, "devices": {"minimum": 1, "maximum": 1}}])


def peaks(world):
    return [{"name": "thought", "source": "made up", "match": {"model": MODEL},
             "peaks": {PEAK: {"value": world["peak"], "unit": "items/s"}}}] if world["peak"] else []


def _where(entry):
    that = expression.write(entry["that"])
    written = {"that": that}
    if entry["where"]:
        written["where"] = {axis: texts[0] if len(texts) == 1 else texts for axis, texts in entry["where"].items()}
    if entry.get("alone"):
        written["alone"] = "skip"
    return written if len(written) > 1 else that


def _case(case):
    written = {"id": case["id"], "uses": "external" if case["printed"] else "thought", "processes": case["rounds"]}
    axes = [(name, texts) for name, texts in case["axes"] if name != "device"]
    if len(axes) < len(case["axes"]):
        written["devices"] = "each"
    if axes:
        written["matrix"] = {name: list(texts) for name, texts in axes}
        if case["exclude"]:
            written["matrix"]["exclude"] = [{a: t if len(t) > 1 else t[0] for a, t in out.items()}
                                            for out in case["exclude"]]
    # What the suite asks of a command is rounds; in a quick run one of them has several executions, and so have these.
    written["measure"] = {"samples": 1 if case["printed"] else case["samples"]}
    if case["throttle"]:
        written["measure"]["throttle"] = "fail"
    if case["printed"]:
        written["command"] = ["true"] + ["{" + name + "}" for name, _ in axes]
        written["metrics"] = {}
        for name, each in case["metrics"].items():
            metric = {"json": "/" + name, "direction": each["direction"]}
            if each["written_unit"]:
                metric["unit"] = each["written_unit"]
            if each.get("as"):
                metric["as"] = each["as"]
            written["metrics"][name] = metric
    elif case["ranks"] > 1:
        written["ranks"] = case["ranks"]
    if case["reference"]:
        written["reference"] = case["reference"]
    if case["expect"]:
        written["expect"] = [_where(entry) for entry in case["expect"]]
    return written


def suite(world):
    written = {"version": 1, "suite": "property", "requires": {"backend": "host"},
               "cases": [_case(case) for case in world["cases"]]}
    if world["derive"]:
        written["derive"] = {name: expression.write(tree) for name, tree in world["derive"]}
    findings = []
    for each in world["findings"]:
        finding = {"id": each["id"], "question": "Is it so?", "claim": expression.write(each["claim"]),
                   "let": {name: expression.write(tree) for name, tree in each["let"]},
                   "over": "%g%%" % (100 * each["over"])}
        if each["assert"]:
            finding["assert"] = "confirmed"
        if each["for"]:
            finding["for"] = each["for"]
        findings.append(finding)
    if findings:
        written["findings"] = findings
    return json.dumps(written, indent=1)


def backend():
    """The manifest of the plugin that provides the backend: it declares what is read of its devices."""
    return {"manifest_version": 1, "id": "org.assay.host", "version": "1.0.0", "backend": "", "provides_backend": "host",
            "library": "host.so", "abi": {"major": 1, "built_minor": 1, "needs_minor": 1, "preview": True}, "benchmarks": [],
            "reporters": [], "reasons": [],
            "telemetry": [{"name": name, "unit": unit, "kind": kind, "above_zero": above}
                          for name, (kind, unit, above) in TELEMETRY.items()]}


def _visit(row, visit, start):
    ranks, step = [], 0.5
    for number, rank in enumerate(visit["ranks"]):
        seconds = rank["samples"]
        ranks.append({
            "rank": number, "devices": [visit["device"]],
            "series": {"iterations": visit["iterations"], "device_s": seconds, "host_s": seconds,
                       "begin_s": [step * i for i in range(len(seconds))], "laps_s": []},
            "values": [{"metric": name, "indices": list(indices), "value": value}
                       for name, indices, value in rank["values"]],
            "facts": rank["facts"], "spans": [], "log": "",
            "checks": [{"name": name, "subject": "", "passed": passed, "text": ""} for name, passed in rank["checks"]],
            "verifications": [{"phase": "last", "method": "made up", "exact": True, "checked": rank["checked"],
                               "wrong": rank["wrong"], "largest_error": 0.0, "tolerance": 0.0}]})
    bad = visit["outcome"] != "passed"
    reason = {"code": {"skipped": "case.skipped", "crashed": "worker.signal", "timeout": "timeout",
                       "failed": "external.exit"}.get(visit["outcome"], "plugin.error"),
              "text": "made up", "domain": "", "number": 0, "phase": "sample", "rank": -1, "device": "",
              "parameter": ""}
    return {"type": "visit", "visit": {
        "case": row, "round": visit["round"], "attempt": visit["attempt"], "outcome": visit["outcome"],
        "reason": reason if bad else None, "started_at_s": start, "duration_s": 30.0,
        "measurement": {"clock": "host", "tick_s": 1e-12, "calibrated_n": visit["iterations"], "warmup_iterations": 1,
                        "warmup_s": 0.1, "stop": "samples", "done": 0, "launches_per_iteration": 0, "flags": [],
                        "n_ratio": 0.0, "judged": True,
                        **({"once_s": [visit["pairs"][0]] * 8, "twice_s": [visit["pairs"][1]] * 8} if visit["pairs"] else {}), "first_sample_at_s": start + 10},
        "work": visit["work"], "ranks": ranks,
        "telemetry": [[start + (10.0 if during else 1.0), device, name, value]
                      for name, device, value, during in visit["telemetry"]],
        "throttle": [], "notes": [],
        **({"telemetry_problem": "made up"} if visit["telemetry_failed"] else {})}}


def _sealed(line):
    """The line with the sum of all that stands before it."""
    begin = json.dumps(line)[:-1]
    return begin + ',"sha256":"' + hashlib.sha256(begin.encode()).hexdigest() + '"}'


def lines(world, external, baseline):
    """The journal; `external` is the manifest of the plugin that runs commands, with its path, `baseline` the text of one or ""."""
    devices = [{"name": "host:%d" % i, "uuid": "", "model": MODEL, "numa_node": -1, "facts": {}, "lacks": world["lacks"]}
               for i in range(world["devices"])]
    header = {
        "type": "header", "journal": 2, "run_id": "property", "started_at_s": 1000.0,
        "tool": {"name": "assay", "version": "0.1.0", "commit": "property"}, "command": ["assay", "run", "p.yaml"],
        "suite_file": "p.yaml", "suite_text": suite(world), "includes": [], "overrides": [],
        "options": {"filters": [], "seed": 1, "quick": False, "strict": world["strict"], "isolation": "worker",
                    "wrap": "", "doctor": "", "missing_libraries": {}, "libraries": [],
                    **({"baseline": {"file": "baseline.yaml", "text": baseline}} if baseline else {})},
        "inventory": {"inventory_version": 1, "backends": [{"name": "host", "plugin": "org.assay.host", "facts": {},
                                                            "unavailable": None, "devices": devices}],
                      "topology": {"cpus": "0", "inherited_cpus": "0", "inherited_memory_nodes": "", "cores": 1,
                                   "threads": 1, "sockets": 1,
                                   "nodes": [{"node": 0, "cpus": "0", "memory_bytes": 1, "distances": {}}]}},
        "system": {"hostname": "nowhere", "os": "none", "kernel": "0", "architecture": "x86_64", "cpu": MODEL,
                   "cores": 1, "threads": 1, "sockets": 1, "memory_bytes": 1, "numa_nodes": [], "container": None,
                   "governor": None, "virtualization": None},
        "environment": {}, "contracts": [], "peaks": peaks(world), "plan_hash": "property",
        "manifests": [external, {"path": "/machine.assay.json", "manifest": backend()}, {"path": "/thought.assay.json", "manifest": manifest(world["recorded"])}]}
    visits = [_visit(row, visit, 1000.0 + 100 * visit["round"])
              for row, all_visits in world["visits"].items() for visit in all_visits]
    end = {"type": "end", "finished_at_s": 2000.0, "duration_s": 1000.0, "interrupted_by": world["interrupted_by"]}
    looks = [{"type": "extended", "at_s": 1500.0, "command": ["assay"], "plan_hash": "property",
              "rounds": {row: case["rounds"] for row in world["visits"] if row.split("[")[0] == case["id"]}}
             for case in world["cases"] for _ in range(case["looks"])]
    return [_sealed(each) for each in [header] + visits + looks + [end]]
