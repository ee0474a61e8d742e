#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real programs that see of each other whether they are stopped."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import turns
from turns import Program

# Says which processes are its own, a child too, and then, so many times or for ever, whether one of the other program's runs.
WATCHER = """
import os, pathlib, sys
sys.path.insert(0, sys.argv[1])
import turns
mine, other, looks, code = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
begun_by, me = os.getppid(), os.getpid()
child = os.fork()
if not child:
    while os.getppid() == me: pass
    os._exit(1)
mine.with_suffix(".new").write_text(f"{os.getpid()} {child}")
mine.with_suffix(".new").rename(mine)
while not other.exists() and os.getppid() == begun_by: pass
processes = other.read_text().split()
while looks != 0:
    print(any([turns.runs(process) for process in processes]), flush=True)
    looks -= 1
os.kill(child, 9)
os.wait()
sys.exit(code)
"""
ENDLESS, TURN_S = -1, 0.005


class Turns(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="assay-turns-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def watch(self, name, other, looks, code=0):
        # Neither may look before the other is stopped for the first time.
        program = Program([sys.executable, "-B", "-c", WATCHER, pathlib.Path(turns.__file__).parent, self.folder / name, self.folder / other, looks, code])
        self.addCleanup(program.kill)
        return program

    def both(self, looks, others, code=0):
        other = self.watch("b", "a", others)
        other.stop()
        return self.watch("a", "b", looks, code), other

    def assert_nothing_is_left(self):
        for process in [process for name in ("a", "b") for process in (self.folder / name).read_text().split()]:
            self.assertFalse(turns.runs(process), process)

    def test_one_at_a_time_runs_with_all_that_it_began(self):
        one, two = self.both(2000, 2000)
        turns.in_turn(one, two, TURN_S)
        self.assertEqual((one.text, two.text), ("False\n" * 2000, "False\n" * 2000))
        self.assert_nothing_is_left()

    def test_an_endless_one_is_ended_with_the_other(self):
        main, endless = self.both(2000, ENDLESS)
        turns.beside(main, endless, TURN_S)
        self.assertEqual(main.text, "False\n" * 2000)
        self.assertEqual(set(endless.text.split()), {"False"})
        self.assert_nothing_is_left()

    def test_one_that_fails_is_told(self):
        for meet in (turns.in_turn, turns.beside):
            with self.subTest(meet.__name__), self.assertRaisesRegex(RuntimeError, "ended with 7:\nFalse"):
                meet(*self.both(1, 1 if meet is turns.in_turn else ENDLESS, code=7), TURN_S)
            for name in ("a", "b"):
                (self.folder / name).unlink()

    def test_one_that_is_endless_must_be_so(self):
        main = Program(["sleep", "1000"])
        with self.assertRaisesRegex(RuntimeError, "sh ended before sleep did"):
            turns.beside(main, Program(["sh", "-c", "exit 0"]), TURN_S)
        self.assertTrue(main.ended())

    def test_one_that_always_begins_others_can_be_stopped(self):
        # A shell waits in the kernel until its child has become the program, which a child that is stopped does not.
        begins = ["sh", "-c", "while :; do /bin/true; done"]
        main = Program(["sh", "-c", "for i in $(seq 200); do /bin/true; done"])
        turns.beside(main, Program(begins), 0.001)

    def test_children_are_found_where_the_kernel_does_not_list_them(self):
        parent = subprocess.Popen(["sh", "-c", "sleep 1000 & echo begun; wait"], stdout=subprocess.PIPE)
        parent.stdout.readline()
        both = turns.tree(parent.pid)
        self.assertEqual(len(both), 2)
        self.assertEqual(both, {parent.pid, *turns.children_by_parent()[parent.pid]})
        for process in both:
            os.kill(process, 9)
        parent.communicate()

    def test_a_program_runs_on_the_cpus_that_were_named(self):
        cpu = max(os.sched_getaffinity(0))
        program = Program([sys.executable, "-c", "import os; print(os.sched_getaffinity(0))"], cpus={cpu})
        program.finish()
        self.assertEqual(program.text.strip(), str({cpu}))


if __name__ == "__main__":
    unittest.main(verbosity=2)
