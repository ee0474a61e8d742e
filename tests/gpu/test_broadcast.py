#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""broadcast@cuda on two real GPUs or more: every way is verified in every kind of memory, and none is faster than its bound."""

import re

import gpu

STRATEGIES = "[direct, direct_parallel, relay, pipelined, scatter_allgather]"
MEMORY = "[pinned, pageable, registered]"
# NVLink's multicast is not used here.
NCCL = "env: {NCCL_NVLS_ENABLE: '0'}"
FEW = "defaults: {devices: all, measure: {samples: 5, warmup: 1}}\ncases:\n"


def value(case, name):
    return next(entry["value"] for entry in case["metrics"] if entry["name"] == name)


class Broadcast(gpu.Gpu):
    def setUp(self):
        super().setUp()
        self.count = len(self.inventory()["devices"])
        if self.count < 2:
            self.skipTest(f"{self.count} GPU is here, and a broadcast needs two")

    def assert_verified(self, result):
        self.assert_passed(result)
        for case in result.document["cases"]:
            with self.subTest(case["id"]):
                self.assertTrue(case["verification"]["exact"], case["verification"])

    def test_every_way_is_verified_at_every_size_in_every_memory(self):
        # Fewer bytes than a word, and than devices; a last chunk that is smaller, and whose last word is not a whole one.
        result = self.run_suite(FEW +
                                f"  - {{id: source, uses: broadcast@cuda, with: {{chunk: 64KiB}}, matrix: {{bytes: [1, 3, 1000003], memory: {MEMORY}, "
                                "strategy: [direct, direct_parallel, scatter_allgather]}}\n"
                                f"  - {{id: relays, uses: broadcast@cuda, with: {{chunk: 64KiB}}, matrix: {{bytes: [1, 3, 1000003], memory: {MEMORY}, "
                                "strategy: [relay, pipelined], shape: [star, chain, tree]}}\n", timeout=600)
        self.assert_verified(result)
        for case in result.document["cases"]:
            self.assertIn(case["facts"]["peer_access"].split(":")[0], ("direct", "through the host"), case["id"])

    def test_a_chunk_may_exceed_the_payload_and_any_device_be_root(self):
        last = self.count - 1
        result = self.run_suite(FEW +
                                "  - {id: large, uses: broadcast@cuda, with: {bytes: 1000003, chunk: 8MiB}, matrix: {strategy: [pipelined, scatter_allgather]}}\n"
                                f"  - {{id: root, uses: broadcast@cuda, with: {{bytes: 8MiB, chunk: 1MiB, root: {last}}}, "
                                "matrix: {strategy: [relay, pipelined], shape: [star, chain, tree]}}\n"
                                "  - {id: both, uses: broadcast@cuda, devices: 2, with: {bytes: 8MiB, chunk: 1MiB}, matrix: {strategy: " + STRATEGIES + "}}\n")
        self.assert_verified(result)

    def test_one_device_alone_gets_it_from_the_host(self):
        result = self.run_suite("defaults: {devices: 1, measure: {samples: 5, warmup: 1}}\ncases:\n"
                                "  - {id: one, uses: broadcast@cuda, with: {bytes: 1000003, chunk: 64KiB}, matrix: {strategy: " + STRATEGIES +
                                ", memory: [pinned, pageable]}}\n")
        self.assert_verified(result)
        for case in result.document["cases"]:
            self.assertNotIn("onward_bandwidth", [entry["name"] for entry in case["metrics"] if entry["value"] is not None], case["id"])

    def test_it_can_be_launched_in_every_way(self):
        result = self.run_suite(FEW +
                                "  - {id: how, uses: broadcast@cuda, with: {bytes: 8MiB, chunk: 1MiB}, matrix: {launch: [stream, gated, graph], strategy: " +
                                STRATEGIES + "}}\n")
        self.assert_verified(result)
        for case in result.document["cases"]:
            done, launch = case["measurement"]["done"], re.search(r"launch=(\w+)", case["id"])[1]
            with self.subTest(case["id"], done=done):
                self.assertEqual("graph" in done, launch == "graph")
                if launch == "gated":
                    self.assertIn("gated", done)
                if launch == "stream":
                    self.assertNotIn("gated", done)

    def assert_slower_than_the_bound(self, cases):
        """Runs them for as long as it takes to know."""
        result = self.run_suite("derive: {share_of_bound: lower_bound / time}\ndefaults: {devices: all, measure: {precision: 1%, max_time: 2s}}\ncases:\n" + cases,
                                timeout=600)
        if set(result.outcomes().values()) == {"skipped"}:
            self.skipTest(result.document["cases"][0]["reason"]["text"])
        self.assert_verified(result)
        print()
        for case in result.document["cases"]:
            share = value(case, "share_of_bound")
            rates = ", ".join(f"{name} {(value(case, name) or 0) / 1e9:.1f} GB/s" for name in ("bandwidth", "source_bandwidth", "onward_bandwidth")
                              if any(entry["name"] == name for entry in case["metrics"]))
            print(f"    {case['id']}: {share:.3f} of its bound; {rates}; {case['facts']['copies']}")
            with self.subTest(case["id"]):
                # Single copies swing by a percent.
                self.assertLessEqual(share, 1.02, f"{rates}, lower bound {value(case, 'lower_bound')} s, facts {case['facts']}")
                source, link = value(case, "source_bandwidth"), value(case, "link_bandwidth")
                if "pageable" in case["id"]:
                    self.assertLess(source, 1.02 * link)  # on coherent links they are alike
                else:
                    self.assertEqual(source, link)

    def test_nothing_is_faster_than_its_lower_bound(self):
        cases = "".join(f"  - {{id: {memory}, uses: broadcast@cuda, with: {{bytes: 256MiB, memory: {memory}}}, matrix: {{strategy: {STRATEGIES}}}}}\n"
                        for memory in ("pinned", "pageable"))
        self.assert_slower_than_the_bound(cases +
                                          "  - {id: shape, uses: broadcast@cuda, with: {bytes: 256MiB}, matrix: {strategy: [relay, pipelined], shape: [chain, tree]}}\n"
                                          "  - {id: chunk, uses: broadcast@cuda, with: {bytes: 256MiB}, measure: {launch: graph}, "
                                          "matrix: {strategy: [pipelined, scatter_allgather], chunk: [64KiB, 1MiB, 64MiB]}}\n")

    def test_nor_is_a_library(self):
        self.assert_slower_than_the_bound(f"  - {{id: library, uses: broadcast@cuda, {NCCL}, with: {{bytes: 256MiB, strategy: collective}}, "
                                          "matrix: {chunk: [1MiB, 16MiB, 256MiB]}}\n")

    def test_passing_on_beats_bringing_to_each_and_chunks_the_whole(self):
        result = self.run_suite("defaults: {devices: all, measure: {precision: 1%, max_time: 2s}}\ncases:\n"
                                "  - {id: way, uses: broadcast@cuda, with: {bytes: 256MiB}, matrix: {strategy: [direct, relay, pipelined]}}\n")
        self.assert_verified(result)
        if any(case["facts"]["peer_access"] != "direct" for case in result.document["cases"]):
            self.skipTest("not all of these GPUs reach each other without the host")
        rate = {name: value(result.case(f"way[strategy={name}]"), "bandwidth") for name in ("direct", "relay", "pipelined")}
        self.assertLess(rate["direct"], rate["relay"], rate)
        self.assertLess(rate["relay"], rate["pipelined"], rate)
        self.assertLessEqual(rate["pipelined"], 1.02 * value(result.case("way[strategy=pipelined]"), "source_bandwidth"))

    def test_a_library_passes_on_or_is_said_to_be_missing(self):
        result = self.run_suite(FEW +
                                f"  - {{id: library, uses: broadcast@cuda, {NCCL}, with: {{strategy: collective, bytes: 1000003}}, "
                                "matrix: {chunk: [64KiB, 8MiB], memory: " + MEMORY + "}}\n"
                                f"  - {{id: how, uses: broadcast@cuda, {NCCL}, with: {{strategy: collective, bytes: 8MiB, chunk: 1MiB}}, "
                                "matrix: {launch: [stream, gated, graph]}}\n"
                                f"  - {{id: root, uses: broadcast@cuda, {NCCL}, with: {{strategy: collective, bytes: 3, root: 1}}}}\n"
                                f"  - {{id: one, uses: broadcast@cuda, {NCCL}, devices: 1, with: {{strategy: collective, bytes: 1000003}}}}\n", timeout=300)
        if set(result.outcomes().values()) == {"skipped"}:
            for case in result.document["cases"]:
                self.assertIn("NCCL", case["reason"]["text"])
            self.skipTest(result.document["cases"][0]["reason"]["text"])
        self.assert_verified(result)
        for case in result.document["cases"]:
            self.assertRegex(case["facts"]["library"], r"^NCCL 2\.")
            self.assertEqual(case["facts"]["peer_access"], "as NCCL chooses")

    def test_a_timeline_shows_chunks_that_overlap_on_their_way(self):
        result = self.run_suite(FEW + "  - {id: chain, uses: broadcast@cuda, with: {shape: chain, bytes: 64MiB, chunk: 8MiB}}\n"
                                "  - {id: shares, uses: broadcast@cuda, with: {strategy: scatter_allgather, bytes: 64MiB, chunk: 2MiB}}\n", "--report", "trace")
        if result.code == 2:
            self.skipTest("this build has no reporter for timelines: " + result.err)
        self.assert_verified(result)
        for case in result.document["cases"]:
            tracks = {track["name"]: track["spans"] for track in case["timeline"]["tracks"]}
            with self.subTest(case["id"], tracks=sorted(tracks)):
                for name, spans in tracks.items():
                    to, source = re.fullmatch(r"destination (\d+) from (host|\d+)", name).groups()
                    self.assertEqual({span["name"] for span in spans}, {f"{source} → {to}"})
                    for before, after in zip(spans, spans[1:]):
                        self.assertLessEqual(before["end_s"], after["begin_s"] + 1e-6, f"copies along one way overlap: {before}, {after}")
        tracks = {track["name"]: track["spans"] for track in result.case("chain")["timeline"]["tracks"]}
        self.assertEqual(len(tracks), self.count)
        self.assertEqual({len(spans) for spans in tracks.values()}, {8})
        # Both are of the first device, so that its clock's offset does not matter.
        host, onward = tracks["destination 0 from host"], tracks["destination 1 from 0"]
        for arrived, passed_on in zip(host, onward):
            self.assertLessEqual(arrived["end_s"], passed_on["begin_s"] + 1e-6, "a chunk goes on before it has arrived")
        self.assertTrue(any(passed_on["begin_s"] < after["end_s"] and after["begin_s"] < passed_on["end_s"] for passed_on, after in zip(onward, host[1:])),
                        f"no chunk goes on while the next one arrives: {host}, {onward}")
        tracks = {track["name"] for track in result.case("shares")["timeline"]["tracks"]}
        self.assertEqual(len(tracks), self.count ** 2)

    def test_what_cannot_be_measured_is_refused_in_words(self):
        result = self.run_suite("defaults: {devices: all}\ncases:\n"
                                "  - {id: root, uses: broadcast@cuda, with: {root: 63}}\n"
                                "  - {id: large, uses: broadcast@cuda, with: {bytes: 1TiB}}\n"
                                "  - {id: gated, uses: broadcast@cuda, with: {memory: pageable}, measure: {launch: gated}}\n"
                                "  - {id: many, uses: broadcast@cuda, with: {bytes: 64MiB, chunk: 64KiB}, measure: {launch: gated}}\n"
                                "  - {id: odd, uses: broadcast@cuda, with: {chunk: 5000}}\n")
        self.assertEqual(result.outcomes(), {"root": "skipped", "large": "skipped", "gated": "skipped", "many": "skipped", "odd": "error"}, result.out)
        text = {case["id"]: case["reason"]["text"] for case in result.document["cases"]}
        self.assertIn(f"the destinations are 0 to {self.count - 1}", text["root"])
        self.assertRegex(text["large"], "of (host|device) memory")
        self.assertIn("launch: stream", text["gated"])
        self.assertIn("device operations", text["many"])
        self.assertIn("not a multiple of 64", text["odd"])


if __name__ == "__main__":
    gpu.main()
