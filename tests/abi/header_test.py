#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds assay/abi/v1.h to its own rules: structs that can grow begin with their size, and layout.inc lists everything."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = ROOT / "sdk/include/assay/abi/v1.h"
LAYOUT = pathlib.Path(__file__).with_name("layout.inc")

# Passed in arrays, whose elements cannot grow.
FIXED = {"assay_option"}


def structs():
    """Name and field names of every struct, in order."""
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(encoding="utf-8"), flags=re.S)
    for name, body in re.findall(r"struct (\w+) \{(.*?)\n\}", text, flags=re.S):
        fields = []
        for declaration in filter(None, (" ".join(part.split()) for part in body.split(";"))):
            pointer = re.search(r"\(\*(\w+)\)", declaration)
            names = [pointer.group(1)] if pointer else [re.search(r"(\w+)$", part.strip()).group(1)
                                                        for part in declaration.split(",")]
            fields += names
        yield name, fields, body


class Header(unittest.TestCase):
    def test_structs_that_can_grow_begin_with_their_size(self):
        for name, fields, body in structs():
            if name in FIXED:
                continue
            with self.subTest(struct=name):
                self.assertEqual(fields[0], "size")
                self.assertRegex(body.strip(), r"^uint32_t size\b")

    def test_the_layout_lists_every_field_of_every_struct(self):
        listed = re.findall(r"^FIELD\((\w+), (\w+), \d+\)", LAYOUT.read_text(encoding="utf-8"), flags=re.M)
        declared = [(name, field) for name, fields, _ in structs() for field in fields]
        self.assertGreater(len(declared), 100)
        self.assertEqual(listed, declared)

    def test_nothing_but_c99_is_included(self):
        includes = re.findall(r"#include <(.*)>", HEADER.read_text(encoding="utf-8"))
        self.assertEqual(includes, ["stddef.h", "stdint.h"])


if __name__ == "__main__":
    unittest.main()
