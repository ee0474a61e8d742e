#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A manifest runs nothing: what reads it alone goes on where the library is a trap, or is not there at all."""

import json
import shutil
import subprocess

import harness
from harness import Assay, HEADER

READERS = (["list"], ["describe", "series"], ["validate", "suite.yaml"], ["run", "suite.yaml", "--dry-run", "--inventory", "machine.json"])


class Manifest(Assay):
    def setUp(self):
        super().setUp()
        self.plugins = self.folder / "plugins"
        self.plugins.mkdir()
        shutil.copy(harness.FIXTURES / "assay_fake.assay.json", self.plugins)
        self.write("suite.yaml", HEADER + "cases:\n  - {id: a, uses: series}\n")
        device = {"name": "fake:0", "uuid": "FAKE-0", "model": "Fake accelerator", "numa_node": -1, "facts": {}}
        self.write("machine.json", json.dumps({"inventory_version": 1, "backends": [
            {"name": "fake", "plugin": "org.assay.fake", "facts": {}, "unavailable": None, "devices": [device]}]}))

    def read_all(self):
        for words in READERS:
            with self.subTest(words):
                done = self.assay(*words, "--plugin-dir", self.plugins)
                self.assertEqual(done.code, 0, done.out + done.err)
                self.assertRegex(done.out, r"series|valid|fake:0")

    def test_what_reads_manifests_does_without_the_library(self):
        self.read_all()

    def test_what_reads_manifests_loads_no_library(self):
        """One that says so by a file when it is loaded, and ends its process."""
        source = self.write("trap.c", "#include <fcntl.h>\n#include <unistd.h>\n__attribute__((constructor)) static void trap(void) {\n"
                                      f"  close(open(\"{self.folder}/loaded\", O_CREAT | O_WRONLY, 0600));\n  _exit(9);\n}}\n"
                                      "void *assay_plugin_entry_v1(void) { return 0; }\n")
        subprocess.run(["cc", "-shared", "-fPIC", source, "-o", self.plugins / "assay_fake.so"], check=True)
        self.read_all()
        self.assertEqual(self.assay("plugin", "info", self.plugins / "assay_fake.so").code, 0)
        self.assertFalse((self.folder / "loaded").exists())
        self.assay("run", "suite.yaml", "--plugin-dir", self.plugins, "-o", self.results)
        self.assertTrue((self.folder / "loaded").exists(), "it is not a trap")


if __name__ == "__main__":
    harness.main()
