#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who has only the README finds the answer to each of its five questions in at most three commands, all of which the page's own test runs."""

import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run_blocks  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_COMMANDS = 3


def questions():
    """(question, [commands]) of the section: what stands between one bold question and the next, without what is only shown."""
    section = re.search(r"^## Five questions\n(.*?)^## ", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)[1]
    parts = re.split(r"^\*\*([^*]+\?)\*\*", section, flags=re.MULTILINE)
    for question, text in zip(parts[1::2], parts[2::2]):
        run = [body for _, language, body, comments in run_blocks.blocks(text) if language == "sh" and not {"file", "shown"} & set(comments)]
        yield question, [line for body in run for line in body.splitlines() if line.strip() and not line.startswith("#")]


class Questions(unittest.TestCase):
    def test_there_are_five(self):
        self.assertEqual([question for question, _ in questions()],
                         ["Is A faster than B, at three sizes?", "How long does my program take?", "Is it slower than last week?",
                          "Is this machine fit to measure on?", "A report for somebody else?"])

    def test_each_is_answered_in_three_commands(self):
        for question, commands in questions():
            with self.subTest(question):
                self.assertTrue(1 <= len(commands) <= MOST_COMMANDS, commands)
                self.assertTrue(any(re.match(r"assay \w", command) for command in commands), commands)


if __name__ == "__main__":
    unittest.main()
