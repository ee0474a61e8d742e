# SPDX-License-Identifier: Apache-2.0
"""What the command prints at a terminal: a real one, of a given width."""

import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import tempfile
import termios
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = (ROOT / os.environ.get("ASSAY_BUILD", "build/release")).resolve()
ASSAY = BUILD / "bin/assay"


def at_terminal(columns, *arguments, **variables):
    """What `assay ARGUMENTS` prints at a terminal of so many columns, as lines."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    environment.update({"TERM": "xterm"}, **variables)
    process = subprocess.Popen([ASSAY, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    text = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # how a terminal that nobody holds any more ends
            break
        if not part:
            break
        text += part
    os.close(ours)
    process.wait()
    return text.decode().replace("\r\n", "\n").splitlines()


class Terminal(unittest.TestCase):
    def test_lists_and_help_keep_to_its_width(self):
        for command in (["list"], ["--help"], ["run", "--help"], ["describe", "membw@host"], ["explain", "group.nothing-to-compare"], ["plugin", "check", "--help"]):
            for columns in (80, 100):
                lines = at_terminal(columns, *command)
                self.assertGreater(len(lines), 2, command)
                for line in lines:
                    # A path or a name is never broken, and a command that can be copied is not either.
                    if len(line) > columns and " " in line.strip() and not line.startswith("  assay "):
                        words = max(len(word) for word in line.split())
                        self.assertGreater(words, columns // 3, f"{command} at {columns}: {line}")

    def test_a_terminal_that_knows_no_escapes_gets_none(self):
        with tempfile.TemporaryDirectory() as folder:
            suite = pathlib.Path(folder, "suite.yaml")
            suite.write_text("version: 1\nsuite: t\nrequires: {backend: host}\n"
                             "cases: [{id: a, uses: membw, with: {bytes: 1MiB}, measure: {samples: 6}}]\n", encoding="utf-8")
            for kind, has_escapes in (("xterm", True), ("dumb", False)):
                text = "\n".join(at_terminal(100, "run", suite, "-o", pathlib.Path(folder, kind), TERM=kind, ASSAY_LOCK_FOLDER=folder + "/locks"))
                self.assertEqual("\x1b" in text, has_escapes, text)

    def test_values_that_were_measured_stand_above_the_bar(self):
        with tempfile.TemporaryDirectory() as folder:
            suite = pathlib.Path(folder, "suite.yaml")
            suite.write_text("version: 1\nsuite: t\nrequires: {backend: host}\n"
                             "cases: [{id: a-case-with-a-name-that-takes-most-of-a-narrow-terminal, uses: membw, matrix: {bytes: [1MiB, 2MiB]}, measure: {samples: 6}, processes: 1}]\n",
                             encoding="utf-8")
            lines = at_terminal(80, "run", suite, "-o", pathlib.Path(folder, "results"), ASSAY_LOCK_FOLDER=folder + "/locks")
            # What is left of a line once what was drawn before it is taken off.
            shown = [line.rpartition("\x1b[K")[2] for line in lines]
            values = [line for line in shown if re.match(r"\d/2  a-case-with.*…", line)]
            self.assertEqual(len(values), 2, lines)
            for line in values:
                self.assertRegex(line, r"=\dMiB\]  \S+ \wB/s$")
                self.assertLessEqual(len(line), 80)

    def test_a_pipe_gets_whole_lines(self):
        whole = subprocess.run([ASSAY, "list"], capture_output=True, text=True, check=True).stdout
        broken = "\n".join(at_terminal(80, "list")) + "\n"
        self.assertNotEqual(whole, broken)
        self.assertEqual(" ".join(sorted(whole.split())), " ".join(sorted(broken.split())))


if __name__ == "__main__":
    unittest.main()
