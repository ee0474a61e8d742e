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
STUDIES = ["broadcast-study", "gemm-shapes", "h200-guide", "links-study", "nccl-tuning", "numa-study", "pipeline-study", "training-study", "training-tuning"]
ACCEPTANCE = ["gpu-acceptance", "pcie-acceptance", "node-acceptance"]
ON_LINKS = {"p2p", "collective", "broadcast"}


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


def checks_of(case):
    return [entry["that"] if isinstance(entry, dict) else entry for entry in case.get("expect", [])]


def seconds(text):
    number, unit = re.fullmatch(r"([0-9.]+)(ms|s|min)", text).groups()
    return float(number) * {"ms": 0.001, "s": 1, "min": 60}[unit]


class Machines(harness.Assay):
    """Machines with GPUs as the inventory of an H200 that a kept result recorded."""

    def inventory(self, gpus, **differences):
        recorded = harness.json.loads((harness.SOURCE / "docs/results/h200/h200-guide.json").read_text(encoding="utf-8"))["run"]["backends"]
        for backend in recorded:
            if backend["name"] == "cuda":
                first = backend["devices"][0]
                backend["devices"] = [copy.deepcopy({**first, "name": f"cuda:{i}", "uuid": f"{first['uuid'][:-1]}{i}"}) for i in range(gpus)]
                backend["facts"]["census"] = {"kind": "GPU", "known": [{"by": "CUDA", "devices": gpus}]}
                for device in backend["devices"]:
                    device["model"] = differences.get("model", device["model"])
                    device["facts"].update(differences.get("facts", {}))
        own = harness.json.loads(self.assay("system", "--json").out)["backends"]
        backends = [backend for backend in own if backend["name"] == "host"] + (recorded if gpus else [])
        return self.write(f"inventory-{gpus}.json", harness.json.dumps({"inventory_version": 1, "backends": backends}))

    def dry_run(self, suite, gpus, **differences):
        return self.assay("run", SUITES / f"{suite}.yaml", "--dry-run", "--inventory", self.inventory(gpus, **differences), "--library-path", self.libraries())

    def libraries(self):
        """A folder in which every library that a plugin needs can be found."""
        folder = self.folder / "libraries"
        folder.mkdir(exist_ok=True)
        for manifest in (harness.BUILD / "lib/assay/plugins").glob("*.assay.json"):
            for needed in harness.json.loads(manifest.read_text(encoding="utf-8")).get("needs", []):
                (folder / needed["soname"]).touch()
        return folder

    def rows(self, suite, gpus, **differences):
        """(case, where it runs) of what it plans there."""
        done = self.dry_run(suite, gpus, **differences)
        self.assertEqual(done.code, 0, done.out + done.err)
        return [tuple(line.split()[:2]) for line in done.out.split("\n\n")[0].splitlines()]


