# SPDX-License-Identifier: Apache-2.0
"""What tests on a GPU share: the integration tests' harness, with the plugins for GPUs."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))

import harness  # noqa: E402  (its folder was added just now)

FIXTURES = pathlib.Path(os.environ["ASSAY_GPU_FIXTURES"]).resolve()

HEADER = "version: 1\nsuite: test\nrequires: {backend: cuda}\n"


class Gpu(harness.Assay):
    def run_suite(self, text, *arguments, **keywords):
        suite = self.write("suite.yaml", HEADER + text)
        return self.assay("run", suite.name, "--plugin-dir", FIXTURES, "-o", self.results, *arguments, **keywords)

    def inventory(self, **keywords):
        done = self.assay("system", "--json", **keywords)
        self.assertEqual(done.code, 0, done.err)
        return next(backend for backend in harness.json.loads(done.out)["backends"] if backend["name"] == "cuda")

    def assert_passed(self, result):
        self.assertEqual(result.code, 0, result.out + result.err)
        self.assertEqual(set(result.outcomes().values()), {"passed"})


def nvidia_smi(*fields):
    """Rows of nvidia-smi's answer, of the GPUs that the tests may use; None where it is missing."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return None
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    chosen = ["-i", visible] if visible else []
    done = subprocess.run([program, *chosen, f"--query-gpu={','.join(fields)}", "--format=csv,noheader,nounits"], capture_output=True, text=True)
    return [re.split(r",\s*", line) for line in done.stdout.splitlines()] if done.returncode == 0 else None


def main():
    unittest.main(verbosity=2, argv=[sys.argv[0], *sys.argv[1:]])
