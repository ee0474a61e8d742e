#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""quiet_test.py BUILD: './dev run' says nothing while it compiles, on a first run either: each source for GPUs is compiled once more by the build's own
command, and its compiler must not say a word. What hides known notices hides nothing else, and keeps the compiler's status."""

import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
FILTER = ROOT / "cmake/without_notices.sh"
NOTICE = "ptxas info    : (C7519) warpgroup.arrive is injected in around line 642 by compiler to allow use of registers in GMMA in function 'f'"


def commands():
    """source → the build's command, as words without what writes files."""
    listed = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", "assay_runtime"], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        if found := re.search(r" -x cu -c (\S+)", line):
            words = shlex.split(line)
            for option in ("-o", "-MF", "-MT"):
                while option in words:
                    at = words.index(option)
                    del words[at:at + 2]
            yield found[1], [word for word in words if word not in ("-MD", "-MMD")]


class Quiet(unittest.TestCase):
    def test_no_source_for_gpus_makes_its_compiler_speak(self):
        found = dict(commands())
        if not found:
            self.skipTest("nothing for GPUs is built here")
        self.assertIn(str(ROOT / "plugins/roofline/matrix_kernels.cu"), found)
        with tempfile.TemporaryDirectory(prefix="assay-quiet-") as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            def compile_again(number, source, words):
                done = subprocess.run([*words, "-o", f"{folder}/{number}.o"], cwd=BUILD, capture_output=True, text=True)
                return source, done.returncode, done.stdout + done.stderr
            for each in [pool.submit(compile_again, number, *item) for number, item in enumerate(found.items())]:
                self.assertEqual(each.result()[1:], (0, ""), each.result()[0])

    def filtered(self, script):
        done = subprocess.run([FILTER, "sh", "-c", script], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_only_the_notice_is_left_out(self):
        self.assertEqual(self.filtered(f'echo "{NOTICE}" >&2; echo "a.cu(3): warning #177-D: unused" >&2; echo "{NOTICE}"'), (0, "a.cu(3): warning #177-D: unused\n"))
        self.assertEqual(self.filtered(f'echo "{NOTICE}" >&2'), (0, ""))
        self.assertEqual(self.filtered("exit 0"), (0, ""))
        self.assertEqual(self.filtered('echo "error: no" >&2; exit 2'), (2, "error: no\n"))


if __name__ == "__main__":
    unittest.main()
