#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A step of plugins/lib/model and one of PyTorch from the same weights have one loss and the same gradients; with a sign error in one gradient they
have not. torch_test.py WRITE_STEP [NEGATED_GRADIENT]. Skipped, with exit status 77, where no python3 has PyTorch."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent


def python_with_torch():
    """The build's interpreter or the distribution's, whose package python3-torch is; and what each of them said."""
    said = []
    for python in dict.fromkeys([sys.executable, "/usr/bin/python3", shutil.which("python3")]):
        if python is None or not os.access(python, os.X_OK):
            continue
        tried = subprocess.run([python, "-c", "import torch"], capture_output=True, text=True, timeout=120, check=False)
        if tried.returncode == 0:
            return python, said
        said.append(f"{python}: {(tried.stderr.strip().splitlines() or ['no word'])[-1]}")
    return None, said


class Torch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compared(self, block, environment=None):
        """compare.py's exit status and what it printed."""
        subprocess.run([WRITE_STEP, block, self.folder], check=True, timeout=60, env={**os.environ, **(environment or {})})
        ended = subprocess.run([PYTHON, "-B", HERE / "compare.py", self.folder], capture_output=True, text=True, timeout=120, check=False)
        print(ended.stdout.splitlines()[0] if ended.stdout else ended.stderr)
        return ended.returncode, ended.stdout + ended.stderr

    def test_loss_and_gradients_are_those_of_pytorch(self):
        for block in ("bert", "gpt", "llama", "mlp"):
            with self.subTest(block):
                code, text = self.compared(block)
                self.assertEqual(code, 0, text)

    def test_a_sign_error_in_one_gradient_is_found(self):
        if NEGATED is None:
            self.skipTest("built without the library that plants it")
        # The first product of a transposed factor with 96 rows is of the last layer's ffn: the backward pass begins behind.
        code, text = self.compared("bert", {"LD_PRELOAD": NEGATED, "NEGATE_ROWS": "96", "NEGATE_FROM": "2"})
        self.assertEqual(code, 1, text)
        self.assertIn("the gradient of layer 0 ffn up weight is off by 2 of its norm", text)
        self.assertEqual(text.count("is off by"), 1, text)


if __name__ == "__main__":
    WRITE_STEP = sys.argv[1]
    NEGATED = sys.argv[2] if len(sys.argv) > 2 else None
    PYTHON, WHY = python_with_torch()
    if PYTHON is None:
        print("skipped: no python3 has PyTorch (apt-get install python3-torch): " + "; ".join(WHY))
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
