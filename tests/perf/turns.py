# SPDX-License-Identifier: Apache-2.0
"""Two programs at the same time that take turns: while one runs, the other is stopped. A machine whose speed drifts from second to second
is then the same machine for both."""

import os
import pathlib
import signal
import subprocess
import tempfile
import time


def _state_and_parent(process):
    """("T", 17); None of one that has ended."""
    try:
        text = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return None
    state, parent = text[text.rindex(")") + 2:].split()[:2]  # a name may hold anything
    return state, int(parent)


def _state(process):
    return (_state_and_parent(process) or "Z")[0]


def runs(process):
    """Neither stopped nor ended."""
    return _state(process) not in "TtZX"


def children(process):
    try:
        return [int(child) for file in pathlib.Path(f"/proc/{process}/task").glob("*/children") for child in file.read_text(encoding="ascii").split()]
    except OSError:
        return []  # it ended meanwhile


def children_by_parent():
    """Of all processes, for kernels that do not list children; takes some ten milliseconds where there are hundreds."""
    found = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        if seen := _state_and_parent(entry.name):
            found.setdefault(seen[1], []).append(int(entry.name))
    return found


def tree(root):
    """The process and all that come from it."""
    if pathlib.Path(f"/proc/self/task/{os.getpid()}/children").exists():
        of = children
    else:
        found = children_by_parent()
        of = lambda process: found.get(process, [])
    known, new = set(), [root]
    while new:
        known.update(new)
        new = [child for process in new for child in of(process) if child not in known]
    return known


def _signal(processes, number):
    for process in processes:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass


def _stop(root):
    """Returns all of them when none runs; one that was begun meanwhile is stopped, too."""
    stopped, signalled = None, set()
    while True:
        all_of_them = tree(root)
        states = {process: _state(process) for process in all_of_them}
        # Who waits in the kernel stops before it comes back; after vfork() it waits for a child that may be stopped already.
        running = {process for process, state in states.items() if state not in "TtZX" and not (state == "D" and process in signalled)}
        _signal(running, signal.SIGSTOP)
        signalled |= running
        # One may have begun another after the list was made and before it stopped; a second look finds that.
        if not running and all_of_them == stopped:
            return all_of_them
        stopped = None if running else all_of_them


class Program:
    """A command, with all processes that it begins; its output is kept. It may use `cpus` only, if given."""

    def __init__(self, command, cpus=None, **keywords):
        self._output = tempfile.TemporaryFile("w+", encoding="utf-8")
        bind = (lambda: os.sched_setaffinity(0, cpus)) if cpus else None
        self._process = subprocess.Popen([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=self._output, preexec_fn=bind, **keywords)
        self.text = ""  # what it printed, once it has ended

    @property
    def name(self):
        return pathlib.Path(self._process.args[0]).name

    def stop(self):
        return _stop(self._process.pid)

    def go_on(self):
        _signal(tree(self._process.pid), signal.SIGCONT)

    def ended(self):
        return self._process.poll() is not None

    def _read(self):
        self._output.seek(0)
        self.text = self._output.read()

    def finish(self):
        self._process.wait()
        self._read()
        if self._process.returncode != 0:
            raise RuntimeError(f"{self.name} ended with {self._process.returncode}:\n{self.text}")

    def kill(self):
        """With all that it began."""
        if not self.ended():
            all_of_them = self.stop()
            _signal(all_of_them, signal.SIGKILL)
            self._process.wait()
            while any(runs(process) for process in all_of_them):  # nobody here can wait for a child's child
                time.sleep(0.001)
        self._read()


def in_turn(one, two, turn_s):
    """Until both have ended; when one has, the other still takes its turns only. Raises RuntimeError if one of them fails."""
    running, waiting = one, two
    waiting.stop()
    while not (one.ended() and two.ended()):
        time.sleep(turn_s)
        running.stop()
        waiting.go_on()
        running, waiting = waiting, running
    one.finish()
    two.finish()


def beside(main, endless, turn_s):
    """Until `main` has ended; then the other is killed. Raises RuntimeError if `main` fails, or the other ends before it."""
    try:
        endless.stop()
        while not main.ended():
            for turn, other in ((main, endless), (endless, main)):
                other.stop()
                turn.go_on()
                time.sleep(turn_s)
                if endless.ended():
                    raise RuntimeError(f"{endless.name} ended before {main.name} did")
        main.finish()
    finally:
        for program in (main, endless):
            program.kill()
