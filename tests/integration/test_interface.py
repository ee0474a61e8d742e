#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What assay/abi/v1.h says of the host, where it takes the whole command to see it."""

import json

import harness


class Interface(harness.Assay):
    def test_the_log_of_a_case_that_passed_is_in_the_journal_alone(self):
        done = self.run_suite("cases:\n  - {id: good, uses: series@fake}\n  - {id: bad, uses: series@fake, with: {fault: error, phase: verify}}\n",
                              "--report", "console", "--report", "markdown", "--report", "junit")
        self.assertEqual(done.code, 5, done.err)
        with (self.results / "journal.jsonl").open(encoding="utf-8") as lines:
            visits = [json.loads(line) for line in lines if '"prepared' in line or "prepared" in line]
        self.assertGreaterEqual(len(visits), 2, "both cases log 'prepared'")
        cases = {case["id"]: json.dumps(case) for case in json.loads((self.results / "result.json").read_text())["cases"]}
        self.assertNotIn("info: prepared", cases["good"])
        self.assertIn("info: prepared", cases["bad"])


if __name__ == "__main__":
    harness.main()
