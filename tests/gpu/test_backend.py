#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The backend cuda on a real GPU: inventory, telemetry, visibility."""

import math

import gpu


class Inventory(gpu.Gpu):
    def test_names_each_gpu_with_its_facts(self):
        found = self.inventory()
        self.assertIsNone(found["unavailable"])
        self.assertRegex(found["facts"]["cuda_version"], r"^\d+\.\d$")
        self.assertRegex(found["facts"]["driver"], r"^\d+\.")
        for number, device in enumerate(found["devices"]):
            with self.subTest(device=device["name"]):
                facts = device["facts"]
                self.assertEqual(device["name"], f"cuda:{number}")
                self.assertRegex(device["uuid"], r"^(GPU|MIG)-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
                self.assertRegex(facts["architecture"], r"^sm_\d+$")
                self.assertRegex(facts["pci"], r"^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.0$")
                for fact in ("memory_bytes", "multiprocessors", "l2_bytes"):
                    self.assertGreater(facts[fact], 0, fact)
                self.assertIn(facts["slice"], (True, False))
                for fact in ("vbios", "largest_clock_hz", "power_limit_w", "pcie_generation", "pcie_width"):
                    self.assertIn(fact, facts)
                self.assertGreater(facts["largest_clock_hz"], 5e8)

    def test_agrees_with_nvidia_smi(self):
        rows = gpu.nvidia_smi("uuid", "name", "pci.bus_id", "power.limit", "ecc.mode.current", "driver_version")
        if rows is None:
            self.skipTest("there is no nvidia-smi")
        found = self.inventory()
        by_uuid = {device["uuid"]: device for device in found["devices"]}
        for uuid, name, pci, limit, ecc, driver in rows:
            if uuid not in by_uuid:
                continue  # hidden from CUDA, or cut into slices
            device = by_uuid[uuid]
            self.assertEqual(device["model"], name)
            self.assertTrue(pci.lower().endswith(device["facts"]["pci"]), (pci, device["facts"]["pci"]))
            self.assertAlmostEqual(device["facts"]["power_limit_w"], float(limit), places=1)
            self.assertEqual(device["facts"]["ecc"], ecc == "Enabled")
            self.assertEqual(found["facts"]["driver"], driver)

    def test_system_prints_it(self):
        done = self.assay("system")
        self.assertEqual(done.code, 0, done.err)
        self.assertIn("cuda:0", done.out)
        self.assertIn("pcie_generation", done.out)


class Visibility(gpu.Gpu):
    def test_no_visible_gpu_is_said_in_words(self):
        found = self.inventory(environment={"CUDA_VISIBLE_DEVICES": "-1"})
        self.assertEqual(found["devices"], [])
        self.assertIn("CUDA_VISIBLE_DEVICES", found["unavailable"])

    def test_no_visible_gpu_leaves_the_requirement_unmet(self):
        result = self.run_suite("cases:\n  - {id: t, uses: gpu_twice, measure: {samples: 5, warmup: 5}}\n", environment={"CUDA_VISIBLE_DEVICES": "-1"})
        self.assertEqual(result.code, 6, result.err)
        self.assertIn("CUDA_VISIBLE_DEVICES", result.out + result.err)

    def test_a_gpu_named_by_its_identity_becomes_the_first(self):
        devices = self.inventory()["devices"]
        last = devices[-1]["uuid"]
        found = self.inventory(environment={"CUDA_VISIBLE_DEVICES": last})
        self.assertEqual([device["uuid"] for device in found["devices"]], [last])
        result = self.run_suite("cases:\n  - {id: t, uses: gpu_twice, devices: [cuda:0], measure: {samples: 5, warmup: 5}}\n",
                                environment={"CUDA_VISIBLE_DEVICES": last})
        self.assert_passed(result)


class Telemetry(gpu.Gpu):
    def test_is_read_while_a_case_runs(self):
        result = self.run_suite("cases:\n"
                                "  - id: t\n"
                                "    uses: gpu_twice\n"
                                "    with: {elements: 268435456}\n"
                                "    measure: {for: 2s}\n")
        self.assert_passed(result)
        rows = {row["quantity"]: row for row in result.case("t")["telemetry"]}
        for quantity in ("power", "temperature", "clock", "memory_clock", "memory_used"):
            self.assertIn(quantity, rows)
            self.assertTrue(math.isfinite(rows[quantity]["mean"]))
        self.assertGreater(rows["power"]["maximum"], 50)
        self.assertLess(rows["power"]["maximum"], 2000)
        self.assertGreater(rows["clock"]["maximum"], 5e8)
        self.assertGreater(rows["memory_used"]["maximum"], 2 * 4 * 268435456)
        self.assertGreater(rows["energy"]["added"], 50)
        lacks = set(self.inventory()["devices"][0].get("lacks", []))
        for quantity in ("ecc_corrected", "ecc_uncorrected", "rows_remapped_corrected", "rows_remapped_uncorrected", "row_remap_pending", "row_remap_failed",
                         "nvlink_crc", "nvlink_replays", "nvlink_recoveries", "nvlinks_down", "pcie_replays"):
            self.assertEqual(quantity in rows, quantity not in lacks, quantity)
        self.assertNotIn("shared_device", [flag["code"] for flag in result.case("t")["flags"]])


if __name__ == "__main__":
    gpu.main()
