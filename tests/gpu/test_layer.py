#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""assay/cuda.hpp on a real GPU: conditions, the start gate, graphs, laps, times that are right, and faults."""

import math
import statistics

import gpu


def metric(case, name):
    return next(entry for entry in case["metrics"] if entry["name"] == name)


class Conditions(gpu.Gpu):
    def test_what_was_done_is_what_was_asked_for(self):
        cases = "".join(f"  - {{id: {launch}-{cache}, uses: gpu_twice, with: {{elements: 4194304}}, "
                        f"measure: {{launch: {launch}, cache: {cache}}}}}\n"
                        for launch in ("stream", "gated", "graph") for cache in ("hot", "cold", "rotating"))
        result = self.run_suite("defaults: {measure: {precision: 1%, max_time: 1s}}\ncases:\n" + cases)
        self.assert_passed(result)
        words = {"gated": "gated", "graph": "graph", "hot": "hot", "cold": "flushed", "rotating": "rotated"}
        shortest_s = {}
        for launch in ("stream", "gated", "graph"):
            for cache in ("hot", "cold", "rotating"):
                case = result.case(f"{launch}-{cache}")
                done = case["measurement"]["done"]
                with self.subTest(case=case["id"], done=done):
                    self.assertIn(words[cache], done)
                    self.assertEqual("graph" in done, launch == "graph")
                    if launch == "gated":
                        self.assertIn("gated", done)
                    if launch == "stream":
                        self.assertNotIn("gated", done)
                shortest_s[launch, cache] = case["time"]["minimum"]
        for launch in ("stream", "gated", "graph"):
            # 32 MiB fit into the cache; the launch hides a part of what memory costs. Of all samples the shortest: a host that is late with a launch in
            # a stream lengthens the others.
            for cache in ("cold", "rotating"):
                self.assertGreater(shortest_s[launch, cache], 1.05 * shortest_s[launch, "hot"], shortest_s)

    def test_a_profiler_sees_cold_laps_without_their_flushes(self):
        cases = "".join(f"  - {{id: {launch}, uses: gpu_twice, with: {{elements: 65536}}, measure: {{launch: {launch}, cache: cold, samples: 5, warmup: 5}}}}\n"
                        for launch in ("stream", "graph"))
        result = self.run_suite("cases:\n" + cases, "--wrap", "env")
        self.assertEqual(result.code, 6, result.out + result.err)  # shown, never judged
        self.assertEqual(set(result.outcomes().values()), {"passed"}, result.out + result.err)

    def test_a_vector_too_small_for_a_ring_is_hot_or_skipped(self):
        result = self.run_suite("cases:\n  - {id: tiny, uses: gpu_twice, with: {elements: 1}}\n"
                                "  - {id: asked, uses: gpu_twice, with: {elements: 1}, measure: {cache: rotating}}\n")
        self.assertEqual(result.outcomes(), {"tiny": "passed", "asked": "skipped"}, result.out + result.err)
        self.assertIn("buffer sets of 8 bytes; take cache: cold or hot", result.case("asked")["reason"]["text"])

    def test_every_kind_of_data_is_restored_and_verified(self):
        cases = "".join(f"  - {{id: {data}, uses: gpu_twice, measure: {{data: {data}, samples: 5, warmup: 5}}}}\n"
                        for data in ("normal", "uniform", "integer", "zeros", "ones"))
        self.assert_passed(self.run_suite("cases:\n" + cases))

    def test_laps_have_percentiles(self):
        result = self.run_suite("cases:\n"
                                "  - {id: laps, uses: gpu_twice, with: {laps: true}, measure: {samples: 20, warmup: 5}}\n"
                                "  - {id: graph, uses: gpu_twice, with: {laps: true}, measure: {samples: 20, warmup: 5, launch: graph}}\n")
        self.assert_passed(result)


