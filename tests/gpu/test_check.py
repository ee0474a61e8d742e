#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`assay plugin check` of the shipped plugins for GPUs on one GPU: above all, each verification notices results that were spoiled on the
device."""

import json

import gpu
import harness

PLUGINS = harness.BUILD / "lib/assay/plugins"

# Plugin → runs of it: parameters beside the defaults.
SHIPPED = {
    "gemm_cuda": [[], ["dtype=fp64"], ["dtype=int8"]],
    "membw_cuda": [[], ["kernel=read"], ["kernel=copy"], ["kernel=latency"], ["kernel=random"]],
    "hostcopy_cuda": [[], ["direction=d2h"], ["direction=both"], ["direction=latency"], ["memory=pageable"]],
    "launch_cuda": [[], ["mode=graph"], ["kernel=add"], ["cost=submission", "kernels=200"], ["cost=round_trip"], ["way=exact"]],
    "fusion_cuda": [[], ["variant=separate"], ["variant=gemm_separate"], ["variant=gemm_fused"], ["variant=gemm_epilogue"]],
    "broadcast_cuda": [[], ["strategy=direct"], ["memory=pageable"]],
    "roofline_cuda": [[], ["work=matrix", "dtype=fp16"], ["work=memory"], ["work=sweep"], ["work=axpy"], ["work=gelu"]],
    "roofline_gemm_cuda": [[]],
    "doctor_cuda": [[], ["work=delay"], ["work=memory"]],
}
# Need two GPUs.
OF_SEVERAL = {"p2p_cuda": [[], ["direction=latency"]], "collective_cuda": [[], ["placement=in"]]}


class Check(gpu.Gpu):
    def checks_of(self, plugin, *arguments):
        done = self.assay("plugin", "check", PLUGINS / f"{plugin}.so", "--format", "json", *arguments, timeout=900)
        return done, {check["id"]: check for check in json.loads(done.out)["checks"]}

    def assert_there_is(self, plugin, given):
        manifest = json.loads((PLUGINS / f"{plugin}.assay.json").read_text())
        parameters = {parameter["name"]: parameter for benchmark in manifest["benchmarks"] for parameter in benchmark["parameters"]}
        for word in given:
            name, value = word.split("=")
            self.assertIn(value, parameters[name].get("values", [value]))

    def assert_can_fail(self, plugin, given):
        self.assert_there_is(plugin, given)
        done, checks = self.checks_of(plugin, "--only", "verify-can-fail", *[word for each in given for word in ("--with", each)])
        if "nccl" in checks["verify-can-fail"]["text"].lower():
            self.skipTest(checks["verify-can-fail"]["text"])
        self.assertEqual((done.code, checks["verify-can-fail"]["result"]), (0, "passed"), done.out)
        self.assertIn("what damage() spoiled", checks["verify-can-fail"]["text"])

    def test_verifications_of_every_shipped_plugin_can_fail(self):
        for plugin, runs in SHIPPED.items():
            for given in runs:
                with self.subTest(plugin=plugin, given=given):
                    self.assert_can_fail(plugin, given)

    def test_verifications_between_gpus_can_fail(self):
        if len(self.inventory()["devices"]) < 2:
            self.skipTest("there is one GPU")
        for plugin, runs in OF_SEVERAL.items():
            for given in runs:
                with self.subTest(plugin=plugin, given=given):
                    self.assert_can_fail(plugin, given)

    def test_shipped_plugins_keep_the_rules(self):
        # What measures nothing for long: the whole table of all plugins takes half an hour.
        some = [word for check in ("loads", "manifest-agrees", "open-is-cheap", "unknown-mode-unsupported", "defaults-accepted", "release-at-any-time",
                                   "verify-present") for word in ("--only", check)]
        several = len(self.inventory()["devices"]) > 1
        for plugin in [*SHIPPED, *(OF_SEVERAL if several else [])]:
            with self.subTest(plugin):
                done, checks = self.checks_of(plugin, *some)
                wrong = {name: check["text"] for name, check in checks.items() if check["result"] not in ("passed", "skipped")}
                if any("nccl" in text.lower() for text in wrong.values()):
                    self.skipTest(str(wrong))
                self.assertEqual(wrong, {})
                self.assertEqual(done.code, 0)


if __name__ == "__main__":
    gpu.main()
