#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds assay/abi/v1.h to its own rules: structs that can grow begin with their size, layout.inc and catalogue.c list everything."""

import pathlib
import re
import unittest

import surface

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = ROOT / "sdk/include/assay/abi/v1.h"
LAYOUT = pathlib.Path(__file__).with_name("layout.inc")
CATALOGUE = pathlib.Path(__file__).with_name("catalogue.c")
PLAIN = r"(u?int(32|64)_t|size_t|double|char|void|assay_\w+)"


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
            if name in surface.FIXED:
                continue
            with self.subTest(struct=name):
                self.assertEqual(fields[0], "size")
                self.assertRegex(body.strip(), r"^uint32_t size\b")

    def test_the_layout_lists_every_field_of_every_struct(self):
        listed = re.findall(r"^FIELD\((\w+), (\w+), \d+\)", LAYOUT.read_text(encoding="utf-8"), flags=re.M)
        declared = [(name, field) for name, fields, _ in structs() for field in fields]
        self.assertGreater(len(declared), 100)
        self.assertEqual(listed, declared)

    def test_the_layout_lists_every_constant(self):
        listed = dict(re.findall(r"^VALUE\((\w+), (-?\d+)\)", LAYOUT.read_text(encoding="utf-8"), flags=re.M))
        declared = {name for name, value in surface.constants(HEADER.read_text(encoding="utf-8")).items() if '"' not in value}
        self.assertEqual(set(listed), declared)

    def test_the_catalogue_reaches_every_type(self):
        text = HEADER.read_text(encoding="utf-8")
        reached = set(re.findall(r"OF\((assay_\w+)\)", CATALOGUE.read_text(encoding="utf-8")))
        declared = {name for name, _, _ in structs()} | set(re.findall(r"^typedef int32_t (\w+);", text, flags=re.M))
        self.assertEqual(reached, declared)

    def test_only_plain_types_cross(self):
        for name, _, body in structs():
            for declaration in filter(None, (" ".join(part.split()) for part in body.split(";"))):
                words = re.findall(r"\b[a-z_0-9]+\b", re.sub(r"\(\*\w+\)", "", declaration))
                types = [word for word in words if word.startswith(("assay_", "int", "uint", "size_t", "double", "float", "char", "long",
                                                                    "short", "unsigned", "_Bool", "bool", "struct", "union", "enum"))]
                with self.subTest(struct=name, declaration=declaration):
                    self.assertTrue(types or "void" in words)
                    self.assertEqual([word for word in types if not re.fullmatch(PLAIN, word)], [])
                    self.assertNotRegex(declaration, r":\s*\d|\[", "no bit field, no array")
                    # A struct is passed by pointer, never by value.
                    by_value = re.findall(r"\b(assay_\w+)\b(?!\s*\*)(?!\s*const\*)", declaration)
                    self.assertEqual([word for word in by_value if word in {struct for struct, _, _ in structs()}], [])

    def test_drafts_are_outside_of_the_contract(self):
        drafts = HEADER.with_name("drafts.h").read_text(encoding="utf-8")
        ids = re.findall(r'^#define ASSAY_DRAFT_\w+ "(.*)"$', drafts, flags=re.M)
        self.assertTrue(ids)
        for ident in ids:
            self.assertRegex(ident, r"^assay\.[a-z]+/\d+-draft\.\d+$")
        contract = HEADER.read_text(encoding="utf-8")
        self.assertNotRegex(re.sub(r"/\*.*?\*/", "", contract, flags=re.S), "(?i)draft")
        # The gate compares what the contract declares, of which nothing is a draft's.
        drafted = set(re.findall(r"\b(assay_\w+_draft)\b", drafts))
        self.assertTrue(drafted)
        self.assertFalse(drafted & {name for name, _, _ in structs()})
        self.assertNotIn("drafts.h", CATALOGUE.read_text(encoding="utf-8"))

    def test_nothing_but_c99_is_included(self):
        includes = re.findall(r"#include <(.*)>", HEADER.read_text(encoding="utf-8"))
        self.assertEqual(includes, ["stddef.h", "stdint.h"])


if __name__ == "__main__":
    unittest.main()
