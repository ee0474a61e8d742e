#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""collective@host with real ranks: every operation by every algorithm, and what becomes of ranks that die, stop, or compute with memory that
somebody changed."""

import os
import signal

import harness

SUITE = "version: 1\nsuite: collective\nrequires: {backend: host}\n"
HEAD, CANARY = 4096, 64  # bytes before the first rank's memory, and before its input


class Collective(harness.Assay):
    def run_here(self, text, *arguments):
        self.write("suite.yaml", SUITE + text)
        return self.assay("run", "suite.yaml", "-q", "-o", self.results, *arguments)

    @staticmethod
    def are_at_work(memory):
        """Every rank has gone through more steps than a verification needs."""
        with open(memory, "rb") as shared:
            return min(int.from_bytes(shared.read(64)[:4], "little") for _ in range(4)) > 1000

    def faulty(self, fault, timeout="5min", measured="2min"):
        """The outcomes of a case to which `fault` happens and of one after it."""
        self.write("suite.yaml", SUITE + f"""cases:
  - {{id: a, uses: collective@host, with: {{bytes: 64KiB}}, ranks: 4, timeout: {timeout}, measure: {{for: {measured}}}}}
  - {{id: b, uses: collective@host, with: {{bytes: 4KiB}}, ranks: 4, measure: {{samples: 6, warmup: 0}}}}
""")
        with self.start("run", "suite.yaml", "-q", "-o", str(self.results), "--seed", "2") as process:
            try:
                fault(self.ranks_of(process, self.are_at_work))
                out, err = process.communicate(timeout=harness.PATIENCE_S)
            finally:
                process.kill()
        result = harness.Result(process.returncode, out, err, self.results)
        self.assert_nothing_left()
        return result

    def test_every_operation_is_right_by_every_algorithm(self):
        result = self.run_here("""defaults: {processes: 1, measure: {samples: 6, warmup: 0}, ranks: 4, with: {bytes: 64KiB}}
cases:
  - {id: direct, uses: collective@host, with: {algorithm: direct}, matrix: {op: [all_reduce, all_gather, reduce_scatter, broadcast, reduce, all_to_all, gather, scatter, send_recv]}}
  - {id: ring, uses: collective@host, with: {algorithm: ring, placement: in}, matrix: {op: [all_reduce, all_gather, reduce_scatter, broadcast, reduce]}}
  - {id: doubling, uses: collective@host, with: {algorithm: recursive_doubling, dtype: int8}, matrix: {ranks: [2, 3, 4], reduction: [sum, avg]}}
  - {id: tree, uses: collective@host, with: {algorithm: tree, timing: isolated, root: 1, dtype: fp64, chunk: 1KiB}, matrix: {op: [broadcast, reduce]}}
""")
        reasons = [(case["id"], case["reason"]) for case in result.document["cases"] if case["outcome"] != "passed"]
        self.assertEqual((result.code, reasons), (0, []), result.out + result.err)
        for case in result.document["cases"]:
            self.assertTrue(case["verification"]["verified"], case["id"])
            self.assertEqual(case["verification"]["wrong"], 0)

    def test_bandwidths_are_those_of_the_time(self):
        result = self.run_here("""cases:
  - {id: a, uses: collective@host, with: {bytes: 1MiB, op: all_gather}, ranks: 4, measure: {samples: 20}}
""")
        case = result.case("a")
        values = {metric["name"]: metric["value"] for metric in case["metrics"]}
        self.assertAlmostEqual(values["bus_bandwidth"] / values["algorithm_bandwidth"], 0.75)
        self.assertEqual(len(case["ranks"]), 4)
        total = case["time"]["mean"]
        self.assertAlmostEqual(values["algorithm_bandwidth"] * total / (1 << 20), 1, places=6)

    def test_what_cannot_be_is_said(self):
        result = self.run_here("""defaults: {processes: 1, ranks: 4, measure: {samples: 6, warmup: 0}}
cases:
  - {id: place, uses: collective@host, with: {op: all_to_all, placement: in}}
  - {id: root, uses: collective@host, with: {op: reduce, root: 4}}
  - {id: small, uses: collective@host, with: {op: all_gather, bytes: 8B}}
  - {id: none, uses: collective@host, with: {op: gather, algorithm: tree}}
""")
        reasons = {case["id"]: (case["outcome"], case["reason"]["text"]) for case in result.document["cases"]}
        for name, outcome, words in [("place", "error", "buffers of their own only"), ("root", "error", "it is rank 4 of 4, counted from 0"),
                                     ("small", "skipped", "which 8 bytes are too few for"), ("none", "skipped", "gather has no algorithm 'tree'; it has direct")]:
            self.assertEqual(reasons[name][0], outcome, reasons)
            self.assertIn(words, reasons[name][1])

    def test_a_rank_that_is_killed_costs_its_visit(self):
        result = self.faulty(lambda ranks: os.kill(max(ranks), signal.SIGKILL))
        self.assertEqual(result.code, 5, result.err)
        self.assertEqual(result.outcomes(), {"a": "crashed", "b": "passed"})
        reason = result.case("a")["reason"]
        self.assertIn("SIGKILL", reason["text"])
        self.assertIn(reason["rank"], range(4))

    def test_a_rank_that_is_stopped_ends_by_the_deadline(self):
        result = self.faulty(lambda ranks: os.kill(max(ranks), signal.SIGSTOP), timeout="20s", measured="15s")
        self.assertEqual(result.code, 5, result.err)
        self.assertEqual(result.outcomes(), {"a": "timeout", "b": "passed"})
        self.assertIn("signal 19 (SIGSTOP) had stopped it", result.case("a")["reason"]["text"])

    def test_one_element_that_is_changed_is_found(self):
        def change(ranks):
            with open(next(iter(ranks.values())), "r+b") as shared:
                shared.seek(HEAD + CANARY + 100)
                byte = shared.read(1)[0]
                shared.seek(HEAD + CANARY + 100)
                shared.write(bytes([byte ^ 0x41]))

        result = self.faulty(change, measured="10s")
        self.assertEqual(result.outcomes(), {"a": "failed", "b": "passed"})
        self.assertIn("wrong", result.case("a")["reason"]["text"])
        self.assertEqual([metric for metric in result.case("a")["metrics"] if metric["name"] == "bus_bandwidth"], [])


if __name__ == "__main__":
    harness.main()