class Plans(Machines):
    def plan(self, suite, gpus=1):
        return [name for name, _ in self.rows(suite, gpus)]

    def test_each_suite_takes_every_machine_with_the_gpus_it_needs(self):
        fewest = {"broadcast-study": 4, "links-study": 2, "nccl-tuning": 2}
        for suite in STUDIES + ACCEPTANCE:
            for gpus in (1, 2, 4, 8):
                with self.subTest(suite=suite, gpus=gpus):
                    done = self.dry_run(suite, gpus)
                    self.assertEqual(done.code, 0 if gpus >= fewest.get(suite, 1) else 6, done.out + done.err)

    def test_quick_takes_the_gpus_or_else_the_processors(self):
        gpu, host = self.rows("quick", 1), self.rows("quick", 0)
        self.assertEqual({where for _, where in gpu} | {where for _, where in host}, {"cuda:0", "host:0"})
        self.assertEqual([name.replace("cuda:0", "host:0") for name, _ in gpu], [name for name, _ in host])
        for name in ("membw[kernel=triad", "latency[bytes=16KiB", "gemm[dtype=fp32"):
            self.assertTrue(any(case.startswith(name) for case, _ in gpu), gpu)

    def test_quick_takes_no_longer_on_eight_gpus_than_on_one(self):
        eight = self.rows("quick", 8)
        self.assertEqual({where for _, where in eight}, {"+".join(f"cuda:{i}" for i in range(8)) + ","})
        self.assertEqual([name.replace("]", ",device=cuda:0]") for name, _ in eight], [name for name, _ in self.rows("quick", 1)])
        last = [self.dry_run("quick", gpus).out.splitlines()[-1] for gpus in (1, 8)]
        self.assertEqual(last[0], last[1])
        minutes, rest = re.search(r"estimated time at most (\d+) min (\d+) s on an idle machine$", last[1]).groups()
        self.assertLessEqual(60 * int(minutes) + int(rest), 180)

    def test_the_guide_puts_every_claim_to_the_test(self):
        planned = self.plan("h200-guide")
        for length in ("2us", "5us", "10us", "20us", "50us"):
            for host, mode in (("0us", "eager"), ("0us", "graph"), ("10us", "eager"), ("10us", "graph")):
                self.assertIn(f"chain[host_cost={host},kernel_time={length},mode={mode},device=cuda:0]", planned)
        self.assertIn("roof[work=matrix,device=cuda:0]", planned)
        claims = {finding["id"]: finding["claim"] for finding in written("h200-guide")["findings"]}
        self.assertEqual(sorted(claims), ["epilogue", "fp8", "fp8-kinds", "fusing", "gelu-intensity", "graphs", "graphs-under-a-framework", "padding", "ridge"])
        # What the wrong ridge is made of: the peak with sparsity over the memory's rate.
        table = yaml.safe_load((SUITES / "devices/nvidia.yaml").read_text(encoding="utf-8"))
        peaks = next(device["peaks"] for device in table["devices"] if device["name"] == "H200 SXM")
        dense = float(peaks["matrix_throughput"]["bf16"].split()[0]) / float(peaks["memory_bandwidth"].split()[0]) * 1000
        self.assertEqual(claims["ridge"], f"compute >= {round(2 * dense)} FLOP/B * read")

    def test_the_broadcast_study_varies_the_memory_left_out_there(self):
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


    def test_the_links_study_asks_with_the_numbers_of_the_studies(self):
        planned = self.plan("links-study", gpus=2)
        self.assertEqual(len(planned), 6)
        claims = {finding["id"]: finding["claim"] for finding in written("links-study")["findings"]}
        self.assertEqual(claims["raw-rate"], f"copy >= {round(26.5625 * 18)} GB/s")
        self.assertEqual(claims["through-the-host"], f"direct >= {round(900 / 64)} * through_host")
        self.assertEqual(claims["gradients"], f"averaging >= {27 / 10} ms")

    def test_the_pipeline_study_asks_what_twelve_layers_claim(self):
        rows = self.rows("pipeline-study", 0)
        planned = [name for name, _ in rows]
        for ranks, micro in itertools.product((2, 3, 4), (4, 32)):
            self.assertIn(f"stages[ranks={ranks},micro_batches={micro}]", planned)
        for split in ("3-3-3-3", "6-2-2-2"):
            self.assertIn(f"split[split={split}]", planned)
        suite = written("pipeline-study")
        findings = {finding["id"]: finding for finding in suite["findings"]}
        # The study's ratios of 4 to 2 GPUs and of both splits, and the fifth of it that layers alone do not explain at most.
        factors = {name: float(re.search(r"([0-9.]+) \*", findings[name]["claim"])[1]) for name in ("stages-with-few", "stages-with-many", "split")}
        self.assertLess(factors["stages-with-few"], 1403.8 / 748.5)
        self.assertGreater(factors["stages-with-few"], 1.2 * 10 / 7, "what 4 micro-batches allow is far below")
        for name, ratio in (("stages-with-many", 1403.8 / 748.5), ("split", 1403.8 / 741.7)):
            self.assertTrue(0.85 * ratio < factors[name] < ratio, name)
        # With more stages than processors only what is predicted is claimed, and memory.
        cases = {case["id"]: case for case in suite["cases"]}
        for finding in suite["findings"]:
            for selector in finding["let"].values():
                case, metric = re.fullmatch(r"([\w-]+)\[.*\]\.(\w+)", selector).groups()
                if cases[case].get("ranks") != 2 and "when" not in cases[case]:  # those are of GPUs
                    self.assertRegex(metric, "^(predicted_|stage_memory_cv$)", finding["id"])

    def test_what_studies_measure_on_the_host_takes_three_minutes(self):
        for suite in ("pipeline-study", "training-study", "training-tuning"):
            with self.subTest(suite):
                said = re.search(r", 5 rounds, seed 1, estimated time at most (?:(\d+) min )?(\d+) s on an idle machine", self.dry_run(suite, 0).out)
                self.assertLess(60 * int(said[1] or 0) + int(said[2]), 180)


