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

    # Of short kernels: what one visit queues has to drain before the next one begins.
    def test_a_hundred_of_a_hundred_visits_are_seen(self):
        durations_us = [100 + 5 * index for index in range(100)]
        result = self.run_suite("cases:\n  - {id: a, uses: gpu_unsynchronised, matrix: {duration: [" + ", ".join(f"{us}us" for us in durations_us)
                                + "]}, measure: {samples: 20, max_time: 2s}, processes: 1}\n", timeout=500)
        self.assertEqual(len(result.document["cases"]), 100, result.out + result.err)
        for case in result.document["cases"]:
            with self.subTest(case["id"]):
                self.assert_refused(case)

    # A stream takes about a thousand kernels, and then lets its thread wait. Samples that wait so are true.
    def test_where_settle_does_not_wait_nothing_false_is_published(self):
        durations_s = {"20us": 20e-6, "200us": 200e-6, "2ms": 2e-3, "10ms": 10e-3}
        ways = {"warm": "", "cold": ", warmup: 0"}
        cases = [f"  - {{id: {way}, uses: gpu_unsynchronised, with: {{settles: false}}, matrix: {{duration: [{', '.join(durations_s)}]}}, "
                 f"measure: {{samples: 20, max_time: 2s{warmup}}}}}\n" for way, warmup in ways.items()]
        result = self.run_suite("cases:\n" + "".join(cases), timeout=400)
        self.assertEqual(len(result.outcomes()), len(ways) * len(durations_s), result.out + result.err)
        for way in ways:
            for duration, duration_s in durations_s.items():
                case = result.case(f"{way}[duration={duration}]")
                published_s = [metric["value"] for metric in case["metrics"] if metric["name"] == "latency"]
                print(case["id"], case["outcome"], (case["reason"] or {}).get("code"), published_s)
                with self.subTest(case["id"]):
                    if case["outcome"] == "passed":
                        self.assertGreater(published_s[0], 0.98 * duration_s)
                    else:
                        self.assertEqual((case["outcome"], case["reason"]["code"] in LIES), ("invalid", True), case["reason"])


if __name__ == "__main__":
    gpu.main()
