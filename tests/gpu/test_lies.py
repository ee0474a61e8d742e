#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times that are too short to be true, on a real GPU: a plugin that does not wait for what it queues is refused."""

import gpu

LIES = {"guard.work-left-behind", "guard.time-not-proportional"}


class Unsynchronised(gpu.Gpu):
    def case(self, parameters, measure):
        result = self.run_suite(f"cases:\n  - {{id: a, uses: gpu_unsynchronised, with: {{{parameters}}}, measure: {{{measure}}}}}\n", timeout=300)
        return result.case("a")

    def assert_refused(self, case):
        self.assertEqual(case["outcome"], "invalid", case["reason"])
        self.assertIn(case["reason"]["code"], LIES, case["reason"])

    def test_what_settle_waits_for_is_seen(self):
        self.assert_refused(self.case("duration: 1ms", "samples: 20, max_time: 2s"))

    def test_a_settle_that_does_not_wait_is_seen_by_the_verification_that_does(self):
        self.assert_refused(self.case("duration: 2ms, settles: false", "samples: 20, max_time: 2s"))


if __name__ == "__main__":
    gpu.main()