class Acceptance(Machines):
    def judged(self, suite):
        """(benchmark, metric, parameters) of every limit that is a share of peak."""
        for case in cases_of(suite):
            for entry in case.get("expect", []):
                check = entry["that"] if isinstance(entry, dict) else entry
                if check.endswith("of peak"):
                    dtypes = suite_list(case.get("matrix", {}).get("dtype", ""))
                    where = entry.get("where", {}) if isinstance(entry, dict) else {}
                    for dtype in suite_list(where.get("dtype", dtypes)):
                        yield case["uses"], check.split()[0], dtype

    def peak_name(self, benchmark, metric):
        for manifest in sorted((harness.SOURCE / "plugins" / benchmark).glob("*_cuda.assay.json")):
            for each in harness.json.loads(manifest.read_text(encoding="utf-8"))["benchmarks"]:
                for found in each["metrics"]:
                    if each["name"] == benchmark and found["name"] == metric and found.get("peak"):
                        return found["peak"]
        return self.fail(f"{metric} of {benchmark} has no peak")

    def test_every_judged_share_has_a_peak_on_every_listed_device(self):
        table = yaml.safe_load((SUITES / "devices/nvidia.yaml").read_text(encoding="utf-8"))["devices"]
        for suite in ("gpu-acceptance", "pcie-acceptance"):
            judged = list(self.judged(suite))
            self.assertGreater(len(judged), 5)
            for device, (benchmark, metric, dtype) in itertools.product(table, judged):
                if dtype.startswith("fp8") and device["match"]["architecture"] == "sm_80":
                    continue  # it has no such units: the case is skipped
                peak = device["peaks"].get(self.peak_name(benchmark, metric))
                self.assertTrue(peak[dtype] if dtype else peak, f"{suite}: {device['name']}: {metric} {dtype}")

    def test_links_are_shown_anywhere_and_judged_with_switches(self):
        on_links = {suite: [case for case in cases_of(suite) if case["uses"] in ON_LINKS] for suite in ACCEPTANCE}
        self.assertEqual([len(cases) for cases in on_links.values()], [0, 2, 2])
        rates = {suite: [check for case in cases for check in checks_of(case) if "bandwidth" in check] for suite, cases in on_links.items()}
        self.assertEqual(rates["pcie-acceptance"], [])
        self.assertEqual(len(rates["node-acceptance"]), 3)
        # It says so where people look.
        self.assertIn("take pcie-acceptance", (SUITES / "node-acceptance.yaml").read_text(encoding="utf-8"))
        plain = {"model": "NVIDIA L40S", "facts": {"architecture": "sm_89", "memory_bytes": 48e9, "nvlinks": 0, "nvlink_peers": ""}}
        rows = self.rows("pcie-acceptance", 4, **plain)
        self.assertEqual(rows, self.rows("pcie-acceptance", 4))
        self.assertEqual(sum(name.startswith("p2p[") for name, _ in rows), 12)

    def test_every_acceptance_limits_what_gpus_count_in_every_case(self):
        manifest = harness.json.loads((SUITES.parent / "plugins/cuda/cuda.assay.json").read_text(encoding="utf-8"))
        counted = {each["name"] for each in manifest["telemetry"] if each.get("above_zero")}
        self.assertEqual(len(counted), 11)
        for suite in ACCEPTANCE:
            for case in cases_of(suite):
                with self.subTest(suite=suite, case=case["id"]):
                    limited = {check.split()[0] for check in checks_of(case)}
                    self.assertEqual(counted - limited, set())

    def test_one_gpu_is_judged_by_itself_and_eight_within_minutes(self):
        self.assertEqual(len(self.rows("gpu-acceptance", 1)), 9)
        self.assertEqual(len(self.rows("node-acceptance", 1)), 11)
        rows = self.rows("node-acceptance", 8)
        self.assertEqual(len(rows), 9 * 8 + 8 * 7 + 1)
        longest = {case["id"]: seconds(case["measure"]["max_time"]) for case in cases_of("node-acceptance")}
        self.assertLess(sum(longest[name.split("[")[0]] for name, _ in rows), 8 * 60)


