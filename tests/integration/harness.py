# SPDX-License-Identifier: Apache-2.0
"""Runs the real command with real workers, in a fresh folder per test."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["ASSAY_BUILD"]).resolve()
ASSAY = BUILD / "bin/assay"
FIXTURES = BUILD / "tests/plugins"
CACHE = BUILD / "CMakeCache.txt"  # an archive has none
# Everything takes several times as long there.
IS_SANITIZED = CACHE.exists() and re.search(r"^ASSAY_SANITIZE:\w+=\S", CACHE.read_text(encoding="utf-8"), re.MULTILINE) is not None

# After so long a program hangs. Tests also run beside programs that take the processors, so it says nothing of speed.
PATIENCE_S = 900

HEADER = "version: 1\nsuite: test\nrequires: {backend: fake}\n"


def sealed(record):
    """A journal's line with the sum that it ends with."""
    record.pop("sha256", None)
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))[:-1]
    return f'{text},"sha256":"{hashlib.sha256(text.encode()).hexdigest()}"}}\n'


def change_header(journal, change):
    """Lets `change` have a journal's header, as somebody would who knows the format."""
    lines = journal.read_text(encoding="utf-8").splitlines(keepends=True)
    header = json.loads(lines[0])
    change(header)
    journal.write_text(sealed(header) + "".join(lines[1:]), encoding="utf-8")


def change_visits(journal, change):
    """Lets `change` have each visit of a journal, as somebody would who knows the format."""
    lines = journal.read_text(encoding="utf-8").splitlines(keepends=True)
    for index, record in enumerate(map(json.loads, lines)):
        if record["type"] == "visit":
            change(record["visit"])
            lines[index] = sealed(record)
    journal.write_text("".join(lines), encoding="utf-8")


def wait_until_delivered(pid, number):
    """A signal that is sent again while the first one is pending would be one with it."""
    while True:
        text = pathlib.Path(f"/proc/{pid}/status").read_text()
        bits = int(re.search(r"ShdPnd:\s*(\w+)", text).group(1), 16)
        if not bits >> (number - 1) & 1:
            return
        time.sleep(0.001)


class Result:
    """What a command left: exit code, both streams, and the document if there is one."""

    def __init__(self, code, out, err, folder):
        self.code, self.out, self.err, self.folder = code, out, err, folder

    @property
    def document(self):
        return json.loads((self.folder / "result.json").read_text(encoding="utf-8"))

    def case(self, ident):
        return next(case for case in self.document["cases"] if case["id"] == ident)

    def outcomes(self):
        return {case["id"]: case["outcome"] for case in self.document["cases"]}


class Assay(unittest.TestCase):
    maxDiff = None

    def ranks_of(self, process, are_at_work):
        """{process: the file of the memory that they share}, as soon as there are four of them and are_at_work(file)."""
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until and process.poll() is None:
            found = {}
            for children in pathlib.Path(f"/proc/{process.pid}/task").glob("*/children"):
                for child in children.read_text().split():
                    try:
                        files = pathlib.Path(f"/proc/{child}/fd")
                        found.update({int(child): file for file in files.iterdir() if os.readlink(file).startswith("/memfd:assay-ranks")})
                    except OSError:
                        continue
            if len(found) == 4 and are_at_work(next(iter(found.values()))):
                return found
            os.sched_yield()
        self.fail("there were never four ranks: " + "".join(process.communicate(timeout=PATIENCE_S)))

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="assay-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.results = self.folder / "results"
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("ASSAY_")}
        self.environment.update(HOME=str(self.folder), ASSAY_LOCK_FOLDER=str(self.folder / "locks"), NO_COLOR="1")

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def command(self, *arguments):
        return [str(ASSAY), *map(str, arguments)]

    def assay(self, *arguments, environment=None, timeout=PATIENCE_S):
        done = subprocess.run(self.command(*arguments), cwd=self.folder, env={**self.environment, **(environment or {})}, timeout=timeout,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        return Result(done.returncode, done.stdout, done.stderr, self.results)

    def start(self, *arguments):
        return subprocess.Popen(self.command(*arguments), cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run_suite(self, text, *arguments, **keywords):
        """Writes suite.yaml and runs it with the fake plugins into self.results."""
        suite = self.write("suite.yaml", text if text.startswith("version") else HEADER + text)
        return self.assay("run", suite.name, "--plugin-dir", FIXTURES, "-o", self.results, *arguments, **keywords)

    def assert_nothing_left(self):
        """No process of this test's folder lives on."""
        left = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(entry / "cwd") == str(self.folder) and (entry / "status").read_text().find("State:\tZ") < 0:
                    left.append((entry / "cmdline").read_text().replace("\0", " "))
            except OSError:
                continue
        self.assertEqual(left, [])


def main():
    unittest.main(verbosity=1, argv=[sys.argv[0]])
