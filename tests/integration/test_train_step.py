#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""train_step@host with real ranks: every way of making a step is right, one with a wrong gradient fails, memory is that of the formula, and what
becomes of a rank that dies."""

import os
import signal
import unittest

import harness

NEGATED = harness.BUILD / "tests/preload/assay_negated_gradient.so"
SUITE = "version: 1\nsuite: train-step\nrequires: {backend: host}\n"
SMALL = "width: 64, heads: 4, ffn: 96, words: 128, sequence: 16, micro_batch: 2"


@unittest.skipUnless((harness.BUILD / "lib/assay/plugins/train_step_host.so").exists(), "train_step@host was not built")
class TrainStep(harness.Assay):
    def run_here(self, text, *arguments):
        self.write("suite.yaml", SUITE + text)
        return self.assay("run", "suite.yaml", "-q", "-o", self.results, *arguments)

    @staticmethod
    def values(case):
        return {entry["name"]: entry["value"] for entry in case["metrics"]}

    def test_every_way_of_making_a_step_is_right(self):
        result = self.run_here(f"""defaults: {{processes: 1, measure: {{samples: 6, warmup: 0}}}}
cases:
  - {{id: single, uses: train_step@host, with: {{{SMALL}, accumulation: 2}}, matrix: {{block: [bert, gpt, llama], optimizer: [sgd, adamw], without: [none, compute, optimizer]}}}}
  - {{id: mlp, uses: train_step@host, with: {{model: mlp, width: 64, words: 32, strategy: ddp}}, matrix: {{ranks: [2, 3, 4]}}}}
  - id: ddp
    uses: train_step@host
    with: {{{SMALL}, strategy: ddp, bucket: 16KiB, first_bucket: 1KiB}}
    ranks: 4
    matrix: {{block: [bert, llama], overlapped: [true, false], without: [none, communication, compute, optimizer]}}
  - {{id: halves, uses: train_step@host, with: {{{SMALL}, strategy: ddp, compression: fp16, bucket: 16KiB, first_bucket: 1KiB}}, ranks: 3, matrix: {{without: [none, compute], overlapped: [true, false]}}}}
  - {{id: columns, uses: train_step@host, with: {{{SMALL}, strategy: ddp, compression: powersgd, bucket: 16KiB, first_bucket: 1KiB}}, ranks: 3, matrix: {{compression_rank: [1, 4], block: [bert, llama]}}}}
  - {{id: apart, uses: train_step@host, with: {{{SMALL}, accumulation: 3}}, ranks: 2}}
  - {{id: again, uses: train_step@host, with: {{{SMALL}}}, matrix: {{block: [bert, llama], recompute: [true, false]}}}}
  - {{id: fed, uses: train_step@host, with: {{{SMALL}, accumulation: 2, loader_workers: 2}}, matrix: {{block: [bert, llama], without: [none, optimizer, loader]}}}}
  - {{id: fed_ranks, uses: train_step@host, with: {{{SMALL}, strategy: fsdp, loader_workers: 1, decode_steps: 16}}, ranks: 2}}
  - {{id: fed_buckets, uses: train_step@host, with: {{{SMALL}, strategy: ddp, bucket: 16KiB, first_bucket: 1KiB, loader_workers: 1}}, ranks: 2, matrix: {{without: [none, communication]}}}}
