#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Examples in comments of public headers compile as they stand. One that leaves something out ("…" in a line of its own or in code) is a sketch."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "sdk/include"
BLOCK = re.compile(r"(?:^//   .*\n)+", re.MULTILINE)
STRING = re.compile(r'"(?:\\.|[^"\\])*"')


def examples():
    """Header and code of each example that is whole."""
    for header in sorted(INCLUDE.rglob("*.hpp")):
        for block in BLOCK.findall(header.read_text(encoding="utf-8")):
            code = re.sub(r"^//   ", "", block, flags=re.MULTILINE)
            if re.match(r"(class|enum|struct|static) ", code) and "…" not in STRING.sub("", code):
                yield str(header.relative_to(INCLUDE)), code


class Examples(unittest.TestCase):
    def test_each_compiles(self):
        found = list(examples())
        self.assertEqual([header for header, _ in found], ["assay/backend.hpp", "assay/description.hpp", "assay/reporter.hpp"])
        for header, code in found:
            with self.subTest(header), tempfile.NamedTemporaryFile("w", suffix=".cpp") as source:
                source.write(f"#include <{header}>\nstruct Example {{\n{code}}};\n")
                source.flush()
                command = [os.environ.get("CXX", "c++"), "-std=c++17", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-fsyntax-only", f"-I{INCLUDE}", source.name]
                done = subprocess.run(command, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
