#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the component `sdk` into an empty prefix and builds its examples from there, with CMake and with pkg-config."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from commands import run

OPTIONS = None
ENTRY = "assay_plugin_entry_v1"
NAME = re.compile(r"^[a-z][a-z0-9_]*$")


class InstalledSdk(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = pathlib.Path(OPTIONS.work)
        shutil.rmtree(cls.work, ignore_errors=True)
        cls.work.mkdir(parents=True)
        built = cls.work / "as-built"
        run(OPTIONS.cmake, "--install", OPTIONS.build, "--component", "sdk", "--prefix", built)
        # Moved, because nothing in it may hold the path that it was installed to.
        cls.prefix = cls.work / "moved"
        built.rename(cls.prefix)
        cls.environment = {
            "PATH": os.environ["PATH"],
            "PKG_CONFIG_LIBDIR": str(cls.prefix / "share/pkgconfig"),
            "LC_ALL": "C",
        }

    def assert_is_plugin(self, library, manifest_file, identity):
        symbols = [line.split()[-1] for line in run("nm", "-D", "--defined-only", library).splitlines()]
        self.assertEqual(symbols, [ENTRY])
        dynamic = run("readelf", "-d", library)
        self.assertNotIn("assay", "".join(re.findall(r"NEEDED.*", dynamic)))
        self.assertNotIn(str(self.work), dynamic, "no absolute path may be left in it")
        manifest = json.loads(pathlib.Path(manifest_file).read_text(encoding="utf-8"))
        self.assert_manifest(manifest, identity, library.name)

    def assert_manifest(self, manifest, identity, library):
        self.assertEqual(manifest["manifest_version"], 1)
        self.assertEqual(manifest["id"], identity)
        self.assertEqual(manifest["library"], library)
        self.assertEqual(manifest["abi"]["major"], 1)
        self.assertLessEqual(manifest["abi"]["needs_minor"], manifest["abi"]["built_minor"])
        self.assertTrue(manifest["backend"])
        for benchmark in manifest["benchmarks"]:
            self.assertRegex(benchmark["name"], NAME)
            for parameter in benchmark["parameters"]:
                self.assertRegex(parameter["name"], NAME)
                self.assertIn(parameter["type"], ("integer", "number", "boolean", "text"))
            self.assertTrue(any(metric["headline"] for metric in benchmark["metrics"]))
            for metric in benchmark["metrics"]:
                self.assertRegex(metric["name"], NAME)
                self.assertIn(metric["kind"], ("rate", "duration", "value"))
                self.assertIn(metric["direction"], ("higher", "lower", "none"))

    def test_examples_build_as_projects_of_their_own(self):
        for example, name, identity in (("c_minimal", "fill", "org.example.fill"),
                                        ("saxpy_host", "saxpy", "com.acme.saxpy")):
            with self.subTest(example=example):
                source = self.work / example
                shutil.copytree(self.prefix / "share/assay/examples" / example, source)
                build = self.work / f"{example}-build"
                run(OPTIONS.cmake, "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
                    "-DCMAKE_COMPILE_WARNING_AS_ERROR=ON", f"-DCMAKE_INSTALL_PREFIX={build}/installed",
                    env=self.environment)
                run(OPTIONS.cmake, "--build", build, env=self.environment)
                run(OPTIONS.cmake, "--install", build, env=self.environment)
                folder = build / "installed/lib/assay/plugins"
                self.assert_is_plugin(folder / f"{name}.so", folder / f"{name}.assay.json", identity)

    def test_a_compiler_and_pkg_config_are_enough(self):
        source = self.prefix / "share/assay/examples/c_minimal/fill.c"
        library = self.work / "fill.so"
        flags = run("pkg-config", "--cflags", "assay-sdk", env=self.environment).split()
        link = run("pkg-config", "--libs", "assay-sdk", env=self.environment).split()
        run("cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O2", *flags, source, *link, "-o", library)
        manifest = self.work / "fill.assay.json"
        run(self.prefix / "bin/assay-describe", library, "-o", manifest)
        self.assert_is_plugin(library, manifest, "org.example.fill")

    def test_another_major_version_is_refused(self):
        project = self.work / "wants-another"
        project.mkdir()
        (project / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(x LANGUAGES C)\n"
                                                "find_package(assay-sdk 99 CONFIG REQUIRED)\n")
        with self.assertRaisesRegex(AssertionError, "compatible with requested version"):
            run(OPTIONS.cmake, "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                env=self.environment)

    def test_the_cxx_runtime_can_be_inside_and_a_manifest_given(self):
        project = self.work / "carried"
        shutil.copytree(self.prefix / "share/assay/examples/saxpy_host", project)
        (project / "given.json").write_text('{"manifest_version": 1}\n')
        cmake = project / "CMakeLists.txt"
        cmake.write_text(cmake.read_text().replace(
            "SOURCES saxpy.cpp", "SOURCES saxpy.cpp STATIC_CXX_RUNTIME MANIFEST given.json OUTPUT_DIRECTORY out"))
        build = project / "build"
        run(OPTIONS.cmake, "-S", project, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", env=self.environment)
        run(OPTIONS.cmake, "--build", build, env=self.environment)
        library = build / "out/saxpy.so"
        self.assertEqual((build / "out/saxpy.assay.json").read_text(), '{"manifest_version": 1}\n')
        self.assertNotIn("libstdc++", run("readelf", "-d", library))
        symbols = [line.split()[-1] for line in run("nm", "-D", "--defined-only", library).splitlines()]
        self.assertEqual(symbols, [ENTRY])

    def test_describe_says_what_is_wrong_with_a_file(self):
        describe = self.prefix / "bin/assay-describe"
        source = self.work / "no_plugin.c"
        source.write_text("int nothing(void) { return 0; }\n")
        library = self.work / "no_plugin.so"
        run("cc", "-shared", "-fPIC", source, "-o", library)
        leaving, leaves = self.work / "leaves.c", self.work / "leaves.so"
        leaving.write_text("#include <stdlib.h>\n__attribute__((constructor)) static void leave(void) { exit(0); }\n")
        run("cc", "-shared", "-fPIC", leaving, "-o", leaves)
        text = self.work / "text.so"
        text.write_text("not a library\n")
        output = self.work / "never.json"
        for argument, message in ((library, "exports no assay_plugin_entry_v1"), (text, "text.so"), (leaves, "it ended the process while it was loaded"),
                                  (self.work / "absent.so", "No such file")):
            done = subprocess.run([describe, argument, "-o", output], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn(message, done.stderr)
            self.assertFalse(output.exists())
        self.assertEqual(subprocess.run([describe], capture_output=True).returncode, 2)

    def test_contracts_are_installed(self):
        written = {path.name for path in (pathlib.Path(__file__).resolve().parents[2] / "sdk/contracts").glob("*.json")}
        installed = list((self.prefix / "share/assay/contracts").glob("*.json"))
        self.assertEqual({path.name for path in installed}, written)
        for path in installed:
            self.assertEqual(json.loads(path.read_text(encoding="utf-8"))["id"], path.stem.replace("-", "/"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--work", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
