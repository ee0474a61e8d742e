# SPDX-License-Identifier: Apache-2.0
"""What tests of ranks on several GPUs share: NCCL, and an NCCL in which something happens to one rank."""

import ctypes
import pathlib
import time

import gpu


def loaded(name, part):
    """The file that a program gets that asks for a library, whose path has such a part; None if there is none."""
    try:
        ctypes.CDLL(name)
    except OSError:
        return None
    lines = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    return next((line.split()[-1] for line in lines if part in line), None)


def real_nccl():
    return loaded("libnccl.so.2", "/libnccl.so")


class Several(gpu.Gpu):
    """Tests on two GPUs or more."""

    def setUp(self):
        super().setUp()
        self.count = len(self.inventory()["devices"])
        if self.count < 2:
            self.skipTest(f"needs two GPUs, {self.count} found")
        if real_nccl() is None:
            self.skipTest("there is no libnccl.so.2")

    def assert_verified(self, result, cases):
        self.assert_passed(result)
        self.assertEqual(len(result.document["cases"]), cases)
        for case in result.document["cases"]:
            self.assertTrue(case["verification"]["verified"], case["id"])


class FaultyNccl(Several):
    """A subclass says which case: `CASE`, its lines from `uses` on, which calls ncclAllReduce or ncclReduceScatter."""

    def faulty(self, fault, timeout="8s", launch="stream"):
        """A case to which `fault` happens in rank 1, one after it in the same environment but without it, and one with clean ranks."""
        shim = gpu.FIXTURES / "assay_faulty_nccl.so"
        if not shim.exists():
            self.skipTest("assay_faulty_nccl.so does not lie beside the fixtures")
        library = self.folder / "nccl"
        library.mkdir(exist_ok=True)
        (library / "libnccl.so.2").unlink(missing_ok=True)
        (library / "libnccl.so.2").symlink_to(shim.resolve())
        begin = time.monotonic()
        result = self.run_suite(f"""defaults: {{devices: all, measure: {{samples: 20, warmup: 10}}}}
cases:
  - id: a
    {self.CASE}
    timeout: {timeout}
    measure: {{launch: {launch}}}
    env: {{LD_LIBRARY_PATH: '{library}', FAULTY_NCCL_REAL: '{real_nccl()}', FAULTY_NCCL: {fault}, FAULTY_NCCL_RANK: '1', FAULTY_NCCL_FROM: '40'}}
  - id: b
    {self.CASE}
""", "--seed", "2", timeout=120)
        print(f"\n    {fault}: {time.monotonic() - begin:.1f} s, {(result.case('a')['reason'] or {}).get('text')}")
        self.assert_nothing_left()
        self.assertEqual(result.outcomes()["b"], "passed", result.out + result.err)
        used = gpu.nvidia_smi("memory.used")
        if used:
            self.assertLess(max(float(row[0]) for row in used), 2000, "device memory was not given back")
        return result, result.case("a")
