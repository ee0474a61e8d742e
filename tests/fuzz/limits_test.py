# SPDX-License-Identifier: Apache-2.0
"""docs/reference/limits.md says what the code does: every constant has the value shown, every test named is there, and no limit is missing."""

import pathlib
import re
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| (.+?) \| (\d+) \| `([^`]+)` `(\w+)` \| `([^`]+)` \|$", re.MULTILINE)
PAGE = (SOURCE / "docs/reference/limits.md").read_text(encoding="utf-8")

# The components that take something from outside, and how a limit is called there.
COMPONENTS = ("text", "base", "yaml", "suite", "plan", "catalog", "wire", "worker", "run", "report", "check", "engine", "cli", "system", "result")
NAME = re.compile(r"constexpr [^=;{]*\b(k(?:Maximum|Most|Largest|Longest)\w*|k\w+Limit)\b\s*[={]")
# Called like a limit, and none of what comes from outside.
OTHERS = {
    "core/base/quantity.cpp": "kMaximum: of the numbers that are printed exactly",
    "core/plan/case_settings.cpp": "kMaximumTime: of --quick",
    "core/plan/value.cpp": "kLargestExact: integers beyond it are refused as parameters, by value",
    "core/suite/dimension.cpp": "kLongest: of a quotation in a message",
    "core/suite/fields.cpp": "kLongest: of a quotation in a message",
    "core/yaml/node.cpp": "kLongest: of a quotation in a message",
    "core/engine/fitness.cpp": "kLargestEffect: of a machine that is called fit",
    "core/cli/project.cpp": "kLongestName: of a new project",
    "core/worker/crash_handler.cpp": "kMostFrames: of a backtrace",
    "core/check/state_checks.cpp": "kMost_s: how long a check goes on",
    "core/check/file_checks.cpp": "kMost: symbols named in a message",
    "core/system/host.cpp": "kLargestFile: of files in /proc and /sys",
    "core/wire/child.cpp": "kReadLimit, kDrainLimit: how much is read in one go",
}


def value(text):
    """1'000, 64 << 10, std::size_t{1} << 20 as a number."""
    text = re.sub(r"std::(?:size_t|uint64_t)\{(\d+)\}", r"\1", text).replace("'", "")
    text = " ".join(text.split())
    text = re.sub(r"\b1e(\d+)$", lambda match: str(10 ** int(match[1])), text)
    if not re.fullmatch(r"[\d\s<]+", text):
        raise ValueError(text)
    return eval(text)  # digits and shifts only


class Limits(unittest.TestCase):
    def test_every_row_is_true(self):
        rows = ROW.findall(PAGE)
        tables = PAGE.count("|---|---:|---|---|")
        self.assertEqual(len(rows), len([line for line in PAGE.splitlines() if line.startswith("| ")]) - tables)
        tests = "\n".join(path.read_text(encoding="utf-8") for component in ("core", "plugins") for path in (SOURCE / component).rglob("*_test.cpp"))
        for what, limit, file, name, test in rows:
            with self.subTest(what):
                code = (SOURCE / file).read_text(encoding="utf-8")
                found = re.search(rf"\b{name}\s*(?:=\s*([^;/]+)|\{{([^;}}]+)\}});", code)
                self.assertIsNotNone(found, f"{file} has no {name}")
                self.assertEqual(value((found.group(1) or found.group(2)).strip()), int(limit))
                if "." in test:
                    module, function = test.split(".")
                    script = (SOURCE / f"tests/integration/{module}.py").read_text(encoding="utf-8")
                    self.assertIn(f"def {function}(", script, f"no test {test}")
                else:
                    self.assertIsNotNone(re.search(rf"TEST\w*\({test}\)", tests), f"no test {test}")

    def test_no_limit_is_missing(self):
        listed = {(file, name) for _, _, file, name, _ in ROW.findall(PAGE)}
        for component in COMPONENTS:
            for path in sorted((SOURCE / "core" / component).rglob("*.[ch]pp")):
                file = str(path.relative_to(SOURCE))
                if "testing/" in file or file.endswith("_test.cpp"):
                    continue
                for name in NAME.findall(path.read_text(encoding="utf-8")):
                    if not re.search(rf"\b{name}\b", OTHERS.get(file, "")):
                        self.assertIn((file, name), listed, "a limit without a row in docs/reference/limits.md")


if __name__ == "__main__":
    unittest.main()
