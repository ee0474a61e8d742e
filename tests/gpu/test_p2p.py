#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""p2p@cuda on two GPUs or more: every way of moving bytes between them is verified, and matrices have the cells that they should."""

import itertools
import json
import shutil

import gpu

TWO = "devices: [cuda:0, cuda:1]"
FEW = "defaults: {measure: {samples: 5, warmup: 1}}\ncases:\n"


def cells(case, name):
    """{indices: value} of a metric."""
    return {tuple(entry["indices"]): entry["value"] for entry in case["metrics"] if entry["name"] == name}


def headline(case):
    return next(entry["value"] for entry in case["metrics"] if entry["headline"])


def seen(case):
    """What tells why a case is not as it should be."""
    return json.dumps({key: case[key] for key in ("id", "outcome", "reason", "facts", "verification", "flags", "log")}, indent=1)


class Peers(gpu.Gpu):
    def setUp(self):
        super().setUp()
        self.devices = [device["name"] for device in self.inventory()["devices"]]
        if len(self.devices) < 2:
            self.skipTest(f"needs two GPUs, and there are {len(self.devices)}")

    def needs_peer_access(self):
        """Kernels and latency have no other way; the driver says whether there is one."""
        facts = self.passed(FEW + "  - {id: way, uses: p2p@cuda, with: {bytes: 1MiB}, devices: all}\n").case("way")["facts"]
        shutil.rmtree(self.results)
        if facts["path"] != "direct":
            self.skipTest(f"the GPUs here do not reach each other: {facts['path']}; {facts['links']}")

    def passed(self, text):
        """Runs a suite of which every case has to pass, verified word by word."""
        result = self.run_suite(text, timeout=600)
        for case in result.document["cases"]:
            with self.subTest(case=case["id"]):
                self.assertEqual(case["outcome"], "passed", seen(case))
                self.assertTrue(case["verification"]["verified"] and case["verification"]["exact"], seen(case))
                self.assertGreater(headline(case), 0, seen(case))
        self.assertEqual(result.code, 0, result.out + result.err)
        return result


