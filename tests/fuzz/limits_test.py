# SPDX-License-Identifier: Apache-2.0
"""docs/reference/limits.md says what the code does: every constant has the value shown, every test named is there."""

import pathlib
import re
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| (.+?) \| (\d+) \| `([^`]+)` `(k\w+)` \| `([^`]+)` \|$", re.MULTILINE)


def value(text):
    """1'000, 64 << 10, std::size_t{1} << 20 as a number."""
    text = re.sub(r"std::size_t\{(\d+)\}", r"\1", text).replace("'", "")
    if not re.fullmatch(r"[\d\s<]+", text):
        raise ValueError(text)
    return eval(text)  # digits and shifts only


class Limits(unittest.TestCase):
    def test_every_row_is_true(self):
        page = (SOURCE / "docs/reference/limits.md").read_text(encoding="utf-8")
        rows = ROW.findall(page)
        self.assertEqual(len(rows), len([line for line in page.splitlines() if line.startswith("| ")]) - 1)
        tests = "\n".join(path.read_text(encoding="utf-8") for path in (SOURCE / "core").rglob("*_test.cpp"))
        for what, limit, file, name, test in rows:
            with self.subTest(what):
                code = (SOURCE / file).read_text(encoding="utf-8")
                found = re.search(rf"\b{name}\s*=\s*([^;]+);", code)
                self.assertIsNotNone(found, f"{file} has no {name}")
                self.assertEqual(value(found.group(1).strip()), int(limit))
                self.assertIsNotNone(re.search(rf"TEST\w*\({test}\)", tests), f"no test {test}")


if __name__ == "__main__":
    unittest.main()
