# SPDX-License-Identifier: Apache-2.0
"""The unit and integration tests, again and again beside programs that never rest: none of them may assume that time goes by as on a machine
that has nothing else to do."""

import re
import subprocess

from common import Budget, check, spinning

SPINNING = 4
PASSES = 10
# A minute of them, for CI: what measures, waits, watches and kills.
SOME = r"^(measure|worker|run|process|wire)\."


def run(build, seconds=None, seed=1):
    del seed
    budget = Budget(seconds)
    which = ["-L", "^(unit|integration)$"] if seconds is None or seconds > 600 else ["-R", SOME, "-L", "^unit$"]
    passes = tests = 0
    failures, slow = [], []
    with spinning(SPINNING):
        while passes < PASSES and budget.left():
            limit = [] if seconds is None else ["--stop-time", stop_time(max(1, seconds + 1 - budget.spent()))]
            done = subprocess.run(["ctest", "--test-dir", str(build), *which, "-j", "2", "--output-on-failure", "--no-tests=error", *limit],
                                  capture_output=True, text=True, check=False)
            ran = outcomes(done.stdout)
            up = not budget.left()  # a test that was under way then says that it timed out
            bad = [name for name, outcome in ran if outcome != "Passed" and "Skipped" not in outcome and not (up and "Timeout" in outcome)]
            tests += sum(outcome == "Passed" for _, outcome in ran)
            failures += [f"pass {passes + 1}: {name}\n{printed(done.stdout, name)}" for name in bad]  # and goes on: others may fail later
            if done.returncode != 0 and not bad:
                check(up, done.stdout[-4000:] + done.stderr[-2000:])
                slow = [f"  the time was up in pass {passes + 1}"]
                break
            passes += 1
    check(not failures, f"of {passes} whole passes beside {SPINNING} programs that spin these failed:\n" + "\n".join(failures))
    check(tests > 0, "no test came to its end")
    return [f"{tests} tests in {passes} whole passes beside {SPINNING} programs that spin: all passed", *slow]


def outcomes(output):
    """Of every test that ended, its name and what ctest calls that."""
    return re.findall(r"Test +#\d+: (.+?) \.\.+ *(Passed|\*\*\*\S+)", output)


def printed(output, name):
    """What a test printed that failed."""
    found = re.search(rf"Test +#\d+: {re.escape(name)} \.\.+ *\*\*\*.*?\n(.*?)(?=\n *(?:Start +\d+: |\d+/\d+ Test +#))", output, re.DOTALL)
    return found[1][-4000:] if found else ""


def stop_time(seconds):
    """As ctest takes it: a time of day."""
    import datetime  # noqa: PLC0415
    return (datetime.datetime.now() + datetime.timedelta(seconds=seconds)).strftime("%H:%M:%S")