class Copies(Peers):
    def test_every_direction_by_every_engine_is_verified(self):
        self.needs_peer_access()
        result = self.passed(FEW + "  - {id: copy, uses: p2p@cuda, matrix: {direction: [read, write, both], engine: [copy, kernel], "
                             f"bytes: [16, 4112, 64MiB]}}, {TWO}}}\n")
        for case in result.document["cases"]:
            with self.subTest(case=case["id"]):
                self.assertEqual(case["facts"]["path"], "direct", seen(case))
                self.assertIn("peer access", case["facts"]["links"], seen(case))
                self.assertEqual("launch_shape" in case["facts"], "engine=kernel" in case["id"], seen(case))
                matrix, ways = cells(case, "bandwidth_matrix"), cells(case, "directions")
                self.assertEqual(matrix, {}, "of two devices the headline says it all")
                if "direction=both" not in case["id"]:
                    self.assertEqual(ways, {}, seen(case))
                    self.assertEqual(cells(case, "one_way_bandwidth")[()], headline(case))
                    continue
                self.assertEqual(set(ways), {(0,), (1,)}, seen(case))
                # Each way by its own time: together no less than all bytes until the later ended.
                self.assertGreaterEqual(ways[0,] + ways[1,], 0.99 * headline(case), ways)
                if "bytes=64MiB" in case["id"]:
                    self.assertLess(max(ways.values()), headline(case), ways)

    def test_send_and_receive_are_verified_in_every_pattern(self):
        # Sending needs no multicast of the switch, which setting NCCL up would try.
        few = FEW.replace("{measure", "{env: {NCCL_NVLS_ENABLE: 0}, measure")
        result = self.run_suite(few + "  - {id: two, uses: p2p@cuda, with: {engine: collective}, matrix: {direction: [read, write, both], "
                                f"bytes: [16, 64MiB], launch: [stream, gated]}}, {TWO}}}\n"
                                "  - {id: all, uses: p2p@cuda, with: {engine: collective, bytes: 8MiB}, matrix: {direction: [read, both], "
                                "pattern: [pair, ring, all_to_one, one_to_all, bisection]}, devices: all}\n", timeout=600)
        for case in result.document["cases"]:
            if case["outcome"] == "skipped" and "NCCL" in case["reason"]["text"]:
                self.skipTest(case["reason"]["text"])
            with self.subTest(case=case["id"]):
                self.assertEqual(case["outcome"], "passed", seen(case))
                self.assertTrue(case["verification"]["exact"], seen(case))
                self.assertGreater(headline(case), 0, seen(case))
                self.assertRegex(case["facts"]["nccl"], r"^2\.\d+\.\d+$")
                self.assertEqual(case["facts"]["path"], "as NCCL chooses")

    def test_every_way_of_launching_is_what_was_done(self):
        result = self.passed(FEW + "  - {id: how, uses: p2p@cuda, with: {bytes: 8MiB}, matrix: {direction: [read, both], "
                             f"launch: [stream, gated, graph], cache: [hot, rotating]}}, {TWO}}}\n"
                             "  - {id: small, uses: p2p@cuda, with: {bytes: 4KiB, direction: both, pattern: ring}, "
                             "matrix: {launch: [stream, gated, graph]}, devices: all}\n"
                             # A ring of more buffers than a gate holds back copies.
                             "  - {id: ring, uses: p2p@cuda, with: {bytes: 64KiB}, matrix: {direction: [read, write, both]}, "
                             f"measure: {{launch: graph, cache: rotating}}, {TWO}}}\n")
        for case in result.document["cases"]:
            with self.subTest(case=case["id"]):
                done, axes = case["measurement"]["done"], {axis["name"]: axis["text"] for axis in case["axes"]}
                self.assertEqual("graph" in done, case["case"] == "ring" or axes["launch"] == "graph", seen(case))
                self.assertIn("rotated" if case["case"] == "ring" or axes.get("cache") == "rotating" else "hot", done, seen(case))
                if axes.get("launch") == "gated":
                    self.assertIn("gated", done, seen(case))

    def test_pairs_are_a_case_for_each_ordered_pair(self):
        result = self.passed(FEW + "  - {id: pair, uses: p2p@cuda, with: {bytes: 8MiB, direction: write}, devices: pairs}\n")
        expected = {f"pair[device={a}-{b}]": f"{a} to {b}" for a, b in itertools.permutations(self.devices, 2)}
        self.assertEqual({case["id"]: case["facts"]["pairs"] for case in result.document["cases"]}, expected)

    def test_all_devices_give_the_whole_matrix(self):
        if len(self.devices) < 3:
            self.skipTest(f"needs three GPUs, and there are {len(self.devices)}")
        result = self.passed(FEW + "  - {id: all, uses: p2p@cuda, with: {bytes: 8MiB}, matrix: {direction: [read, write, both]}, devices: all}\n")
        for case in result.document["cases"]:
            with self.subTest(case=case["id"]):
                matrix = cells(case, "bandwidth_matrix")
                both = "direction=both" in case["id"]
                self.assertEqual(set(matrix), set(itertools.permutations(range(len(self.devices)), 2)), seen(case))
                self.assertGreater(min(matrix.values()), 0)
                self.assertEqual(len(cells(case, "directions")), 2 if both else 0, seen(case))

    def test_every_pattern_is_verified_and_names_its_cells(self):
        count = len(self.devices)
        result = self.passed(FEW + "  - {id: at_once, uses: p2p@cuda, with: {bytes: 8MiB}, matrix: {direction: [read, write, both], "
                             "pattern: [ring, all_to_one, one_to_all, bisection]}, devices: all}\n")
        one_way = {"ring": {(i, (i + 1) % count) for i in range(count)}, "all_to_one": {(i, 0) for i in range(1, count)},
                   "one_to_all": {(0, i) for i in range(1, count)}, "bisection": {(i, i + count // 2) for i in range(count // 2)}}
        for case in result.document["cases"]:
            with self.subTest(case=case["id"]):
                axes = {axis["name"]: axis["text"] for axis in case["axes"]}
                expected = one_way[axes["pattern"]]
                if axes["direction"] == "both":
                    expected = expected | {(b, a) for a, b in expected}
                self.assertEqual(set(cells(case, "bandwidth_matrix")), expected if count > 2 else set(), seen(case))


class ThroughTheHost(Peers):
    def test_copies_without_peer_access_are_verified_and_restore_it(self):
        # One process: what one case does must not show in the next, in whatever order they come.
        result = self.passed(FEW + "  - {id: way, uses: p2p@cuda, with: {bytes: 8MiB}, matrix: {direction: [read, write, both], "
                             f"peer_access: [false, true]}}, {TWO}}}\n"
                             f"  - {{id: again, uses: p2p@cuda, with: {{bytes: 8MiB, peer_access: false}}, {TWO}}}\n")
        for case in result.document["cases"]:
            with self.subTest(case=case["id"]):
                if case["parameters"]["peer_access"]:
                    self.assertIn(case["facts"]["path"], ("direct", "through the host: cuda:0-cuda:1, cuda:1-cuda:0"), seen(case))
                else:
                    self.assertEqual(case["facts"]["path"], "through the host", seen(case))
                self.assertNotIn("state.changed", [flag["code"] for flag in case["flags"]], seen(case))

    def test_what_cannot_go_through_the_host_is_skipped_with_why(self):
        result = self.run_suite(f"defaults: {{with: {{peer_access: false, bytes: 1MiB}}, {TWO}}}\ncases:\n"
                                "  - {id: kernel, uses: p2p@cuda, with: {engine: kernel}}\n"
                                "  - {id: latency, uses: p2p@cuda, with: {direction: latency}}\n"
                                "  - {id: collective, uses: p2p@cuda, with: {engine: collective}}\n"
                                "  - {id: gated, uses: p2p@cuda, measure: {launch: gated}}\n"
                                "  - {id: graph, uses: p2p@cuda, measure: {launch: graph}}\n")
        self.assertEqual(set(result.outcomes().values()), {"skipped"}, result.out + result.err)
        for name, words in (("kernel", "cannot go through the host"), ("latency", "cannot go through the host"), ("collective", "NCCL"),
                            ("gated", "launch: stream"), ("graph", "launch: stream")):
            self.assertIn(words, result.case(name)["reason"]["text"])


class Latency(Peers):
    def test_is_of_every_ordered_pair(self):
        self.needs_peer_access()
        result = self.passed("defaults: {measure: {samples: 3, warmup: 1}}\ncases:\n"
                             f"  - {{id: one, uses: p2p@cuda, with: {{direction: latency, bytes: 2MiB}}, matrix: {{launch: [stream, graph]}}, {TWO}}}\n"
                             "  - {id: all, uses: p2p@cuda, with: {direction: latency, bytes: 2MiB}, devices: all}\n")
        for case in result.document["cases"]:
            with self.subTest(case=case["id"]):
                matrix = cells(case, "latency_matrix")
                several = case["case"] == "all" and len(self.devices) > 2
                self.assertEqual(set(matrix), set(itertools.permutations(range(len(self.devices)), 2)) if several else set(), seen(case))
                self.assertEqual(cells(case, "bandwidth_matrix"), {}, seen(case))
                print(f"\n    {case['id']}: " + ", ".join(f"{a}<-{b} {1e9 * s:.0f} ns" for (b, a), s in sorted(matrix.items())))


class Refused(Peers):
    def test_lengths_that_do_not_fit_are_errors_in_words(self):
        result = self.run_suite(f"defaults: {{{TWO}}}\ncases:\n"
                                "  - {id: odd, uses: p2p@cuda, with: {bytes: 24}}\n"
                                "  - {id: node, uses: p2p@cuda, with: {bytes: 4112, direction: latency}}\n")
        self.assertEqual(result.code, 5)
        self.assertIn("not a multiple of 16", result.case("odd")["reason"]["text"])
        self.assertIn("not a multiple of 128", result.case("node")["reason"]["text"])

    def test_what_makes_no_sense_is_skipped_in_words(self):
        result = self.run_suite(f"defaults: {{{TWO}}}\ncases:\n"
                                "  - {id: large, uses: p2p@cuda, with: {bytes: 1TiB}}\n"
                                "  - {id: ring, uses: p2p@cuda, with: {direction: latency, bytes: 2MiB, pattern: ring}}\n"
                                "  - {id: rotating, uses: p2p@cuda, with: {direction: latency, bytes: 2MiB}, measure: {cache: rotating}}\n"
                                "  - {id: tiny, uses: p2p@cuda, with: {bytes: 16}, measure: {cache: rotating}}\n"
                                "  - {id: cold, uses: p2p@cuda, with: {bytes: 1MiB}, measure: {cache: cold}}\n")
        self.assertEqual(set(result.outcomes().values()), {"skipped"}, result.out + result.err)
        for name, words in (("large", "bytes of device memory"), ("ring", "pair by pair"), ("rotating", "cache: hot"), ("tiny", "cache: hot"),
                            ("cold", "cold")):
            self.assertIn(words, result.case(name)["reason"]["text"])

    def test_one_device_is_too_few(self):
        result = self.run_suite("cases:\n  - {id: each, uses: p2p@cuda, devices: each}\n")
        self.assertEqual(result.code, 3)
        self.assertIn("needs more than one device", result.out + result.err)


if __name__ == "__main__":
    gpu.main()
