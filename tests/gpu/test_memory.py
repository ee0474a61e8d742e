#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""membw@cuda and hostcopy@cuda on a real GPU: every kernel and way is verified, and what cannot be is skipped with the reason."""

import gpu

KERNELS = "[read, write, copy, scale, add, triad, dot, random, memcpy]"


def value(case, name):
    return next(entry["value"] for entry in case["metrics"] if entry["name"] == name)


class Membw(gpu.Gpu):
    def test_every_kernel_is_verified_in_every_state_of_the_cache(self):
        # A length that is not a multiple of any block's share.
        result = self.run_suite("defaults: {measure: {samples: 5, warmup: 1}}\ncases:\n"
                                f"  - {{id: mem, uses: membw@cuda, with: {{bytes: 33554560}}, matrix: {{kernel: {KERNELS}, cache: [hot, cold, rotating]}}}}\n"
                                f"  - {{id: tiny, uses: membw@cuda, with: {{bytes: 12416}}, matrix: {{kernel: {KERNELS}}}, measure: {{cache: hot}}}}\n")
        self.assert_passed(result)
        for case in result.document["cases"]:
            self.assertTrue(case["verification"]["exact"], case["id"])
            self.assertIn("launch_shape", case["facts"])

    def test_what_is_too_small_for_a_ring_is_no_rate_of_memory(self):
        result = self.run_suite("defaults: {measure: {samples: 5, warmup: 1}}\ncases:\n  - {id: tiny, uses: membw@cuda, with: {kernel: read, bytes: 4KiB}}\n")
        self.assert_passed(result)
        self.assertEqual(next(metric["name"] for metric in result.document["cases"][0]["metrics"] if metric["headline"]), "cache_bandwidth")

    def test_memory_is_slower_than_cache_and_random_order_than_none(self):
        result = self.run_suite("defaults: {measure: {samples: 10, warmup: 5}}\ncases:\n"
                                "  - {id: memory, uses: membw@cuda, with: {bytes: 1GiB}, matrix: {kernel: [read, triad, random]}}\n"
                                "  - {id: cache, uses: membw@cuda, with: {bytes: 4MiB}, matrix: {kernel: [read, triad]}, measure: {cache: hot}}\n"
                                "  - {id: latency, uses: membw@cuda, with: {kernel: latency}, matrix: {bytes: [16KiB, 4MiB, 1GiB]}}\n")
        self.assert_passed(result)
        rate = {case["id"]: case["metrics"][0]["value"] for case in result.document["cases"]}
        self.assertEqual(result.case("cache[kernel=read]")["metrics"][0]["name"], "cache_bandwidth")
        self.assertGreater(rate["cache[kernel=read]"], 1.2 * rate["memory[kernel=read]"], rate)
        self.assertGreater(rate["memory[kernel=read]"], 1.5 * rate["memory[kernel=random]"], rate)
        near, middle, far = (value(result.case(f"latency[bytes={size}]"), "cycles") for size in ("16KiB", "4MiB", "1GiB"))
        self.assertLess(2 * near, middle)
        self.assertLess(1.2 * middle, far)

    def test_what_cannot_be_measured_is_refused_in_words(self):
        result = self.run_suite("cases:\n"
                                "  - {id: large, uses: membw@cuda, with: {bytes: 1TiB}}\n"
                                "  - {id: cold, uses: membw@cuda, with: {kernel: latency}, measure: {cache: cold}}\n")
        self.assertEqual(set(result.outcomes().values()), {"skipped"}, result.out)
        self.assertIn("bytes of device memory", result.out)
        self.assertIn("cache: hot", result.out)

    def test_a_length_that_no_line_divides_is_an_error_at_its_place(self):
        result = self.run_suite("cases:\n  - {id: odd, uses: membw@cuda, with: {bytes: 5000}}\n")
        self.assertEqual(result.code, 5)
        self.assertIn("not a multiple of 128", result.out)


class Hostcopy(gpu.Gpu):
    def test_every_way_of_copying_is_verified(self):
        result = self.run_suite("defaults: {measure: {samples: 5, warmup: 1}}\ncases:\n"
                                "  - {id: copy, uses: hostcopy@cuda, matrix: {bytes: [4224, 8MiB], direction: [h2d, d2h, both], "
                                "memory: [pinned, registered], engine: [copy, kernel]}}\n"
                                "  - {id: pageable, uses: hostcopy@cuda, with: {bytes: 8MiB, memory: pageable}, matrix: {direction: [h2d, d2h]}}\n"
                                "  - {id: how, uses: hostcopy@cuda, with: {bytes: 1MiB}, matrix: {direction: [d2h, both], "
                                "launch: [stream, gated, graph], cache: [hot, cold, rotating], exclude: [{launch: gated, cache: rotating}]}}\n")
        self.assert_passed(result)

    def test_a_load_from_the_host_takes_longer_than_a_devices(self):
        result = self.run_suite("defaults: {measure: {samples: 3, warmup: 1}}\ncases:\n"
                                "  - {id: host, uses: hostcopy@cuda, with: {direction: latency, bytes: 2MiB}, matrix: {memory: [pinned, registered]}}\n"
                                "  - {id: device, uses: membw@cuda, with: {kernel: latency, bytes: 256MiB}}\n")
        self.assert_passed(result)
        here = value(result.case("device"), "latency")
        for memory in ("pinned", "registered"):
            self.assertGreater(value(result.case(f"host[memory={memory}]"), "latency"), here)

    def test_pageable_memory_is_left_to_the_copying_calls(self):
        result = self.run_suite("cases:\n"
                                "  - {id: kernel, uses: hostcopy@cuda, with: {memory: pageable, engine: kernel}}\n"
                                "  - {id: both, uses: hostcopy@cuda, with: {memory: pageable, direction: both}}\n"
                                "  - {id: latency, uses: hostcopy@cuda, with: {memory: pageable, direction: latency}}\n"
                                "  - {id: gated, uses: hostcopy@cuda, with: {memory: pageable}, measure: {launch: gated}}\n")
        self.assertEqual(set(result.outcomes().values()), {"skipped"}, result.out)


if __name__ == "__main__":
    gpu.main()
