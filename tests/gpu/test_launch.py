#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""launch@cuda and roofline@cuda on a real GPU: verified, consistent with each other, and within what the device can do."""

import gpu


def headline(case):
    return next(entry["value"] for entry in case["metrics"] if entry["headline"])


def value(case, name):
    return next(entry["value"] for entry in case["metrics"] if entry["name"] == name)


class Launch(gpu.Gpu):
    def test_every_cost_of_every_chain_is_measured_and_verified(self):
        result = self.run_suite(
            "defaults: {measure: {samples: 10, warmup: 3}}\ncases:\n"
            "  - {id: eager, uses: launch@cuda, with: {kernels: 100}, matrix: {cost: [interval, submission, round_trip], "
            "kernel: [empty, spin, add], streams: [1, 3]}}\n"
            "  - {id: graph, uses: launch@cuda, with: {kernels: 100, mode: graph, kernel: add}, matrix: {cost: [interval, submission, "
            "round_trip, capture, instantiation, upload, update], streams: [1, 3]}}\n")
        self.assert_passed(result)
        for case in result.document["cases"]:
            with self.subTest(case=case["id"]):
                self.assertTrue(case["verification"]["verified"])
                self.assertGreater(headline(case), 0)

    def test_a_chain_is_as_fast_as_its_kernels_and_a_graph_is_faster(self):
        result = self.run_suite("defaults: {measure: {precision: 1%, max_time: 1s}}\ncases:\n"
                                "  - {id: empty, uses: launch@cuda, matrix: {mode: [eager, graph], kernels: [1, 1000]}}\n"
                                "  - {id: long, uses: launch@cuda, with: {kernel: spin, kernel_time: 50us, kernels: 100, mode: graph}, "
                                "matrix: {streams: [1, 4]}}\n"
                                "  - {id: framework, uses: launch@cuda, with: {host_cost: 10us, kernels: 100}}\n")
        self.assert_passed(result)
        times = {case["id"].split(",device")[0]: headline(case) for case in result.document["cases"]}
        print("\n    " + ", ".join(f"{name} {1e6 * seconds:.3f} us" for name, seconds in times.items()))
        eager, one, graph = (headline(case) for case in (result.document["cases"][1], result.document["cases"][0], result.document["cases"][3]))
        self.assertLess(abs(one / eager - 1), 0.2, times)
        self.assertLess(graph, eager / 2, times)
        long, parallel, framework = (headline(case) for case in result.document["cases"][4:7])
        self.assertGreater(long, 50e-6)
        self.assertLess(long, 55e-6)
        self.assertLess(parallel, 0.3 * long)
        self.assertGreater(framework, 10e-6)

    def test_a_graph_is_as_fast_after_other_cases_as_before_them(self):
        result = self.run_suite("defaults: {measure: {precision: 1%, max_time: 500ms}}\ncases:\n"
                                "  - {id: first, uses: launch@cuda, with: {mode: graph}}\n"
                                "  - {id: eager, uses: launch@cuda, matrix: {kernels: [1, 1000]}}\n"
                                "  - {id: costs, uses: launch@cuda, with: {kernels: 500, mode: graph}, matrix: {cost: [submission, round_trip, instantiation]}}\n"
                                "  - {id: wide, uses: launch@cuda, with: {mode: graph, streams: 4}}\n"
                                "  - {id: bucketing, uses: bucketing@cuda, matrix: {way: [exact, graph]}}\n"
                                "  - {id: last, uses: launch@cuda, with: {mode: graph}}\n")
        self.assert_passed(result)
        times = {name: headline(result.case(name)) for name in ("first", "last")}
        print("\n    " + ", ".join(f"{name} {1e6 * seconds:.4f} us" for name, seconds in times.items()))
        self.assertLess(abs(times["last"] / times["first"] - 1), 0.05, times)

    def test_what_makes_no_sense_is_skipped_or_refused_with_why(self):
        result = self.run_suite("cases:\n  - {id: eager, uses: launch@cuda, with: {cost: instantiation}}\n"
                                "  - {id: long, uses: launch@cuda, with: {cost: submission, kernels: 1000}}\n"
                                "  - {id: wide, uses: launch@cuda, with: {kernels: 2, streams: 3}}\n")
        outcomes = result.outcomes()
        self.assertEqual([outcomes[name] for name in ("eager", "long", "wide")], ["skipped", "skipped", "error"])
        self.assertIn("need mode: graph", result.case("eager")["reason"]["text"])


