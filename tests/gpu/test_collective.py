#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""collective@cuda on all GPUs here: every operation, type and operator is right, and what becomes of ranks that die, stop, disagree or get
another value."""

import shutil

import gpu
import several
from test_gemm import metrics

QUICK = "defaults: {devices: all, timeout: 60s, measure: {samples: 3, warmup: 2}}\ncases:\n"
OPERATIONS = ["all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "all_to_all", "gather", "scatter", "send_recv"]
TYPES = ["int8", "uint8", "int32", "uint32", "int64", "uint64", "fp16", "bf16", "fp32", "fp64", "fp8_e4m3", "fp8_e5m2"]


def listed(words):
    return "[" + ", ".join(map(str, words)) + "]"


class Operations(several.Several):
    def test_every_operation_in_place_and_out_from_small_to_large(self):
        result = self.run_suite(QUICK + f"  - id: out\n    uses: collective@cuda\n    matrix: {{op: {listed(OPERATIONS)}, bytes: [1KiB, 100000B, 64MiB]}}\n"
                                f"  - id: in\n    uses: collective@cuda\n    with: {{placement: in}}\n    matrix: {{op: {listed(o for o in OPERATIONS if o not in ('all_to_all', 'send_recv'))}, bytes: [1KiB, 8MiB]}}\n"
                                "  - {id: tiny, uses: collective@cuda, with: {bytes: 8B}}\n", timeout=300)
        self.assert_verified(result, 27 + 14 + 1)
        for case in result.document["cases"]:
            self.assertEqual(len(case["ranks"]), self.count)
            self.assertGreater(metrics(case)["bus_bandwidth"], 0)
        self.assertIn("NCCL 2.", result.document["cases"][0]["facts"]["library"])

    def test_every_type_and_operator(self):
        result = self.run_suite(QUICK + f"  - id: types\n    uses: collective@cuda\n    with: {{bytes: 1000000B}}\n"
                                f"    matrix: {{dtype: {listed(TYPES)}, reduction: [sum, prod, min, max, avg]}}\n"
                                f"  - id: scatter\n    uses: collective@cuda\n    with: {{bytes: 1000000B, op: reduce_scatter}}\n    matrix: {{dtype: {listed(TYPES)}}}\n", timeout=400)
        capable = gpu.nvidia_smi("compute_cap")
        if capable and min(float(row[0]) for row in capable) < 9.0:
            self.assertEqual(len(result.document["cases"]), 60 + 12)
            for case in result.document["cases"]:
                if "fp8" in case["id"]:
                    self.assertEqual(case["outcome"], "skipped", case["id"])
                    self.assertRegex(case["reason"]["text"], "compute capability 9.0|2.24 or later|hold sums")
                else:
                    self.assertTrue(case["verification"]["verified"], case["id"])
            return
        self.assert_verified(result, 60 + 12)

    def test_an_average_that_is_rounded_is_compared_with_a_tolerance(self):
        if self.count < 3:
            self.skipTest(f"needs three GPUs, {self.count} found")
        result = self.run_suite(QUICK + "  - {id: thirds, uses: collective@cuda, devices: 3, with: {reduction: avg, bytes: 1MiB}, "
                                "matrix: {dtype: [fp32, fp64, fp16, bf16, fp8_e4m3, fp8_e5m2, int32]}}\n")
        self.assert_verified(result, 7)
        for case in result.document["cases"]:
            seen, whole = case["verification"], "int32" in case["id"]
            self.assertEqual(seen["exact"], whole, case["id"])
            # Two roundings, whatever the number of ranks: a rank that is left out is further off in every type.
            self.assertTrue(seen["tolerance"] == 0 if whole else 0 < seen["tolerance"] < 0.3, seen)
            self.assertLessEqual(seen["largest_error"], seen["tolerance"], case["id"])

    def test_isolated_operations_have_percentiles_and_take_longer(self):
        result = self.run_suite("defaults: {devices: all, with: {bytes: 4KiB}, measure: {samples: 40, warmup: 10}}\ncases:\n"
                                "  - {id: isolated, uses: collective@cuda, with: {timing: isolated}, expect: ['p99(latency) <= 10ms']}\n"
                                "  - {id: stream, uses: collective@cuda}\n  - {id: graph, uses: collective@cuda, measure: {launch: graph}}\n")
        self.assert_verified(result, 3)
        self.assertIn("graph", result.case("graph")["measurement"]["done"])
        self.assertEqual([result.case(name)["measurement"]["clock"] for name in ("isolated", "stream", "graph")], ["host", "device", "device"])
        seen = {name: metrics(result.case(name))["latency"] for name in ("isolated", "stream", "graph")}
        print("\n    4 KiB: " + ", ".join(f"{name} {1e6 * value:.2f} us" for name, value in seen.items()))
        self.assertGreater(seen["isolated"], seen["graph"])

    def test_registered_buffers_one_process_and_forced_algorithms(self):
        result = self.run_suite(QUICK + "  - {id: registered, uses: collective@cuda, with: {bytes: 16MiB}, matrix: {registration: [none, local, symmetric]}}\n"
                                "  - {id: graph, uses: collective@cuda, with: {bytes: 16MiB, registration: local}, measure: {launch: graph}}\n"
                                "  - {id: graph-in, uses: collective@cuda, with: {placement: in}, matrix: {bytes: [64KiB, 16MiB]}, measure: {launch: graph}}\n"
                                "  - {id: threads, uses: collective@cuda, ranks: 1, matrix: {op: [all_reduce, all_to_all, broadcast], bytes: [4KiB, 64MiB]}}\n"
                                "  - id: algorithm\n    uses: collective@cuda\n    with: {bytes: 64MiB}\n    matrix: {env.NCCL_ALGO: [~, Ring, Tree]}\n"
                                "    reference: {env.NCCL_ALGO: ~}\n", timeout=300)
        self.assert_verified(result, 3 + 1 + 2 + 6 + 3)
        self.assertEqual(len(result.case("threads[op=all_reduce,bytes=4KiB]")["ranks"]), 1)
        self.assertIn(f"1 with {self.count} GPUs each", result.case("threads[op=all_reduce,bytes=4KiB]")["facts"]["processes"])

    def test_windows_of_operations_with_a_root_in_place_and_out(self):
        rooted = listed(["broadcast", "reduce", "gather", "scatter"])
        result = self.run_suite(QUICK + f"  - {{id: window, uses: collective@cuda, with: {{registration: symmetric, root: 1, bytes: 4MiB}}, matrix: {{op: {rooted}, placement: [out, in]}}}}\n", timeout=200)
        for case in result.document["cases"]:
            if case["outcome"] == "skipped":  # a library without windows, or GPUs without them
                self.assertRegex(case["reason"]["text"], "2.27 or later|registered nothing")
                continue
            self.assertTrue(case["verification"]["verified"], case["id"])
            self.assertIn("window", case["facts"]["registration"])

    def test_a_registration_that_nccl_leaves_out_is_skipped(self):
        result = self.run_suite(QUICK + "  - {id: a, uses: collective@cuda, with: {bytes: 1MiB, registration: local}, env: {NCCL_LOCAL_REGISTER: '0'}}\n")
        self.assertEqual(result.outcomes(), {"a": "skipped"}, result.out + result.err)
        self.assertIn("registered nothing", result.case("a")["reason"]["text"])

    def test_calls_that_return_at_once_are_refused(self):
        result = self.run_suite(QUICK + "  - {id: a, uses: collective@cuda, with: {bytes: 1MiB}, env: {NCCL_COMM_BLOCKING: '0'}}\n")
        self.assertEqual(result.outcomes(), {"a": "skipped"}, result.out + result.err)
        self.assertIn("NCCL_COMM_BLOCKING=0", result.case("a")["reason"]["text"])

    def test_the_file_that_nccl_is_told_to_read_is_told(self):
        settings = self.folder / "chosen.conf"
        settings.write_text("NCCL_PROTO=Simple\n", encoding="utf-8")
        result = self.run_suite(QUICK + f"  - {{id: a, uses: collective@cuda, with: {{bytes: 1MiB}}, env: {{NCCL_CONF_FILE: '{settings}'}}}}\n")
        self.assert_verified(result, 1)
        version = tuple(map(int, result.case("a")["facts"]["library"].split()[1].split(".")))
        (self.assertIn if version >= (2, 23, 0) else self.assertNotIn)(f"NCCL_PROTO=Simple ({settings})", result.case("a")["facts"]["settings_files"])

    def test_groups_have_an_operation_each_at_the_same_time(self):
        if self.count % 2 != 0 or self.count < 4:
            self.skipTest(f"needs four GPUs, or another even number of more, {self.count} found")
        result = self.run_suite(QUICK + f"  - {{id: groups, uses: collective@cuda, with: {{groups: 2}}, matrix: {{op: {listed(OPERATIONS)}}}}}\n"
                                "  - {id: threads, uses: collective@cuda, ranks: 1, with: {groups: 2}}\n  - {id: graph, uses: collective@cuda, with: {groups: 2}, measure: {launch: graph}}\n"
                                "  - {id: whole, uses: collective@cuda}\n", timeout=200)
        self.assert_verified(result, len(OPERATIONS) + 3)
        for case in result.document["cases"]:
            if case["id"] == "whole" or "all_reduce" in case["id"] or case["id"] in ("threads", "graph"):
                ranks = self.count if case["id"] == "whole" else self.count // 2
                self.assertAlmostEqual(metrics(case)["bus_bandwidth"] / metrics(case)["algorithm_bandwidth"], 2 * (ranks - 1) / ranks, places=6)

    def test_the_rate_is_the_slowest_ranks_beside_the_average(self):
        result = self.run_suite("cases:\n  - {id: a, uses: collective@cuda, devices: all, with: {bytes: 64MiB}, measure: {samples: 20}}\n")
        self.assert_verified(result, 1)
        case = result.case("a")
        factor = 2 * (self.count - 1) / self.count
        self.assertAlmostEqual(metrics(case)["bus_bandwidth"] / metrics(case)["algorithm_bandwidth"], factor, places=6)
        self.assertLessEqual(case["team"]["mean_over_ranks_s"], case["time"]["mean"] * (1 + 1e-9))

    def test_a_library_that_is_missing_or_too_old_is_said(self):
        for name, content, words in (("missing", b"no library", "NCCL is not here"), ("old", None, "has no nccl")):
            with self.subTest(name):
                folder = self.folder / name
                folder.mkdir()
                if content is not None:
                    (folder / "libnccl.so.2").write_bytes(content)
                else:  # a library, but none with NCCL's functions
                    (folder / "libnccl.so.2").symlink_to(several.loaded("libm.so.6", "/libm."))
                shutil.rmtree(self.results, ignore_errors=True)
                result = self.run_suite(QUICK + f"  - {{id: a, uses: collective@cuda, env: {{LD_LIBRARY_PATH: '{folder}'}}}}\n")
                self.assertEqual(result.outcomes(), {"a": "skipped"}, result.out + result.err)
                self.assertIn(words, result.case("a")["reason"]["text"])

    def test_more_ranks_than_gpus_are_refused(self):
        result = self.run_suite(QUICK + f"  - {{id: a, uses: collective@cuda, ranks: {self.count + 1}}}\n")
        self.assertNotEqual(result.code, 0)
        self.assertIn("can't be shared evenly", result.out + result.err)

    def test_what_cannot_be_is_said(self):
        result = self.run_suite(QUICK + "  - {id: one, uses: collective@cuda, devices: ['cuda:0']}\n"
                                f"  - {{id: root, uses: collective@cuda, with: {{op: reduce, root: {self.count}}}}}\n"
                                "  - {id: place, uses: collective@cuda, with: {op: send_recv, placement: in}}\n"
                                "  - {id: small, uses: collective@cuda, with: {op: all_gather, bytes: 8B}}\n"
                                "  - {id: large, uses: collective@cuda, with: {bytes: 512GiB}}\n"
                                "  - {id: graphs, uses: collective@cuda, ranks: 1, measure: {launch: graph}}\n"
                                f"  - {{id: groups, uses: collective@cuda, with: {{groups: {self.count}}}}}\n")
        told = {case["id"]: (case["outcome"], (case["reason"] or {}).get("text", "")) for case in result.document["cases"]}
        for name, outcome, words in [("one", "skipped", "two GPUs at least"), ("root", "error", f"it is rank {self.count} of {self.count}, counted from 0"),
                                     ("place", "error", "buffers of their own only"), ("small", "skipped", "which 8 bytes are too few for"),
                                     ("large", "skipped", "bytes of device memory"), ("graphs", "skipped", "give each GPU a process"),
                                     ("groups", "skipped", "equal groups of two or more")]:
            with self.subTest(name):
                self.assertEqual(told[name][0], outcome, told[name])
                self.assertIn(words, told[name][1])


class Faults(several.FaultyNccl):
    CASE = "uses: collective@cuda\n    with: {bytes: 1MiB}"

    def test_a_rank_that_is_killed_ends_the_visit(self):
        result, case = self.faulty("kill")
        self.assertEqual((case["outcome"], case["reason"]["rank"]), ("crashed", 1), case["reason"])
        self.assertIn("SIGKILL", case["reason"]["text"])

    def test_a_rank_killed_during_a_graphs_replay_ends_the_visit(self):
        # Call 40 is in the capture of the graph, which the other ranks replay and wait in.
        result, case = self.faulty("kill", launch="graph")
        self.assertEqual((case["outcome"], case["reason"]["rank"]), ("crashed", 1), case["reason"])

    def test_a_rank_that_is_stopped_ends_it_by_the_deadline(self):
        result, case = self.faulty("stop")
        self.assertEqual((case["outcome"], case["reason"]["rank"]), ("timeout", 1), case["reason"])

    def test_one_element_that_is_changed_fails_and_gives_no_rate(self):
        result, case = self.faulty("corrupt")
        self.assertEqual((case["outcome"], case["reason"]["rank"]), ("failed", 1), case["reason"])
        self.assertIn("wrong", case["reason"]["text"])
        self.assertTrue(all(entry["value"] is None for entry in case["metrics"]), case["metrics"])

    def test_ranks_that_disagree_on_the_size_give_no_rate(self):
        result, case = self.faulty("disagree")
        self.assertIn(case["outcome"], ("timeout", "failed", "error"), case["reason"])
        self.assertTrue(all(entry["value"] is None for entry in case["metrics"]), case["metrics"])


if __name__ == "__main__":
    gpu.main()
