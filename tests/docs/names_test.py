#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the pages name is there: every test, file and folder; and every line of the pages that promise something names the test that shows it."""

import os
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("ASSAY_BUILD", str(ROOT / "build"))  # where nothing of it is run
sys.path.insert(0, str(ROOT / "tests/integration"))
sys.path.insert(0, str(ROOT / "tests/property"))
import defects  # noqa: E402
import test_liar  # noqa: E402

CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
GOOGLE_TEST = re.compile(r"[A-Z]\w+, [A-Z]\w+")
PYTHON_TEST = re.compile(r"(?:test_\w+\.)?(test_[a-z0-9_]+)")
PATH = re.compile(r"(?:\.\./)*(?:core|plugins|sdk|suites|reporters|tests|docs|cmake|build/release/bin)/[\w./+*@{},-]+")
FENCE = re.compile(r"^\s*```.*?^\s*```$", re.DOTALL | re.MULTILINE)
TEST_NAME = re.compile(r"`(?:[A-Z]\w+, [A-Z]\w+|(?:test_\w+\.)?test_[a-z0-9_]+)`")

# Not there, and why it is named all the same.
ELSEWHERE = {"reporters/NAME": "to be written; tests/recipes/follow.py holds the page to it", "plugins/NAME": "likewise", "build/release/bin": "made by a build", "lib/assay": "of the archive", "share/assay": "of the archive"}


def pages():
    """What people read; reports that are rendered from results are the reporter's."""
    yield ROOT / "README.md"
    yield ROOT / "CONTRIBUTING.md"
    yield from sorted(ROOT.glob("plugins/*/README.md"))
    for path in sorted((ROOT / "docs").rglob("*.md")):
        if not re.search(r"/results/h\d+[^/]*/(?!README)", str(path)):
            yield path


def spans(path):
    return CODE.findall(FENCE.sub("", path.read_text(encoding="utf-8")))


def read(paths):
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folders = [ROOT / name for name in ("core", "plugins", "reporters", "sdk", "tests")]
        cpp = read(path for folder in folders for path in folder.rglob("*_test.cpp"))
        python = read(path for folder in folders for path in folder.rglob("*.py"))
        cls.google = {f"{suite}, {name}" for suite, name in re.findall(r"\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", cpp)}
        cls.python_tests = set(re.findall(r"def (test_\w+)\(", python))
        cls.python = cls.python_tests | {path.stem for path in ROOT.rglob("tests/**/test_*.py")}

    def test_every_test_that_a_page_names_exists(self):
        named = 0
        for page in pages():
            for span in spans(page):
                found = PYTHON_TEST.fullmatch(span)
                if found:
                    named += 1
                    self.assertIn(found[1], self.python, f"{page.relative_to(ROOT)}: `{span}`")
                elif GOOGLE_TEST.fullmatch(span):
                    named += 1
                    self.assertIn(span, self.google, f"{page.relative_to(ROOT)}: `{span}`")
        self.assertGreater(named, 100)

    def test_cpp_test_names_are_short_and_without_underscores(self):
        self.assertGreater(len(self.google), 1000)
        for name in self.google:
            self.assertRegex(name, r"^[A-Za-z0-9]{1,60}, [A-Za-z0-9]{1,60}$")

    def test_python_test_names_are_short(self):
        self.assertGreater(len(self.python_tests), 400)
        self.assertEqual([name for name in sorted(self.python_tests) if len(name) > 60], [])

    def test_every_reason_code_is_raised_somewhere(self):
        table = (ROOT / "core/result/reasons.cpp").read_text(encoding="utf-8")
        codes = re.findall(r'^    \{"([a-z][\w.-]*)",', table, re.MULTILINE)
        self.assertGreater(len(codes), 100)
        sources = "".join(path.read_text(encoding="utf-8") for folder in ("core", "plugins", "sdk") for path in sorted((ROOT / folder).rglob("*.[chi]*"))
                          if path.suffix in (".c", ".cpp", ".h", ".hpp") and path.name != "reasons.cpp" and not path.stem.endswith("_test"))
        for code in codes:
            # Those of group checks are put together of "group." and a status.
            said = {code, code.removeprefix("group."), code.removeprefix("group.").replace("-", "_")} if code.startswith("group.") else {code}
            self.assertTrue(any(f'"{each}"' in sources for each in said), code)

    def test_every_defect_that_mutants_put_back_has_its_place(self):
        for name, file, place, _ in defects.DEFECTS:
            if file:
                self.assertEqual((ROOT / file).read_text(encoding="utf-8").count(place), 1, f"{name}: {file}")

    def test_every_file_that_a_page_names_exists(self):
        named = 0
        for page in pages():
            for span in spans(page):
                found = PATH.match(span.split(" ")[0].split(":")[0])
                if not found or any(found[0].startswith(name) for name in ELSEWHERE) or "{" in found[0]:
                    continue
                named += 1
                name = found[0].rstrip("/.")
                there = any(list(base.glob(name)) if "*" in name else (base / name).exists() for base in (ROOT, page.parent))
                self.assertTrue(there, f"{page.relative_to(ROOT)}: `{span}`")
        self.assertGreater(named, 80)

    def test_every_link_of_a_page_leads_somewhere(self):
        linked = 0
        for page in pages():
            for target in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", page.read_text(encoding="utf-8"))):
                if target.startswith(("http:", "https:")):
                    continue
                name, _, anchor = target.partition("#")
                file = (page.parent / name).resolve() if name else page
                linked += 1
                self.assertTrue(file.exists(), f"{page.relative_to(ROOT)}: {target}")
                if anchor and file.suffix == ".md":
                    self.assertIn(anchor, headings(file), f"{page.relative_to(ROOT)}: {target}")
        self.assertGreater(linked, 80)

    def test_the_index_of_decisions_has_each_by_its_title(self):
        folder = ROOT / "docs/decisions"
        titles = [re.match(r"# (\d+)\. (.*)", path.read_text(encoding="utf-8")).groups() + (path.name,) for path in sorted(folder.glob("0*.md"))]
        self.assertGreater(len(titles), 40)
        self.assertEqual(re.findall(r"^\| (\d+) \| \[(.*)\]\((.*)\) \|$", (folder / "README.md").read_text(encoding="utf-8"), re.MULTILINE), titles)


