#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A type name of core has one meaning: it stands in one file, or in the document and in what the document publishes."""

import collections
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TYPE = re.compile(r"^[ \t]*(?:template\s*<[^;{]*>\s*)?(?:class|struct|enum class|enum|union)\s+(?:\[\[[^\]]*\]\]\s*)?(\w+)(?:\s+final)?\s*(?::(?!:)[^;{(]*)?\{", re.MULTILINE)
ALIAS = re.compile(r"^[ \t]*using\s+(\w+)\s*=", re.MULTILINE)

# Structs of the published document that have the name of what they publish.
PUBLISHED = {
    "Backend": "system", "Check": "result", "Device": "system", "Expected": "suite", "FindingRow": "judge", "FixedCost": "judge", "Measurement": "result",
    "NumaNode": "system", "OtherRun": "result", "Peak": "judge", "Placement": "plan", "RankComparison": "judge", "Reason": "result", "Span": "result", "Verification": "result", "Visit": "result",
}
# Read with the type that it is in: Expression::Kind is the kind of an expression.
NESTED = {"Kind"}


def types_of(text, with_aliases):
    text = re.sub(r"//.*", "", text)
    return set(TYPE.findall(text)) | set(ALIAS.findall(text) if with_aliases else [])


def files_by_type(sources):
    """The files that define each type: types and aliases of headers, and types of sources that are not tests."""
    found = collections.defaultdict(set)
    for name, text in sources.items():
        for type_name in types_of(text, name.endswith(".hpp")):
            found[type_name].add(name)
    return found


def is_published(type_name, files):
    component = PUBLISHED.get(type_name)
    document = [name for name in files if name.startswith("core/model/document")]
    return component is not None and len(files) == 2 and len(document) == 1 and any(name.startswith(f"core/{component}/") for name in files)


def ambiguous(sources):
    for type_name, files in sorted(files_by_type(sources).items()):
        in_header = any(name.endswith(".hpp") for name in files)
        if len(files) > 1 and in_header and type_name not in NESTED and not is_published(type_name, files):
            yield f"{type_name}: {', '.join(sorted(files))}"


class TypeNames(unittest.TestCase):
    def test_core_has_no_type_name_with_two_meanings(self):
        sources = {}
        for path in (ROOT / "core").rglob("*.?pp"):
            if not path.name.endswith("_test.cpp"):
                sources[str(path.relative_to(ROOT))] = path.read_text(encoding="utf-8")
        self.assertEqual(list(ambiguous(sources)), [])
        found = files_by_type(sources)
        self.assertGreater(len(found), 500)
        self.assertEqual([name for name in PUBLISHED if not is_published(name, found[name])], [], "no longer in the document and what it publishes")

    def test_a_second_type_of_a_name_is_found(self):
        first = {"core/run/a.hpp": "struct Stage {\n};\n"}
        for name, text in (
            ("core/check/b.hpp", "class Outer {\n  enum class Stage { one };\n};\n"),
            ("core/check/b.hpp", "using Stage = int;\n"),
            ("core/check/b.cpp", "class Stage final : public Base {\n};\n"),
            ("core/model/document.hpp", "struct Stage {\n};\n"),
        ):
            self.assertEqual(list(ambiguous({**first, name: text})), [f"Stage: {', '.join(sorted(['core/run/a.hpp', name]))}"])
        self.assertEqual(list(ambiguous({**first, "core/check/b.hpp": "struct Stage;\nStage& stage();\n"})), [])


if __name__ == "__main__":
    unittest.main()
