#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The backend cuda without a GPU: with the driver's libraries of tests/fixtures/plugins/nvidia, and with none."""

import pathlib
import subprocess
import sys
import unittest

import harness

DRIVER = harness.BUILD / "tests/nvidia/driver"
PLUGINS = harness.BUILD / "tests/nvidia"
RANGES = harness.BUILD / "tests/ranges"
FIRST = "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f"
SECOND = "GPU-10111213-1415-1617-1819-1a1b1c1d1e1f"
HEADER = "version: 1\nsuite: test\nrequires: {backend: cuda}\n"
# Long enough for several reads of telemetry.
SHORT = "cases:\n  - {id: t, uses: idle, measure: {samples: 60, warmup: 1}, devices: [cuda:0]}\n"


NVIDIA_ON_THIS_BUS = any(path.read_text(encoding="utf-8").startswith("0x10de") for path in pathlib.Path("/sys/bus/pci/devices").glob("*/vendor"))


class Nvidia(harness.Assay):
    def cuda(self, **environment):
        done = self.assay("system", "--json", environment={"LD_LIBRARY_PATH": str(DRIVER), **environment})
        self.assertEqual(done.code, 0, done.err)
        return next(backend for backend in harness.json.loads(done.out)["backends"] if backend["name"] == "cuda")

    def run_idle(self, text=SHORT, **environment):
        suite = self.write("suite.yaml", HEADER + text)
        return self.assay("run", suite.name, "--plugin-dir", PLUGINS, "-o", self.results,
                          environment={"LD_LIBRARY_PATH": str(DRIVER), **environment})

    @staticmethod
    def flags(case):
        return {flag["code"] for flag in case["flags"]}

    @staticmethod
    def reasons(case):
        return {row["reason"] for row in case["throttle"]}


