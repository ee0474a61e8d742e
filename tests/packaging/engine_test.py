#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the component `engine` into an empty prefix, builds the example from there, and runs a suite by it."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from commands import run

SOURCE = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = SOURCE / "sdk/examples/embed"
OPTIONS = None
SUITE = """\
version: 1
suite: mine
cases:
  - id: copy
    uses: membw@host
    with: {kernel: copy, bytes: 1MiB}
  - {id: broken, uses: external, command: ["false"]}
"""


class InstalledEngine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="assay-engine-")
        cls.addClassCleanup(folder.cleanup)
        cls.work = pathlib.Path(folder.name)
        run(OPTIONS.cmake, "--install", OPTIONS.build, "--component", "engine", "--prefix", cls.work / "as-built")
        cls.prefix = cls.work / "moved"  # nothing in it may hold the path that it was installed to
        (cls.work / "as-built").rename(cls.prefix)
        run(OPTIONS.cmake, "-S", EXAMPLE, "-B", cls.work / "build", f"-DCMAKE_PREFIX_PATH={cls.prefix}",
            "-DCMAKE_CXX_FLAGS=-std=c++17 -Wall -Wextra -Wpedantic -Werror", "-DCMAKE_BUILD_TYPE=Release")
        run(OPTIONS.cmake, "--build", cls.work / "build")
        (cls.work / "mine.yaml").write_text(SUITE, encoding="utf-8")

    def embed(self, suite, folder):
        return subprocess.run([str(self.work / "build/embed"), str(pathlib.Path(OPTIONS.build).resolve() / "bin/assay"), suite, folder],
                              cwd=self.work, capture_output=True, text=True, timeout=120, check=False)

    def test_the_example_runs_a_suite_and_shows_progress(self):
        done = self.embed("mine.yaml", "results")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout, "copy: passed\nbroken: failed\n")
        self.assertEqual(sorted(line.split(" ")[0] for line in done.stderr.splitlines()), ["1/2", "2/2"])
        header = json.loads((self.work / "results/journal.jsonl").read_text(encoding="utf-8").splitlines()[0])
        self.assertIn("copy", header["suite_text"])

    def test_problems_of_a_suite_are_told_and_stop_it(self):
        (self.work / "bad.yaml").write_text(SUITE.replace("membw@host", "membv@host"), encoding="utf-8")
        done = self.embed("bad.yaml", "none")
        self.assertEqual(done.returncode, 5)
        self.assertIn("bad.yaml:5:11: error: ", done.stderr)
        self.assertIn("did you mean 'membw", done.stderr)
        self.assertFalse((self.work / "none").exists())

    def test_nothing_but_the_header_is_to_be_seen(self):
        headers = [str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*.h*")]
        self.assertEqual(headers, ["include/assay/engine.hpp"])
        lines = run("nm", "-DC", "--defined-only", self.prefix / "lib/libassay.so").splitlines()
        names = {line.split(" ", 2)[2].split("(")[0].removesuffix("[abi:cxx11]") for line in lines}
        self.assertEqual(names, {f"assay::engine::{name}" for name in ("read_suite", "run", "resume", "retry", "extend", "rejudge", "plan")})

    def test_the_page_shows_the_example(self):
        page = (SOURCE / "docs/how-to/embed-assay.md").read_text(encoding="utf-8")
        for name in ("embed.cpp", "CMakeLists.txt"):
            text = (EXAMPLE / name).read_text(encoding="utf-8").split("\n", 1)[1]
            self.assertIn(text.removeprefix("//\n").strip(), page)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--cmake", required=True)
    OPTIONS, rest = parser.parse_known_args()
    os.environ["LC_ALL"] = "C"
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
