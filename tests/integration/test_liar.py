# SPDX-License-Identifier: Apache-2.0
"""Plugins that lie about their times: each kind of lie is found in every run, and no honest case is refused.

ASSAY_LIES: how many runs of each; 100 in a campaign ('./dev campaign lies').
"""

import collections
import os
import unittest

import harness
from harness import Assay

RUNS = int(os.environ.get("ASSAY_LIES", "3"))
# Where the visit says itself that other programs disturbed it, a guard may have seen nothing but them; the lie is told again then.
DISTURBED = {"disturbed", "uneven_time"}
TRIES = 20
NOT_PROPORTIONAL, STALE = ("invalid", "guard.time-not-proportional"), ("failed", "verify.stale")
LEFT_BEHIND = ("invalid", "guard.work-left-behind")
BRIEF, LONG = "max_time: 0.5s, samples: 100", "max_time: 0.5s, samples: 20000"
LIES = {  # parameters: how it is measured, what it may come to
    "fault: queued": (LONG, {LEFT_BEHIND}),
    # settle says that nothing is left; the first verification waits for it.
    "fault: queued_silent": (LONG, {LEFT_BEHIND}),
    # A few samples leave milliseconds behind.
    "fault: queued_silent, elements: 16384": ("max_time: 0.5s, samples: 20, warmup: 0", {LEFT_BEHIND}),
    # Nor does verify; release does, and a second of it is its own: what is left has to be more.
    "fault: queued_unlooked": ("max_time: 1s, samples: 1000000", {LEFT_BEHIND}),
    "fault: short_laps": (BRIEF, {("invalid", "guard.laps-differ")}),
    "fault: tenth": (BRIEF, {("invalid", "guard.time-missing")}),
    "fault: other_clock": (BRIEF, {("invalid", "guard.moments-impossible")}),
    "fault: reversed": (BRIEF, {("invalid", "guard.moments-impossible")}),
    "fault: longer": (BRIEF, {("invalid", "guard.device-above-host")}),
    "fault: constant, elements: 1048576": (BRIEF, {NOT_PROPORTIONAL}),
    # Where other programs hide single steps, the result of one iteration tells: half of one is none.
    "fault: half, elements: 65536": (BRIEF, {NOT_PROPORTIONAL, STALE}),
    "fault: half, elements: 2048": (BRIEF, {NOT_PROPORTIONAL, STALE}),
    "fault: half_up, elements: 16384": (BRIEF, {NOT_PROPORTIONAL}),
    "fault: cached": (BRIEF, {STALE}),
    "fault: recomputed, elements: 1048576": (BRIEF, {("invalid", "guard.slow-when-new")}),
    "fault: spin": (BRIEF, {STALE}),
    "fault: wrong_work": (BRIEF, {STALE}),
}
HONEST = "fault: none"


class Liar(Assay):
    def measure(self, cases, run):
        """One run of all `cases`, parameters and how each is measured; gives them as they came out."""
        lines = [f"  - {{id: c{i}, uses: liar@host, with: {{{parameters}}}, measure: {{{measure}}}}}\n" for i, (parameters, measure) in enumerate(cases)]
        suite = self.write(f"suite-{run}.yaml", "version: 1\nsuite: lies\ncases:\n" + "".join(lines))
        output = self.folder / f"run-{run}"
        done = self.assay("run", suite.name, "--plugin", harness.BUILD / "tests/liar/assay_liar.so", "-o", output, timeout=harness.PATIENCE_S)
        done.folder = output
        return done, [done.case(f"c{i}") for i in range(len(cases))]

    def test_each_lie_is_found_every_time(self):
        found = collections.Counter()
        for run in range(RUNS):
            done, cases = self.measure([(parameters, measure) for parameters, (measure, _) in LIES.items()], run)
            self.assertNotEqual(done.code, 0)
            for (parameters, (measure, allowed)), case in zip(LIES.items(), cases):
                with self.subTest(parameters, run=run):
                    for again in range(TRIES):
                        if case["outcome"] != "passed" or not DISTURBED & {flag["code"] for flag in case["flags"]}:
                            break
                        case = self.measure([(parameters, measure)], f"{run}-again-{again}")[1][0]
                    reason = case.get("reason") or {"code": ""}
                    found[parameters] += (case["outcome"], reason["code"]) in allowed
                    self.assertIn((case["outcome"], reason["code"]), allowed, reason)
        for parameters in LIES:
            print(f"{parameters}: found in {found[parameters]} of {RUNS} runs", flush=True)

    def test_the_honest_one_is_published(self):
        for run in range(RUNS):
            _, (case,) = self.measure([(HONEST, BRIEF)], f"honest-{run}")
            self.assertEqual(case["outcome"], "passed", case.get("reason"))
            self.assertNotIn("work_declared", [flag["code"] for flag in case["flags"]])

    def test_what_cannot_be_seen_is_said(self):
        # Without other inputs nobody can tell a spin from the work; the row says whose word it is.
        _, (case,) = self.measure([("fault: spin, reseeds: false", BRIEF)], "declared")
        self.assertEqual(case["outcome"], "passed")
        self.assertIn("work_declared", [flag["code"] for flag in case["flags"]])


if __name__ == "__main__":
    unittest.main()