""")
        reasons = [(case["id"], case["reason"]) for case in result.document["cases"] if case["outcome"] != "passed"]
        self.assertEqual((result.code, reasons), (0, []), result.out + result.err)
        for case in result.document["cases"]:
            values = self.values(case)
            with self.subTest(case["id"], values=values):
                self.assertTrue(case["verification"]["verified"])
                self.assertEqual(case["verification"]["wrong"], 0)
                averages = case["parameters"]["strategy"] in ("ddp", "fsdp") and case["parameters"]["without"] != "communication"
                self.assertEqual(values["buckets"] > 1, averages and "mlp" not in case["id"])
                self.assertEqual("exposed_loading" in values, "fed" in case["id"] and case["parameters"]["without"] != "loader")
                self.assertEqual(values["communication_time"] > 0, averages)
                self.assertEqual(values.get("samples") is None, case["parameters"]["without"] == "compute", "what is not computed has no rate")
        halves, one, four = (self.values(result.case(name)) for name in ("halves[without=none,overlapped=true]", "columns[compression_rank=1,block=bert]", "columns[compression_rank=4,block=bert]"))
        self.assertEqual(halves["compression_ratio"], 2)
        self.assertGreater(one["compression_ratio"], four["compression_ratio"])
        self.assertGreater(four["compression_ratio"], 2)
        self.assertGreater(four["compression_time"], 0)
        parameters = int(result.case("halves[without=none,overlapped=true]")["facts"]["parameters"])
        self.assertEqual(halves["communicated"], 2 * 2 / 3 * 2 * parameters)
        for block in ("bert", "llama"):
            kept, repeated = (self.values(result.case(f"again[block={block},recompute={value}]")) for value in ("false", "true"))
            self.assertAlmostEqual(kept["loss"] / repeated["loss"], 1, places=6)
            self.assertAlmostEqual(kept["hardware_throughput"] / kept["throughput"], 1, places=6)
            ratio = repeated["hardware_throughput"] / repeated["throughput"]
            self.assertGreater(ratio, 1.2)
            self.assertLess(ratio, 4 / 3, "what is behind the layers is not computed again")
        ddp = self.values(result.case("ddp[block=bert,overlapped=true,without=none]"))
        parameters = int(result.case("ddp[block=bert,overlapped=true,without=none]")["facts"]["parameters"])
        self.assertEqual(ddp["communicated"], 2 * 3 / 4 * 4 * parameters)
        self.assertAlmostEqual(ddp["tokens"] / ddp["samples"], 16)

    def test_every_sharding_is_right_and_sends_what_its_formula_says(self):
        result = self.run_here(f"""defaults: {{processes: 1, ranks: 4, measure: {{samples: 6, warmup: 0}}}}
cases:
  - {{id: state, uses: train_step@host, with: {{{SMALL}, bucket: 16KiB, first_bucket: 1KiB, accumulation: 2}}, matrix: {{strategy: [zero1, zero2], overlapped: [true, false]}}}}
  - {{id: layers, uses: train_step@host, with: {{{SMALL}}}, matrix: {{strategy: [zero3, fsdp], block: [bert, llama], without: [none, compute, optimizer]}}}}
  - {{id: ahead, uses: train_step@host, with: {{{SMALL}, strategy: zero3, layers: 4}}, matrix: {{prefetch: [forward, backward, both], gathers: [2, 3]}}}}
  - {{id: kept, uses: train_step@host, with: {{{SMALL}, strategy: fsdp, reshard_after_forward: false}}, matrix: {{prefetch: [none, forward]}}}}
  - {{id: after, uses: train_step@host, with: {{{SMALL}, strategy: fsdp, overlapped: false, accumulation: 3}}}}
""")
        reasons = [(case["id"], case["reason"]) for case in result.document["cases"] if case["outcome"] != "passed"]
        self.assertEqual((result.code, reasons), (0, []), result.out + result.err)
        for case in result.document["cases"]:
            values, given = self.values(case), case["parameters"]
            with self.subTest(case["id"], values=values):
                self.assertTrue(case["verification"]["verified"])
                self.assertEqual(case["verification"]["wrong"], 0)
                times, micro = {"zero1": (2, 0), "zero2": (1, 1)}.get(given["strategy"], (0, 3 if case["id"].split("[")[0] != "kept" else 2))
                sent = (times + micro * given["accumulation"]) * 3 / 4 * 4 * int(case["facts"]["parameters"])
                self.assertEqual(values["communicated"], sent)
                self.assertGreater(values["gather_time"], 0)
                self.assertGreater(values["reduce_time"], 0)
                self.assertGreaterEqual(values["communication_time"], values["gather_time"])
                self.assertGreater(values["buckets"], 3)

    def test_a_sign_error_in_one_gradient_fails_and_leaves_no_rate(self):
        if "ASan" in self.assay("--version", environment={"LD_PRELOAD": str(NEGATED)}).err:
            self.skipTest("a sanitizer wants to be the first library")
        # Of the products with 96 rows, which the first of a network is, and two layers have one each: of the first step, and of one in the midst.
        result = self.run_here(f"""defaults: {{processes: 1, measure: {{samples: 6, warmup: 1}}}}
