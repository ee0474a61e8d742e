#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the campaign 'overload' reads from ctest, from a real one, and passes that are made at once."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import overload

TESTS = """
add_test("good" "true")
add_test("All/Kind.Of/bad  # GetParam() = bad" "sh" "-c" "echo why; exit 1")
add_test("skipped" "sh" "-c" "exit 77")
set_tests_properties("skipped" PROPERTIES SKIP_RETURN_CODE 77)
"""


class Ctest(unittest.TestCase):
    def test_every_outcome_is_read_and_what_failed_printed_too(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "CTestTestfile.cmake").write_text(TESTS)
            done = subprocess.run(["ctest", "--test-dir", folder, "-j", "2", "--output-on-failure"], capture_output=True, text=True, check=False)
        bad = "All/Kind.Of/bad  # GetParam() = bad"
        self.assertEqual(dict(overload.outcomes(done.stdout)), {"good": "Passed", bad: "***Failed", "skipped": "***Skipped"})
        self.assertEqual(overload.printed(done.stdout, bad).strip(), "why")

    def test_a_pass_that_is_cut_short_ends_short_tests(self):
        with tempfile.TemporaryDirectory() as folder:
            long = [f'add_test("run.long-{i}" "tail" "-f" "/dev/null")\nset_tests_properties("run.long-{i}" PROPERTIES LABELS unit COST 1000)\n' for i in range(2)]
            short = [f'add_test("run.short-{i}" "true")\nset_tests_properties("run.short-{i}" PROPERTIES LABELS unit)\n' for i in range(200)]
            (pathlib.Path(folder) / "CTestTestfile.cmake").write_text("".join(long + short))
            found = overload.Found()
            overload.one_by_one(pathlib.Path(folder), 2, found)
        self.assertEqual(found.failures, [])
        self.assertGreater(found.tests, 0)

    def test_passes_at_once_have_files_of_their_own(self):
        mine = sorted(os.sched_getaffinity(0))
        if not overload.may_be_apart():
            self.skipTest("namespaces are not allowed here")
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            mark, kept = pathlib.Path(folder) / "mark", pathlib.Path(tempfile.gettempdir()) / f"assay-overload-{os.getpid()}"
            alone = f"[ ! -e {mark} ] && [ ! -e {kept} ] && touch {mark} {kept}"
            (pathlib.Path(folder) / "CTestTestfile.cmake").write_text(
                f'add_test("alone" "sh" "-c" "{alone}")\nset_tests_properties("alone" PROPERTIES LABELS unit)\n')
            found = overload.Found()
            overload.at_once(pathlib.Path(folder), [mine[:1], mine[-1:]], found)
            self.assertEqual((found.passes, found.tests, found.failures), (overload.PASSES, overload.PASSES, []))
            self.assertFalse(mark.exists() or kept.exists())


if __name__ == "__main__":
    unittest.main()
