# SPDX-License-Identifier: Apache-2.0
"""What the comparisons with other tools share: pairs of fresh processes in turn, A B B A, and ratios with intervals.

Nothing of another tool is in the repository: its program is built elsewhere and named on the command line.
"""

import argparse
import functools
import json
import math
import pathlib
import subprocess
import sys
import tempfile


@functools.lru_cache
def t_quantile(freedom, probability=0.975):
    """Of Student's t, by bisection over Simpson's rule: needs no library and is right to six digits."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)

    def below(x, steps=2000):
        density = [scale * (1 + (x * i / steps) ** 2 / freedom) ** (-(freedom + 1) / 2) for i in range(steps + 1)]
        inner = 4 * sum(density[1:-1:2]) + 2 * sum(density[2:-1:2])
        return 0.5 + x / steps / 3 * (density[0] + inner + density[-1])

    low, high = 0.0, 700.0 if freedom == 1 else 40.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < probability else (low, middle)
    return (low + high) / 2


def ratio(ours, theirs, higher_is_better=True):
    """(ratio, low, high) of the geometric mean over pairs, 95 %; above 1 where ours is better."""
    sign = 1 if higher_is_better else -1
    logs = [sign * math.log(a / b) for a, b in zip(ours, theirs)]
    mean = sum(logs) / len(logs)
    if len(logs) < 2:
        return math.exp(mean), 0.0, math.inf
    deviation = math.sqrt(sum((x - mean) ** 2 for x in logs) / (len(logs) - 1))
    half = t_quantile(len(logs) - 1) * deviation / math.sqrt(len(logs))
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half)


def verdict(low, high, theta):
    if high < 1 - theta:
        return "slower"
    if low >= 1 - theta:
        return "faster" if low > 1 + theta else "not slower"
    return "undecided"


def relative_deviation(values):
    mean = sum(values) / len(values)
    if len(values) < 2:
        return 0.0
    return math.sqrt(sum((x - mean) ** 2 for x in values) / (len(values) - 1)) / mean


def call(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"'{' '.join(map(str, command))}' ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def name_of(case):
    """A case's id without its device: "stream[kernel=copy]"."""
    axes = [f"{axis['name']}={axis['text']}" for axis in case["axes"] if axis["name"] != "device"]
    return case["case"] + (f"[{','.join(axes)}]" if axes else "")


def assay_cases(program, suite, *options):
    """Runs a suite's text in fresh processes; {name_of(case): the case of the result}, all of them verified."""
    with tempfile.TemporaryDirectory(prefix="assay-peer-") as folder:
        folder = pathlib.Path(folder)
        (folder / "suite.yaml").write_text(suite, encoding="utf-8")
        call(program, "run", folder / "suite.yaml", "-q", "-o", folder / "results", "--report", f"json={folder / 'result.json'}", *options)
        document = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    for case in document["cases"]:
        if not (case["verification"] or {}).get("verified"):
            sys.exit(f"'{case['id']}' was not verified: {case['reason']}")
    return {name_of(case): case for case in document["cases"]}


def headline(case):
    return next(metric["value"] for metric in case["metrics"] if metric["headline"])


def run_assay(program, suite, *options):
    """{name_of(case): value of the metric that leads it}."""
    return {name: headline(case) for name, case in assay_cases(program, suite, *options).items()}


def in_turn(given, first, second, complete=lambda answer: None):
    """Both answers of every pair: A B, B A, A B, …; each call is a fresh process. `complete` adds to the second's what the first's call found out. What is there
    is kept in --json after each pair. With --from the kept ones."""
    if given.kept:
        return given.kept["ours"], given.kept["theirs"]
    ours, theirs = [], []
    for pair in range(given.pairs):
        for which in ((0, 1), (1, 0))[pair % 2]:
            (ours, theirs)[which].append((first, second)[which]())
        complete(theirs[-1])
        if given.json:
            given.json.write_text(json.dumps({"ours": ours, "theirs": theirs}, indent=1) + "\n", encoding="utf-8")
        print(f"pair {pair + 1} of {given.pairs}", file=sys.stderr)
    return ours, theirs


class Row:
    """One line of the table: what is compared, how to find it in either answer, and the scale to ours."""

    def __init__(self, name, ours, theirs, theta=0.01, higher_is_better=True):
        self.name, self.ours, self.theirs, self.theta, self.higher_is_better = name, ours, theirs, theta, higher_is_better


def table(rows, ours, theirs, unit, scale, peak=None):
    """Prints every row; True if none is slower."""
    share = "  of peak" if peak else ""
    print(f"{'':24} {'ours':>10} {'peer':>10} {unit:7} {'ratio':>7} {'95 %':>16}  {'sd of ours':>10}{share}  verdict")
    good = True
    for row in rows:
        a = [row.ours(answer) for answer in ours]
        b = [row.theirs(answer) for answer in theirs]
        middle, low, high = ratio(a, b, row.higher_is_better)
        said = verdict(low, high, row.theta)
        good = good and said != "slower"
        of_peak = f"  {sum(a) / len(a) / peak:7.2%}" if peak else ""
        print(f"{row.name:24} {sum(a) / len(a) * scale:10.4g} {sum(b) / len(b) * scale:10.4g} {unit:7} {middle:7.4f} "
              f"{low:7.4f}–{high:7.4f}  {relative_deviation(a):10.4%}{of_peak}  {said} at {row.theta:.0%}")
    return good


def parser(description, *tools):
    """Options that all comparisons have; for more of them, then parsed()."""
    options = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--assay", type=pathlib.Path, help="the program assay, of a build or an unpacked archive")
    for tool in tools:
        options.add_argument(f"--{tool}", type=pathlib.Path, help=f"{tool}, built elsewhere")
    options.add_argument("--pairs", type=int, default=10, help="pairs of runs, in turn (10)")
    options.add_argument("--json", type=pathlib.Path, help="also write every single value there")
    options.add_argument("--from", type=pathlib.Path, dest="kept", metavar="FILE", help="measure nothing: the table of the values that --json wrote there")
    options.set_defaults(programs=["assay", *(tool.replace("-", "_") for tool in tools)])
    return options


def parsed(options):
    given = options.parse_args()
    if given.kept:
        given.kept = json.loads(given.kept.read_text(encoding="utf-8"))
        given.pairs = len(given.kept["theirs"])
    else:
        missing = [f"--{name.replace('_', '-')}" for name in given.programs if getattr(given, name) is None]
        if missing:
            options.error(f"{' and '.join(missing)} missing; or --from FILE, the values of an earlier comparison")
    if given.pairs < 2:
        options.error("an interval needs two pairs at least")
    return given


def arguments(description, *tools):
    return parsed(parser(description, *tools))


def nvbandwidth_cells(program, *tests, **options):
    """{test: its values, row by row}; GB/s, or ns for latencies."""
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    document = json.loads(call(program, "--json", "--testcase", *tests, *words))
    found = {}
    for test in document["nvbandwidth"]["testcases"]:
        if test["status"] != "Passed":
            sys.exit(f"nvbandwidth: {test['name']}: {test['status']}")
        cells = [cell for row in test["bandwidth_matrix"] for cell in row]  # latencies stand there, too
        found[test["name"]] = [float(cell) for cell in cells if cell != "N/A"]
    return found


def nvbandwidth(program, *tests, **options):
    """{test: value of its first cell}."""
    return {test: cells[0] for test, cells in nvbandwidth_cells(program, *tests, **options).items()}