cases:
  - id: step
    uses: train_step@host
    with: {{{SMALL}}}
    matrix: {{env.NEGATE_FROM: [~, 1, 12]}}
    env: {{LD_PRELOAD: "{NEGATED}", NEGATE_ROWS: "96"}}
  - id: ranks
    uses: train_step@host
    with: {{{SMALL}}}
    ranks: 2
    matrix: {{strategy: [ddp, zero3], env.NEGATE_FROM: [~, 1]}}
    env: {{LD_PRELOAD: "{NEGATED}", NEGATE_ROWS: "96"}}
""")
        self.assertEqual(result.code, 1, result.out + result.err)
        for case in result.document["cases"]:
            metrics = self.values(case)
            with self.subTest(case=case["id"], reason=case["reason"]):
                if "NEGATE_FROM=~" in case["id"]:
                    self.assertEqual(case["outcome"], "passed")
                    self.assertGreater(metrics["samples"], 0)
                    continue
                self.assertEqual((case["outcome"], case["reason"]["code"]), ("failed", "verify.wrong"))
                self.assertEqual({metrics.get(name) for name in ("samples", "tokens", "throughput", "step_time")} - {None}, set(), "no rate of a wrong step")

    def assert_peaks_are_predicted(self, cases):
        """Runs them, and returns the peak of each, or nothing where the kernel does not let a process forget its peak."""
        if harness.IS_SANITIZED:
            self.skipTest("a sanitizer's own memory counts among the process's")
        result = self.run_here("defaults: {processes: 1, measure: {samples: 2, warmup: 0}}\ncases:" + cases)
        self.assertEqual(result.code, 0, result.out + result.err)
        peaks = {}
        for case in result.document["cases"]:
            values = self.values(case)
            if values.get("peak_memory") is None:
                self.skipTest("this kernel does not let a process forget its peak")
            peaks[case["id"]] = values["peak_memory"]
            with self.subTest(case["id"], values=values, formula=case["facts"]["memory_formula"]):
                self.assertAlmostEqual(values["peak_memory"] / values["predicted_memory"], 1, delta=0.05)
        return peaks

    def test_peak_memory_is_that_of_the_formula(self):
        peak = self.assert_peaks_are_predicted("""
  - {id: bert, uses: train_step@host, with: {words: 10000, sequence: 32}}
  - {id: llama, uses: train_step@host, with: {block: llama, optimizer: sgd, words: 10000, sequence: 32, accumulation: 2}}
  - {id: ddp, uses: train_step@host, with: {strategy: ddp, words: 6000, sequence: 16}, matrix: {ranks: [2, 4]}}
  - {id: again, uses: train_step@host, with: {layers: 3, micro_batch: 8}, matrix: {recompute: [true, false]}}
  - {id: fed, uses: train_step@host, with: {model: mlp, micro_batch: 2048, loader_workers: 2}}
  - {id: less, uses: train_step@host, with: {strategy: ddp, words: 4000, sequence: 16, bucket: 4MiB}, ranks: 2, matrix: {compression: [fp16, powersgd]}}