class Inventory(Nvidia):
    def test_lists_what_cuda_shows_and_what_management_adds(self):
        found = self.cuda(ASSAY_TEST_LINKS="down")
        self.assertIsNone(found["unavailable"])
        self.assertEqual((found["facts"]["cuda_version"], found["facts"]["driver"]), ("13.0", "580.0.1"))
        first, second = found["devices"]
        self.assertEqual((first["name"], first["uuid"], first["model"]), ("cuda:0", FIRST, "NVIDIA H200"))
        self.assertEqual((second["name"], second["uuid"]), ("cuda:1", SECOND))
        facts = first["facts"]
        self.assertEqual(facts["architecture"], "sm_90")
        self.assertEqual(facts["memory_bytes"], 150109880320)
        self.assertEqual(facts["multiprocessors"], 132)
        self.assertEqual(facts["serial"], "1653724049130")
        self.assertEqual((facts["ecc"], facts["mig"], facts["slice"]), (True, False, False))
        self.assertEqual((facts["largest_clock_hz"], facts["application_clock_hz"]), (1.98e9, 1.5e9))
        self.assertEqual(facts["power_limit_w"], 700)
        self.assertEqual((facts["nvlinks"], facts["nvlinks_down"]), (3, 1))
        self.assertEqual(facts["nvlink_peers"], "2 to cuda:1, 1 to switch")
        # What this library lacks is left out.
        self.assertNotIn("part_number", facts)
        self.assertNotIn("pcie_width", facts)

    def test_a_slice_has_its_own_identity(self):
        first, second = self.cuda(ASSAY_TEST_NVML="mig")["devices"]
        self.assertEqual(first["uuid"], FIRST.replace("GPU", "MIG"))
        self.assertTrue(first["facts"]["slice"])
        self.assertEqual(first["facts"]["slices"], 2)
        self.assertNotIn("slices", second["facts"])
        self.assertEqual(second["uuid"], SECOND)

    def test_a_slice_is_known_without_the_management_library_too(self):
        first, second = self.cuda(ASSAY_TEST_CUDA="mig", ASSAY_TEST_NVML="no_start")["devices"]
        self.assertEqual((first["uuid"], second["uuid"]), (FIRST.replace("GPU", "MIG"), SECOND))
        self.assertTrue(first["facts"]["slice"])

    def test_a_management_library_that_hangs_leaves_the_devices(self):
        for fault in ("hang_init", "hang_serial"):
            with self.subTest(fault=fault):
                found = self.cuda(ASSAY_TEST_NVML=fault)
                self.assertIsNone(found["unavailable"])
                self.assertEqual([device["uuid"] for device in found["devices"]], [FIRST, SECOND])
                self.assertEqual(found["facts"]["telemetry"], "none: NVML did not answer within 5000 ms")

    def test_a_machine_without_a_driver_is_described_in_words(self):
        found = self.cuda(LD_LIBRARY_PATH="")
        if found["devices"]:
            self.skipTest("there is a GPU")
        self.assertTrue(found["unavailable"].startswith(("no NVIDIA driver on this machine", "the NVIDIA driver shows no GPU")), found)

    def test_list_says_which_libraries_are_not_here(self):
        def listed(driver):
            environment = {"LD_LIBRARY_PATH": str(driver)}
            plugins = harness.json.loads(self.assay("list", "--json", environment=environment).out)["plugins"]
            absent = {plugin["id"]: plugin.get("not_here", []) for plugin in plugins}
            return self.assay("list", environment=environment).out, absent

        with_driver, absent = listed(DRIVER)
        self.assertNotIn("libcuda.so.1", with_driver)
        self.assertEqual(absent["org.assay.cuda"], [])
        without, absent = listed("")
        self.assertNotRegex(without, r"(?m)^  membw@host .*not here")
        if absent["org.assay.cuda"] == [] and self.cuda(LD_LIBRARY_PATH="")["devices"]:
            self.skipTest("there is a GPU")
        self.assertEqual(absent["org.assay.cuda"], ["libcuda.so.1"])
        self.assertEqual(absent["org.assay.membw.cuda"], ["libcuda.so.1"], "what its backend needs")
        self.assertRegex(without, r"(?ms)^benchmarks for cuda \(not here: libcuda\.so\.1\)$.*^  membw@cuda [^(]*$.*^backends$")
        self.assertRegex(without, r"(?m)^  cuda .* \(not here: libcuda\.so\.1\)$")
        self.assertRegex(without, r"(?m)^libraries that are not here \(--library-path adds a folder\)$")
        self.assertRegex(without, r"(?m)^  libcuda\.so\.1 +install NVIDIA's driver$")

    def test_a_driver_without_a_gpu_is_described_in_words(self):
        found = self.cuda(ASSAY_TEST_CUDA="no_device")
        self.assertEqual(found["devices"], [])
        self.assertTrue(found["unavailable"].startswith("the NVIDIA driver shows no GPU to this process (cuInit: CUDA_ERROR_NO_DEVICE)"), found)
        self.assertIn("CUDA_VISIBLE_DEVICES", found["unavailable"])

    def test_no_gpu_is_an_unmet_requirement_that_says_why(self):
        result = self.run_idle(ASSAY_TEST_CUDA="no_device")
        self.assertEqual(result.code, 6, result.err)
        self.assertIn("the NVIDIA driver shows no GPU", result.out + result.err)

    def test_without_the_management_library_devices_are_still_there(self):
        found = self.cuda(ASSAY_TEST_NVML="no_start")
        self.assertEqual([device["uuid"] for device in found["devices"]], [FIRST, SECOND])
        self.assertIn("nvmlInit_v2 gave 9", found["facts"]["telemetry"])


