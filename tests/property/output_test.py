#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds what Assay reads of a command's output to a second reader: numbers, or an error where one is missing. Reports show
each array.

  output_test.py BUILD [COUNT] [SEED]     COUNT suites of CASES commands each, from SEED on
"""
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

COUNT, SEED, CASES = 10, 1, 20


class Missing(Exception):
    pass


def draw(random_):
    """A command's output, and how a suite reads the value `v` of it."""
    take = random_.choice(["only", "only", "first", "last", "all"])
    lines = 1 if take == "only" and random_.random() < 0.9 else random_.randint(1, 5)
    array = take == "only" and random_.random() < 0.5
    text = []
    for number in range(lines):
        if random_.random() < 0.3:
            text.append(random_.choice(["step %d of 9" % number, "", "[info] warm", "# v 3"]))
        text.append(json.dumps({"step": number, "v": _value(random_, array)}))
    damage = random_.choice([None] * 4 + ["torn", "text", "other"])
    if damage == "torn":
        text[-1] = text[-1][:random_.randint(1, len(text[-1]) - 1)]
    elif damage == "text":
        text.insert(random_.randrange(len(text) + 1), "{broken")
    elif damage == "other":
        text[-1] = json.dumps({"step": 1})
    return {"text": "\n".join(text) + random_.choice(["", "\n"]), "take": take}


def _value(random_, array):
    if not array:
        return random_.choice([random_.randint(-3, 9), round(random_.uniform(0, 9), 3)] * 6 +
                              [math.nan, math.inf, None])
    values = [random_.randint(0, 9) for _ in range(random_.randint(1, 4))]
    if random_.random() < 0.25:
        values[random_.randrange(len(values))] = random_.choice([None, "N/A", math.nan])
    return values


def strict(line):
    """JSON as its standard has it: no NaN, no Infinity."""
    def refuse(constant):
        raise ValueError(constant)
    return json.loads(line, parse_constant=refuse)


def read(output):
    """{indices: [values]} of one run of the command."""
    found = []
    for line in output["text"].split("\n"):
        if not line.startswith("{"):
            continue  # a log, not JSON
        try:
            document = strict(line)
        except ValueError as why:
            raise Missing("a line that is meant as JSON and is none") from why
        if "v" in document:
            found.append(document["v"])
    values = {}
    for each in found:
        for index, number in enumerate(each) if isinstance(each, list) else [((), each)]:
            if not isinstance(number, (int, float)):
                raise Missing("an entry is not a number")
            values.setdefault(index if index == () else (index,), []).append(float(number))
    if not values or (output["take"] == "only" and any(len(each) > 1 for each in values.values())):
        raise Missing("no value, or several")
    chosen = {"first": slice(0, 1), "last": slice(-1, None)}.get(output["take"], slice(None))
    return {index: each[chosen] for index, each in values.items()}


def suite(outputs):
    cases = []
    for number, output in enumerate(outputs):
        metric = {"json": "/v"}
        if output["take"] != "only":
            metric["take"] = output["take"]
        cases.append({"id": "c%d" % number, "uses": "external", "command": ["cat", "c%d" % number],
                      "metrics": {"v": metric}, "measure": {"samples": 1, "warmup": 0}})
    return json.dumps({"version": 1, "suite": "output", "requires": {"backend": "host"}, "cases": cases})


def run(program, outputs):
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "s.yaml").write_text(suite(outputs))
        for number, output in enumerate(outputs):
            (place / ("c%d" % number)).write_text(output["text"])
        done = subprocess.run([program, "run", "s.yaml", "-o", "out", "--report", "markdown"], cwd=folder, capture_output=True, text=True,
                              timeout=120, env=dict(os.environ, XDG_RUNTIME_DIR=folder))
        if not (place / "out/result.json").exists():
            raise SystemExit("Assay gave no result: " + done.stderr)
        cases = json.loads((place / "out/result.json").read_text())["cases"]
        for found in unshown_arrays(cases, done.stdout, (place / "out/report.md").read_text()):
            raise SystemExit(found)
        return cases


def unshown_arrays(cases, console, markdown):
    """Reports that leave out an array of a case."""
    lengths = [sum(metric["name"] == "v" and metric["indices"] != [] for metric in case["metrics"]) for case in cases]
    for length in sorted(set(lengths) - {0}):
        shown = len(re.findall(r"^ +v, %d values?: " % length, console, re.MULTILINE))
        if shown != lengths.count(length):
            yield f"the console shows {shown} of {lengths.count(length)} arrays of {length}:\n{console}"
    tables = markdown.count("Values by index")
    if tables != len(lengths) - lengths.count(0):
        yield f"Markdown shows {tables} of {len(lengths) - lengths.count(0)} arrays"


def difference(output, case):
    """In words, or None."""
    try:
        expected = read(output)
    except Missing as why:
        return None if case["outcome"] == "error" else f"{case['outcome']}, and expected an error: {why}"
    if case["outcome"] != "passed":
        return f"{case['outcome']} ({case['reason']['text']}), and expected {expected}"
    shown = {tuple(each["indices"]): each for each in case["metrics"] if each["name"] == "v"}
    if set(shown) != set(expected):
        return f"the indices {sorted(shown)}, and expected {sorted(expected)}"
    for index, values in expected.items():
        wanted = {"value": max(values), "n": len(values), "minimum": min(values), "maximum": max(values)}
        actual = dict(shown[index], **shown[index]["spread"])
        for key, number in wanted.items():
            if not math.isclose(actual[key], number, rel_tol=1e-12, abs_tol=1e-12):
                return f"{key} {actual[key]} at {index}, and expected {number}"
    return None


def main(arguments):
    program = str(pathlib.Path(arguments[0]).resolve() / "bin/assay")
    count = int(arguments[1]) if len(arguments) > 1 else COUNT
    start = int(arguments[2]) if len(arguments) > 2 else SEED
    differ = 0
    for seed in range(start, start + count):
        random_ = random.Random(seed)
        outputs = [draw(random_) for _ in range(CASES)]
        for output, case in zip(outputs, run(program, outputs)):
            found = difference(output, case)
            if found:
                differ += 1
                print(f"seed {seed}, take {output['take']}: Assay says {found}\n{output['text']}")
    print(f"{count * CASES} outputs, {differ} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