class Times(gpu.Gpu):
    def test_a_known_delay_is_measured_with_the_right_slope(self):
        durations = ["10us", "20us", "50us", "100us", "1ms", "10ms"]
        result = self.run_suite("defaults: {measure: {precision: 0.1%, max_time: 1s}}\ncases:\n"
                                f"  - {{id: delay, uses: gpu_delay, matrix: {{duration: [{', '.join(durations)}]}}}}\n")
        self.assert_passed(result)
        points = []
        for case, seconds in zip(result.document["cases"], (1e-5, 2e-5, 5e-5, 1e-4, 1e-3, 1e-2)):
            points.append((seconds, metric(case, "latency")["value"]))
        print("\n    " + ", ".join(f"{d * 1e6:g} us: {t * 1e6:.3f}" for d, t in points))
        (d0, t0), (d1, t1) = points[0], points[-1]
        slope = (t1 - t0) / (d1 - d0)
        self.assertLess(abs(slope - 1), 1e-3)
        for seconds, measured in points:
            offset = measured - seconds
            self.assertGreater(offset, 0)
            self.assertLess(offset, 6e-6 + 1e-3 * seconds)

    def test_a_sample_takes_no_longer_than_in_a_bare_loop(self):
        processes, student = 8, 2.365
        how = f"processes: {processes}, measure: {{samples: 300, launch: stream, cache: hot}}, matrix: {{duration: [30us, 50us, 100us]}}"
        result = self.run_suite(f"cases:\n  - {{id: ours, uses: gpu_delay, {how}}}\n  - {{id: bare, uses: gpu_bare_delay, {how}}}\n", timeout=200)
        self.assert_passed(result)
        ours, bare = ([case for case in result.document["cases"] if case["case"] == name] for name in ("ours", "bare"))
        print()
        for with_us, without in zip(ours, bare):
            kernels = with_us["measurement"]["iterations_per_sample"]
            times = zip(metric(with_us, "latency")["rounds"], metric(without, "latency")["rounds"], strict=True)
            added_us = [1e6 * kernels * (mine - bare_one) for mine, bare_one in times]
            mean = statistics.fmean(added_us)
            half = student * statistics.stdev(added_us) / math.sqrt(processes)
            print(f"    {with_us['id']}: {mean:+.3f} us [{mean - half:+.3f}, {mean + half:+.3f}] added to a sample of {kernels} kernels")
            with self.subTest(with_us["id"]):
                self.assertEqual(kernels, without["measurement"]["iterations_per_sample"])
                self.assertEqual(len(added_us), processes)
                self.assertLess(mean, 0.5)

    def test_short_kernels_are_faster_in_a_graph(self):
        result = self.run_suite("cases:\n"
                                "  - {id: stream, uses: gpu_twice, with: {elements: 256}, measure: {launch: stream, cache: hot}}\n"
                                "  - {id: graph, uses: gpu_twice, with: {elements: 256}, measure: {launch: graph, cache: hot}}\n")
        self.assert_passed(result)
        times = {name: 8 * 256 / metric(result.case(name), "bandwidth")["value"] for name in ("stream", "graph")}
        print(f"\n    stream {times['stream'] * 1e6:.3f} us, graph {times['graph'] * 1e6:.3f} us")
        self.assertLess(times["graph"], times["stream"])


class Faults(gpu.Gpu):
    def test_a_fault_costs_its_own_visit_and_the_next_is_measured(self):
        cases = ""
        for fault in ("illegal_address", "device_assert", "memory", "bit_flip", "endless"):
            cases += f"  - {{id: {fault}, uses: gpu_fault, with: {{fault: {fault}}}}}\n"
            cases += f"  - {{id: after_{fault}, uses: gpu_fault}}\n"
        result = self.run_suite("defaults: {timeout: 10s, measure: {samples: 20, warmup: 5}}\ncases:\n" + cases, timeout=200)
        outcomes = result.outcomes()
        self.assertEqual({name: outcome for name, outcome in outcomes.items() if name.startswith("after_")},
                         {f"after_{fault}": "passed" for fault in ("illegal_address", "device_assert", "memory", "bit_flip", "endless")},
                         result.out + result.err)
        self.assertEqual(outcomes["illegal_address"], "error")
        self.assertEqual(outcomes["device_assert"], "error")
        self.assertEqual(outcomes["memory"], "error")
        self.assertEqual(outcomes["bit_flip"], "failed")
        self.assertEqual(outcomes["endless"], "timeout")
        self.assertEqual(result.code, 5)
        text = {case["id"]: (case["reason"] or {}).get("text", "") for case in result.document["cases"]}
        self.assertIn("cudaErrorIllegalAddress", text["illegal_address"])
        self.assertIn("not enough device memory", text["memory"])
        self.assertIn("1 of 1024 values are wrong; element 512", text["bit_flip"])
        for name in ("illegal_address", "bit_flip", "endless"):
            self.assertTrue(all(entry["value"] is None for entry in result.case(name)["metrics"]), name)

    def test_the_first_checks_data_is_not_taken_for_the_samples(self):
        result = self.run_suite("defaults: {measure: {samples: 5, warmup: 5}}\ncases:\n"
                                "  - {id: one, uses: gpu_twice, with: {astray: true}, measure: {cache: hot}}\n"
                                "  - {id: ring, uses: gpu_twice, with: {astray: true}, measure: {cache: rotating}}\n"
                                "  - {id: graph, uses: gpu_twice, with: {astray: true}, measure: {cache: hot, launch: graph}}\n")
        self.assertEqual(set(result.outcomes().values()), {"failed"}, result.out + result.err)

    def test_a_vector_that_no_device_holds_is_skipped_with_figures(self):
        result = self.run_suite("cases:\n  - {id: huge, uses: gpu_twice, with: {elements: 17179869184}}\n"
                                "  - {id: small, uses: gpu_twice}\n")
        outcomes = result.outcomes()
        self.assertEqual(outcomes["small"], "passed")
        if outcomes["huge"] != "passed":
            self.assertEqual(outcomes["huge"], "skipped")
            self.assertIn("bytes of device memory", result.case("huge")["reason"]["text"])


if __name__ == "__main__":
    gpu.main()