@unittest.skipIf(NVIDIA_ON_THIS_BUS, "the bus of this machine knows other GPUs than the stand-ins")
class Census(Nvidia):
    """What NVML and CUDA know; the bus and the driver's own list are in plugins/cuda/census_test.cpp."""

    COMPLETE = "policy: {complete: true}\n" + SHORT

    def census(self, **environment):
        return self.cuda(**environment)["facts"]["census"]

    def test_all_are_known_to_all(self):
        self.assertEqual(self.census(), {"kind": "GPU", "known": [{"by": "NVML", "devices": 2}, {"by": "CUDA", "devices": 2}], "missing": [], "withheld": []})
        result = self.run_idle(self.COMPLETE)
        self.assertEqual(result.code, 0, result.out + result.err)
        self.assertEqual(result.document["verdict"]["devices"], [{"backend": "cuda", "count": 2, "text": "2 GPUs, as NVML and CUDA know them"}])

    def unmet(self, *parts, **environment):
        result = self.run_idle(self.COMPLETE, **environment)
        self.assertEqual(result.code, 6, result.out + result.err)
        texts = [reason["text"] for reason in result.document["verdict"]["reasons"] if reason["code"] == "devices.missing"]
        self.assertEqual(len(texts), 1, result.document["verdict"])
        for part in parts:
            self.assertIn(part, texts[0])

    def test_two_of_three_are_a_difference_that_names_the_board(self):
        self.unmet("GPU 0000:1c:00.0 is missing: NVML knows it, CUDA does not", ASSAY_TEST_BOARDS="3")

    def test_the_machine_is_shown_with_what_it_misses(self):
        done = self.assay("system", environment={"LD_LIBRARY_PATH": str(DRIVER), "ASSAY_TEST_BOARDS": "3"})
        self.assertIn("2 GPUs, as CUDA knows them; NVML knows 3\n  GPU 0000:1c:00.0 is missing: NVML knows it, CUDA does not\n", done.out)

    def test_a_board_for_which_nvml_does_not_answer_is_a_difference(self):
        self.unmet("GPU 0000:1b:00.0 is missing: CUDA knows it, NVML does not", ASSAY_TEST_NVML="lost")

    def test_a_board_in_mig_mode_is_a_difference(self):
        self.unmet("GPU 0000:1a:00.0 is missing: it is in MIG mode, cut into 2 slices, of which CUDA shows 1", ASSAY_TEST_NVML="mig")

    def test_what_a_variable_leaves_out_is_said_and_no_difference(self):
        result = self.run_idle(self.COMPLETE, ASSAY_TEST_BOARDS="3", CUDA_VISIBLE_DEVICES="0,1")
        self.assertEqual(result.code, 0, result.out + result.err)
        text = result.document["verdict"]["devices"][0]["text"]
        self.assertEqual(text, "2 GPUs, as CUDA knows them; NVML knows 3; 1 more is withheld: CUDA_VISIBLE_DEVICES leaves it out")
        self.assertIn("1 more is withheld", " ".join(result.out.split()))

    def test_a_variable_that_asks_for_all_explains_nothing(self):
        self.unmet("CUDA_VISIBLE_DEVICES asks for 3 GPUs", ASSAY_TEST_BOARDS="3", CUDA_VISIBLE_DEVICES="0,1,2")

    def test_the_shipped_acceptance_holds_to_it(self):
        done = self.assay("run", "gpu-acceptance", "--dry-run", environment={"LD_LIBRARY_PATH": str(DRIVER), "ASSAY_TEST_BOARDS": "3"})
        self.assertEqual(done.code, 6, done.out + done.err)
        self.assertIn("0000:1c:00.0 is missing", " ".join(done.out.split()))


class Visibility(Nvidia):
    def test_a_worker_sees_its_devices_by_identity(self):
        result = self.run_idle("cases:\n  - {id: t, uses: idle, devices: [cuda:1], measure: {samples: 1, warmup: 0}}\n")
        self.assertEqual(result.code, 0, result.out + result.err)
        facts = result.document["cases"][0]["facts"]
        self.assertIn(SECOND, facts["visible"])
        self.assertTrue(facts["device"].startswith("cuda:1 "), facts)
        number = int(facts["device"].split()[1])
        self.assertEqual(facts["visible"].split(",")[number], SECOND)
        self.assertEqual(facts["device"].split()[2], SECOND)


