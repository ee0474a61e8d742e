#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""numa@cuda on real GPUs: every word arrives, pages lie where the matrix says, and what a machine has not is skipped."""

import gpu


class Numa(gpu.Gpu):
    def test_every_copy_is_verified_with_its_pages_and_threads(self):
        result = self.run_suite("defaults: {processes: 1, measure: {samples: 5, warmup: 1}}\ncases:\n"
                                "  - {id: link, uses: numa@cuda, with: {bytes: 32MiB}, "
                                "matrix: {direction: [h2d, d2h], memory: [pinned, pageable], traffic: [alone, together]}}\n"
                                "  - {id: tiny, uses: numa@cuda, with: {bytes: 4KiB}}\n")
        self.assert_passed(result)
        for case in result.document["cases"]:
            with self.subTest(case["id"]):
                self.assertTrue(case["verification"]["exact"], case["id"])
                self.assertIn("gpu_nodes", case["facts"])
                values = {entry["name"]: entry for entry in case["metrics"]}
                self.assertGreaterEqual(values["placed"]["value"], 0.99)
                self.assertIn("bandwidth_matrix", str(case))

    def test_page_locked_memory_is_faster_than_ordinary(self):
        result = self.run_suite("defaults: {processes: 1, measure: {samples: 5, warmup: 1}}\ncases:\n"
                                "  - {id: link, uses: numa@cuda, with: {bytes: 256MiB}, matrix: {memory: [pinned, pageable]}}\n")
        self.assert_passed(result)
        rates = {case["id"]: case["metrics"][0]["value"] for case in result.document["cases"]}
        self.assertGreater(rates["link[memory=pinned]"], 1.2 * rates["link[memory=pageable]"], rates)

    def test_what_cannot_be_measured_is_refused_in_words(self):
        result = self.run_suite("cases:\n  - {id: large, uses: numa@cuda, with: {bytes: 1TiB}}\n")
        self.assertEqual(set(result.outcomes().values()), {"skipped"}, result.out)
        self.assertIn("host memory", result.out)

    def test_a_length_that_no_line_divides_is_an_error_at_its_place(self):
        result = self.run_suite("cases:\n  - {id: odd, uses: numa@cuda, with: {bytes: 5000}}\n")
        self.assertEqual(result.code, 5)
        self.assertIn("not a multiple of 128", result.out)


if __name__ == "__main__":
    gpu.main()
