#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""train_step@cuda on a real GPU: every model in every arithmetic is found right, however it is submitted; memory is what the formula says;
faults are found and refused. On several GPUs gradients are averaged. Its parts are compared with the host by assay_plugin_cuda_model_test, which
needs a GPU, too."""

import os
import pathlib
import shutil
import subprocess
import unittest

import gpu
import several

BRIEF = "defaults: {timeout: 120s, processes: 1, measure: {samples: 5, warmup: 0, max_time: 2s}}\ncases:\n"
SMALL = "width: 128, heads: 4, ffn: 256, words: 512, sequence: 32"


def case(text):
    return f"  - {{uses: train_step@cuda, devices: ['cuda:0'], {text}}}\n"


def metrics(of):
    return {entry["name"]: entry["value"] for entry in of["metrics"]}


class TrainStep(gpu.Gpu):
    def test_every_model_and_arithmetic_is_right(self):
        arithmetic = "{arithmetic: [{dtype: fp32, parameter_dtype: fp32}, {dtype: tf32, parameter_dtype: fp32}, {dtype: bf16, parameter_dtype: fp32}, {dtype: bf16, parameter_dtype: bf16}], optimizer: [adamw, sgd]}"
        result = self.run_suite(BRIEF +
                                case(f"id: bert, with: {{{SMALL}}}, matrix: {arithmetic}") +
                                case(f"id: gpt, with: {{block: gpt, {SMALL}, accumulation: 3}}, matrix: {arithmetic}") +
                                case(f"id: llama, with: {{block: llama, kv_heads: 2, {SMALL}}}, matrix: {arithmetic}") +
                                case(f"id: mlp, with: {{model: mlp, width: 96, words: 40, micro_batch: 24, accumulation: 2}}, matrix: {arithmetic}"))
        self.assert_passed(result)

    def test_layers_that_are_computed_again_are_right(self):
        arithmetic = "{arithmetic: [{dtype: fp32, parameter_dtype: fp32}, {dtype: bf16, parameter_dtype: fp32}, {dtype: bf16, parameter_dtype: bf16}]}"
        result = self.run_suite(BRIEF +
                                case(f"id: bert, with: {{{SMALL}, layers: 4, recompute: true}}, matrix: {arithmetic}") +
                                case(f"id: llama, with: {{block: llama, kv_heads: 2, accumulation: 2, recompute: true, {SMALL}}}, matrix: {arithmetic}") +
                                case(f"id: both, with: {{block: gpt, layers: 6, {SMALL}}}, matrix: {{recompute: [false, true], launch: [stream, graph]}}") +
                                case("id: mlp, with: {model: mlp, width: 96, words: 40, micro_batch: 24, recompute: true}"))
        self.assert_passed(result)
        both = [of for of in result.document["cases"] if of["id"].startswith("both")]
        self.assertEqual(len({metrics(of)["loss"] for of in both}), 1)
        memory = {of["parameters"]["recompute"]: metrics(of)["predicted_memory"] for of in both}
        self.assertLessEqual(memory[True], memory[False])

    def test_layers_that_come_again_take_the_formulas_memory(self):
        result = self.run_suite(BRIEF + case("id: x, with: {model: bert_base, sequence: 128, micro_batch: 64, dtype: bf16}, matrix: {recompute: [false, true]}"))
        self.assert_passed(result)
        kept, again = sorted((metrics(of) for of in result.document["cases"]), key=lambda of: -of["peak_memory"])
        self.assertLess(abs(again["peak_memory"] / again["predicted_memory"] - 1), 0.05)
        self.assertLess(again["peak_memory"], 0.7 * kept["peak_memory"])

    def test_samples_that_are_loaded_are_those_that_lie_ready(self):
        result = self.run_suite(BRIEF +
                                case(f"id: tokens, with: {{dtype: bf16, accumulation: 2, {SMALL}}}, matrix: {{loader_workers: [0, 2], launch: [stream, gated, graph]}}") +
                                case("id: features, with: {model: mlp, width: 96, words: 40, micro_batch: 24}, matrix: {loader_workers: [0, 3], dtype: [fp32, bf16]}"))
        self.assert_passed(result)
        losses = {}
        for of in result.document["cases"]:
            given, values = of["parameters"], metrics(of)
            self.assertEqual("exposed_loading" in values, given["loader_workers"] != 0, of["id"])
            losses.setdefault((of["id"].split("[")[0], given["dtype"]), set()).add(values["loss"])
        for same in losses.values():
            self.assertLess(max(same) - min(same), 1e-6)

    def test_a_step_waits_for_samples_that_take_long(self):
        slow = "model: mlp, width: 512, layers: 1, words: 40, micro_batch: 256, loader_workers: 1, decode_steps: 100"
        result = self.run_suite(BRIEF + case(f"id: x, with: {{{slow}}}, matrix: {{without: [none, loader]}}, measure: {{launch: graph}}"))
        self.assert_passed(result)
        waits, ready = (next(metrics(of) for of in result.document["cases"] if of["parameters"]["without"] == without) for without in ("none", "loader"))
        self.assertGreater(waits["step_time"], 2 * ready["step_time"])
        self.assertGreater(waits["exposed_loading"], 0.5 * (waits["step_time"] - ready["step_time"]))

    def test_streams_gates_and_graphs_make_the_same_step(self):
        result = self.run_suite(BRIEF + case("id: x, with: {model: mlp, dtype: bf16, width: 256}, matrix: {launch: [stream, gated, graph]}"))
        self.assert_passed(result)
        losses = [metrics(of)["loss"] for of in result.document["cases"]]
        self.assertLess(max(losses) - min(losses), 0.05 * losses[0])

    def test_parts_are_left_out(self):
        result = self.run_suite(BRIEF + case(f"id: x, with: {{{SMALL}}}, matrix: {{without: [none, compute, optimizer], launch: [stream, graph]}}"))
        self.assert_passed(result)
        for of in result.document["cases"]:
            if of["parameters"]["without"] == "compute":
                self.assertNotIn("samples", metrics(of))
            else:
                self.assertGreater(metrics(of)["forward_time"], 0)

    def test_the_timeline_shows_the_parts_of_a_step_in_order(self):
        result = self.run_suite(BRIEF + case(f"id: x, with: {{{SMALL}, accumulation: 2}}, matrix: {{launch: [stream, graph]}}"), "--report", "trace", "--report", "json")
        self.assert_passed(result)
        for of in result.document["cases"]:
            track, = of["timeline"]["tracks"]
            spans = sorted(track["spans"], key=lambda span: span["begin_s"])
            self.assertEqual([span["name"] for span in spans], ["forward pass", "backward pass"] * 2 + ["update"], of["id"])
            for before, after in zip(spans, spans[1:]):
                self.assertAlmostEqual(before["end_s"], after["begin_s"], delta=2e-6)

    def test_memory_is_what_the_formula_says(self):
        result = self.run_suite(BRIEF + case("id: x, with: {model: bert_base, sequence: 128, micro_batch: 16}, "
                                             "matrix: {arithmetic: [{dtype: tf32, parameter_dtype: fp32}, {dtype: bf16, parameter_dtype: fp32}, {dtype: bf16, parameter_dtype: bf16}]}"))
        self.assert_passed(result)
        for of in result.document["cases"]:
            values = metrics(of)
            self.assertLess(abs(values["peak_memory"] / values["predicted_memory"] - 1), 0.05)

    def test_what_does_not_fit_is_skipped_with_the_formula(self):
        result = self.run_suite(BRIEF + case("id: x, with: {model: llama_8b_like, layers: 400}"))
        self.assertEqual(set(result.outcomes().values()), {"skipped"}, result.out)
        self.assertIn("optimiser", result.document["cases"][0]["reason"]["text"])

    def test_options_that_do_not_go_together_are_refused(self):
        for settings, word in (("dtype: tf32, parameter_dtype: bf16", "bf16 parameters go with"), ("strategy: zero2, prefetch: both", "only zero3 and fsdp"), ("prefetch: both", "only zero3 and fsdp"), ("dtype: fp8", "dtype"),
                               ("overlapped: false", "no communication"), ("without: communication", "no communication")):
            shutil.rmtree(self.results, ignore_errors=True)
            result = self.run_suite(BRIEF + case(f"id: x, with: {{{settings}}}"))
            self.assertNotEqual(result.code, 0, settings)
            self.assertIn(word, result.out + result.err)

    @unittest.skipUnless(pathlib.Path(os.environ.get("ASSAY_BUILD", ""), "bin/assay_plugin_cuda_model_test").exists(), "an archive has no unit tests")
    def test_its_parts_do_what_the_host_does(self):
        done = subprocess.run([pathlib.Path(os.environ["ASSAY_BUILD"], "bin/assay_plugin_cuda_model_test"), "--gtest_brief=1"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Averaged(several.Several):
    """On two GPUs or more, a rank each."""

    ARITHMETIC = "{dtype: fp32, parameter_dtype: fp32}, {dtype: tf32, parameter_dtype: fp32}, {dtype: bf16, parameter_dtype: fp32}, {dtype: bf16, parameter_dtype: bf16}"

    def averaged(self, text):
        return f"  - {{uses: train_step@cuda, devices: all, {text}}}\n"

    def test_every_arithmetic_and_way_to_submit_is_right(self):
        small = f"strategy: ddp, bucket: 100kB, first_bucket: 10kB, {SMALL}"
        result = self.run_suite(BRIEF +
                                self.averaged(f"id: bert, with: {{{small}}}, matrix: {{arithmetic: [{self.ARITHMETIC}], launch: [stream, gated, graph]}}") +
                                self.averaged(f"id: llama, with: {{block: llama, kv_heads: 2, accumulation: 3, optimizer: sgd, {small}}}, matrix: {{arithmetic: [{self.ARITHMETIC}]}}") +
                                self.averaged("id: mlp, with: {model: mlp, strategy: ddp, width: 96, words: 40, micro_batch: 24}, matrix: {overlapped: [true, false], launch: [stream, graph]}"), timeout=400)
        self.assert_verified(result, 12 + 4 + 4)
        for case in result.document["cases"]:
            values = metrics(case)
            self.assertEqual(len(case["ranks"]), self.count)
            self.assertGreater(values["communication_time"], 0)
            self.assertGreaterEqual(values["buckets"], 1)

    def test_communication_and_the_rest_are_left_out(self):
        result = self.run_suite(BRIEF + self.averaged(
            f"id: x, with: {{strategy: ddp, {SMALL}}}, matrix: {{without: [none, communication, compute, optimizer], launch: [stream, graph]}}"))
        self.assert_verified(result, 8)
        for case in result.document["cases"]:
            self.assertEqual("exposed_communication" in metrics(case), case["parameters"]["without"] != "communication", case["id"])

    def test_halves_are_averaged_in_place_of_gradients(self):
        small = f"strategy: ddp, bucket: 100kB, first_bucket: 10kB, {SMALL}"
        result = self.run_suite(BRIEF +
                                self.averaged(f"id: none, with: {{{small}}}") +
                                self.averaged(f"id: ways, with: {{compression: fp16, {small}}}, matrix: {{overlapped: [true, false], launch: [stream, graph]}}") +
                                self.averaged(f"id: llama, with: {{block: llama, kv_heads: 2, accumulation: 2, compression: fp16, {small}}}, matrix: {{dtype: [tf32, bf16]}}") +
                                self.averaged(f"id: given, with: {{compression: fp16, without: compute, {small}}}"))
        self.assert_verified(result, 1 + 4 + 2 + 1)
        for of in result.document["cases"]:
            values = metrics(of)
            halves = of["parameters"]["compression"] == "fp16"
            self.assertEqual("compression_time" in values, halves, of["id"])
            if halves:
                self.assertEqual(values["compression_ratio"], 2)
                self.assertGreater(values["compression_time"], 0)
                self.assertLess(values["compression_time"], values["communication_time"])
        sent = {of["parameters"]["compression"]: metrics(of)["communicated"] for of in result.document["cases"] if of["id"].startswith(("none", "ways"))}
        self.assertAlmostEqual(sent["none"] / sent["fp16"], 2)

    def test_matrices_are_averaged_in_place_of_gradients(self):
        small = f"strategy: ddp, compression: powersgd, compression_rank: 3, bucket: 100kB, first_bucket: 10kB, {SMALL}"
        result = self.run_suite(BRIEF +
                                self.averaged(f"id: bert, with: {{{small}}}, matrix: {{overlapped: [true, false], launch: [stream, graph]}}") +
                                self.averaged(f"id: llama, with: {{block: llama, kv_heads: 2, accumulation: 2, dtype: bf16, optimizer: sgd, {small}}}"))
        self.assert_verified(result, 4 + 1)
        for of in result.document["cases"]:
            values = metrics(of)
            self.assertGreater(values["compression_ratio"], 2)
            self.assertGreater(values["compression_time"], 0)
            self.assertLess(values["compression_time"], values["communication_time"])
        uncompressed = 4 * int(result.document["cases"][0]["facts"]["parameters"]) * 2 * (self.count - 1) / self.count
        values = metrics(result.document["cases"][0])
        self.assertAlmostEqual(values["communicated"] * values["compression_ratio"] / uncompressed, 1)

    def test_halves_of_gradients_that_are_as_small_are_refused(self):
        result = self.run_suite(BRIEF + self.averaged(f"id: x, with: {{strategy: ddp, dtype: bf16, parameter_dtype: bf16, compression: fp16, {SMALL}}}"))
        self.assertNotEqual(result.code, 0)
        self.assertIn("as small as halves", " ".join((result.out + result.err).split()))

    def test_given_gradients_in_bf16_are_summed_exactly(self):
        result = self.run_suite(BRIEF + self.averaged(
            f"id: x, with: {{strategy: ddp, dtype: bf16, parameter_dtype: bf16, without: compute, {SMALL}}}"))
        self.assert_verified(result, 1)

    def test_ranks_that_do_not_average_know_nothing_of_each_other(self):
        result = self.run_suite(BRIEF + self.averaged(f"id: x, with: {{strategy: single, {SMALL}}}"))
        self.assert_verified(result, 1)
        self.assertNotIn("buckets", metrics(result.case("x")))

    def test_memory_is_what_the_formula_says(self):
        result = self.run_suite(BRIEF + self.averaged("id: x, with: {model: bert_base, strategy: ddp, dtype: bf16, sequence: 128, micro_batch: 16}"), timeout=200)
        self.assert_passed(result)
        values = metrics(result.document["cases"][0])
        self.assertLess(abs(values["peak_memory"] / values["predicted_memory"] - 1), 0.05)

    def test_one_gpu_averages_with_nobody(self):
        result = self.run_suite(BRIEF + case("id: x, with: {strategy: ddp}"))
        self.assertEqual(set(result.outcomes().values()), {"skipped"}, result.out)
        self.assertIn("several ranks", result.document["cases"][0]["reason"]["text"])


class Sharded(several.Several):
    """Ranks that have a share of each layer."""

    WAYS = ", ".join(f"{{prefetch: {prefetch}, gathers: {gathers}, overlapped: {overlapped}, reshard_after_forward: {reshard}}}"
                     for prefetch, gathers, overlapped, reshard in (("none", 0, "true", "true"), ("none", 0, "false", "true"), ("both", 3, "true", "true"),
                                                                    ("forward", 2, "true", "false")))

    def sharded(self, text):
        return f"  - {{uses: train_step@cuda, devices: all, {text}}}\n"

    def test_every_way_arithmetic_and_model_is_right(self):
        small = f"strategy: fsdp, {SMALL}"
        result = self.run_suite(BRIEF +
                                self.sharded(f"id: bert, with: {{{small}}}, matrix: {{way: [{self.WAYS}], launch: [stream, graph]}}") +
                                self.sharded(f"id: types, with: {{{small}}}, matrix: {{arithmetic: [{Averaged.ARITHMETIC}], launch: [stream, gated]}}") +
                                self.sharded(f"id: llama, with: {{block: llama, kv_heads: 2, accumulation: 3, optimizer: sgd, {small}}}, matrix: {{arithmetic: [{Averaged.ARITHMETIC}]}}") +
                                self.sharded("id: mlp, with: {model: mlp, strategy: zero3, width: 96, words: 40, micro_batch: 24, accumulation: 2}, matrix: {prefetch: [none, both]}"), timeout=400)
        self.assert_verified(result, 8 + 8 + 4 + 2)
        for case in result.document["cases"]:
            values = metrics(case)
            self.assertEqual(len(case["ranks"]), self.count)
            self.assertGreater(min(values["gather_time"], values["reduce_time"]), 0)
            self.assertLess(max(values["gather_time"], values["reduce_time"]), values["communication_time"])

    def test_layers_are_computed_again_from_what_was_gathered(self):
        ways = "[{strategy: ddp}, {strategy: zero2, bucket: 100kB}, {strategy: fsdp}, {strategy: fsdp, prefetch: both, gathers: 3}]"
        result = self.run_suite(BRIEF + self.sharded(f"id: x, with: {{recompute: true, dtype: bf16, layers: 5, {SMALL}}}, matrix: {{way: {ways}}}"))
        self.assert_verified(result, 4)

    def test_parameters_are_gathered_in_the_type_of_products(self):
        result = self.run_suite(BRIEF + self.sharded(f"id: x, with: {{strategy: fsdp, block: gpt, prefetch: both, accumulation: 2, {SMALL}}}, "
                                                     f"matrix: {{arithmetic: [{Averaged.ARITHMETIC}]}}"))
        self.assert_verified(result, 4)
        sent = {}
        for of in result.document["cases"]:
            sent.setdefault((of["parameters"]["dtype"], of["parameters"]["parameter_dtype"]), set()).add(metrics(of)["communicated"])
        (full,), (mixed,), (narrow,) = sent["fp32", "fp32"], sent["bf16", "fp32"], sent["bf16", "bf16"]
        self.assertAlmostEqual(mixed / full, (2 + 2 + 4) / 12)
        self.assertAlmostEqual(narrow / full, 6 / 12)

    def test_it_learns_what_ranks_learn_that_hold_everything(self):
        result = self.run_suite(BRIEF + self.sharded(f"id: x, with: {{{SMALL}}}, matrix: {{strategy: [ddp, fsdp]}}"))
        self.assert_verified(result, 2)
        whole, shares = (metrics(of) for of in result.document["cases"])
        self.assertAlmostEqual(whole["loss"], shares["loss"], delta=1e-6)

    def test_given_gradients_are_reduced_exactly(self):
        result = self.run_suite(BRIEF + self.sharded(f"id: x, with: {{strategy: fsdp, without: compute, {SMALL}}}, "
                                                     "matrix: {accumulation: [1, 2], launch: [stream, graph]}") +
                                self.sharded(f"id: rest, with: {{strategy: fsdp, without: optimizer, {SMALL}}}"))
        self.assert_verified(result, 5)

    def test_memory_is_the_formulas_and_less_than_of_the_whole(self):
        result = self.run_suite(BRIEF + self.sharded("id: x, with: {model: bert_base, dtype: bf16, sequence: 128, micro_batch: 16}, matrix: {strategy: [ddp, fsdp]}"), timeout=200)
        self.assert_verified(result, 2)
        whole, shares = (metrics(of) for of in result.document["cases"])
        self.assertLess(abs(shares["peak_memory"] / shares["predicted_memory"] - 1), 0.05)
        self.assertLess(shares["peak_memory"], whole["peak_memory"])

    def test_one_gpu_has_nobody_to_share_with(self):
        result = self.run_suite(BRIEF + case("id: x, with: {strategy: fsdp}"))
        self.assertEqual(set(result.outcomes().values()), {"skipped"}, result.out)


class Zero(several.Several):
    """Ranks that have all parameters, and a share of what updates them."""

    SMALL_BUCKETS = f"bucket: 100kB, first_bucket: 10kB, {SMALL}"

    def zero(self, text):
        return f"  - {{uses: train_step@cuda, devices: all, {text}}}\n"

    def test_every_way_arithmetic_and_model_is_right(self):
        result = self.run_suite(BRIEF +
                                self.zero(f"id: bert, with: {{{self.SMALL_BUCKETS}}}, matrix: {{strategy: [zero1, zero2], launch: [stream, graph]}}") +
                                self.zero(f"id: after, with: {{overlapped: false, {self.SMALL_BUCKETS}}}, matrix: {{strategy: [zero1, zero2]}}") +
                                self.zero(f"id: gpt, with: {{block: gpt, dtype: bf16, {self.SMALL_BUCKETS}}}, matrix: {{strategy: [zero1, zero2], parameter_dtype: [fp32, bf16]}}") +
                                self.zero(f"id: llama, with: {{block: llama, kv_heads: 2, accumulation: 3, optimizer: sgd, dtype: bf16, {self.SMALL_BUCKETS}}}, matrix: {{strategy: [zero1, zero2]}}") +
                                self.zero("id: mlp, with: {model: mlp, width: 96, words: 40, micro_batch: 24, accumulation: 2}, matrix: {strategy: [zero1, zero2]}"), timeout=400)
        self.assert_verified(result, 4 + 2 + 4 + 2 + 2)
        for case in result.document["cases"]:
            values = metrics(case)
            self.assertGreater(min(values["gather_time"], values["reduce_time"]), 0)
            self.assertLess(max(values["gather_time"], values["reduce_time"]), values["communication_time"])

    def test_it_learns_and_sends_what_its_strategy_says(self):
        result = self.run_suite(BRIEF + self.zero(f"id: x, with: {{accumulation: 2, {SMALL}}}, matrix: {{strategy: [ddp, zero1, zero2, fsdp]}}"))
        self.assert_verified(result, 4)
        ddp, zero1, zero2, fsdp = (metrics(of) for of in result.document["cases"])
        for values, times in ((zero1, 2), (zero2, 3), (fsdp, 6)):
            self.assertAlmostEqual(values["loss"], ddp["loss"], delta=1e-6)
            self.assertAlmostEqual(values["communicated"] / ddp["communicated"], times / 2, delta=1e-9)

    def test_given_gradients_are_reduced_exactly(self):
        result = self.run_suite(BRIEF + self.zero(f"id: x, with: {{without: compute, {SMALL}}}, "
                                                  "matrix: {strategy: [zero1, zero2], accumulation: [1, 2]}") +
                                self.zero(f"id: graph, with: {{without: compute, accumulation: 2, {SMALL}}}, matrix: {{strategy: [zero1, zero2]}}, measure: {{launch: graph}}") +
                                self.zero(f"id: rest, with: {{without: optimizer, dtype: bf16, {SMALL}}}, matrix: {{strategy: [zero1, zero2]}}"))
        self.assert_verified(result, 8)

    def test_memory_is_the_formulas_and_less_with_each_stage(self):
        result = self.run_suite(BRIEF + self.zero("id: x, with: {model: bert_base, dtype: bf16, sequence: 128, micro_batch: 16}, matrix: {strategy: [ddp, zero1, zero2]}"), timeout=200)
        self.assert_verified(result, 3)
        values = [metrics(of) for of in result.document["cases"]]
        for of in values:
            self.assertLess(abs(of["peak_memory"] / of["predicted_memory"] - 1), 0.05)
        self.assertEqual(sorted((of["peak_memory"] for of in values), reverse=True), [of["peak_memory"] for of in values])


class FaultsOfZero(several.FaultyNccl):
    CASE = f"uses: train_step@cuda\n    with: {{strategy: zero1, without: compute, {SMALL}}}"

    def test_a_wrong_bit_of_a_share_gives_no_time(self):
        result, case = self.faulty("corrupt")
        self.assertEqual(case["outcome"], "failed", case["reason"])
        self.assertTrue(all(entry["value"] is None for entry in case["metrics"]), case["metrics"])


class FaultsOfShares(several.FaultyNccl):
    CASE = f"uses: train_step@cuda\n    with: {{strategy: fsdp, {SMALL}}}"

    def test_a_rank_that_dies_in_the_backward_pass_ends_the_visit(self):
        for launch in ("stream", "graph"):
            with self.subTest(launch):
                result, case = self.faulty("kill", launch=launch)
                self.assertEqual((case["outcome"], case["reason"]["rank"]), ("crashed", 1), case["reason"])


class FaultsOfGivenShares(several.FaultyNccl):
    CASE = f"uses: train_step@cuda\n    with: {{strategy: fsdp, without: compute, {SMALL}}}"

    def test_a_wrong_bit_of_a_share_gives_no_time(self):
        result, case = self.faulty("corrupt")
        self.assertEqual(case["outcome"], "failed", case["reason"])
        self.assertTrue(all(entry["value"] is None for entry in case["metrics"]), case["metrics"])


class FaultsOfHalves(several.FaultyNccl):
    CASE = f"uses: train_step@cuda\n    with: {{strategy: ddp, compression: fp16, without: compute, {SMALL}}}"

    def test_a_wrong_bit_of_a_half_gives_no_time(self):
        result, case = self.faulty("corrupt")
        self.assertEqual(case["outcome"], "failed", case["reason"])


class FaultsOfMatrices(several.FaultyNccl):
    CASE = f"uses: train_step@cuda\n    with: {{strategy: ddp, compression: powersgd, {SMALL}}}"

    def test_a_wrong_bit_of_a_matrix_gives_no_time(self):
        result, case = self.faulty("corrupt")
        self.assertEqual(case["outcome"], "failed", case["reason"])


class Faults(several.FaultyNccl):
    """In the midst of steps that average; the case after it finds clean ranks."""

    CASE = f"uses: train_step@cuda\n    with: {{strategy: ddp, bucket: 100kB, {SMALL}}}"

    def test_a_rank_that_dies_in_the_backward_pass_ends_the_visit(self):
        for launch in ("stream", "graph"):
            with self.subTest(launch):
                result, case = self.faulty("kill", launch=launch)
                self.assertEqual((case["outcome"], case["reason"]["rank"]), ("crashed", 1), case["reason"])

    def test_a_rank_that_is_stopped_ends_it_by_the_deadline(self):
        result, case = self.faulty("stop")
        self.assertEqual((case["outcome"], case["reason"]["rank"]), ("timeout", 1), case["reason"])

    def test_gradients_that_differ_between_ranks_give_no_time(self):
        result, case = self.faulty("corrupt")
        self.assertEqual(case["outcome"], "failed", case["reason"])  # of two ranks each finds the other one wrong
        self.assertTrue(all(entry["value"] is None for entry in case["metrics"]), case["metrics"])


if __name__ == "__main__":
    gpu.main()