class Bucketing(gpu.Gpu):
    def test_every_way_is_verified_and_padded_by_its_lengths(self):
        result = self.run_suite("defaults: {measure: {precision: 1%, max_time: 2s}}\ncases:\n"
                                "  - {id: way, uses: bucketing@cuda, matrix: {way: [exact, padded, graph]}}\n"
                                "  - {id: framework, uses: bucketing@cuda, with: {host_cost: 10us}, matrix: {way: [exact, graph]}}\n"
                                "  - {id: listed, uses: bucketing@cuda, with: {lengths: '100, 300, 1000', longest: 1024, smallest_bucket: 128, kernels: 3}, matrix: {way: [padded, graph]}}\n"
                                "  - {id: fine, uses: bucketing@cuda, with: {growth: 1.1}}\n")
        self.assert_passed(result)
        cases = {case["id"].split(",device")[0].replace("[way=", " ").rstrip("]"): case for case in result.document["cases"]}
        print()
        for name, case in cases.items():
            self.assertTrue(case["verification"]["exact"], name)
            print(f"    {name}: {1e6 * headline(case):.2f} us a request, padding {value(case, 'padding_share'):.3f}, "
                  f"graphs {value(case, 'graph_memory') / 2**20 if 'graph' in name or name == 'fine' else 0:.1f} MiB")
        self.assertEqual(value(cases["way exact"], "padding_share"), 0)
        self.assertEqual(value(cases["way padded"], "padding_share"), value(cases["way graph"], "padding_share"))
        self.assertAlmostEqual(value(cases["listed padded"], "padding_share"), 1 - 1400 / (128 + 512 + 1024))
        self.assertLess(value(cases["fine"], "padding_share"), 0.1)
        self.assertLess(headline(cases["way graph"]), headline(cases["way padded"]))
        self.assertLess(headline(cases["framework graph"]), headline(cases["framework exact"]) / 2)
        self.assertGreater(headline(cases["framework exact"]), 50 * 10e-6)

    def test_what_makes_no_sense_is_refused_with_the_reason(self):
        result = self.run_suite("cases:\n  - {id: first, uses: bucketing@cuda, with: {smallest_bucket: 8192}}\n"
                                "  - {id: word, uses: bucketing@cuda, with: {lengths: '17, x'}}\n"
                                "  - {id: width, uses: bucketing@cuda, with: {width: 6}}\n"
                                "  - {id: large, uses: bucketing@cuda, with: {longest: 1048576, width: 1048576}}\n")
        outcomes = result.outcomes()
        self.assertEqual([outcomes[name] for name in ("first", "word", "width", "large")], ["error", "error", "error", "skipped"])
        self.assertIn("is longer than the longest request", result.case("first")["reason"]["text"])
        self.assertIn("'x' is not a length from 1 to longest", result.case("word")["reason"]["text"])
        self.assertIn("is not a multiple of 4", result.case("width")["reason"]["text"])


class Roofline(gpu.Gpu):
    def test_the_roofs_are_verified_and_below_what_the_device_can_do(self):
        result = self.run_suite("defaults: {measure: {precision: 1%, max_time: 1s}}\ncases:\n"
                                "  - {id: fma, uses: roofline@cuda, matrix: {dtype: [fp64, fp32, fp16, bf16]}}\n"
                                "  - {id: matrix, uses: roofline@cuda, with: {work: matrix}, "
                                "matrix: {dtype: [fp64, tf32, fp16, bf16, fp8_e4m3, int8]}}\n"
                                "  - {id: memory, uses: roofline@cuda, with: {work: memory}}\n")
        print()
        for case in result.document["cases"]:
            with self.subTest(case=case["id"]):
                if case["case"] == "matrix" and case["outcome"] == "skipped":
                    self.assertIn("compute capability", case["reason"]["text"])
                    continue
                self.assertEqual(case["outcome"], "passed", case["reason"])
                self.assertTrue(case["verification"]["verified"])
                metric = next(entry for entry in case["metrics"] if entry["headline"])
                print(f"    {case['id']}: {metric['value'] / 1e12:.4g} T")
                # A clock above the one that the peak was stated for makes more than the peak.
                if metric.get("peak"):
                    self.assertLess(metric["value"], 1.15 * metric["peak"]["value"])

    def test_a_product_lies_under_the_roof_of_its_side_of_the_ridge(self):
        result = self.run_suite("defaults: {measure: {precision: 1%, max_time: 1s}}\ncases:\n"
                                "  - {id: product, uses: roofline_gemm@cuda, with: {n: 8192, k: 8192}, matrix: {m: [16, 8192], "
                                "dtype: [fp64, fp32, tf32, fp16, bf16, fp8_e4m3, int8]}}\n")
        print()
        for case in result.document["cases"]:
            with self.subTest(case=case["id"]):
                if case["outcome"] == "skipped":
                    self.assertIn("compute capability", case["reason"]["text"])
                    continue
                self.assertEqual(case["outcome"], "passed", case["reason"])
                self.assertTrue(case["verification"]["exact"], case["verification"])
                share = value(case, "throughput") / value(case, "attainable")
                print(f"    {case['id']}: {value(case, 'throughput') / 1e12:.4g} TFLOP/s, {share:.1%} of what {case['facts']['bound']} leaves")
                self.assertGreater(share, 0.1)
                self.assertLess(share, 1.05)
                side = "memory" if value(case, "operational_intensity") < value(case, "ridge") else "compute"
                self.assertEqual(case["facts"]["bound"], side)

    def test_a_sweep_follows_the_lower_roof(self):
        result = self.run_suite("defaults: {measure: {precision: 1%, max_time: 1s}}\ncases:\n"
                                "  - {id: sweep, uses: roofline@cuda, with: {work: sweep}, matrix: {dtype: [fp32, fp64], "
                                "intensity: [0.125, 1, 8, 64, 512]}}\n"
                                "  - {id: operation, uses: roofline@cuda, matrix: {work: [axpy, gelu]}}\n")
        self.assert_passed(result)
        print()
        for case in result.document["cases"]:
            share = value(case, "throughput") / value(case, "attainable")
            print(f"    {case['id']}: {value(case, 'throughput') / 1e12:.4g} TFLOP/s, {share:.1%} of what the roofs leave")
            with self.subTest(case=case["id"]):
                self.assertGreater(share, 0.5)
                self.assertLess(share, 1.05)


if __name__ == "__main__":
    gpu.main()