class Telemetry(Nvidia):
    def test_readings_are_in_base_units(self):
        result = self.run_idle()
        self.assertEqual(result.code, 0, result.out + result.err)
        rows = {row["quantity"]: row for row in result.document["cases"][0]["telemetry"]}
        for quantity, value in {"power": 123.5, "temperature": 41, "clock": 1.98e9, "memory_clock": 3.201e9}.items():
            self.assertAlmostEqual(rows[quantity]["mean"], value)
            self.assertEqual(rows[quantity]["kind"], "gauge")
        self.assertEqual((rows["ecc_corrected"]["added"], rows["ecc_uncorrected"]["added"]), (0, 0))
        # 12.35 J a read, of which the first one is what it stood at.
        reads = rows["energy"]["added"] / 12.35
        self.assertAlmostEqual(reads, round(reads))
        self.assertGreaterEqual(round(reads), 1)
        self.assertEqual((rows["energy"]["unit"], rows["energy"]["mean"], rows["energy"]["during"]), ("J", None, "visit"))
        self.assertEqual(self.reasons(result.document["cases"][0]), set())

    def test_an_old_driver_gives_the_power_of_the_last_second(self):
        rows = {row["quantity"]: row for row in self.run_idle(ASSAY_TEST_NVML="old").document["cases"][0]["telemetry"]}
        self.assertAlmostEqual(rows["power"]["mean"], 100)

    def test_reasons_become_flags(self):
        for bits, reason, flag in (("0x4", "power_cap", "power_capped"), ("0x20", "sw_thermal", "throttled"),
                                   ("0x48", "hw_slowdown", "throttled"), ("0x80", "hw_power_brake", "throttled")):
            with self.subTest(bits=bits):
                self.setUp()
                case = self.run_idle(ASSAY_TEST_REASONS=bits).document["cases"][0]
                self.assertIn(reason, self.reasons(case))
                self.assertIn(flag, self.flags(case))

    def test_a_throttled_case_is_repeated_or_fails_as_told(self):
        def suite(policy):
            return SHORT.replace("warmup: 1", f"warmup: 1, throttle: {policy}")
        result = self.run_idle(suite("cooldown"), ASSAY_TEST_NVML="heat")
        case = result.document["cases"][0]
        self.assertEqual((result.code, case["outcome"]), (0, "passed"), result.out + result.err)
        self.assertEqual([visit["attempt"] for visit in case["visits"]], [1, 2])
        self.assertEqual(self.flags(case) & {"throttled", "retried"}, {"retried"})
        self.setUp()
        result = self.run_idle(suite("fail"), ASSAY_TEST_NVML="heat")
        case = result.document["cases"][0]
        self.assertEqual((result.code, case["outcome"], case["reason"]["code"]), (1, "failed", "device.throttled"), result.out + result.err)
        self.assertIsNotNone(case["metrics"][0]["value"])

    def with_process(self, text=SHORT, **environment):
        other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        try:
            return self.run_idle(text, ASSAY_TEST_PROCESS=str(other.pid), **environment), other.pid
        finally:
            other.communicate(b"\n")

    def test_an_idle_process_of_somebody_else_is_a_remark(self):
        for use in (None, "1,1"):
            with self.subTest(use=use):
                self.setUp()
                result, _ = self.with_process(**({"ASSAY_TEST_USE": use} if use else {}))
                case = result.document["cases"][0]
                self.assertEqual((result.code, case["outcome"]), (0, "passed"), result.out + result.err)
                self.assertEqual(self.reasons(case), {"foreign_process"})
                self.assertIn("device_told", self.flags(case))
                self.assertNotIn("shared_device", self.flags(case))

    def test_a_gpu_in_use_makes_a_case_invalid_before_all_else(self):
        slow = SHORT.replace("devices: [cuda:0]}", "devices: [cuda:0], expect: [{that: latency <= 1 ns, say: Look at the cooling.}]}")
        for environment in ({"ASSAY_TEST_USE": "30,0"}, {"ASSAY_TEST_USE": "0,2"}, {"ASSAY_TEST_GROWS": "1"}):
            with self.subTest(**environment):
                self.setUp()
                result, pid = self.with_process(slow, **environment)
                case = result.document["cases"][0]
                self.assertEqual((result.code, case["outcome"], case["reason"]["code"]), (1, "invalid", "device.shared"), result.out + result.err)
                first = result.document["verdict"]["reasons"][0]
                self.assertEqual(first["code"], "device.shared")
                self.assertIn(f"cuda:0 (serial 1653724049130): used_by_{pid}", first["text"])
                self.assertNotIn("cooling", result.out)
                self.assertIn("shared_device", self.flags(case))

    def test_an_error_that_the_driver_logged_is_told(self):
        result = self.run_idle(ASSAY_TEST_XID="63")
        case = result.document["cases"][0]
        self.assertEqual((result.code, case["outcome"]), (0, "passed"), result.out + result.err)
        self.assertIn("xid_63", self.reasons(case))
        self.assertIn("device_told", self.flags(case))

    def test_a_fatal_error_in_the_drivers_log_fails_the_case(self):
        for xid in (48, 79, 94, 95, 119):
            with self.subTest(xid=xid):
                self.setUp()
                result = self.run_idle(ASSAY_TEST_XID=str(xid))
                case = result.document["cases"][0]
                self.assertEqual((result.code, case["outcome"]), (1, "failed"), result.out + result.err)
                reason = case["reason"]
                self.assertEqual((reason["code"], reason["domain"], reason["number"], reason["device"]), ("device.fault", "xid", xid, "cuda:0"))
                self.assertIn(f"cuda:0 (serial 1653724049130): xid_{xid}", reason["text"])

    def test_an_uncorrected_error_fails_the_case_by_itself(self):
        result = self.run_idle(ASSAY_TEST_COUNT="ecc_uncorrected")
        case = result.document["cases"][0]
        self.assertEqual((result.code, case["outcome"], case["reason"]["code"]), (1, "failed", "device.errors"), result.out + result.err)
        self.assertIn("cuda:0 (serial 1653724049130): ecc_uncorrected grew by", case["reason"]["text"])

    def test_what_is_counted_is_told_and_can_be_limited(self):
        limit = SHORT.replace("devices: [cuda:0]}", "devices: [cuda:0], expect: [%s == 0]}")
        for counter in ("ecc_corrected", "rows_remapped_corrected", "rows_remapped_uncorrected", "nvlink_crc", "nvlink_replays", "nvlink_recoveries",
                        "pcie_replays"):
            for driver in ("", "old"):
                if driver and not counter.startswith("nvlink"):
                    continue
                with self.subTest(counter=counter, driver=driver):
                    self.setUp()
                    result = self.run_idle(limit % counter, ASSAY_TEST_COUNT=counter, ASSAY_TEST_NVML=driver)
                    case = result.document["cases"][0]
                    self.assertEqual((result.code, case["reason"]["code"]), (1, "expectation.failed"), result.out + result.err)
                    told = next(flag["text"] for flag in case["flags"] if flag["code"] == "device_told")
                    self.assertIn(f"cuda:0: {counter} grew by", told)
                    self.setUp()
                    self.assertEqual(self.run_idle(limit % counter, ASSAY_TEST_NVML=driver).code, 0)

    def test_pending_row_remaps_and_dead_links_can_be_limited(self):
        limit = SHORT.replace("devices: [cuda:0]}", "devices: [cuda:0], expect: [%s == 0]}")
        for quantity, environment in (("row_remap_pending", {"ASSAY_TEST_ROWS": "pending"}), ("row_remap_failed", {"ASSAY_TEST_ROWS": "failed"}),
                                      ("nvlinks_down", {"ASSAY_TEST_LINKS": "down"}), ("nvlinks_down", {"ASSAY_TEST_LINKS": "lost"})):
            with self.subTest(quantity=quantity, **environment):
                self.setUp()
                result = self.run_idle(limit % quantity, **environment)
                case = result.document["cases"][0]
                self.assertEqual((result.code, case["reason"]["code"]), (1, "expectation.failed"), result.out + result.err)
                self.assertIn(f"cuda:0: {quantity} is 1", next(flag["text"] for flag in case["flags"] if flag["code"] == "device_told"))

    def test_a_board_leaves_out_what_it_lacks_not_the_unreadable(self):
        limits = SHORT.replace("devices: [cuda:0]}", "devices: [cuda:0], expect: [ecc_uncorrected == 0, row_remap_failed == 0, nvlink_crc == 0, "
                               "nvlinks_down == 0, pcie_replays == 0]}")
        for lacks, left_out in (("", 0), ("ecc", 1), ("rows", 1), ("links", 2), ("pcie", 1)):
            with self.subTest(lacks=lacks):
                self.setUp()
                result = self.run_idle(limits, ASSAY_TEST_LACKS=lacks)
                self.assertEqual(result.code, 0, result.out + result.err)
                case = result.document["cases"][0]
                self.assertEqual(sum(each["status"] == "not_available" for each in case["expectations"]), left_out)
                self.assertEqual("not_available" in self.flags(case), left_out > 0)
        for broken in ("ecc_uncorrected", "rows", "nvlink_crc", "pcie_replays"):
            with self.subTest(broken=broken):
                self.setUp()
                result = self.run_idle(limits, ASSAY_TEST_BROKEN=broken)
                self.assertEqual((result.code, result.document["cases"][0]["reason"]["code"]), (1, "expectation.not-judged"), result.out + result.err)
                self.assertIn("was not read on cuda:0", result.document["cases"][0]["reason"]["text"])

    def test_a_board_with_memory_error_counts_off_is_not_healthy(self):
        result = self.run_idle(SHORT.replace("devices: [cuda:0]}", "devices: [cuda:0], expect: [ecc_uncorrected == 0]}"), ASSAY_TEST_LACKS="ecc_mode")
        self.assertEqual((result.code, result.document["cases"][0]["reason"]["code"]), (1, "expectation.not-judged"), result.out + result.err)

    def test_a_counter_that_went_down_is_told_and_decides_nothing(self):
        result = self.run_idle(SHORT.replace("devices: [cuda:0]}", "devices: [cuda:0], expect: [pcie_replays == 0]}"), ASSAY_TEST_COUNT="-pcie_replays")
        case = result.document["cases"][0]
        self.assertEqual((result.code, case["reason"]["code"]), (1, "expectation.not-judged"), result.out + result.err)
        self.assertIn("counter_reset", self.flags(case))
        self.assertIsNone(next(row for row in case["telemetry"] if row["quantity"] == "pcie_replays")["added"])

    def test_a_broken_management_library_costs_telemetry_only(self):
        for fault in ("hang", "hang_init", "crash"):
            with self.subTest(fault=fault):
                self.setUp()
                result = self.run_idle(ASSAY_TEST_NVML=fault)
                self.assertEqual(result.code, 0, result.out + result.err)
                self.assertEqual(result.document["cases"][0]["outcome"], "passed")
                case = result.document["cases"][0]
                self.assertNotIn("power", {row["quantity"] for row in case["telemetry"]})
                self.assertIn("telemetry_failed", self.flags(case))
                self.assertTrue(case["telemetry_problem"])
                self.assert_nothing_left()

    def test_a_lost_device_is_withdrawn(self):
        result = self.run_idle("cases:\n"
                               "  - {id: a, uses: idle, devices: [cuda:1], measure: {samples: 300, warmup: 1}}\n"
                               "  - {id: b, uses: idle, devices: [cuda:1], measure: {samples: 60, warmup: 1}}\n", ASSAY_TEST_NVML="lost")
        self.assertEqual(result.code, 5, result.out + result.err)
        self.assertIn("not_run", result.outcomes().values())
        reasons = [case["reason"]["text"] for case in result.document["cases"] if case["outcome"] == "not_run"]
        self.assertTrue(all("cuda:1" in text for text in reasons), reasons)


