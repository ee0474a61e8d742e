# SPDX-License-Identifier: Apache-2.0
"""No honest case is refused: recorded series on simulated machines that are busy, and real visits beside programs that spin, of benchmarks
that are as short as they can be and of the suites that come with Assay."""

import json
import os
import random
import re
import subprocess

from common import SOURCE, Budget, Place, check, spinning

SIMULATED = 11_120     # of each series, for each kind of work and of machine
SPINNING = 4
VISITS = 10_000
BATCH = 320
SHIPPED_ROUNDS = 5     # of every case of the shipped suites
VISIT = "50ms"
SHARE = 1 / 10_000     # of visits that may be refused

# Short and long iterations, with a result that is verified and inputs that change; nothing at all; threads that have to be woken. Each visit is
# as short as it can be, and all of a batch share a few workers.
CASES = """version: 1
suite: honest
cases:
  - {id: plain, uses: liar@host, matrix: {elements: [%s]}, measure: {max_time: 50ms, samples: 20, warmup: 0}}
  - {id: nothing, uses: "null@host", matrix: {seed: [%s]}, measure: {max_time: 50ms, samples: 20, warmup: 0}}
  - {id: memory, uses: membw@host, matrix: {bytes: [%s]}, measure: {max_time: 50ms, samples: 20, warmup: 0}}
"""


def suite(count):
    """So many visits, and hardly two of them alike."""
    elements = [round(64 * 1.05 ** i) + i for i in range(count // 2)]
    sizes = [128 * (100 + 7 * i) for i in range(count // 4)]
    return CASES % tuple(", ".join(map(str, values)) for values in (elements, range(1, count // 4 + 1), sizes))


def refused(document):
    """The cases of which a visit was refused, with the reason, and how many visits there were."""
    cases = document["cases"]
    bad = [(case["id"], case["reason"]["code"], case["reason"]["text"]) for case in cases
           if any(visit["outcome"] not in ("passed", "skipped") for visit in case["visits"])]
    return bad, sum(visit["outcome"] != "skipped" for case in cases for visit in case["visits"])


def shipped():
    """The cases of all suites for processors: (suite, id)."""
    found = []
    for path in sorted((SOURCE / "suites").glob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        if re.search(r"^requires: \{backend: host", text, re.MULTILINE):
            cases = text[text.index("\ncases:"):].split("\nfindings:")[0]
            found += [(path, case) for case in re.findall(r"^  - id: (\S+)$", cases, re.MULTILINE)]
    return found


def run_shipped(place, budget, rounds, seed):
    """Short visits of shipped cases, in an order of chance; gives what was refused, and how many visits and cases there were."""
    wrong, visits, measured = [], 0, set()
    order = shipped() * rounds
    check(order, "no shipped suite is for processors")
    random.Random(seed).shuffle(order)
    for i, (path, case) in enumerate(order):
        if not budget.left():
            break
        output = f"shipped-{i}"
        done = place.assay("run", path, "--filter", f"^{re.escape(case)}(\\[|$)", "--quick", "--set", f"{case}.measure.max_time={VISIT}", "-q",
                           "--seed", seed + i, "-o", output, "--report", "json", timeout=600)
        check((place.folder / output / "result.json").exists(), f"no result of {case} in {path.name}: {done.err[-2000:]}")
        bad, count = refused(json.loads((place.folder / output / "result.json").read_text(encoding="utf-8")))
        wrong, visits = wrong + bad, visits + count
        measured |= {(path, case)} if count else set()
    return wrong, visits, len(measured)


def run(build, seconds=None, seed=1):
    budget, lines = Budget(seconds), []
    each = SIMULATED if seconds is None else SIMULATED // 10
    simulated = subprocess.run([f"{build}/bin/assay_measure_test", "--gtest_filter=Honest.*"], capture_output=True, text=True, check=False,
                               env={**os.environ, "ASSAY_HONEST_VISITS": str(each)})
    found = re.findall(r"refused (\d+) of (\d+) visits", simulated.stdout)
    check(simulated.returncode == 0 and found, simulated.stdout[-4000:])
    lines.append(f"simulated, {len(found)} kinds of work and machine: refused {sum(int(n) for n, _ in found)} of {sum(int(n) for _, n in found)} visits")
    visits, wrong = 0, []
    with Place(build) as place, spinning(SPINNING):
        part = Budget(None if seconds is None else seconds / 4)
        of_suites, count, cases = run_shipped(place, part, SHIPPED_ROUNDS if seconds is None else 1, seed)
        lines.append(f"{cases} cases of shipped suites, beside {SPINNING} programs that spin: refused {len(of_suites)} of {count} visits")
        lines += [f"  {name}: {code}: {text}" for name, code, text in of_suites[:10]]
        check(not of_suites, "\n".join(lines))
        batch = 0
        while not batch or (visits < VISITS and budget.left()):
            place.write("suite.yaml", suite(BATCH if seconds is None else BATCH // 4))
            output = f"out-{batch}"
            done = place.assay("run", "suite.yaml", "--plugin", f"{build}/tests/liar/assay_liar.so", "--plugin-dir", f"{build}/tests/plugins", "-q",
                               "--seed", seed + batch, "-o", output, "--report", "json", timeout=1200)
            check((place.folder / output / "result.json").exists(), f"no result: {done.err[-2000:]}")
            bad, count = refused(json.loads((place.folder / output / "result.json").read_text(encoding="utf-8")))
            wrong, visits, batch = wrong + bad, visits + count, batch + 1
    lines.append(f"real, beside {SPINNING} programs that spin: refused {len(wrong)} of {visits} visits")
    lines += [f"  {name}: {code}: {text}" for name, code, text in wrong[:10]]
    check(len(wrong) <= SHARE * visits, "\n".join(lines))
    return lines