""")
        self.assertLess(peak["again[recompute=true]"], 0.9 * peak["again[recompute=false]"])

    def test_peak_memory_of_shares_is_that_of_the_formula(self):
        peak = self.assert_peaks_are_predicted("""
  - {id: zero, uses: train_step@host, with: {words: 2000, sequence: 16, micro_batch: 1, layers: 6, bucket: 4MiB}, ranks: 4, matrix: {strategy: [ddp, zero1, zero2]}}
  - {id: layers, uses: train_step@host, with: {strategy: zero3, words: 2000, sequence: 16, micro_batch: 1, layers: 6}, ranks: 4}
  - {id: kept, uses: train_step@host, with: {strategy: fsdp, words: 2000, sequence: 16, micro_batch: 1, layers: 6, reshard_after_forward: false}, ranks: 4}
  - {id: ahead, uses: train_step@host, with: {strategy: fsdp, words: 2000, sequence: 16, micro_batch: 1, layers: 6, prefetch: both}, ranks: 4}
""")
        order = [peak[name] for name in ("layers", "ahead", "kept", "zero[strategy=zero2]", "zero[strategy=zero1]", "zero[strategy=ddp]")]
        self.assertEqual(order, sorted(order), peak)

    def test_what_cannot_be_is_said(self):
        result = self.run_here("""defaults: {processes: 1, measure: {samples: 6, warmup: 0}}
cases:
  - {id: heads, uses: train_step@host, with: {heads: 7}}
  - {id: own, uses: train_step@host, with: {model: bert_base, width: 512}}
  - {id: positions, uses: train_step@host, with: {model: bert_base, sequence: 1024}}
  - {id: row, uses: train_step@host, with: {model: mlp, sequence: 8}}
  - {id: alone, uses: train_step@host, with: {strategy: ddp}}
  - {id: nothing, uses: train_step@host, with: {without: communication}}
  - {id: halves, uses: train_step@host, with: {strategy: zero3, compression: fp16}, ranks: 2}
  - {id: structure, uses: train_step@host, with: {strategy: ddp, compression: powersgd, without: compute}, ranks: 2}
  - {id: columns, uses: train_step@host, with: {strategy: ddp, compression_rank: 4}, ranks: 2}
  - {id: passes, uses: train_step@host, with: {without: compute, recompute: true}}
  - {id: ready, uses: train_step@host, with: {without: loader}}
  - {id: unseen, uses: train_step@host, with: {without: compute, loader_workers: 2}}
  - {id: codes, uses: train_step@host, with: {decode_steps: 64}}
  - {id: received, uses: train_step@host, with: {strategy: zero3, without: communication}, ranks: 2}
  - {id: ahead, uses: train_step@host, with: {strategy: ddp, prefetch: backward}, ranks: 2}
  - {id: beside, uses: train_step@host, with: {strategy: fsdp, prefetch: both, overlapped: false}, ranks: 2}
  - {id: again, uses: train_step@host, with: {strategy: fsdp, prefetch: backward, reshard_after_forward: false}, ranks: 2}
  - {id: layers, uses: train_step@host, with: {strategy: zero3, bucket: 1MiB}, ranks: 2}
  - {id: wide, uses: train_step@host, with: {strategy: zero3, model: llama_8b_like, layers: 4096}, ranks: 2}
  - {id: large, uses: train_step@host, with: {model: llama_8b_like, layers: 4096}}
  - {id: vast, uses: train_step@host, with: {sequence: 1048576, micro_batch: 1048576, heads: 256, layers: 4096}}
