#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pipeline@cuda on real GPUs: every schedule is right in every arithmetic, with a GPU for each stage and with stages that share one; memory is what the
formula says; a step takes what the simulator says where each stage has SMs of its own; faults are found and refused. That a part of a model does what the
whole does is held by assay_plugin_cuda_model_test, which needs a GPU, too."""

import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

import gpu
import harness

BRIEF = "defaults: {timeout: 120s, processes: 1, measure: {samples: 5, warmup: 0, max_time: 2s}}\ncases:\n"
SMALL = "layers: 4, width: 128, heads: 4, ffn: 256, words: 512, sequence: 32, batch: 8"
ARITHMETIC = "arithmetic: [{dtype: fp32, parameter_dtype: fp32}, {dtype: tf32, parameter_dtype: fp32}, {dtype: bf16, parameter_dtype: fp32}, {dtype: bf16, parameter_dtype: bf16}]"
# Passes of more than a millisecond on half a GPU.
LARGE = "block: gpt, layers: 4, width: 2048, heads: 16, ffn: 8192, words: 4096, sequence: 512, batch: 32, micro_batches: 8, dtype: bf16"


def one_gpu(text):
    return f"  - {{uses: pipeline@cuda, devices: ['cuda:0'], {text}}}\n"


def two_gpus(text):
    return f"  - {{uses: pipeline@cuda, devices: ['cuda:0', 'cuda:1'], {text}}}\n"


def metrics(of):
    return {entry["name"]: entry["value"] for entry in of["metrics"] if not entry.get("indices")}


def by_stage(of, name):
    return {entry["indices"][0]: entry["value"] for entry in of["metrics"] if entry["name"] == name}


class Pipelines(gpu.Gpu):
    def assert_right(self, result, stages, ranks):
        self.assert_passed(result)
        for case in result.document["cases"]:
            with self.subTest(case["id"]):
                self.assertTrue(case["verification"]["verified"])
                self.assertEqual(case["verification"]["wrong"], 0)
                self.assertEqual(case["placement"]["ranks"], ranks)
                for name in ("stage_busy_time", "transfer_exposed", "micro_batches_in_flight", "predicted_stage_memory", "stage_memory"):
                    self.assertEqual(set(by_stage(case, name)), set(range(stages)), name)
                values = metrics(case)
                self.assertTrue(0 < values["bubble"] < 1, values)
                for stage, seen in by_stage(case, "stage_memory").items():
                    self.assertLess(seen, 1.05 * by_stage(case, "predicted_stage_memory")[stage] + (4 << 20))


class OneGpu(Pipelines):
    def test_every_schedule_and_arithmetic_is_right(self):
        result = self.run_suite(BRIEF +
                                one_gpu(f"id: bert, with: {{stages: 2, {SMALL}}}, matrix: {{{ARITHMETIC}, schedule: [gpipe, 1f1b, interleaved]}}") +
                                one_gpu(f"id: llama, with: {{stages: 2, block: llama, kv_heads: 2, {SMALL}}}, matrix: {{{ARITHMETIC}, recompute: [false, true]}}") +
                                one_gpu(f"id: mlp, with: {{stages: 2, model: mlp, layers: 3, width: 96, words: 40, batch: 48}}, matrix: {{{ARITHMETIC}}}"), timeout=900)
        self.assert_right(result, 2, 1)

    def test_cuts_buffers_and_optimizers(self):
        result = self.run_suite(BRIEF +
                                one_gpu(f"id: split, with: {{stages: 3, split: 1-2-1, buffers: 1, optimizer: sgd, {SMALL}}}") +
                                one_gpu(f"id: waits, with: {{stages: 3, schedule: gpipe, buffers: 0, {SMALL}}}"), timeout=300)
        self.assert_right(result, 3, 1)

    def test_one_stage_is_a_training_step_in_streams_and_graphs(self):
        result = self.run_suite(BRIEF + one_gpu(f"id: x, with: {{stages: 1, {SMALL}}}, matrix: {{launch: [stream, graph], recompute: [false, true]}}"), timeout=300)
        self.assert_right(result, 1, 1)

    def test_four_stages_share_a_gpu(self):
        result = self.run_suite(BRIEF + one_gpu(f"id: x, with: {{block: gpt, stages: 4, {SMALL}}}, matrix: {{schedule: [gpipe, 1f1b]}}"), timeout=300)
        self.assert_right(result, 4, 1)

    def test_a_step_on_partitions_takes_what_the_simulator_says(self):
        result = self.run_suite(BRIEF + one_gpu(f"id: x, with: {{stages: 2, {LARGE}}}, matrix: {{schedule: [gpipe, 1f1b]}}"), timeout=300)
        self.assert_right(result, 2, 1)
        for case in result.document["cases"]:
            values = metrics(case)
            print(f"\n    {case['id']}: {case['facts']['sharing']}; step {values['step_time']:.6f} s, " +
                  f"predicted {values.get('predicted_step_time')}, error {values.get('prediction_error')}, bubble {values['bubble']:.4f}, predicted {values.get('predicted_bubble')}")
            partitions = case["facts"]["sharing"].startswith("SM partitions")
            self.assertEqual("predicted_step_time" in values, partitions)
            if partitions:
                self.assertLess(abs(values["prediction_error"]), 0.1)

    def test_what_cannot_be_is_refused(self):
        for settings, word in (("stages: 2, schedule: zero_bubble", "pipeline@host has it"), ("stages: 17, layers: 20", "do not share a GPU"),
                               ("stages: 2, attention: fused, dtype: bf16", "a GPU for each stage"), ("mode: simulate, stages: 2", "mode"),
                               ("stages: 2, dtype: tf32, parameter_dtype: bf16", "bf16 parameters go with"), ("stages: 5", "5 parts need a layer each")):
            shutil.rmtree(self.results, ignore_errors=True)
            result = self.run_suite(BRIEF + one_gpu(f"id: x, with: {{{'' if 'layers' in settings else 'layers: 4, '}{settings}}}"))
            said = result.out + result.err
            if (self.results / "result.json").exists():
                self.assertNotIn("passed", result.outcomes().values(), settings)
                said += result.document["cases"][0]["reason"]["text"]
            self.assertIn(word, said)

    def test_what_does_not_fit_is_skipped_with_the_formula(self):
        result = self.run_suite(BRIEF + one_gpu("id: x, with: {stages: 2, model: llama_8b_like, layers: 400}"))
        self.assertEqual(set(result.outcomes().values()), {"skipped"}, result.out)
        self.assertIn("activations in flight", result.document["cases"][0]["reason"]["text"])

    @unittest.skipUnless(pathlib.Path(os.environ.get("ASSAY_BUILD", ""), "bin/assay_plugin_cuda_model_test").exists(), "an archive has no unit tests")
    def test_parts_do_what_the_whole_does(self):
        done = subprocess.run([pathlib.Path(os.environ["ASSAY_BUILD"], "bin/assay_plugin_cuda_model_test"), "--gtest_brief=1", "--gtest_filter=*CudaParts*"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class SeveralGpus(Pipelines):
    """A GPU for each stage."""

    def setUp(self):
        super().setUp()
        count = len(self.inventory()["devices"])
        if count < 2:
            self.skipTest(f"needs two GPUs, {count} found")

    def test_every_schedule_arithmetic_and_way_to_submit_is_right(self):
        result = self.run_suite(BRIEF +
                                two_gpus(f"id: bert, with: {{{SMALL}}}, matrix: {{{ARITHMETIC}, schedule: [gpipe, 1f1b, interleaved]}}") +
                                two_gpus(f"id: llama, with: {{block: llama, kv_heads: 2, {SMALL}}}, matrix: {{recompute: [false, true], launch: [stream, graph]}}") +
                                two_gpus(f"id: waits, with: {{schedule: gpipe, buffers: 0, {SMALL}}}") +
                                two_gpus("id: mlp, with: {model: mlp, layers: 3, width: 96, words: 40, batch: 48, optimizer: sgd}"), timeout=900)
        self.assert_right(result, 2, 2)

    def test_a_step_takes_what_the_simulator_says(self):
        result = self.run_suite(BRIEF + two_gpus(f"id: x, with: {{{LARGE}}}, matrix: {{schedule: [gpipe, 1f1b], split: [even, 3-1]}}"), timeout=300)
        self.assert_right(result, 2, 2)
        for case in result.document["cases"]:
            values = metrics(case)
            print(f"\n    {case['id']}: step {values['step_time']:.6f} s, predicted {values['predicted_step_time']:.6f}, error {values['prediction_error']:+.4f}, " +
                  f"bubble {values['bubble']:.4f}, predicted {values['predicted_bubble']:.4f}")
            self.assertLess(abs(values["prediction_error"]), 0.1)

    def stages_at_work(self, process):
        """Processes that share the memory of a pipeline which has made a hundred steps."""
        until = time.monotonic() + 120
        while time.monotonic() < until and process.poll() is None:
            found = []
            for children in pathlib.Path(f"/proc/{process.pid}/task").glob("*/children"):
                for child in children.read_text().split():
                    try:
                        for file in pathlib.Path(f"/proc/{child}/fd").iterdir():
                            if os.readlink(file).startswith("/memfd:assay-ranks"):
                                with open(file, "rb") as shared:
                                    if int.from_bytes(shared.read(4), "little") > 100:
                                        found.append(int(child))
                    except OSError:
                        continue
            if len(found) == 2:
                return found
            os.sched_yield()
        self.fail("there were never two stages at work: " + "".join(process.communicate(timeout=60)))

    def faulty(self, number, timeout):
        self.write("suite.yaml", gpu.HEADER + "cases:\n" +
                   two_gpus(f"id: a, with: {{{SMALL}}}, timeout: {timeout}, measure: {{for: 20s}}") +
                   two_gpus(f"id: b, with: {{{SMALL}}}, measure: {{samples: 6, warmup: 0}}"))
        with self.start("run", "suite.yaml", "-q", "-o", str(self.results), "--seed", "2") as process:
            try:
                os.kill(max(self.stages_at_work(process)), number)
                begin = time.monotonic()
                out, err = process.communicate(timeout=120)
                self.assertLess(time.monotonic() - begin, 60)
            finally:
                process.kill()
        result = harness.Result(process.returncode, out, err, self.results)
        self.assert_nothing_left()
        self.assertEqual(result.outcomes()["b"], "passed", out + err)
        used = gpu.nvidia_smi("memory.used")
        if used:
            self.assertLess(max(float(row[0]) for row in used), 2000, "device memory was not given back")
        return result.case("a")

    def test_a_stage_that_dies_ends_the_case_as_its_own_outcome(self):
        case = self.faulty(signal.SIGKILL, "60s")
        self.assertEqual(case["outcome"], "crashed", case["reason"])
        self.assertIn("SIGKILL", case["reason"]["text"])

    def test_a_stage_that_is_stopped_ends_it_by_the_deadline(self):
        case = self.faulty(signal.SIGSTOP, "12s")
        self.assertEqual(case["outcome"], "timeout", case["reason"])


if __name__ == "__main__":
    gpu.main()