def examples():
    """(where, suite) of every suite that a page shows, but for those that a kept result was made by."""
    pages = [harness.SOURCE / "README.md", *sorted(harness.SOURCE.glob("docs/**/*.md")), *sorted(harness.SOURCE.glob("plugins/*/README.md"))]
    for page in pages:
        if "results" not in page.parts:
            for name, text in re.findall(r"<!-- file: (\S+\.yaml) -->\n```yaml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
                document = yaml.safe_load(text)
                if "cases" in document:
                    yield f"{page.relative_to(harness.SOURCE)}: {name}", document


def rounds_of(case):
    """Of a case that a finding names: as docs/decisions/0047 has it."""
    measure = case.get("measure", {})
    executions = measure.get("samples", 1) if case["uses"].startswith("external") else 1
    once = case["uses"].startswith("external") or "samples" in measure or "for" in measure
    return executions * case.get("processes", 6 if "variants" in case else 1 if once else 5)


class Questions(unittest.TestCase):
    def test_claims_rest_on_enough_rounds(self):
        checked = 0
        # Pages show how a question is asked, in seconds; what ships is to answer it.
        for where, suite, fewest in [*((name, written(name), 5) for name in STUDIES), *((*each, 3) for each in examples())]:
            rounds = {case["id"]: rounds_of({**suite.get("defaults", {}), **case}) for case in suite["cases"]}
            for finding in suite.get("findings", []):
                for selector in finding["let"].values():
                    best, case = re.match(r"(best\()?([\w-]+)\[", selector).groups()
                    # best() picks on the odd rounds, and is judged on the even ones.
                    with self.subTest(where=where, finding=finding["id"]):
                        self.assertGreaterEqual(rounds[case] // 2 if best else rounds[case], 3 if best else fewest)
                    checked += 1
        self.assertGreater(checked, 40)

    def test_no_suite_asks_for_an_exact_number_of_devices(self):
        for where, suite in [*((path.stem, written(path.stem)) for path in SUITES.glob("*.yaml")), *examples()]:
            for required in [suite.get("requires", {}), *(case.get("requires", {}) for case in suite["cases"])]:
                self.assertRegex(str(required.get("devices", ">=1")), r"^>=", where)

    def test_there_is_time_for_the_samples(self):
        # A mean is known from 1 s of samples of 20 ms on, asked for twice, a median from 50; a fifth of the time is the warm-up's.
        for suite in STUDIES + ACCEPTANCE:
            for case in cases_of(suite):
                if case["uses"] in ON_LINKS | {"launch"}:
                    measure = case["measure"]
                    few = 50 * 1.25 * (0.01 if case["uses"] == "launch" else 0.02)
                    wanted = measure["samples"] * 0.02 if "samples" in measure else few
                    self.assertGreater(0.8 * seconds(measure["max_time"]), wanted, f"{suite}: {case['id']}")

    def test_what_stays_undecided_is_not_called_decided(self):
        # Noise leaves rows undecided as well as rows that disagree do.
        for suite in STUDIES:
            for finding in written(suite)["findings"]:
                text = finding.get("undecided", {}).get("say", "The rows say")
                self.assertRegex(text, r"^The rows say", f"{suite}: {finding['id']}")


if __name__ == "__main__":
    harness.main()
