#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs many visits and prints what controller and workers hold early and late.

    memory.py BUILD [--visits 10000] [--allowed KIB] [--sanitized]

One worker serves all visits. The resident sets are read after a tenth of the visits and shortly before the end, then the exit code is 1 if
one of them grew by more than is allowed. What judging and rendering take afterwards, with all samples in memory once, is printed as the peak.

With --sanitized BUILD is one with AddressSanitizer: controller and workers must end without a leak or any other report. A plugin that does
lose memory is run first, and must be reported.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SUITE = """version: 1
suite: memory
requires: {backend: fake}
cases:
  - {id: a, uses: series, measure: {samples: 20}, matrix: {bytes: [%s]}}
"""


def kibibytes(pid, key):
    return int(re.search(rf"^{key}:\s*(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text(), re.MULTILINE).group(1))


def children(pid):
    return [int(number) for number in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def holdings(pid):
    """Resident sets in KiB: of the controller, of the backend's worker, of the plugin's."""
    workers = sorted(children(pid))
    return {"controller": kibibytes(pid, "VmRSS"), **{f"worker {i + 1}": kibibytes(child, "VmRSS") for i, child in enumerate(workers)}}


def environment_of(folder):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ASSAY_")}
    # Little freed memory is kept, so that growth would be seen; Assay's own handlers tell of signals.
    sanitizer = f"detect_leaks=1:quarantine_size_mb=1:thread_local_quarantine_size_kb=64:log_path={folder}/sanitizer:handle_segv=0:handle_sigbus=0:handle_abort=0:use_sigaltstack=0"
    return {**environment, "ASSAY_LOCK_FOLDER": f"{folder}/locks", "NO_COLOR": "1", "HOME": folder, "ASAN_OPTIONS": sanitizer}


def reports_of(folder):
    return "\n".join(path.read_text(encoding="utf-8") for path in pathlib.Path(folder).glob("sanitizer.*"))


def check_that_leaks_are_seen(build):
    build = pathlib.Path(build).resolve()
    with tempfile.TemporaryDirectory(prefix="assay-memory-") as folder:
        plugin = build / "tests/flawed/assay_flawed.so"
        subprocess.run([build / "bin/assay", "bench", "flawed@host", "samples=3", "--plugin", plugin, "-q", "-o", f"{folder}/results"], cwd=folder, check=True,
                       env={**environment_of(folder), "ASSAY_FLAW": "loses-heap"}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        if "detected memory leaks" not in reports_of(folder):
            raise SystemExit("a plugin that loses memory is not reported: is this a build with AddressSanitizer?")


def measure(build, visits):
    """Resident sets at a tenth of the visits and near the end, the controller's peak, in KiB, the journal's bytes, and what a sanitizer said."""
    build = pathlib.Path(build).resolve()
    with tempfile.TemporaryDirectory(prefix="assay-memory-") as folder:
        environment = environment_of(folder)
        pathlib.Path(folder, "suite.yaml").write_text(SUITE % ", ".join(f"{i + 1}KiB" for i in range(visits)), encoding="utf-8")
        command = [str(build / "bin/assay"), "run", "suite.yaml", "--plugin-dir", str(build / "tests/plugins"), "-o", "results", "--report", "json"]
        early, late = {}, {}
        with subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True) as process:
            for line in process.stderr:
                number = line.split("/")[0]
                if number == str(visits // 10):
                    early = holdings(process.pid)
                if number == str(visits - visits // 100):
                    late = holdings(process.pid)
            _, _, usage = os.wait4(process.pid, 0)
            process.returncode = 0
        if set(early) != set(late) or len(early) < 2:
            raise SystemExit(f"other processes at the end ({late}) than early ({early})")
        size = pathlib.Path(folder, "results/journal.jsonl").stat().st_size
        return early, late, usage.ru_maxrss, size, reports_of(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--visits", type=int, default=10000)
    parser.add_argument("--allowed", type=int, default=1024, help="KiB")
    parser.add_argument("--sanitized", action="store_true")
    options = parser.parse_args()
    if options.sanitized:
        options.allowed += 1024  # freed memory that the sanitizer keeps
        check_that_leaks_are_seen(options.build)
    early, late, peak, size, reports = measure(options.build, options.visits)
    print(f"| resident set, MiB | visit {options.visits // 10} | visit {options.visits - options.visits // 100} | growth, KiB |\n|---|---:|---:|---:|")
    for name, before in early.items():
        print(f"| {name} | {before / 1024:.1f} | {late[name] / 1024:.1f} | {late[name] - before} |")
    print(f"peak of the controller, judging and rendering included: {peak / 1024:.0f} MiB (journal: {size / 2**20:.0f} MiB)")
    if options.sanitized:
        print(reports or "no leak, and nothing else that the sanitizers report")
    return 1 if reports or any(late[name] - before > options.allowed for name, before in early.items()) else 0


if __name__ == "__main__":
    sys.exit(main())
