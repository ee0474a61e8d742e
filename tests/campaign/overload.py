# SPDX-License-Identifier: Apache-2.0
"""The unit and integration tests, again and again beside programs that never rest: none of them may assume that time goes by as on a machine
that has nothing else to do. A large machine makes several passes at once, each on processors and in namespaces of its own."""

import contextlib
import os
import pathlib
import re
import shlex
import subprocess
import tempfile

from common import Budget, check, spinning

SPINNING = 4
PASSES = 10
PROCESSORS = 6  # of a pass that others run beside
# A minute of them, for CI: what measures, waits, watches and kills.
SOME = r"^(measure|worker|run|process|wire)\."
ALL = ["-L", "^(unit|integration)$"]


def run(build, seconds=None, seed=1):
    del seed
    found = Found()
    places = side_by_side() if seconds is None else []
    if places:
        at_once(build, places, found)
    else:
        one_by_one(build, seconds, found)
    check(not found.failures, f"of {found.passes} whole passes beside {SPINNING} programs that spin these failed:\n" + "\n".join(found.failures))
    check(found.tests > 0, "no test came to its end")
    took = [f"  a pass took {min(found.seconds):.0f} to {max(found.seconds):.0f} s; {found.skipped} tests were skipped in all"] if found.seconds else []
    return [f"{found.tests} tests in {found.passes} whole passes beside {SPINNING} programs that spin: all passed", *took, *found.remarks]


class Found:
    """What the passes came to."""

    def __init__(self):
        self.passes = self.tests = self.skipped = 0
        self.failures, self.remarks, self.seconds = [], [], []

    def add(self, output, up=False):
        """Of one pass: whether all that ended is well. Where the time is `up`, a test that was under way says that it timed out."""
        ran = outcomes(output)
        bad = [name for name, outcome in ran if outcome != "Passed" and "Skipped" not in outcome and not (up and "Timeout" in outcome)]
        self.tests += sum(outcome == "Passed" for _, outcome in ran)
        self.skipped += sum("Skipped" in outcome for _, outcome in ran)
        self.seconds += [float(each) for each in re.findall(r"Total Test time \(real\) = *([\d.]+)", output)]
        self.failures += [f"pass {self.passes + 1}: {name}\n{printed(output, name)}" for name in bad]
        return not bad


def one_by_one(build, seconds, found):
    budget = Budget(seconds)
    # In any order: ctest takes the longest tests first, and none of those may end in time.
    which = ALL if seconds is None or seconds > 600 else ["-R", SOME, "-L", "^unit$", "--schedule-random"]
    with spinning(SPINNING):
        while found.passes < PASSES and budget.left():
            limit = [] if seconds is None else ["--stop-time", stop_time(max(1, seconds + 1 - budget.spent()))]
            done = subprocess.run([*ctest(build, 2), *which, *limit], capture_output=True, text=True, check=False)
            up = not budget.left()
            if found.add(done.stdout, up) and done.returncode != 0:
                check(up, done.stdout[-4000:] + done.stderr[-2000:])
                found.remarks = [f"  the time was up in pass {found.passes + 1}"]
                break
            found.passes += 1  # and goes on after a failure: others may fail later


def at_once(build, places, found):
    """As many passes at a time as there are `places`, lists of processors."""
    left = PASSES
    with tempfile.TemporaryDirectory(prefix="assay-overload-", dir="/var/tmp") as folder:
        while left > 0:
            with contextlib.ExitStack() as stack:
                started = []
                for processors in places[:left]:
                    stack.enter_context(spinning(SPINNING, processors))
                    log = stack.enter_context(open(pathlib.Path(folder) / str(len(started)), "w+", encoding="utf-8", errors="replace"))
                    command = of_its_own(build, processors, [*ctest(build, PROCESSORS + 2), *ALL])
                    started.append((subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT), log))
                for process, log in started:
                    code = process.wait()
                    log.seek(0)
                    output = log.read()
                    if found.add(output):
                        check(code == 0, output[-4000:])
                    found.passes += 1
            left -= len(started)
    found.remarks = [f"  {len(places)} at a time, each on {PROCESSORS} processors"]


def ctest(build, jobs):
    return ["ctest", "--test-dir", str(build), "-j", str(jobs), "--output-on-failure", "--no-tests=error"]


def side_by_side():
    """Processors of each pass, where there are enough for two and the right to give each its own files; else nothing."""
    mine = sorted(os.sched_getaffinity(0))
    places = [mine[at:at + PROCESSORS] for at in range(0, len(mine) - PROCESSORS + 1, PROCESSORS)]
    return places if len(places) > 1 and may_be_apart() else []


def may_be_apart():
    return subprocess.run(["unshare", "--mount", "--pid", "--ipc", "--fork", "true"], capture_output=True, check=False).returncode == 0


def of_its_own(build, processors, command):
    """The command with its own temporary files, shared memory and processes; what it changes of the build folder is forgotten."""
    mounts = ["mount -t tmpfs tmpfs /tmp", "mount -t tmpfs tmpfs /dev/shm", "mkdir /tmp/.changed /tmp/.work /tmp/home", "mount -t proc proc /proc",
              f"mount -t overlay overlay -o {shlex.quote(f'lowerdir={build},upperdir=/tmp/.changed,workdir=/tmp/.work')} {shlex.quote(str(build))}",
              "export HOME=/tmp/home", f"exec {shlex.join(command)}"]
    return ["taskset", "--cpu-list", ",".join(map(str, processors)),
            "unshare", "--mount", "--pid", "--ipc", "--fork", "--kill-child", "sh", "-c", " && ".join(mounts)]


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
