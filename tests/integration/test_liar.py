# SPDX-License-Identifier: Apache-2.0
"""Plugins that lie about their times: each kind of lie is found in every run, and no honest case is.

ASSAY_LIES: how many runs of each; 100 in a campaign.
"""

import os
import unittest

import harness
from harness import Assay

RUNS = int(os.environ.get("ASSAY_LIES", "3"))
NOT_PROPORTIONAL, STALE = ("invalid", "guard.time-not-proportional"), ("failed", "verify.stale")
LEFT_BEHIND = ("invalid", "guard.work-left-behind")
LIES = {  # parameters: what it may come to
    "fault: queued": {LEFT_BEHIND},
    # settle says that nothing is left; the first verification waits for it.
    "fault: queued_silent": {LEFT_BEHIND},
    "fault: short_laps": {("invalid", "guard.laps-differ")},
    "fault: tenth": {("invalid", "guard.time-missing")},
    "fault: other_clock": {("invalid", "guard.moments-impossible")},
    "fault: reversed": {("invalid", "guard.moments-impossible")},
    # Where other programs hide single steps, the result of one iteration tells: half of one is none.
    "fault: half, elements: 65536": {NOT_PROPORTIONAL, STALE},
    "fault: half, elements: 2048": {NOT_PROPORTIONAL, STALE},
    "fault: cached": {STALE},
    "fault: recomputed, elements: 1048576": {("invalid", "guard.slow-when-new")},
    "fault: spin": {STALE},
    "fault: wrong_work": {STALE},
}


class Liar(Assay):
    def measure(self, parameters, name):
        measure = "max_time: 1s, samples: 3000" if "queued" in parameters else "max_time: 1s, samples: 100"
        suite = self.write(f"{name}.yaml", "version: 1\nsuite: lies\ncases:\n"
                           f"  - {{id: a, uses: liar@host, with: {{{parameters}}}, measure: {{{measure}}}}}\n")
        output = self.folder / name
        done = self.assay("run", suite.name, "--plugin", harness.BUILD / "tests/liar/assay_liar.so", "-o", output, timeout=300)
        done.folder = output
        return done

    def test_each_lie_is_found_every_time(self):
        for parameters, allowed in LIES.items():
            for run in range(RUNS):
                with self.subTest(parameters, run=run):
                    done = self.measure(parameters, f"{abs(hash(parameters))}-{run}")
                    case = done.case("a")
                    self.assertIn((case["outcome"], case["reason"]["code"]), allowed, case["reason"])
                    self.assertNotEqual(done.code, 0)

    def test_the_honest_one_is_published(self):
        for run in range(RUNS):
            done = self.measure("fault: none", f"honest-{run}")
            self.assertEqual(done.case("a")["outcome"], "passed", done.case("a").get("reason"))
            self.assertNotIn("work_declared", [flag["code"] for flag in done.case("a")["flags"]])

    def test_what_cannot_be_seen_is_said(self):
        # Without other inputs nobody can tell a spin from the work; the row says whose word it is.
        done = self.measure("fault: spin, reseeds: false", "declared")
        self.assertEqual(done.case("a")["outcome"], "passed")
        self.assertIn("work_declared", [flag["code"] for flag in done.case("a")["flags"]])


if __name__ == "__main__":
    unittest.main()
