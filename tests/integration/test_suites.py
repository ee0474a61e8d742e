#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The suites that are shipped, planned for machines that are not here, and what they ask and say."""

import copy
import itertools
import re
import unittest

import yaml

import harness

SUITES = harness.SOURCE / "suites"
STUDIES = ["broadcast-study", "gemm-shapes", "h200-guide", "nccl-tuning"]
ACCEPTANCE = ["node-acceptance"]


def written(suite):
    return yaml.safe_load((SUITES / f"{suite}.yaml").read_text(encoding="utf-8"))


def cases_of(suite):
    """Each case of a suite with its file's defaults, those of the files that it includes first."""
    for part in itertools.chain(*[cases_of(name.removesuffix(".yaml")) for name in suite_list(written(suite).get("include", []))]):
        yield part
    defaults = written(suite).get("defaults", {})
    for case in written(suite)["cases"]:
        yield {**defaults, **case, "measure": {**defaults.get("measure", {}), **case.get("measure", {})}}


def suite_list(value):
    return value if isinstance(value, list) else [value]


class Machines(harness.Assay):
    """Machines with GPUs as the inventory of an H200 that a kept result recorded."""

    def inventory(self, gpus, **differences):
        recorded = harness.json.loads((harness.SOURCE / "docs/results/h200/h200-guide.json").read_text(encoding="utf-8"))["run"]["backends"]
        for backend in recorded:
            if backend["name"] == "cuda":
                first = backend["devices"][0]
                backend["devices"] = [copy.deepcopy({**first, "name": f"cuda:{i}", "uuid": f"{first['uuid'][:-1]}{i}"}) for i in range(gpus)]
                for device in backend["devices"]:
                    device["model"] = differences.get("model", device["model"])
                    device["facts"].update(differences.get("facts", {}))
        own = harness.json.loads(self.assay("system", "--json").out)["backends"]
        backends = [backend for backend in own if backend["name"] == "host"] + (recorded if gpus else [])
        return self.write(f"inventory-{gpus}.json", harness.json.dumps({"inventory_version": 1, "backends": backends}))

    def dry_run(self, suite, gpus, **differences):
        return self.assay("run", SUITES / f"{suite}.yaml", "--dry-run", "--inventory", self.inventory(gpus, **differences))

    def rows(self, suite, gpus, **differences):
        """(case, where it runs) of what it plans there."""
        done = self.dry_run(suite, gpus, **differences)
        self.assertEqual(done.code, 0, done.out + done.err)
        return [tuple(line.split()[:2]) for line in done.out.split("\n\n")[0].splitlines()]


