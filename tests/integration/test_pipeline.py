#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pipeline@host with real stages: every schedule is right, one with a wrong gradient fails, memory is that of the formula, what is simulated is no
measurement, and what becomes of a stage that dies or hangs in its backward pass."""

import itertools
import re
import unittest

import harness

NEGATED = harness.BUILD / "tests/preload/assay_negated_gradient.so"
ENDED = harness.BUILD / "tests/preload/assay_ended_gradient.so"
SUITE = "version: 1\nsuite: pipeline\nrequires: {backend: host}\n"
SMALL = "layers: 4, width: 32, heads: 4, ffn: 96, words: 50, sequence: 8, batch: 8"
QUICK = "defaults: {processes: 1, measure: {samples: 6, warmup: 0}}\n"
# What says something of a machine, with the unit of a limit.
MEASURED = {"step_time": "s", "samples": "items/s", "tokens": "items/s", "bubble": "", "predicted_bubble": "", "predicted_step_time": "s", "prediction_error": "",
            "stage_busy_time": "s", "stage_busy_cv": "", "stage_memory": "B", "stage_memory_cv": "", "predicted_stage_memory": "B", "transfer_exposed": "s",
            "micro_batches_in_flight": "", "loss": ""}


@unittest.skipUnless((harness.BUILD / "lib/assay/plugins/pipeline_host.so").exists(), "pipeline@host was not built")
class Pipeline(harness.Assay):
    def run_here(self, text, *arguments):
        self.write("suite.yaml", SUITE + text)
        return self.assay("run", "suite.yaml", "-q", "-o", self.results, *arguments)

    @staticmethod
    def values(case):
        return {entry["name"]: entry["value"] for entry in case["metrics"] if not entry.get("indices")}

    @staticmethod
    def by_stage(case, name):
        return {entry["indices"][0]: entry["value"] for entry in case["metrics"] if entry["name"] == name}

    def passed(self, result):
        reasons = [(case["id"], case["reason"]) for case in result.document["cases"] if case["outcome"] != "passed"]
        self.assertEqual((result.code, reasons), (0, []), result.out + result.err)

    def test_every_schedule_is_right(self):
        result = self.run_here(QUICK + f"""cases:
  - {{id: plain, uses: pipeline@host, with: {{{SMALL}}}, matrix: {{ranks: [1, 2, 4], schedule: [gpipe, 1f1b, zero_bubble], recompute: [true, false]}}}}
  - {{id: chunks, uses: pipeline@host, with: {{{SMALL}, schedule: interleaved}}, ranks: 2, matrix: {{block: [bert, gpt, llama]}}}}
  - {{id: split, uses: pipeline@host, with: {{{SMALL}, split: 1-2-1, buffers: 1, optimizer: sgd}}, ranks: 3, matrix: {{schedule: [gpipe, zero_bubble]}}}}
  - {{id: waits, uses: pipeline@host, with: {{{SMALL}, schedule: gpipe, buffers: 0}}, ranks: 2}}
  - {{id: mlp, uses: pipeline@host, with: {{model: mlp, layers: 3, width: 64, words: 32}}, ranks: 3}}
""")
        self.passed(result)
        for case in result.document["cases"]:
            values, stages = self.values(case), case["placement"]["ranks"]
            with self.subTest(case["id"], values=values):
                self.assertTrue(case["verification"]["verified"])
                self.assertEqual(case["verification"]["wrong"], 0)
                for name in ("stage_busy_time", "transfer_exposed", "micro_batches_in_flight", "predicted_stage_memory"):
                    self.assertEqual(set(self.by_stage(case, name)), set(range(stages)), name)
                self.assertTrue(0 <= values["predicted_bubble"] < 1 and 0 < values["bubble"] < 1)
                self.assertGreater(values["predicted_step_time"], 0)
                self.assertGreaterEqual(values["stage_busy_cv"], 0)
                # What a step must not be held to is not there.
                crowded = stages * int(case["facts"]["threads"]) > int(case["facts"]["processors"])
                self.assertEqual("prediction_error" in values, not crowded)
                self.assertFalse([name for name in values if name.startswith("simulated")])
                self.assertAlmostEqual(values["tokens"] / values["samples"], 1 if case["id"] == "mlp" else 8)
        in_flight = {case["id"]: list(self.by_stage(case, "micro_batches_in_flight").values()) for case in result.document["cases"]}
        self.assertEqual(in_flight["plain[ranks=4,schedule=gpipe,recompute=false]"], [4, 4, 4, 4])
        self.assertEqual(in_flight["plain[ranks=4,schedule=1f1b,recompute=false]"], [4, 3, 2, 1])
        self.assertEqual(result.case("split[schedule=gpipe]")["facts"]["split"], "1-2-1")
        # The loss of one model, however it is cut. A product that fewer threads share is rounded in another order on some processors.
        one = [case for case in result.document["cases"] if case["id"].startswith("plain") and "1f1b" in case["id"]]
        self.assertEqual(len(one), 6)
        losses = {case["id"]: self.values(case)["loss"] for case in one}
        self.assertLess(max(losses.values()) - min(losses.values()), 1e-6 * max(losses.values()), losses)

    def test_a_sign_error_on_one_stage_fails_and_leaves_no_rate(self):
        if "ASan" in self.assay("--version", environment={"LD_PRELOAD": str(NEGATED)}).err:
            self.skipTest("a sanitizer wants to be the first library")
        # Products with 50 rows are those onto the words, which the last stage has: of the first step, and of one in the midst.
        result = self.run_here(f"""defaults: {{processes: 1, measure: {{samples: 6, warmup: 1}}}}
