# SPDX-License-Identifier: Apache-2.0
"""Two programs in the same seconds, of which one at a time runs: what disturbs the machine for longer than a slice disturbs both alike."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve()
SLICE_S = 0.04


def state_and_parent(process):
    """("T", 17); None of one that has ended."""
    try:
        text = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return None
    state, parent = text[text.rindex(")") + 2:].split()[:2]  # a name may hold anything
    return state, int(parent)


def children(process):
    try:
        return [int(child) for file in pathlib.Path(f"/proc/{process}/task").glob("*/children") for child in file.read_text(encoding="ascii").split()]
    except OSError:
        return []  # it ended meanwhile


def children_by_parent():
    """Of all processes, for kernels that do not list children; takes some ten milliseconds where there are hundreds."""
    found = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        if seen := state_and_parent(entry.name):
            found.setdefault(seen[1], []).append(int(entry.name))
    return found


def tree(root):
    """The process and all that come from it."""
    listed = pathlib.Path(f"/proc/self/task/{os.getpid()}/children").exists()
    of = children if listed else (lambda process, found=children_by_parent(): found.get(process, []))
    known, new = set(), [root]
    while new:
        known.update(new)
        new = [child for process in new for child in of(process) if child not in known]
    return known


def signal_all(processes, number):
    for process in processes:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass


def is_over(root):
    found = state_and_parent(root)
    return found is None or found[0] == "Z"


def stop(root):
    """Returns all of them when none runs; one that was begun meanwhile is stopped, too."""
    stopped = None
    while True:
        all_of_them = tree(root)
        running = [process for process in all_of_them if (state_and_parent(process) or "Z")[0] not in "TtZX"]
        signal_all(running, signal.SIGSTOP)
        # One may have begun another after the list was made and before it stopped; a second look finds that.
        if not running and all_of_them == stopped:
            return all_of_them
        stopped = None if running else all_of_them


def turns(first, second, slice_s=SLICE_S, cpus=None):
    """What `first` prints, and the lines of `second`, which is killed when `first` has ended. Both begin stopped; `second` has its turn first. Both run on
    `cpus` only, if given."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as lines, tempfile.TemporaryFile("w+", encoding="utf-8") as printed:
        begin = [sys.executable, "-B", str(HERE), ",".join(map(str, sorted(cpus or os.sched_getaffinity(0))))]
        others = subprocess.Popen([*begin, *map(str, second)], stdin=subprocess.DEVNULL, stdout=lines)
        main = subprocess.Popen([*begin, *map(str, first)], stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.STDOUT)
        try:
            stop(others.pid)
            stop(main.pid)
            while not is_over(main.pid):
                for turn in (others.pid, main.pid):
                    if is_over(others.pid):
                        break
                    signal_all(tree(turn), signal.SIGCONT)
                    time.sleep(slice_s)
                    stop(turn)
                if is_over(others.pid):
                    sys.exit(f"'{' '.join(map(str, second))}' ended with {others.wait()} before what it is compared with")
        finally:
            for process in (main, others):
                signal_all(stop(process.pid), signal.SIGKILL)
                process.wait()
        printed.seek(0)
        if main.returncode != 0:
            sys.exit(f"'{' '.join(map(str, first))}' ended with {main.returncode}:\n{printed.read()}")
        lines.seek(0)
        return printed.read(), [line for line in lines.read().splitlines(keepends=True) if line.endswith("\n")]


if __name__ == "__main__":  # slices.py CPUS PROGRAM…: stops, then becomes the program
    os.sched_setaffinity(0, map(int, sys.argv[1].split(",")))
    os.kill(os.getpid(), signal.SIGSTOP)
    os.execvp(sys.argv[2], sys.argv[2:])