class Plans(Machines):
    def plan(self, suite, gpus=1):
        return [name for name, _ in self.rows(suite, gpus)]

    def test_each_suite_takes_every_machine_that_has_the_gpus_it_needs(self):
        fewest = {"broadcast-study": 4, "nccl-tuning": 2}
        for suite in STUDIES + ACCEPTANCE:
            for gpus in (1, 2, 4, 8):
                with self.subTest(suite=suite, gpus=gpus):
                    done = self.dry_run(suite, gpus)
                    self.assertEqual(done.code, 0 if gpus >= fewest.get(suite, 1) else 6, done.out + done.err)

    def test_quick_takes_the_gpus_where_there_are_any_and_the_processors_elsewhere(self):
        gpu, host = self.rows("quick", 1), self.rows("quick", 0)
        self.assertEqual({where for _, where in gpu} | {where for _, where in host}, {"cuda:0", "host:0"})
        self.assertEqual([name.replace("cuda:0", "host:0") for name, _ in gpu], [name for name, _ in host])
        for name in ("membw[kernel=triad", "latency[bytes=16KiB", "gemm[dtype=fp32"):
            self.assertTrue(any(case.startswith(name) for case, _ in gpu), gpu)

    def test_the_guide_puts_every_claim_to_the_test(self):
        planned = self.plan("h200-guide")
        for length in ("2us", "5us", "10us", "20us", "50us"):
            for host, mode in (("0s", "eager"), ("0s", "graph"), ("10us", "eager"), ("10us", "graph")):
                self.assertIn(f"chain[host_cost={host},kernel_time={length},mode={mode},device=cuda:0]", planned)
        self.assertIn("roof[work=matrix,device=cuda:0]", planned)
        claims = {finding["id"]: finding["claim"] for finding in written("h200-guide")["findings"]}
        self.assertEqual(sorted(claims), ["epilogue", "fp8", "fusing", "graphs", "graphs-under-a-framework", "ridge"])
        # What the wrong ridge is made of: the peak with sparsity over the memory's rate.
        table = yaml.safe_load((SUITES / "devices/nvidia.yaml").read_text(encoding="utf-8"))
        peaks = next(device["peaks"] for device in table["devices"] if device["name"] == "H200 SXM")
        dense = float(peaks["matrix_throughput"]["bf16"].split()[0]) / float(peaks["memory_bandwidth"].split()[0]) * 1000
        self.assertEqual(claims["ridge"], f"compute >= {round(2 * dense)} FLOP/B * read")

    def test_the_broadcast_study_varies_the_memory_that_the_study_left_out(self):
        rows = self.rows("broadcast-study", 8)
        planned = [name for name, _ in rows]
        for memory in ("pinned", "registered", "pageable"):
            for strategy in ("direct", "direct_parallel", "relay", "pipelined", "scatter_allgather"):
                self.assertIn(f"way[memory={memory},strategy={strategy}]", planned)
        self.assertIn("gpus[strategy=direct,devices=2]", planned)
        # The study had four GPUs; so has every case, on a machine with more as well.
        self.assertEqual({where for _, where in rows}, {"cuda:0+cuda:1", "cuda:0+cuda:1+cuda:2+cuda:3"})
        suite = written("broadcast-study")
        claims = {finding["id"]: finding["claim"] for finding in suite["findings"]}
        # The study's times of its second and its third way, and what it makes of them.
        factor = round(0.404 / 0.103, 1)
        self.assertEqual(claims["chunks-alone"], f"chunks >= {factor} * whole")
        self.assertEqual(claims["chunks-and-memory"], f"both >= {factor} * neither")
        # NVLink's multicast is not used.
        for case in suite["cases"]:
            if "collective" in str(case):
                self.assertEqual(case["env"], {"NCCL_NVLS_ENABLE": "0"}, case["id"])

    def test_nccl_tuning_asks_what_the_studies_claim(self):
        planned = self.plan("nccl-tuning", gpus=4)
        for size in ("32KiB", "1MiB", "32MiB", "1GiB"):
            for algorithm, protocol in [("~", "~"), *itertools.product(("Ring", "Tree"), ("LL", "LL128", "Simple"))]:
                self.assertIn(f"allreduce[bytes={size},env.NCCL_ALGO={algorithm},env.NCCL_PROTO={protocol}]", planned)
        for buffer, level in (("~", "~"), ("8388608", "~"), ("~", "NVL")):
            self.assertIn(f"variable[bytes=1GiB,env.NCCL_BUFFSIZE={buffer},env.NCCL_P2P_LEVEL={level}]", planned)
        suite = written("nccl-tuning")
        self.assertEqual([finding["id"] for finding in suite["findings"]], ["tree", "ring", "ring-simple", "any", "buffer", "level"])
        # Tables show the rate, so that is what is claimed.
        for finding in suite["findings"]:
            self.assertTrue(all(re.search(r"\]\.bus_bandwidth\b", selector) for selector in finding["let"].values()), finding)
        # The time on four GPUs: about 3 s for each start of a set of processes, and a visit's samples, warm-up and preparation.
        visits = starts = 0
        for case in cases_of("nccl-tuning"):
            points = [name for name in planned if name.startswith(case["id"] + "[")]
            visits += case["processes"] * len(points)
            starts += case["processes"] * len({re.sub(r"bytes=\w+", "", name) for name in points})
        self.assertLess(3 * starts + 1.2 * visits, 10 * 60)


class Questions(unittest.TestCase):
    def test_claims_rest_on_enough_rounds(self):
        for suite in STUDIES:
            rounds = {case["id"]: case.get("processes", 1) for case in cases_of(suite)}
            for finding in written(suite)["findings"]:
                for selector in finding["let"].values():
                    best, case = re.match(r"(best\()?([\w-]+)\[", selector).groups()
                    # best() picks on the odd rounds, and is judged on the even ones.
                    self.assertGreaterEqual(rounds[case] // 2 if best else rounds[case], 3, f"{suite}: {finding['id']}: {selector}")


if __name__ == "__main__":
    harness.main()
