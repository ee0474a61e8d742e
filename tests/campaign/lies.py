# SPDX-License-Identifier: Apache-2.0
"""Every lie about times that a plugin can tell, told again and again by real processes: each must be found every time."""

import os
import re
import subprocess
import sys

from common import SOURCE, Budget, check

RUNS = 100
A_RUN_S = 24  # of all lies once, on a machine that does other things, too


def run(build, seconds=None, seed=1):
    del seed  # chance comes from the machine
    budget = Budget(seconds)
    lines = []
    simulated = subprocess.run([f"{build}/bin/assay_measure_test", "--gtest_filter=Lies.*"], capture_output=True, text=True, check=False)
    found = re.findall(r"found in (\d+) of (\d+) visits", simulated.stdout)
    check(simulated.returncode == 0 and found, simulated.stdout[-4000:])
    lines.append(f"{len(found)} kinds of lies on simulated machines, quiet and busy: found in {sum(int(f) for f, _ in found)} of "
                 f"{sum(int(n) for _, n in found)} visits; each is published without its own guard")
    if seconds is None or seconds > 120:  # they are tests, too
        alone = subprocess.run([f"{build}/bin/assay_worker_test", "--gtest_filter=*Lies.*"], capture_output=True, text=True, check=False)
        check(alone.returncode == 0, alone.stdout[-4000:])
        count = len(re.findall("OK .*AreFoundByTheirOwnGuardAlone", alone.stdout))
        lines.append(f"{count} lies in real workers: found, and published without their own guard")
    left = max(1, int((seconds - budget.spent()) / A_RUN_S)) if seconds is not None else RUNS
    environment = {**os.environ, "ASSAY_BUILD": str(build), "ASSAY_LIES": str(min(left, RUNS))}
    real = subprocess.run([sys.executable, "-B", SOURCE / "tests/integration/test_liar.py"], env=environment, capture_output=True, text=True, check=False)
    check(real.returncode == 0, real.stdout[-2000:] + real.stderr[-4000:])
    lines += [f"  {line}" for line in real.stdout.splitlines() if ": found in" in line]
    return lines