def headings(file):
    """Anchors as GitHub makes them."""
    for line in FENCE.sub("", file.read_text(encoding="utf-8")).splitlines():
        if line.startswith("#"):
            text = line.lstrip("#").strip().lower()
            yield re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def table_rows(text):
    """The rows of all tables, without their heads."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    return [row for before, row in zip([""] + rows, rows) if not row.startswith("|--") and not is_head(rows, row)]


def is_head(rows, row):
    at = rows.index(row)
    return at + 1 < len(rows) and rows[at + 1].startswith("|--")


class Promises(unittest.TestCase):
    """Pages of which each line has its test. Those of abi.md are held by tests/abi/rules_test.py, those of limits.md by tests/fuzz/limits_test.py,
    outcomes.md by tests/integration/test_outcomes.py."""

    def page(self, name):
        return (ROOT / "docs" / name).read_text(encoding="utf-8")

    def assert_tested(self, line):
        self.assertRegex(line, TEST_NAME, "names no test")

    def test_each_row_of_faults_that_is_written_by_hand(self):
        text = self.page("reference/faults.md")
        clock, leaks = text.index("\n## A clock that lies"), text.index("\n## What is seen of leaks")
        lies, unseen = text[clock:leaks].split("\nWhat cannot be seen:")
        shown = set()
        for row in table_rows(lies):
            shown |= set(re.findall(r"`(\w+)`", row.rstrip("| ").rpartition("|")[2]))
        self.assertEqual(shown, {re.search(r"fault: (\w+)", lie)[1] for lie in test_liar.LIES})
        rows = table_rows(unseen) + table_rows(text[leaks:])
        self.assertGreaterEqual(len(rows), 9)
        for row in rows:
            self.assert_tested(row.rstrip("| ").rpartition("|")[2])

    def test_each_line_of_the_threat_model(self):
        text = self.page("explanation/threat-model.md")
        for row in table_rows(text):
            with self.subTest(row):
                self.assertTrue(TEST_NAME.search(row) or row.rstrip("| ").endswith("it is the reader's own"), "names no test")
        lines = re.findall(r"^- .*?(?=^- |^\S|\Z)", re.sub(r"^\n", "", text, flags=re.MULTILINE), re.MULTILINE | re.DOTALL)
        self.assertGreater(len(lines), 18)
        for line in lines:
            with self.subTest(line):
                self.assert_tested(line)

    def test_each_row_of_what_survives_what(self):
        text = self.page("explanation/what-survives.md")
        rows = table_rows(text)
        self.assertGreater(len(rows), 12)
        for row in rows:
            with self.subTest(row):
                self.assert_tested(row.rstrip("| ").rpartition("|")[2])


if __name__ == "__main__":
    unittest.main()
