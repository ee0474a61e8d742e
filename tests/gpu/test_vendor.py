#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A CUDA project made by `assay plugin new` builds from the package alone and passes every check on this GPU."""

import json
import shutil
import subprocess
import unittest

import gpu
import harness


@unittest.skipUnless(shutil.which("nvcc") and shutil.which("cmake"), "there is no nvcc or no cmake")
class Vendor(gpu.Gpu):
    def run_in(self, folder, *command):
        done = subprocess.run([str(part) for part in command], cwd=folder, env=self.environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def test_a_new_cuda_project_passes_every_check(self):
        self.assertEqual(self.assay("plugin", "new", "gpu_axpy", "--lang", "cuda").code, 0)
        project = self.folder / "gpu_axpy"
        self.run_in(project, "cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={harness.BUILD}", "-DCMAKE_CUDA_ARCHITECTURES=native")
        self.run_in(project, "cmake", "--build", "build")
        self.assertIn("100% tests passed", self.run_in(project, "ctest", "--test-dir", "build", "--output-on-failure"))
        checked = self.assay("plugin", "check", project / "build/gpu_axpy.so", "--format", "json", timeout=600)
        self.assertEqual({check["id"]: check["text"] for check in json.loads(checked.out)["checks"] if check["result"] in ("failed", "not_checked")}, {})
        self.assertEqual(checked.code, 0, checked.out)


if __name__ == "__main__":
    gpu.main()