""")
        reasons = {case["id"]: (case["outcome"], case["reason"]["text"]) for case in result.document["cases"]}
        for name, outcome, words in [("heads", "error", "7 heads do not divide a width of 256"), ("own", "error", "bert_base has its own"),
                                     ("positions", "error", "positions for 512 tokens"), ("row", "error", "a sample of an MLP is one row"),
                                     ("alone", "skipped", "ranks: 2 or more"), ("nothing", "error", "no communication"),
                                     ("halves", "error", "only ddp averages gradients that could be compressed"), ("structure", "error", "nothing to find"),
                                     ("columns", "error", "only compression: powersgd"), ("passes", "error", "leaves out the passes"),
                                     ("ready", "error", "nothing loads them"), ("unseen", "error", "leaves out the passes that look at samples"), ("codes", "error", "nothing decodes them"),
                                     ("received", "error", "cannot compute with what it does not receive"), ("ahead", "error", "only zero3 and fsdp gather layers"),
                                     ("beside", "error", "nothing is gathered beside computing"), ("again", "error", "the backward pass gathers nothing"),
                                     ("layers", "error", "zero3 and fsdp move layers"), ("wide", "skipped", "2 x (894437429248 parameters and gradients, of each a share"),
                                     ("vast", "skipped", "more than 4 PiB"),
                                     ("large", "skipped", "GiB of host memory for 1 x (894437429248 parameters and gradients")]:
            with self.subTest(name):
                self.assertEqual(reasons[name][0], outcome, reasons)
                self.assertIn(words, reasons[name][1])

    def test_the_timeline_shows_a_steps_parts_and_what_lies_beside(self):
        result = self.run_here(f"""cases:
  - {{id: ddp, uses: train_step@host, with: {{{SMALL}, strategy: ddp}}, ranks: 2, measure: {{samples: 6, warmup: 0}}}}
  - {{id: fsdp, uses: train_step@host, with: {{{SMALL}, strategy: fsdp}}, ranks: 2, measure: {{samples: 6, warmup: 0}}}}
""", "--report", "trace", "--report", "json")
        self.assertEqual(result.code, 0, result.out + result.err)
        for case, beside in (("ddp", {"average gradients"}), ("fsdp", {"gather parameters", "reduce gradients"})):
            tracks = {(track.get("rank", 0), track["name"]): track["spans"] for track in result.case(case)["timeline"]["tracks"]}
            self.assertEqual(set(tracks), {(rank, name) for rank in (0, 1) for name in ("computation", "communication")}, case)
            for rank in (0, 1):
                computed = sorted(tracks[rank, "computation"], key=lambda span: span["begin_s"])
                for before, after in zip(computed, computed[1:]):
                    self.assertLessEqual(before["end_s"], after["begin_s"] + 1e-9, "a rank computes one thing at a time")
                self.assertLessEqual({"forward pass", "backward pass", "update"}, {span["name"] for span in computed})
                self.assertEqual({span["name"] for span in tracks[rank, "communication"]}, beside)
                begin, end = computed[0]["begin_s"], computed[-1]["end_s"]
                for span in tracks[rank, "communication"]:
                    self.assertTrue(begin <= span["begin_s"] <= span["end_s"] <= end + 1e-9, f"{span} in {begin} to {end}")

    @staticmethod
    def are_at_work(memory):
        """They have averaged more than a verification needs."""
        with open(memory, "rb") as shared:
            return int.from_bytes(shared.read(4), "little") > 200

    def test_a_rank_that_is_killed_in_a_step_costs_its_visit(self):
        for way in ("strategy: ddp", "strategy: ddp, overlapped: false", "strategy: zero2", "strategy: zero3, prefetch: both"):
            with self.subTest(way):
                self.write("suite.yaml", SUITE + f"""cases:
  - {{id: a, uses: train_step@host, with: {{{SMALL}, {way}}}, ranks: 4, timeout: 5min, measure: {{for: 2min}}}}
  - {{id: b, uses: train_step@host, with: {{{SMALL}, {way}}}, ranks: 4, measure: {{samples: 6, warmup: 0}}}}
""")
                results = self.results.with_name("results-" + "".join(filter(str.isalnum, way)))
                with self.start("run", "suite.yaml", "-q", "-o", str(results), "--seed", "2") as process:
                    try:
                        os.kill(max(self.ranks_of(process, self.are_at_work)), signal.SIGKILL)
                        out, err = process.communicate(timeout=harness.PATIENCE_S)
                    finally:
                        process.kill()
                result = harness.Result(process.returncode, out, err, results)
                self.assert_nothing_left()
                self.assertEqual(result.code, 5, result.err)
                self.assertEqual(result.outcomes(), {"a": "crashed", "b": "passed"})
                self.assertIn("SIGKILL", result.case("a")["reason"]["text"])


if __name__ == "__main__":
    harness.main()
