# SPDX-License-Identifier: Apache-2.0
"""Runs that no result could hold: refused before they begin, or told with what the result lacks."""

import unittest

import harness
from harness import HEADER, Assay


class Sizes(Assay):
    def test_more_cases_than_a_result_holds_are_refused_before_the_run(self):
        suite = HEADER + "cases:\n  - {id: a, uses: series, matrix: {bytes: {from: 1, to: 10000, step: 1}, duration: [1ms, 2ms, 3ms]}}\n"
        done = self.run_suite(suite)
        self.assertEqual(done.code, 3, done.err)
        self.assertIn("20000", done.err)
        self.assertFalse(self.results.exists())


if __name__ == "__main__":
    harness.main()
