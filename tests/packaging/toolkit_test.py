#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""toolkit_test.py CMAKE NVCC: where the archive looks for the licence of the CUDA runtime that plugins hold, when the 'nvcc' in PATH is a script
outside the toolkit."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NVCC = sys.argv.pop()
CMAKE = sys.argv.pop()
CMAKE_LISTS = """cmake_minimum_required(VERSION 3.25)
project(toolkit LANGUAGES CXX)
include("{}/cmake/AssayCuda.cmake")
"""


class Toolkit(unittest.TestCase):
    def toolkit_of(self, make):
        """The toolkit that a build finds where make(path) puts an 'nvcc' that comes first."""
        with tempfile.TemporaryDirectory(prefix="assay-toolkit-") as folder:
            first = pathlib.Path(folder, "first/bin/nvcc")
            first.parent.mkdir(parents=True)
            make(first)
            pathlib.Path(folder, "CMakeLists.txt").write_text(CMAKE_LISTS.format(ROOT))
            environment = {name: value for name, value in os.environ.items() if name not in ("CUDACXX", "CUDA_PATH")}
            environment["PATH"] = f"{first.parent}:{environment['PATH']}"
            done = subprocess.run([CMAKE, "-S", folder, "-B", f"{folder}/build"], env=environment, capture_output=True, text=True, timeout=100)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            cache = pathlib.Path(folder, "build/CMakeCache.txt").read_text(encoding="utf-8")
            self.assertIn(f"ASSAY_NVCC:FILEPATH={first}\n", cache)
            return pathlib.Path(re.search(r"^ASSAY_CUDA_TOOLKIT:INTERNAL=(.+)$", cache, re.MULTILINE)[1])

    def setUp(self):
        # What NVCC itself calls its top folder, whatever it was called by.
        told = subprocess.run([NVCC, "--dryrun", "-E", "-x", "cu", "-"], input="", capture_output=True, text=True, check=True).stderr
        self.real = pathlib.Path(re.search(r"^#\$ TOP=(.+)$", told, re.MULTILINE)[1], "bin/nvcc")

    def test_script_in_another_folder(self):
        def script(path):
            path.write_text(f'#!/bin/sh\nexec {self.real} "$@"\n')
            path.chmod(0o755)
        self.assertEqual((self.toolkit_of(script) / "bin/nvcc").resolve(), self.real.resolve())


if __name__ == "__main__":
    unittest.main()
