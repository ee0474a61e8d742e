#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every rule of docs/reference/abi.md has a number and tests that hold it, and what the page quotes is what the program says."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/reference/abi.md").read_text(encoding="utf-8")


def rules():
    """(number, the tests that it names) of every row."""
    return [(int(number), re.findall(r"`([^`]+: [^`]+)`", held))
            for number, held in re.findall(r"^\| ABI-(\d+) \|.*\| (.*?) \|$", PAGE, flags=re.M)]


def defines(path, name):
    """Whether a file has a test of that name; in a file without tests, whether it has that text."""
    text = (ROOT / path).read_text(encoding="utf-8")
    if path.endswith(".py"):
        return re.search(rf"def {re.escape(name)}\(self", text) is not None
    if path.endswith("_test.cpp"):
        return re.search(rf"^TEST(_F|_P)?\(\w+,\s*{re.escape(name)}\)", text, flags=re.M) is not None
    return name in text


class Rules(unittest.TestCase):
    def test_numbers_run_from_one_without_a_gap(self):
        self.assertEqual([number for number, _ in rules()], list(range(1, len(rules()) + 1)))
        self.assertGreaterEqual(len(rules()), 14)

    def test_every_rule_names_tests_that_exist(self):
        for number, tests in rules():
            self.assertTrue(tests, f"ABI-{number} names no test")
            for test in tests:
                path, name = test.split(": ", 1)
                with self.subTest(rule=number, test=test):
                    self.assertTrue((ROOT / path).is_file(), path)
                    self.assertTrue(defines(path, name), f"{path} has no test '{name}'")

    def test_what_the_header_says_of_the_host_names_tests_that_exist(self):
        section = PAGE[PAGE.index("\n## What the header says of Assay"):]
        rows = [line for line in section.splitlines() if line.startswith("| ")][1:]
        self.assertGreater(len(rows), 20)
        for row in rows:
            tests = re.findall(r"`([^`]+\.(?:py|cpp): [^`]+)`", row)
            self.assertTrue(tests, row)
            for test in tests:
                path, name = test.split(": ", 1)
                with self.subTest(test=test):
                    self.assertTrue((ROOT / path).is_file(), path)
                    self.assertTrue(defines(path, name), f"{path} has no test '{name}'")

    def test_numbers_that_are_referred_to_exist(self):
        known = {number for number, _ in rules()}
        for folder, pattern in (("docs", "*.md"), ("core", "*.?pp"), ("sdk", "*.h*"), ("tests", "*.py")):
            for path in (ROOT / folder).rglob(pattern):
                used = set(map(int, re.findall(r"\bABI-(\d+)\b", path.read_text(encoding="utf-8"))))
                self.assertEqual(used - known, set(), path)

    def test_the_page_is_about_the_minor_of_the_header(self):
        header = (ROOT / "sdk/include/assay/abi/v1.h").read_text(encoding="utf-8")
        minor = re.search(r"^#define ASSAY_ABI_MINOR (\d+)$", header, re.MULTILINE)[1]
        said = re.findall(r"Version 1, minor (\d+) is a preview|needs minor (\d+), built with minor (\d+)`", PAGE)
        self.assertEqual({number for each in said for number in each if number}, {minor})

    def test_the_page_quotes_the_sentences_of_the_program(self):
        quoted = re.findall(r"refused: `([^`]+)`", PAGE)
        self.assertEqual(len(quoted), 5)
        # Literals of the sources joined, so that what a number stands between can be found.
        sources = "".join((ROOT / path).read_text(encoding="utf-8") for path in
                          ("core/worker/interface.cpp", "core/worker/loader.cpp", "core/catalog/manifest.cpp"))
        said = re.sub(r"\s+", " ", " ".join(re.findall(r'"([^"]*)"', sources)))
        for sentence in quoted:
            for part in re.split(r"1\.[bhn]|\b[12]\b|assay_plugin_entry_v1", sentence):
                with self.subTest(sentence=sentence, part=part):
                    self.assertIn(" ".join(part.split()), said)


if __name__ == "__main__":
    unittest.main()
