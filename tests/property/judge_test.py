#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the judge to a second one over generated suites and values, and every reporter to the result.

  judge_test.py BUILD [COUNT] [SEED]     COUNT suites from SEED on; a difference ends it, with the suite made small
"""
import concurrent.futures
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import bands
import generate
import journal
import naive
import reports
from interval import Unsure

COUNT, SEED = 400, 1
REPORTS = ("json", "markdown", "junit", "html", "ctrf", "csv")


class Judge:
    """Assay, as a build left it."""

    def __init__(self, build):
        self.program = pathlib.Path(build).resolve() / "bin/assay"
        path = pathlib.Path(build).resolve() / "lib/assay/plugins/external.assay.json"
        self.external = {"path": str(path), "manifest": json.loads(path.read_text())}
        keys = subprocess.run([self.program, "schema", "suite"], capture_output=True, text=True).stdout
        self.classes = '"observed"' in keys

    def answer(self, world):
        """The result document and the texts of its reports; or what the program said instead."""
        baseline = ""
        if world["baseline"]:
            # A baseline names what was measured by a digest of what the result says of it.
            document, texts = self.report(world, baseline)
            if document is None:
                return document, texts
            baseline = bands.text(world, journal.MODEL, bands.works_of(document))
        return self.report(world, baseline)

    def report(self, world, baseline):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "journal.jsonl"
            file.write_text("\n".join(journal.lines(world, self.external, baseline)) + "\n")
            command = [str(self.program), "report", "journal.jsonl", "--report", "console=-"]
            for name in REPORTS:
                command += ["--report", f"{name}={name}"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120,
                                  env=dict(os.environ, NO_COLOR="1", COLUMNS="200"))
            if done.returncode != 0:
                return None, {"console": "", "error": done.stderr.strip()}
            texts = {name: (pathlib.Path(folder) / name).read_text() for name in REPORTS}
            return json.loads(texts["json"]), dict(texts, console=done.stdout)


def answer_of(document):
    """The document, in the naive judge's words."""
    expectations = {(case["id"], each["text"]): each["status"]
                    for case in document["cases"] for each in case["expectations"]}
    return {"outcomes": {case["id"]: case["outcome"] for case in document["cases"]},
            "expectations": expectations,
            "groups": {each["id"]: (each["status"], each["outcome"]) for each in document["groups"]},
            "findings": {each["id"]: (each["verdict"], [row["verdict"] for row in each["rows"]])
                         for each in document["findings"]},
            "exit_code": document["verdict"]["exit_code"]}


def other_rates(document, expected):
    """Rates that were published as other numbers."""
    found = []
    for case in document["cases"]:
        for metric in case["metrics"]:
            if metric["name"] == "throughput" and case["id"] in expected and abs(metric["value"] / expected[case["id"]] - 1) > 1e-9:
                found.append(f"rates: {case['id']}: expected {expected[case['id']]}, Assay says {metric['value']} ({metric['statistic']})")
    return found


def unsaid_intervals(document):
    """Metrics without an interval that do not say why."""
    return [f"{case['id']}: '{metric['name']}' has no interval and does not say why" for case in document["cases"]
            for metric in case["metrics"] if metric["interval"] is None and not (metric.get("no_interval") or {}).get("code")]


def differences(judge, world, expected):
    document, texts = judge.answer(world)
    if document is None:
        return ["Assay refuses the suite: " + texts["error"]]
    actual, found = answer_of(document), other_rates(document, expected["rates"])
    for key, own in expected.items():
        if key == "rates":
            continue
        if own == actual[key]:
            continue
        if not isinstance(own, dict):
            found.append(f"{key}: expected {own}, Assay says {actual[key]}")
            continue
        for each in sorted(set(own) | set(actual[key]), key=str):
            if own.get(each) != actual[key].get(each):
                name = " | ".join(each) if isinstance(each, tuple) else each
                found.append(f"{key}: {name}: expected {own.get(each)}, Assay says {actual[key].get(each)}")
    return found + unsaid_intervals(document) + reports.differences(document, texts)


def smaller(world):
    """The world with one thing less, in all ways."""
    if world["baseline"]:
        yield dict(world, baseline=None)
    for key in ("findings", "derive"):
        for i in range(len(world[key])):
            yield dict(world, **{key: world[key][:i] + world[key][i + 1:]})
    for i, case in enumerate(world["cases"]):
        if len(world["cases"]) > 1:
            rest = world["cases"][:i] + world["cases"][i + 1:]
            yield dict(world, cases=rest, findings=[f for f in world["findings"] if f["id"] != "f" + case["id"]],
                       visits={row: v for row, v in world["visits"].items() if row.split("[")[0] != case["id"]})
        for j in range(len(case["expect"])):
            less = dict(case, expect=case["expect"][:j] + case["expect"][j + 1:])
            yield dict(world, cases=world["cases"][:i] + [less] + world["cases"][i + 1:])
        for key in ("exclude", "axes"):
            if case[key] and not case["exclude"]:
                yield from _fewer_points(world, i)
                break


def _fewer_points(world, i):
    """One value less of one axis."""
    case = world["cases"][i]
    for a, (axis, texts) in enumerate(case["axes"]):
        for text in texts[1:] if len(texts) > 1 and axis != "device" else []:  # the machine has them all
            rest = case["axes"][:a] + [(axis, [t for t in texts if t != text])] + case["axes"][a + 1:]
            yield dict(world, cases=world["cases"][:i] + [dict(case, axes=rest)] + world["cases"][i + 1:])


def shrink(judge, world, found):
    """The smallest world that still differs, taking out one thing after another."""
    while True:
        for less in smaller(world):
            less = copy.deepcopy(less)
            try:
                differs = differences(judge, less, naive.judge(less))
            except (KeyError, StopIteration, Unsure):
                continue
            if differs and differs[0].split(":")[0] == found[0].split(":")[0]:
                world, found = less, differs
                break
        else:
            return world, found


def one(judge, seed):
    world, expected = generate.world(seed, judge.classes)
    found = differences(judge, world, expected)
    return (seed, world, found) if found else None


def tell(judge, seed, world, found):
    world, found = shrink(judge, world, found)
    print(f"seed {seed}:", *found, sep="\n  ")
    print(journal.suite(world))
    for row, visits in world["visits"].items():
        for visit in visits:
            print(row, "round", visit["round"], visit["outcome"], json.dumps(visit["ranks"])[:2000])


def main(arguments):
    judge = Judge(arguments[0])
    count = int(arguments[1]) if len(arguments) > 1 else COUNT
    start = int(arguments[2]) if len(arguments) > 2 else SEED
    differ = []
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        for result in pool.map(one, [judge] * count, range(start, start + count), chunksize=8):
            if result:
                differ.append(result)
    for result in differ[:3]:
        tell(judge, *result)
    seeds = ": seeds " + " ".join(str(result[0]) for result in differ[:40]) if differ else ""
    print(f"{count} suites, {len(differ)} differ{seeds}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
