#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gemm@cuda on a real GPU: every type, layout and epilogue is right, and what cannot be done is skipped with the reason."""

import gpu

DTYPES = "[fp64, fp32, tf32, fp16, bf16, fp8_e4m3, fp8_e5m2, int8]"
BRIEF = "defaults: {timeout: 60s, measure: {samples: 3, warmup: 0, max_time: 2s}}\ncases:\n"


def metrics(case):
    return {entry["name"]: entry["value"] for entry in case["metrics"]}


class Gemm(gpu.Gpu):
    def run_gemm(self, parameters, matrix, **keywords):
        text = f"  - {{id: gemm, uses: gemm@cuda, with: {parameters}, matrix: {matrix}, devices: ['cuda:0']}}\n"
        return self.run_suite(BRIEF + text, **keywords)

    def test_every_type_is_exact_on_whole_numbers(self):
        result = self.run_gemm("{m: 1040, n: 528, k: 784}", f"{{dtype: {DTYPES}, data: [integer, ones, zeros]}}")
        self.assert_passed(result)
        for case in result.document["cases"]:
            with self.subTest(case=case["id"]):
                self.assertTrue(case["verification"]["exact"], case["verification"])
                narrow = any(dtype in case["id"] for dtype in ("fp16", "bf16", "fp8"))
                self.assertGreater(case["verification"]["checked"], 1040 * 528 if narrow else 528)

    def test_every_type_passes_freivalds_with_room_to_spare(self):
        result = self.run_gemm("{m: 2048, n: 1024, k: 3072}", f"{{dtype: {DTYPES}, data: [normal, uniform]}}")
        self.assert_passed(result)
        for case in result.document["cases"]:
            seen = case["verification"]
            with self.subTest(case=case["id"], seen=seen):
                if "int8" in case["id"]:
                    self.assertTrue(seen["exact"])
                else:
                    self.assertGreater(seen["largest_error"], 0)
                    self.assertLess(seen["largest_error"], 0.5)

    def test_layouts_and_batches(self):
        self.assert_passed(self.run_gemm("{m: 272, n: 144, k: 528, batch: 3}",
                                         "{dtype: [fp64, fp32, bf16, int8], layout: [nn, nt, tn, tt], data: [normal, integer]}"))

    def test_epilogues(self):
        self.assert_passed(self.run_gemm("{m: 512, n: 768, k: 256}",
                                         "{dtype: [fp16, bf16, fp8_e4m3], epilogue: [bias, gelu, bias_gelu], data: [normal, integer]}"))

    def test_launch_and_cache_are_what_was_asked_for(self):
        result = self.run_gemm("{m: 512, n: 512, k: 512}", "{launch: [stream, gated, graph], cache: [hot, cold, rotating]}")
        self.assert_passed(result)
        words = {"hot": "hot", "cold": "flushed", "rotating": "rotated"}
        for case in result.document["cases"]:
            done = case["measurement"]["done"]
            with self.subTest(case=case["id"], done=done):
                self.assertIn(words[case["conditions"]["cache"]], done)
                self.assertEqual("graph" in done, case["conditions"]["launch"] == "graph")

    def test_sums_over_parts_of_k_repeat_bit_for_bit(self):
        result = self.run_gemm("{m: 64, n: 64, k: 65536}", "{dtype: [fp32, fp16, bf16]}")
        self.assert_passed(result)
        self.assertTrue(any("split-k 1;" not in case["facts"]["algorithm"] for case in result.document["cases"]))

    def test_what_the_library_cannot_do_is_skipped_with_what_it_can(self):
        result = self.run_gemm("{m: 100, n: 100, k: 100}", "{dtype: [fp8_e4m3]}")
        self.assertEqual(result.code, 6, result.out)
        self.assertIn("multiples of 16", result.document["cases"][0]["reason"]["text"])

    def test_a_product_larger_than_the_memory_is_skipped(self):
        result = self.run_gemm("{m: 1048576, n: 1048576, k: 1024}", "{dtype: [fp64]}")
        self.assertEqual(result.code, 6, result.out)
        self.assertIn("bytes of device memory", result.document["cases"][0]["reason"]["text"])

    def test_a_mode_that_a_type_lacks_is_refused_at_its_line(self):
        result = self.run_gemm("{m: 64, n: 64, k: 64, dtype: bf16, fast_accumulation: true}", "{data: [normal]}")
        self.assertEqual(result.code, 5, result.out)
        self.assertIn("only fp8", result.document["cases"][0]["reason"]["text"])

    def test_a_flipped_bit_in_the_result_fails_and_gives_no_rate(self):
        flipped = gpu.FIXTURES / "assay_flipped_cublaslt.so"
        if not flipped.exists():
            self.skipTest("assay_flipped_cublaslt.so does not lie beside the fixtures")
        # From the first product on it is compared with the inputs; from a later one on the last timed output is no longer what came first.
        result = self.run_suite(BRIEF + f"  - id: gemm\n    uses: gemm@cuda\n    with: {{m: 512, n: 512, k: 512}}\n    env: {{LD_PRELOAD: '{flipped}'}}\n"
                                "    matrix: {dtype: [fp64, fp32, bf16, int8], data: [integer], env.FLIP_FROM: [~, 1, 20]}\n    devices: ['cuda:0']\n")
        self.assertEqual(result.code, 1, result.out + result.err)
        self.assertEqual(len(result.document["cases"]), 12)
        for case in result.document["cases"]:
            with self.subTest(case=case["id"], reason=case["reason"]):
                if "FLIP_FROM=~" in case["id"]:
                    self.assertEqual(case["outcome"], "passed")
                    continue
                self.assertEqual((case["outcome"], case["reason"]["code"]), ("failed", "verify.wrong"))
                self.assertTrue(all(entry["value"] is None for entry in case["metrics"]), case["metrics"])

    def test_the_last_bit_of_one_element_of_16_bits_is_missed(self):
        flipped = gpu.FIXTURES / "assay_flipped_cublaslt.so"
        if not flipped.exists():
            self.skipTest("assay_flipped_cublaslt.so does not lie beside the fixtures")
        result = self.run_suite(BRIEF + "  - id: gemm\n    uses: gemm@cuda\n    with: {m: 1040, n: 528, k: 784, batch: 2}\n"
                                f"    env: {{LD_PRELOAD: '{flipped}', FLIP_FROM: 1}}\n"
                                "    matrix: {dtype: [fp16, bf16, fp8_e4m3], data: [integer], env.FLIP_BIT: [0, 16]}\n    devices: ['cuda:0']\n")
        self.assertEqual(result.code, 1, result.out + result.err)
        self.assertEqual(len(result.document["cases"]), 6)
        for case in result.document["cases"]:
            with self.subTest(case=case["id"], reason=case["reason"]):
                self.assertEqual((case["outcome"], case["reason"]["code"]), ("failed", "verify.wrong"))
                self.assertIn("is not the exact sum", case["reason"]["text"])

    def test_fp8_with_fast_accumulation_is_verified(self):
        result = self.run_gemm("{m: 512, n: 512, k: 512, fast_accumulation: true}", "{dtype: [fp8_e4m3, fp8_e5m2], data: [normal, integer]}")
        self.assert_passed(result)

    def test_a_burst_is_no_faster_than_its_own_clock_allows(self):
        # Under a power limit the clock before the rest is another one.
        result = self.run_suite("cases:\n  - id: gemm\n    uses: gemm@cuda\n    with: {m: 8192, n: 8192, k: 8192}\n    matrix: {dtype: [fp64, bf16]}\n"
                                "    measure: {thermal: burst, data: normal, max_time: 1s}\n    devices: ['cuda:0']\n")
        self.assert_passed(result)
        for case in result.document["cases"]:
            seen = {metric["name"]: metric["value"] for metric in case["metrics"]}
            self.assertLess(seen["throughput"], 1.02 * seen["clock_peak"], case["id"])

    def test_autotune_names_what_it_chose(self):
        result = self.run_suite("cases:\n"
                                "  - id: gemm\n    uses: gemm@cuda\n    with: {m: 1024, n: 1024, k: 1024, algorithm: autotune}\n"
                                "    matrix: {thermal: [burst, sustained]}\n    measure: {samples: 3, warmup: 0}\n    devices: ['cuda:0']\n")
        self.assert_passed(result)
        for case, how in zip(result.document["cases"], ("in bursts", "under a held load")):
            self.assertIn(how, case["facts"]["algorithm"])
            self.assertGreaterEqual(metrics(case)["autotune_gain"], 0)

    def test_clock_and_drop_are_plausible(self):
        result = self.run_suite("cases:\n  - {id: gemm, uses: gemm@cuda, with: {m: 4096, n: 4096, k: 4096}, "
                                "measure: {thermal: sustained, max_time: 5s}, devices: ['cuda:0']}\n")
        self.assert_passed(result)
        seen = metrics(result.document["cases"][0])
        self.assertGreater(seen["sm_clock"], 300e6)
        self.assertLess(seen["sm_clock"], 4e9)
        self.assertLess(abs(seen["sustained_drop"]), 0.5)
        if "clock_peak" in seen:
            self.assertLess(seen["throughput"], 1.02 * seen["clock_peak"])


if __name__ == "__main__":
    gpu.main()
