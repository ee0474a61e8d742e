#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fusion@cuda on a real GPU: every variant is right, and one kernel is faster than two about as its bytes say."""

import gpu

BRIEF = "defaults: {timeout: 60s, measure: {samples: 5, warmup: 0, max_time: 2s}}\ncases:\n"


class Fusion(gpu.Gpu):
    def test_every_variant_is_right_with_every_kind_of_data(self):
        common = "gelu: [erf, tanh], bias: [vector, full], dtype: [fp32, fp16, bf16], data: [normal, integer]"
        result = self.run_suite(BRIEF +
                                f"  - {{id: apart, uses: fusion@cuda, with: {{rows: 1000, columns: 504}}, "
                                f"matrix: {{variant: [separate, fused], {common}}}, devices: ['cuda:0']}}\n"
                                f"  - {{id: product, uses: fusion@cuda, with: {{rows: 264, columns: 520, k: 384}}, "
                                f"matrix: {{variant: [gemm_separate, gemm_fused], {common}}}, devices: ['cuda:0']}}\n"
                                "  - {id: epilogue, uses: fusion@cuda, with: {rows: 264, columns: 520, k: 384, variant: gemm_epilogue}, "
                                "matrix: {dtype: [fp16, bf16], data: [normal, integer]}, devices: ['cuda:0']}\n")
        self.assert_passed(result)

    def test_fusing_brings_about_what_its_bytes_say(self):
        result = self.run_suite("defaults: {measure: {precision: 1%, max_time: 2s}}\ncases:\n"
                                "  - {id: x, uses: fusion@cuda, with: {rows: 32768, columns: 8192}, "
                                "matrix: {bias: [vector, full], variant: [separate, fused]}, devices: ['cuda:0']}\n")
        self.assert_passed(result)
        values = [{entry["name"]: entry["value"] for entry in case["metrics"]} for case in result.document["cases"]]
        for separate, fused in (values[0:2], values[2:4]):
            self.assertGreater(separate["latency"] / fused["latency"], 0.9 * fused["model_speedup"])

    def test_an_epilogue_that_does_not_exist_is_refused(self):
        result = self.run_suite(BRIEF + "  - {id: x, uses: fusion@cuda, with: {variant: gemm_epilogue, gelu: erf}, devices: ['cuda:0']}\n")
        self.assertEqual(result.code, 5, result.out)
        self.assertIn("tanh", result.document["cases"][0]["reason"]["text"])


if __name__ == "__main__":
    gpu.main()