cases:
  - id: step
    uses: pipeline@host
    with: {{{SMALL}, block: gpt}}
    ranks: 2
    matrix: {{schedule: [1f1b, zero_bubble], env.NEGATE_FROM: [~, 1, 60]}}
    env: {{LD_PRELOAD: "{NEGATED}", NEGATE_ROWS: "50"}}
""")
        self.assertEqual(result.code, 1, result.out + result.err)
        for case in result.document["cases"]:
            metrics = self.values(case)
            with self.subTest(case=case["id"], reason=case["reason"]):
                if "NEGATE_FROM=~" in case["id"]:
                    self.assertEqual(case["outcome"], "passed")
                    self.assertGreater(metrics["samples"], 0)
                    continue
                # A step in the midst is one whose inputs were changed, or another one.
                self.assertEqual(case["outcome"], "failed")
                self.assertIn(case["reason"]["code"], ("verify.wrong", "verify.stale"))
                self.assertEqual({metrics.get(name) for name in ("samples", "tokens", "step_time")} - {None}, set(), "no rate of a wrong step")

    @unittest.skipIf(harness.IS_SANITIZED, "a sanitizer's own memory counts among the process's")
    def test_memory_of_each_stage_is_that_of_the_formula(self):
        result = self.run_here("""defaults: {processes: 1, measure: {samples: 2, warmup: 0}}
cases:
  - {id: plain, uses: pipeline@host, with: {words: 4000, sequence: 64, layers: 4, batch: 8}, ranks: 2, matrix: {schedule: [gpipe, 1f1b, zero_bubble]}}
  - {id: again, uses: pipeline@host, with: {words: 4000, sequence: 64, layers: 4, batch: 8, schedule: gpipe, recompute: true}, ranks: 2}
