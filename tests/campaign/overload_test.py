#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the campaign 'overload' reads from ctest, from a real one."""

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


if __name__ == "__main__":
    unittest.main()
