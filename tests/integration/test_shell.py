#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Of what a suite says, only the line under `shell` reaches a shell, and nothing is filled into that line."""

import harness
from harness import Assay

SUITE = """version: 1
suite: shell
requires: {backend: host}
defaults: {measure: {samples: 1, warmup: 0}}
cases:
  - id: plain
    uses: external
    with: {word: "$(touch mark)"}
    command: [sh, -c, 'printf "%s\\n" "$1" "$2" > said', sh, "{word}", "`touch mark`; touch mark"]
  - id: line
    uses: external
    env: {WORD: "$(touch mark)"}
    shell: 'printf "%s\\n" "{word}" "$WORD" > line; printf "%s\\n" "$((1 + 1))" >> line'
"""


class Shell(Assay):
    def test_only_a_shell_line_reaches_a_shell_and_as_it_stands(self):
        self.write("suite.yaml", SUITE)
        done = self.assay("run", "suite.yaml", "-o", self.results)
        self.assertEqual(done.code, 0, done.out + done.err)
        self.assertFalse((self.folder / "mark").exists())
        self.assertEqual((self.folder / "said").read_text(), "$(touch mark)\n`touch mark`; touch mark\n")
        self.assertEqual((self.folder / "line").read_text(), "{word}\n$(touch mark)\n2\n")


if __name__ == "__main__":
    harness.main()
