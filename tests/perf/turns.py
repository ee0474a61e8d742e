# SPDX-License-Identifier: Apache-2.0
"""Two programs at the same time that take turns: while one runs, the other is stopped. A machine whose speed drifts from second to second
is then the same machine for both."""

import os
import pathlib
import signal
import subprocess
import time


def _children(process):
    for tasks in pathlib.Path(f"/proc/{process}/task").glob("*/children"):
        try:
            yield from (int(number) for number in tasks.read_text().split())
        except OSError:
            pass  # it has just ended


def _descendants(process):
    for child in _children(process):
        yield child
        yield from _descendants(child)


def _signal(processes, number):
    for process in processes:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass


class Program:
    """A command, its output kept. `stop_children`: it only waits for processes of its own, and these do the work."""

    def __init__(self, command, stop_children, **keywords):
        self._process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True, **keywords)
        self._stop_children = stop_children
        self.text = ""  # what it printed, once it has ended

    def _workers(self):
        return list(_descendants(self._process.pid)) if self._stop_children else [self._process.pid]

    def stop(self):
        _signal(self._workers(), signal.SIGSTOP)

    def go_on(self):
        _signal(self._workers(), signal.SIGCONT)

    def ended(self):
        return self._process.poll() is not None

    def finish(self):
        self.text = self._process.communicate()[0]
        if self._process.returncode != 0:
            raise RuntimeError(f"{self._process.args[0]} ended with {self._process.returncode}")


def in_turn(one, two, turn_s):
    """Until both have ended; when one has, the other still takes its turns only. Raises RuntimeError if one of them fails."""
    running, waiting = one, two
    waiting.stop()
    while not (one.ended() and two.ended()):
        time.sleep(turn_s)
        running.stop()
        waiting.go_on()
        running, waiting = waiting, running
    one.go_on()
    two.go_on()
    one.finish()
    two.finish()