""")
        self.passed(result)
        memory = {}
        for case in result.document["cases"]:
            seen, predicted = self.by_stage(case, "stage_memory"), self.by_stage(case, "predicted_stage_memory")
            with self.subTest(case["id"], seen=seen, predicted=predicted, formula=case["facts"]["memory_formula"]):
                if not seen:
                    self.skipTest("this kernel does not let a process forget its peak")
                for stage in (0, 1):
                    self.assertAlmostEqual(seen[stage] / predicted[stage], 1, delta=0.05)
            memory[case["id"]] = seen
        last = {name: seen[1] for name, seen in memory.items()}
        self.assertGreater(last["plain[schedule=gpipe]"], 1.2 * last["plain[schedule=1f1b]"], "all micro-batches in flight, and one")
        self.assertGreater(last["plain[schedule=gpipe]"], 1.2 * last["again"])

    def test_what_cannot_be_is_said_at_its_line(self):
        cases = {
            "sum": ("split: 2-2-2-2", 4, "error", "'2-2-2-2' adds up to 8 layers, and the model has 12"),
            "count": ("split: 6-6", 4, "error", "'6-6' has 2 numbers, and there are 4 parts"),
            "text": ("split: uneven", 2, "error", "neither 'even' nor numbers of layers like 6-2-2-2"),
            "few": ("layers: 3", 4, "error", "4 parts need a layer each, and the model has 3"),
            "ranks": ("stages: 4", 2, "error", "stages: 4 need a rank each, and the case has 2; say ranks: 4"),
            "micro": ("micro_batches: 3", 2, "error", "3 do not divide a batch of 16 samples"),
            "one": ("schedule: interleaved, chunks: 1", 2, "error", "an interleaved schedule has 2 chunks"),
            "many": ("schedule: interleaved, chunks: 7", 2, "error", "14 parts need a layer each"),
            "plain": ("chunks: 2", 2, "skipped", "only an interleaved schedule has several"),
            "single": ("schedule: interleaved", 1, "skipped", "give the case ranks: 2"),
            "samples": ("micro_batches: 32", 2, "skipped", "32 are more than a batch has samples, 16"),
            "group": ("schedule: interleaved, batch: 18, micro_batches: 6", 4, "error", "6 micro-batches are not a multiple of 4 stages"),
            "lock": ("buffers: 0", 2, "error", "the schedule deadlocks: stage 0 waits to hand over the activations of micro-batch 1 to stage 1; stage 1 waits to hand "
                                               "over the gradients of micro-batch 0 to stage 0"),
            "costs": ("forward_cost: 1ms", 2, "skipped", "costs are given to mode: simulate alone"),
            "share": ("weight_share: 0.1", 2, "skipped", "costs are given to mode: simulate alone"),
            "half": ("mode: simulate, stages: 2, backward_cost: 1ms", 1, "skipped", "go with forward_cost"),
            "untold": ("mode: simulate", 1, "skipped", "simulate has to be told how many stages there would be"),
            "crowd": ("mode: simulate, stages: 2", 2, "skipped", "one rank that simulates all stages"),
            "heads": ("heads: 7", 2, "error", "7 heads do not divide a width of 256"),
            "large": ("model: llama_8b_like, layers: 4096", 2, "skipped", "GiB of host memory for stage 0: "),
            "vast": ("sequence: 1048576, batch: 1048576, heads: 256", 2, "skipped", "more than 4 PiB"),
        }
        result = self.run_here(QUICK + "cases:\n" + "".join(
            f"  - {{id: {name}, uses: pipeline@host, ranks: {ranks}, with: {{{'' if 'layers' in text else 'layers: 12, '}{text}}}}}\n" for name, (text, ranks, _, _) in cases.items()))
        for line, (name, (_, _, outcome, words)) in enumerate(cases.items(), 6):
            case = result.case(name)
            with self.subTest(name):
                self.assertEqual(case["outcome"], outcome, case["reason"])
                self.assertIn(words, case["reason"]["text"])
                if name == "ranks":  # which is not about the parameter alone
                    self.assertEqual(case["reason"]["code"], "plugin.error", "memory is not what it lacked")
                elif outcome == "error":
                    self.assertEqual(case["reason"]["position"]["line"], line, case["reason"])
        self.assert_nothing_left()

    def test_what_is_simulated_meets_no_expectation_about_a_machine(self):
        result = self.run_here(QUICK + """cases:
  - id: study
    uses: pipeline@host
    with: {mode: simulate, schedule: gpipe, model: bert_base, batch: 128, micro_batches: 32, forward_cost: 1ms}
    matrix: {shape: [{stages: 2}, {stages: 3}, {stages: 4}, {stages: 4, split: 6-2-2-2}]}
  - {id: measured, uses: pipeline@host, with: {mode: simulate, layers: 4, width: 32, words: 50, sequence: 8, stages: 4}, matrix: {schedule: [gpipe, zero_bubble]}}
