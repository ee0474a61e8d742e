#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""assay doctor on a real GPU."""

import gpu


class Doctor(gpu.Gpu):
    def test_the_clocks_are_right_and_the_launch_cost_is_recorded(self):
        result = self.assay("doctor", "--processes", "3", "-o", self.results, timeout=300)
        print("\n" + result.out)
        document = result.document
        self.assertEqual(document["verdict"]["outcome"], "passed", result.out + result.err)
        case = next(case for case in document["cases"] if "work=delay" in case["id"] and "cuda:0" in case["id"])
        values = {metric["name"]: metric["value"] for metric in case["metrics"]}
        self.assertLess(abs(values["delay_slope"] - 1), 1e-3)
        self.assertLess(abs(values["host_slope"] - 1), 1e-3)
        self.assertTrue(0 < values["delay_offset"] < 2e-5, values)
        self.assertTrue(0 < values["event_tick"] <= 1e-6, values)
        self.assertTrue(0 < values["event_overhead"] < 1e-5, values)
        self.assertTrue(0 < values["graph_launch"] < values["launch"] < 2e-5, values)
        self.assertIn("from process to process", result.out)
        self.assertIn("what spoils measurements here", result.out)


if __name__ == "__main__":
    gpu.main()