@unittest.skipUnless((RANGES / "assay_ranges.so").exists(), "NVTX's header was not found")
class Ranges(harness.Assay):
    def test_a_profiler_sees_phases_in_the_plugins_domain(self):
        seen = self.folder / "ranges.txt"
        suite = self.write("suite.yaml", "version: 1\nsuite: test\ncases:\n  - {id: t, uses: 'null@host', measure: {samples: 1, warmup: 0}}\n")
        result = self.assay("run", suite.name, "--plugin-dir", RANGES, "-o", self.results,
                            environment={"NVTX_INJECTION64_PATH": str(RANGES / "assay_listener.so"), "ASSAY_TEST_RANGES": str(seen)})
        self.assertEqual(result.code, 0, result.out + result.err)
        lines = seen.read_text(encoding="utf-8").splitlines()
        phases = [line.split(" ", 2)[2] for line in lines if line.startswith("push org.assay.null ") and "null" not in line.split(" ", 2)[2]]
        self.assertEqual(phases[:6], ["probe 0", "prepare 0", "traits 0", "verify 0", "settle 0", "iterate 1"])
        self.assertEqual({phase.split()[0] for phase in phases}, {"probe", "prepare", "traits", "verify", "settle", "iterate", "reseed"})
        self.assertEqual(phases[-2:], ["verify 0", "reseed 0"])
        self.assertIn("push org.assay.null null on host:0 0", lines)
        self.assertEqual(sum(line.startswith("push") for line in lines), sum(line.startswith("pop") for line in lines))


if __name__ == "__main__":
    harness.main()
