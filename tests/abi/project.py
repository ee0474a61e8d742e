# SPDX-License-Identifier: Apache-2.0
"""A vendor's place for the tests of this folder: the SDK installed by itself, projects built with it, the real command to run them."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = pathlib.Path(os.environ["ASSAY_BUILD"]).resolve()
ASSAY = BUILD / "bin/assay"
# Set by './dev abi', which installs every compiler: there, what is missing is an error.
COMPLETE = bool(os.environ.get("ASSAY_ABI_COMPLETE"))


def run(*command, **keywords):
    """Standard output of a command; its whole output is in the error if it ends with another status than 0."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **keywords)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def tool(*names):
    """The first of these commands that is here, or None."""
    return next((found for found in map(shutil.which, names) if found), None)


def builds(compiler, *options):
    """Whether a C++ program can be built with these options: a compiler may be here, and the library that it is asked for not."""
    with tempfile.TemporaryDirectory(prefix="assay-abi-") as folder:
        source = pathlib.Path(folder) / "program.cpp"
        source.write_text("#include <string>\nint main(int count, char** words) { return std::string(words[0]).size() == 0 ? count : 0; }\n")
        command = [compiler, *options, str(source), "-o", str(source.with_suffix(""))]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


class Vendor(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="assay-abi-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.prefix = cls.folder / "sdk"
        run("cmake", "--install", BUILD, "--component", "sdk", "--prefix", cls.prefix)

    def require(self, found, *packages):
        """Skips what a machine without these packages cannot show; in CI it is an error instead."""
        if not found and COMPLETE:
            self.fail(f"apt-get install {' '.join(packages)}")
        if not found:
            self.skipTest(f"not here; apt-get install {' '.join(packages)}")

    def build(self, name, plugins, languages="C CXX", options=()):
        """Builds a project of one assay_add_plugin() a plugin with the installed SDK; gives the folder that they are in.
        plugins: {name: (source text, file ending, CMake arguments, CMake lines that follow)}."""
        project = self.folder / name
        project.mkdir()
        lines = ["cmake_minimum_required(VERSION 3.25)", f"project({name} LANGUAGES {languages})",
                 "find_package(assay-sdk CONFIG REQUIRED)"]
        for plugin, (source, ending, arguments, more) in plugins.items():
            (project / f"{plugin}.{ending}").write_text(source, encoding="utf-8")
            lines += [f"assay_add_plugin({plugin} SOURCES {plugin}.{ending} OUTPUT_DIRECTORY out {arguments})", more]
        (project / "CMakeLists.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        run("cmake", "-S", project, "-B", project / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}",
            "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_COMPILE_WARNING_AS_ERROR=ON", *options)
        run("cmake", "--build", project / "build", "-j", "2")
        return project / "build/out"

    def assay(self, *arguments):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("ASSAY_")}
        environment.update(HOME=str(self.folder), ASSAY_LOCK_FOLDER=str(self.folder / "locks"), NO_COLOR="1")
        return subprocess.run([str(ASSAY), *map(str, arguments)], cwd=self.folder, env=environment, timeout=120,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)

    def run_suite(self, folders, cases):
        """Runs one suite over the plugins of all folders; gives what was done and {case: its part of the document}.
        cases: {id: (uses, {parameter: value})}."""
        lines = ["version: 1", "suite: abi", "requires: {backend: host}",
                 "defaults: {measure: {samples: 3, warmup: 0, max_time: 1s}}", "cases:"]
        lines += [f"  - {json.dumps({'id': name, 'uses': uses, 'with': values, 'devices': 1})}"
                  for name, (uses, values) in cases.items()]
        self.suites = getattr(self, "suites", 0) + 1
        suite = self.folder / f"{self.id()}.{self.suites}.yaml"
        suite.write_text("\n".join(lines) + "\n", encoding="utf-8")
        results = suite.with_suffix(".results")
        plugins = [argument for folder in folders for argument in ("--plugin-dir", folder)]
        done = self.assay("run", suite, *plugins, "-o", results)
        document = results / "result.json"
        self.assertTrue(document.exists(), done.stderr)
        return done, {case["case"]: case for case in json.loads(document.read_text(encoding="utf-8"))["cases"]}

    def assert_passed(self, done, cases, checked):
        """Every case passed; `checked` {case: values that one verification looks at, or None where a plugin verifies nothing}."""
        self.assertEqual({name: case["outcome"] for name, case in cases.items()}, dict.fromkeys(checked, "passed"), done.stderr)
        self.assertEqual(done.returncode, 0)
        for name, values in checked.items():
            verification = cases[name]["verification"] or {"verified": False}
            self.assertEqual(verification["verified"], values is not None, name)
            if values is not None:
                self.assertEqual((verification["checked"] % values, verification["wrong"]), (0, 0), name)
                self.assertGreater(verification["checked"], 0, name)


def example(file):
    return (ROOT / "sdk/examples" / file).read_text(encoding="utf-8")


def renamed(source, ident, variant):
    """The same plugin under an id of its own, so that many builds of it can stand side by side."""
    text, count = re.subn(rf'"{re.escape(ident)}"', f'"{ident}.{variant}"', source)
    text, quoted = re.subn(rf'\\"{re.escape(ident)}\\"', rf'\\"{ident}.{variant}\\"', text)
    assert count + quoted > 0, ident
    return text
