#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""manifest_test.py CMAKE: which differences between a committed manifest and the plugin's own the build reports."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CMAKE = sys.argv.pop()
COMMITTED = {"summary": "one; [two]", "needs": [{"soname": "libcublasLt.so.13", "hint": "install it"}]}


class Compared(unittest.TestCase):
    def agrees(self, committed, generated):
        with tempfile.TemporaryDirectory() as folder:
            files = {"COMMITTED": committed, "GENERATED": generated}
            for name, content in files.items():
                pathlib.Path(folder, name).write_text(json.dumps(content, indent=2), encoding="utf-8")
            command = [CMAKE, *(f"-D{name}={folder}/{name}" for name in files), "-P", ROOT / "sdk/cmake/assay_compare_manifest.cmake"]
            ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
            self.assertEqual(ended.returncode != 0, "is not what the plugin says" in ended.stderr, ended.stderr)
            return ended.returncode == 0

    def needing(self, soname):
        return {**COMMITTED, "needs": [{**COMMITTED["needs"][0], "soname": soname}]}

    def test_what_is_the_same_agrees(self):
        self.assertTrue(self.agrees(COMMITTED, COMMITTED))

    def test_another_toolkit_has_another_version_of_a_library(self):
        self.assertTrue(self.agrees(COMMITTED, self.needing("libcublasLt.so.12")))

    def test_another_library_is_a_difference(self):
        self.assertFalse(self.agrees(COMMITTED, self.needing("libcublas.so.13")))

    def test_another_text_is_a_difference(self):
        self.assertFalse(self.agrees(COMMITTED, {**COMMITTED, "summary": "two; [one]"}))


unittest.main()
