#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What nobody can see of a plugin from outside, line by line of docs/reference/faults.md: it does pass, and what the page says in its place is said."""

import harness
from harness import Assay

HOST = "version: 1\nsuite: unseen\nrequires: {backend: host}\ndefaults: {measure: {samples: 100, max_time: 1s}}\ncases:\n"


class Unseen(Assay):
    def measured(self, case, *words, suite=HOST, environment=None):
        self.results = self.folder / f"results-{len(list(self.folder.iterdir()))}"
        self.write("suite.yaml", suite + f"  - {{id: a, {case}}}\n")
        self.assay("run", "suite.yaml", "-q", "-o", self.results, *words, timeout=harness.PATIENCE_S, environment=environment)
        case = next(iter(self.document["cases"]))
        return case["outcome"], (case["reason"] or {}).get("code"), {flag["code"] for flag in case["flags"]}

    @property
    def document(self):
        return harness.Result(0, "", "", self.results).document

    def liar(self, parameters):
        return self.measured(f"uses: liar@host, with: {{{parameters}, reseeds: false}}", "--plugin", harness.BUILD / "tests/liar/assay_liar.so")

    def test_without_new_inputs_the_row_says_whose_word_the_work_is(self):
        for parameters in ("fault: spin", "fault: wrong_work", "fault: cached"):
            with self.subTest(parameters):
                outcome, code, flags = self.liar(parameters)
                self.assertEqual((outcome, code), ("passed", None))
                self.assertIn("work_declared", flags)

    def test_times_of_more_than_half_of_their_calls_are_believed(self):
        """A region may have something around it in its call, so that six tenths of the truth could be the truth."""
        self.assertEqual(self.liar("fault: shortened")[:2], ("passed", None))

    def test_half_of_a_short_quantum_is_caught_or_declared(self):
        outcome, code, flags = self.liar("fault: half, elements: 64")
        if outcome == "passed":
            self.assertIn("work_declared", flags)
        else:
            self.assertEqual((outcome, code), ("invalid", "guard.time-not-proportional"))

    def test_work_that_is_too_large_is_seen_where_a_peak_is_known(self):
        """The simulated device has a peak of 2 GB/s, and the benchmark declares what it is told to."""
        fake = "version: 1\nsuite: unseen\nrequires: {backend: fake}\ncases:\n"
        for bytes_, expected in (("1MiB", ("passed", None)), ("1GiB", ("invalid", "guard.rate-above-peak"))):
            with self.subTest(bytes_):
                seen = self.measured(f"uses: series, with: {{bytes: {bytes_}, duration: 1ms}}", "--plugin-dir", harness.FIXTURES, suite=fake)
                self.assertEqual(seen[:2], expected)
        # The same word of a device without one: nobody can know better.
        seen = self.measured("uses: broadcast@host, with: {bytes: 1MiB}")
        self.assertEqual(seen[0], "passed")
        self.assertTrue(all(metric["peak"] is None for case in self.document["cases"] for metric in case["metrics"]))

    def test_a_benchmark_of_parts_says_so(self):
        outcome, _, flags = self.measured("uses: p2p@host, with: {bytes: 1MiB}")
        self.assertEqual(outcome, "passed")
        self.assertIn("time_in_parts", flags)
        self.assertNotIn("time_in_parts", self.measured("uses: membw@host, with: {bytes: 1MiB}")[2])

    def test_flushed_caches_are_a_condition_of_the_case(self):
        fake = "version: 1\nsuite: unseen\nrequires: {backend: fake}\ncases:\n"
        for cache in ("cold", "hot"):
            outcome, _, _ = self.measured(f"uses: series, measure: {{cache: {cache}}}", "--plugin-dir", harness.FIXTURES, suite=fake)
            self.assertEqual((outcome, self.document["cases"][0]["conditions"]["cache"]), ("passed", cache))

    def test_a_run_says_nothing_of_what_malloc_gave(self):
        """By the flaw that `plugin check` finds in its own way (test_each_flaw_is_found_by_its_check)."""
        flawed = harness.BUILD / "tests/flawed/assay_flawed.so"
        for flaw in ("loses-heap", "loses-mappings"):
            outcome, code, flags = self.measured("uses: flawed@host, with: {bytes: 64KiB}", "--plugin", flawed, environment={"ASSAY_FLAW": flaw})
            self.assertEqual((outcome, code), ("passed", None))
            self.assertFalse({flag for flag in flags if "memory" in flag or "state" in flag}, flags)


if __name__ == "__main__":
    harness.main()
