#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A library that multiplies wrongly: gemm@host, unchanged, with a BLAS before it that flips one bit of the result."""

import unittest

import harness

FLIPPED = harness.BUILD / "tests/preload/assay_flipped_product.so"
SUITE = f"""version: 1
suite: products
requires: {{backend: host}}
defaults: {{measure: {{samples: 6, warmup: 1}}}}
cases:
  - id: gemm
    uses: gemm@host
    with: {{m: 192, n: 160, k: 128}}
    matrix:
      dtype: [fp32, fp64]
      env.FLIP_FROM: [~, 1, 3]
    env: {{LD_PRELOAD: "{FLIPPED}"}}
    expect:
      - throughput >= 1 MFLOP/s
"""


@unittest.skipUnless((harness.BUILD / "lib/assay/plugins/gemm_host.so").exists(), "gemm@host was not built")
class Products(harness.Assay):
    def test_one_flipped_bit_of_a_product_fails_and_leaves_no_rate(self):
        if "ASan" in self.assay("--version", environment={"LD_PRELOAD": str(FLIPPED)}).err:
            self.skipTest("a sanitizer wants to be the first library")
        suite = self.write("suite.yaml", SUITE)
        result = self.assay("run", suite.name, "-o", self.results)
        self.assertEqual(result.code, 1, result.out + result.err)
        for case in result.document["cases"]:
            metrics = {entry["name"]: entry["value"] for entry in case["metrics"]}
            with self.subTest(case=case["id"], reason=case["reason"]):
                if "FLIP_FROM=~" in case["id"]:
                    self.assertEqual(case["outcome"], "passed")
                    self.assertGreater(metrics["throughput"], 0)
                    continue
                # From the first product on, and from one in the midst of the samples on.
                self.assertEqual((case["outcome"], case["reason"]["code"]), ("failed", "verify.wrong"))
                self.assertIn("1 of 192 values are wrong; element 96", case["reason"]["text"])
                self.assertEqual(set(metrics.values()) - {None}, set(), "no rate of a wrong product")
                self.assertEqual({each["status"] for each in case["expectations"]}, {"not_judged"})

    def test_a_product_is_placed_under_the_roofs_that_were_measured(self):
        suite = self.write("suite.yaml", "version: 1\nsuite: placed\nrequires: {backend: host}\ndefaults: {measure: {samples: 6, warmup: 1}}\ncases:\n"
                                         "  - {id: square, uses: roofline_gemm@host, with: {m: 768, n: 768, k: 768, roof_bytes: 64MiB}}\n"
                                         "  - {id: row, uses: roofline_gemm@host, with: {m: 1, n: 3072, k: 3072, roof_bytes: 64MiB}}\n")
        result = self.assay("run", suite.name, "-o", self.results)
        self.assertEqual(set(result.outcomes().values()), {"passed"}, result.out + result.err)
        for case, intensity in (("square", 768 / 12), ("row", 2 / 8)):
            placed = result.case(case)
            metrics = {entry["name"]: entry["value"] for entry in placed["metrics"]}
            with self.subTest(case, metrics=metrics):
                self.assertAlmostEqual(metrics["operational_intensity"] / intensity, 1, delta=0.002)
                self.assertEqual(metrics["ridge"], metrics["compute_roof"] / metrics["memory_roof"])
                self.assertEqual(metrics["attainable"], min(metrics["compute_roof"], metrics["operational_intensity"] * metrics["memory_roof"]))
                self.assertEqual(placed["facts"]["bound"], "memory" if intensity < metrics["ridge"] else "compute")
                self.assertAlmostEqual(metrics["throughput"] / metrics["bandwidth"] / metrics["operational_intensity"], 1)
                self.assertTrue(placed["verification"]["verified"])


if __name__ == "__main__":
    harness.main()