""" + "".join(f"""  - {{id: {name}, uses: pipeline@host, with: {{mode: simulate, stages: 2, forward_cost: 1ms}}, expect: ["{name} <= 1000000 {unit}"]}}
""" for name, unit in MEASURED.items()))
        self.assertEqual(result.code, 1)
        self.assertTrue(result.document["run"]["mode"]["simulated"])
        for case in result.document["cases"]:
            with self.subTest(case["id"], reason=case["reason"]):
                names = {entry["name"] for entry in case["metrics"]}
                self.assertFalse(names & set(MEASURED))
                self.assertIn("simulated_step_time", names)
                self.assertIn("simulated", [flag["code"] for flag in case["flags"]])
                if case["id"] in MEASURED:
                    self.assertEqual((case["outcome"], case["reason"]["code"]), ("failed", "expectation.not-judged"))
                    continue
                self.assertEqual(case["outcome"], "passed")
                self.assertEqual(case["facts"]["costs"].split()[0], "given" if "study" in case["id"] else "measured")
        # What a published comparison of 2, 3 and 4 GPUs and of an uneven split has, with 32 micro-batches.
        two, three, four, uneven = (self.values(case)["simulated_step_time"] for case in result.document["cases"][:4])
        for seen, published in ((two / three, 1.453), (two / four, 1.876), (four / uneven, 0.528)):
            self.assertAlmostEqual(seen / published, 1, delta=0.006)

    def test_steps_that_would_be_very_short_are_simulated_as_well(self):
        result = self.run_here(QUICK + "cases:\n  - {id: short, uses: pipeline@host, with: {mode: simulate, stages: 4, layers: 4, schedule: gpipe, forward_cost: 1e-12s}}\n")
        self.passed(result)
        self.assertAlmostEqual(self.values(result.case("short"))["simulated_step_time"], 7 * 3e-12, delta=1e-17)

    def test_the_timeline_shows_every_pass_where_and_when_it_may_be(self):
        result = self.run_here(QUICK + f"""cases:
  - {{id: step, uses: pipeline@host, with: {{{SMALL}}}, ranks: 3, matrix: {{schedule: [gpipe, 1f1b, zero_bubble]}}}}
""", "--report", "trace", "--report", "json")
        self.passed(result)
        for case in result.document["cases"]:
            spans = {}
            for track in case["timeline"]["tracks"]:
                stage = int(re.fullmatch(r"stage (\d)", track["name"])[1])
                ordered = sorted(track["spans"], key=lambda span: span["begin_s"])
                for before, after in zip(ordered, ordered[1:]):
                    self.assertLessEqual(before["end_s"], after["begin_s"], "a stage does one thing at a time")
                spans[stage] = {span["name"]: (span["begin_s"], span["end_s"]) for span in ordered}
            self.assertEqual(set(spans), {0, 1, 2})
            split = "zero_bubble" in case["id"]
            back = "input gradient" if split else "backward pass"
            for stage, micro in itertools.product((0, 1, 2), range(4)):
                passes = spans[stage]
                forward, backward = passes[f"forward pass of micro-batch {micro}"], passes[f"{back} of micro-batch {micro}"]
                self.assertLessEqual(forward[1], backward[0])
                if split:
                    self.assertLessEqual(backward[1], passes[f"weight gradient of micro-batch {micro}"][0])
                if stage > 0:
                    self.assertLessEqual(spans[stage - 1][f"send activations of micro-batch {micro}"][0], passes[f"receive activations of micro-batch {micro}"][1])
                    self.assertLessEqual(spans[stage - 1][f"forward pass of micro-batch {micro}"][1], forward[0])
                    self.assertLessEqual(backward[1], spans[stage - 1][f"{back} of micro-batch {micro}"][0])

    def ended(self, how, at):
        """Two cases, of the first of which the last stage ends in a backward pass."""
        if "ASan" in self.assay("--version", environment={"LD_PRELOAD": str(ENDED)}).err:
            self.skipTest("a sanitizer wants to be the first library")
        result = self.run_here(f"""defaults: {{processes: 1, ranks: 3, measure: {{samples: 6, warmup: 0}}}}
cases:
  - {{id: ends, uses: pipeline@host, with: {{{SMALL}, block: gpt}}, timeout: {"5min" if how == "die" else "20s"}, env: {{LD_PRELOAD: "{ENDED}", END_ROWS: "50", END_HOW: {how}, END_AT: "{at}"}}}}
  - {{id: other, uses: pipeline@host, with: {{{SMALL}}}}}
""")
        self.assert_nothing_left()
        self.assertEqual(result.code, 5, result.out + result.err)
        self.assertEqual(result.outcomes(), {"ends": "crashed" if how == "die" else "timeout", "other": "passed"}, result.case("ends")["reason"])
        return result.case("ends")["reason"]

    # In the first step, and when others have been measured.
    def test_a_stage_killed_in_its_backward_pass_costs_its_own_case(self):
        for at in (3, 60):
            with self.subTest(at):
                self.results = self.folder / f"results-{at}"
                reason = self.ended("die", at)
                self.assertIn("SIGKILL", reason["text"])
                self.assertEqual(reason["rank"], 2)

    def test_a_stage_hung_in_its_backward_pass_ends_with_the_others(self):
        self.ended("wait", 60)


if __name__ == "__main__":
    harness.main()
