# SPDX-License-Identifier: Apache-2.0
"""What the campaigns share: a budget of time, a folder of their own, commands that must end well, programs that spin beside them."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]


class Defect(AssertionError):
    """What a campaign was looking for."""


class Skipped(Exception):
    """This machine cannot do it; the text says why."""


def check(condition, text):
    if not condition:
        raise Defect(text)


class Budget:
    """Seconds to spend; without any, as much as is due."""

    def __init__(self, seconds):
        self.seconds, self.began = seconds, time.monotonic()

    def spent(self):
        return time.monotonic() - self.began

    def left(self):
        """Whether to go on."""
        return self.seconds is None or self.spent() < self.seconds


class Ended:
    """A command that ended: its status (negative: the signal), its output, and how long it took."""

    def __init__(self, code, out, err, seconds):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds


class Place:
    """A folder that is removed with all that lies in it, and the command in it."""

    def __init__(self, build):
        self.build = pathlib.Path(build).resolve()
        self._folder = tempfile.TemporaryDirectory(prefix="assay-campaign-")
        self.folder = pathlib.Path(self._folder.name).resolve()
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("ASSAY_")}
        self.environment.update(HOME=str(self.folder), ASSAY_LOCK_FOLDER=str(self.folder / "locks"), NO_COLOR="1")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content, encoding="utf-8")
        return path

    def command(self, *arguments):
        return [str(self.build / "bin/assay"), *map(str, arguments)]

    def assay(self, *arguments, timeout=60):
        began = time.monotonic()
        try:
            done = subprocess.run(self.command(*arguments), cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            raise Defect(f"it hangs: assay {' '.join(map(str, arguments))}") from None
        return Ended(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"), time.monotonic() - began)


def processes_in(folder):
    """Those that work in the folder and are not dead."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(entry / "cwd") == str(folder) and ") Z " not in (entry / "stat").read_text():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def check_files(folder):
    """Nothing in a folder of results is torn, but for the last line of a journal."""
    for path in folder.iterdir() if folder.exists() else []:
        if path.suffix == ".json":
            json.loads(path.read_text(encoding="utf-8"))
        elif path.name == "journal.jsonl":
            for line in path.read_text(encoding="utf-8").split("\n")[:-1]:
                json.loads(line)


def shared_memory():
    return set(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set()


def wait_until_alone(folder):
    for _ in range(3000):
        left = processes_in(folder)
        if not left:
            return
        time.sleep(0.01)
    raise Defect(f"processes live on: {left}")


@contextlib.contextmanager
def spinning(count, processors=None):
    """So many programs that never rest, until the block ends, on these processors if some are named."""
    where = ["taskset", "--cpu-list", ",".join(map(str, processors))] if processors else []
    programs = [subprocess.Popen([*where, "sh", "-c", "while :; do :; done"], start_new_session=True) for _ in range(count)]
    try:
        yield
    finally:
        for program in programs:
            program.send_signal(signal.SIGKILL)
            program.wait()
