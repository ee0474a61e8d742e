#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the component `engine` into an empty prefix, builds the example and a program of many calls from there, and runs suites by them."""

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
# One of two visits, whichever comes first, waits until a file is there.
WAITING = """\
version: 1
suite: waiting
cases:
  - {id: first, uses: external, command: ["true"]}
  - {id: second, uses: external, command: [sh, -c, 'while ! test -e go; do sleep 0.02; done']}
"""
# It prints 9 and 11 in turn, so that three rounds leave the limit open.
OPEN = """\
version: 1
suite: open
cases:
  - id: turns
    uses: external
    command: [sh, -c, 'echo x >> calls; test $(($(wc -l < calls) % 2)) = 0 && echo v 11 || echo v 9']
    processes: 3
    metrics: {v: {pattern: '^v ([0-9]+)', unit: items/s, direction: higher}}
    expect: [v >= 10 items/s]
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
        for sources, build in ((EXAMPLE, "build"), (SOURCE / "tests/packaging/embedder", "calls")):
            run(OPTIONS.cmake, "-S", sources, "-B", cls.work / build, f"-DCMAKE_PREFIX_PATH={cls.prefix}",
                "-DCMAKE_CXX_FLAGS=-std=c++17 -Wall -Wextra -Wpedantic -Werror", "-DCMAKE_BUILD_TYPE=Release")
            run(OPTIONS.cmake, "--build", cls.work / build)
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

    def call(self, suite, name, *words):
        """Exit code and outcomes of the run; the document is in self.document."""
        (self.folder / "suite.yaml").write_text(suite, encoding="utf-8")
        out = run(self.work / "calls/embedder", pathlib.Path(OPTIONS.build).resolve() / "bin/assay", "suite.yaml", "results", name, *words,
                  cwd=self.folder, timeout=120)
        if name == "plan":
            return json.loads(out)
        self.document = json.loads((self.folder / "document.json").read_text(encoding="utf-8"))
        code, *outcomes = out.splitlines()
        return int(code), outcomes

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="assay-calls-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_a_plan_names_the_cases_and_measures_nothing(self):
        plan = self.call(SUITE, "plan")
        self.assertEqual([case["id"] for case in plan["cases"]], ["copy", "broken"])
        self.assertFalse((self.folder / "results").exists())

    def test_what_is_called_off_is_judged_and_can_be_resumed(self):
        code, outcomes = self.call(WAITING, "run", "second")
        self.assertEqual((code, outcomes[1]), (130, "second: cancelled"))
        (self.folder / "go").touch()
        self.assertEqual(self.call(WAITING, "resume"), (0, ["first: passed", "second: passed"]))
        judged = self.document
        self.assertEqual(self.call(WAITING, "rejudge"), (0, ["first: passed", "second: passed"]))
        self.assertEqual(self.document, judged)

    def test_after_a_visit_it_stops_before_the_next(self):
        (self.folder / "go").touch()
        code, outcomes = self.call(WAITING, "run-one")
        self.assertEqual((code, sorted(line.split(": ")[1] for line in outcomes)), (130, ["not_run", "passed"]))

    def test_what_failed_is_run_again(self):
        suite = SUITE.replace('["false"]', "[test, -e, go]")
        self.assertEqual(self.call(suite, "run"), (1, ["copy: passed", "broken: failed"]))
        (self.folder / "go").touch()
        self.assertEqual(self.call(suite, "retry"), (0, ["broken: passed"]))

    def test_what_is_open_gets_more_rounds(self):
        self.assertEqual(self.call(OPEN, "run"), (0, ["turns: passed"]))
        self.assertEqual(self.document["cases"][0]["expectations"][0]["status"], "undecided")
        self.assertEqual(self.call(OPEN, "extend"), (0, ["turns: passed"]))
        self.assertEqual(len((self.folder / "calls").read_text(encoding="utf-8").splitlines()), 6)

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
