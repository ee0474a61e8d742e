#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plugins of other generations of the interface meet today's host: built with frozen headers, with a grown one, for another major."""

import re
import unittest

import surface
from project import HERE, ROOT, Vendor, run

TODAY = (ROOT / "sdk/include/assay/abi/v1.h").read_text(encoding="utf-8")
MINOR, OLDEST, PREVIEW = (surface.number(TODAY, f"ASSAY_ABI_{name}") for name in ("MINOR", "OLDEST_MINOR", "PREVIEW"))

# What a later minor might add: a field at the tail of what the host passes, fills in and reads.
GROWTH = (
    ("struct assay_case {", "double power_w;"),
    ("typedef struct assay_sample {", "double energy_j;"),
    ("typedef struct assay_benchmark_v1 {", "assay_status (*pause)(void* instance);"),
    ("typedef struct assay_plugin_v1 {", "const char* vendor_note;"),
)


def grown(header, minor):
    """A later minor's header, stable, made from this one."""
    for opening, field in GROWTH:
        begin = header.index(opening)
        end = header.index("\n}", begin)
        header = header[:end] + "\n  " + field + header[end:]
    header = re.sub(r"(#define ASSAY_ABI_MINOR) \d+", rf"\1 {minor}", header)
    return re.sub(r"(#define ASSAY_ABI_PREVIEW) \d+", r"\1 0", header)


class Generations(Vendor):
    def plugin(self, name, include, *options, manifest=None):
        """Builds generation.c against one header; gives the folder of the plugin, whose id is org.example.NAME."""
        folder = self.folder / self.id() / name
        folder.mkdir(parents=True)
        library = folder / f"{name}.so"
        run("gcc", "-std=c99", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden",
            "-I", include, f'-DIDENTITY="org.example.{name}"', *options, HERE / "plugins/generation.c", "-o", library)
        if manifest is None:
            run(self.prefix / "bin/assay-describe", library, "-o", folder / f"{name}.assay.json")
        else:
            (folder / f"{name}.assay.json").write_text(manifest.replace("NAME", name), encoding="utf-8")
        return folder

    def include(self, name, header):
        path = self.folder / self.id() / name / "assay/abi/v1.h"
        path.parent.mkdir(parents=True)
        path.write_text(header, encoding="utf-8")
        return path.parents[2]

    def run_one(self, folder):
        done, cases = self.run_suite([folder], {"case": ("generation", {})})
        return done, cases["case"]

    def assert_served(self, folder):
        done, cases = self.run_suite([folder], {"case": ("generation", {})})
        self.assert_passed(done, cases, {"case": 1})

    def assert_refused(self, folder, sentence):
        done, case = self.run_one(folder)
        self.assertEqual((case["outcome"], case["reason"]["code"]), ("error", "plugin.load"), done.stderr)
        self.assertIn(sentence, case["reason"]["text"])
        self.assertEqual(done.returncode, 5)

    def test_an_older_sdk(self):
        for path in sorted((HERE / "frozen").iterdir()):
            minor = int(path.name.removeprefix("v1."))
            with self.subTest(minor=minor):
                folder = self.plugin(f"older{minor}", path)
                if minor >= OLDEST:
                    self.assert_served(folder)
                else:
                    self.assert_refused(folder, f"it was built for the preview interface 1.{minor}, this Assay speaks 1.{MINOR}; "
                                                "build it again")

    def test_a_newer_sdk(self):
        include = self.include("include", grown(TODAY, MINOR + 1))
        folder = self.plugin("newer", include, "-DGROWN")
        if PREVIEW:
            self.assert_refused(folder, f"it was built for interface 1.{MINOR + 1}, this Assay speaks 1.{MINOR} as a preview, which "
                                        "serves no other minor; use a newer Assay")
        else:
            self.assert_served(folder)

    def test_a_newer_sdk_that_the_host_is_too_old_for(self):
        include = self.include("include", grown(TODAY, MINOR + 1))
        folder = self.plugin("demanding", include, "-DGROWN", "-DNEEDS_MINOR=ASSAY_ABI_MINOR")
        self.assert_refused(folder, f"it needs interface 1.{MINOR + 1}, this Assay speaks 1.{MINOR}; use a newer Assay")

    def test_what_only_a_newer_sdk_has_is_absent_and_does_no_harm(self):
        # Claims today's minor, so that a preview's host serves it, too: its structs are larger than the host's all the same.
        include = self.include("include", grown(TODAY, MINOR + 1))
        self.assert_served(self.plugin("larger", include, "-DGROWN", f"-DBUILT_MINOR={MINOR}"))

    MANIFEST = ('{"manifest_version": 1, "id": "org.example.NAME", "version": "1.0.0", "backend": "host", "library": "NAME.so",\n'
                ' "benchmarks": [{"name": "generation", "summary": "s", "parameters": [], "metrics": []}],\n'
                ' "abi": {"major": MAJOR, "built_minor": 0, "needs_minor": 0}}\n')

    def test_another_major_is_refused_by_its_manifest(self):
        folder = self.plugin("major2", ROOT / "sdk/include", "-DENTRY=assay_plugin_entry_v2",
                             manifest=self.MANIFEST.replace("MAJOR", "2"))
        done = self.assay("list", "--plugin-dir", folder)
        self.assertIn("the plugin speaks ABI 2; this program speaks ABI 1", done.stdout + done.stderr)

    def test_another_major_is_refused_by_its_symbol(self):
        folder = self.plugin("liar", ROOT / "sdk/include", "-DENTRY=assay_plugin_entry_v2",
                             manifest=self.MANIFEST.replace("MAJOR", "1"))
        self.assert_refused(folder, "it does not export assay_plugin_entry_v1; it is not a plugin of Assay's interface 1")


if __name__ == "__main__":
    unittest.main()
