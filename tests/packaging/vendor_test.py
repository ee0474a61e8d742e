#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a vendor does with the installed package alone: makes a project in each language, builds, tests and packages it; and the example
of a backend of one's own, on which a suite that others wrote runs unchanged."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

OPTIONS = None


class Vendor(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.work = pathlib.Path(tempfile.mkdtemp(prefix="assay-vendor-"))
        cls.addClassCleanup(shutil.rmtree, cls.work, ignore_errors=True)
        installed = cls.work / "installed"
        for component in ("runtime", "plugins", "sdk"):
            subprocess.run([OPTIONS.cmake, "--install", OPTIONS.build, "--component", component, "--prefix", installed], check=True,
                           capture_output=True)
        cls.prefix = cls.work / "moved"
        installed.rename(cls.prefix)
        cls.environment = {"PATH": os.environ["PATH"], "HOME": str(cls.work), "LC_ALL": "C.UTF-8", "NO_COLOR": "1",
                           "ASSAY_LOCK_FOLDER": str(cls.work / "locks")}

    def run_in(self, folder, *command, code=0):
        done = subprocess.run([str(part) for part in command], cwd=folder, env=self.environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, code, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def assay(self, *arguments, folder=None, code=0):
        return self.run_in(folder or self.work, self.prefix / "bin/assay", *arguments, code=code)

    def configure(self, project, *arguments, code=0):
        return self.run_in(project, OPTIONS.cmake, "-B", "build", f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCMAKE_COMPILE_WARNING_AS_ERROR=ON",
                           "-DCMAKE_C_FLAGS=-Wall -Wextra -Wpedantic", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic", *arguments, code=code)

    def test_a_new_project_builds_passes_checks_and_packages_itself(self):
        for language, name in (("c", "copier"), ("c++", "my_axpy")):
            with self.subTest(language):
                self.assertIn(f"made {name}/", self.assay("plugin", "new", name, "--lang", language))
                project = self.work / name
                self.assertNotIn("@", "".join(path.read_text() for path in project.rglob("*") if path.is_file()).replace(f"{name}@host", ""))
                self.configure(project)
                self.run_in(project, OPTIONS.cmake, "--build", "build")
                out = self.run_in(project, "ctest", "--test-dir", "build", "--output-on-failure")
                self.assertIn("100% tests passed, 0 tests failed out of 2", out)
                report = json.loads(self.assay("plugin", "check", project / f"build/{name}.so", "--format", "json"))
                self.assertEqual({check["id"]: check["text"] for check in report["checks"] if check["result"] in ("failed", "not_checked")}, {})
                self.assertEqual(next(check["result"] for check in report["checks"] if check["id"] == "verify-can-fail"), "passed")
                self.run_in(project, OPTIONS.cmake, "--build", "build", "--target", "package")
                with tarfile.open(next((project / "build").glob(f"{name}-0.1.0-*.tar.gz"))) as archive:
                    archive.extractall(project / "unpacked")
                folder = next((project / "unpacked").glob("*/lib/assay/plugins"))
                self.assertEqual({path.name for path in folder.iterdir()}, {f"{name}.so", f"{name}.assay.json"})
                self.assertIn(f"com.example.{name} 0.1.0", self.assay("list", "-v", "--plugin-dir", folder))

    def test_a_new_reporter_reports_and_a_new_backend_lists_devices(self):
        for kind, name in (("reporter", "wiki"), ("backend", "disks")):
            with self.subTest(kind):
                self.assertIn(f"made {name}/", self.assay("plugin", "new", name, "--kind", kind))
                project = self.work / name
                self.assertNotRegex("".join(path.read_text() for path in project.rglob("*") if path.is_file()), "@[A-Za-z_]+@")
                self.configure(project)
                self.run_in(project, OPTIONS.cmake, "--build", "build")
                out = self.run_in(project, "ctest", "--test-dir", "build", "--output-on-failure")
                self.assertIn("100% tests passed, 0 tests failed out of 2", out)
                self.run_in(project, OPTIONS.cmake, "--build", "build", "--target", "package")
        report = (self.work / "wiki/build/example.txt").read_text()
        self.assertRegex(report, r"(?m)^passed  slow  [a-z_]+ 0\.0[0-9]+ s( \[.*\])?$")
        rendered = self.work / "again.txt"
        plugin = self.work / "wiki/build/wiki.so"
        result = next((self.work / "wiki/build/assay-results").glob("*/result.json"))
        self.assay("report", result, "-q", "--plugin", plugin, "--report", f"wiki:failed=true={rendered}")
        self.assertEqual(rendered.read_text(), "")
        inventory = json.loads(self.assay("system", "--json", "--plugin", self.work / "disks/build/disks.so"))
        backend = next(each for each in inventory["backends"] if each["name"] == "disks")
        self.assertEqual([device["facts"]["disk"] for device in backend["devices"]], sorted(os.listdir("/sys/block")))

    def test_the_command_of_plugin_new_runs_from_the_build_folder(self):
        for prefix in (pathlib.Path(OPTIONS.build).resolve(), self.prefix):
            with self.subTest(prefix):
                folder = self.work / f"next-{prefix.name}"
                folder.mkdir()
                out = self.run_in(folder, prefix / "bin/assay", "plugin", "new", "copier")
                command = out.strip().splitlines()[-1]
                self.assertTrue(command.startswith("next: cd copier && "), out)
                # ctest would measure; the tests of a project are run above.
                out = self.run_in(folder, "sh", "-c", command.removeprefix("next: ").replace("ctest", "ctest -N"))
                self.assertIn("Total Tests: 2", out)
                self.assertEqual((folder / "copier/build/CMakeCache.txt").read_text().count(f"={prefix}/bin/assay\n"), 1)

    def test_what_the_installed_pages_link_to_is_installed(self):
        pages = sorted((self.prefix / "share/doc/assay").rglob("*.md"))
        self.assertIn("README.md", {page.name for page in pages})
        self.assertIn("first-suite.md", {page.name for page in pages})
        dead = []
        for page in pages:
            text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
            links = re.findall(r"\]\(([^)#\s]+)", text)
            dead += [f"{page.name}: {link}" for link in links if "://" not in link and not (page.parent / link).exists()]
        self.assertEqual(dead, [])

    def test_a_cuda_project_says_what_is_missing_or_builds(self):
        self.assay("plugin", "new", "gpu_axpy", "--lang", "cuda")
        project = self.work / "gpu_axpy"
        out = self.configure(project, "-DCMAKE_CUDA_COMPILER=", code=1)
        self.assertIn("gpu_axpy needs the CUDA compiler, and no nvcc was found", " ".join(out.split()))
        source = (project / "src/gpu_axpy.cu").read_text()
        self.assertIn("class GpuAxpy final", source)
        self.assertIn("com.example.gpu_axpy", source)
        self.assay("validate", project / "suites/gpu_axpy.yaml", code=3)  # nobody provides the benchmark yet
        shutil.rmtree(project / "build")
        nvcc = shutil.which("nvcc", path=os.environ["PATH"] + ":/usr/local/cuda/bin")
        if nvcc is None:
            self.skipTest("no nvcc: the source was not compiled")
        self.configure(project, f"-DCMAKE_CUDA_COMPILER={nvcc}", "-DCMAKE_CUDA_ARCHITECTURES=90")
        self.run_in(project, OPTIONS.cmake, "--build", "build")
        done = subprocess.run([self.prefix / "bin/assay", "plugin", "check", "build/gpu_axpy.so", "--format", "json"], cwd=project,
                              env=self.environment, capture_output=True, text=True)
        checks = json.loads(done.stdout)["checks"]
        self.assertEqual([check for check in checks if check["result"] == "failed"], [])
        self.assertIn(done.returncode, (0, 6), done.stdout)
        self.assay("validate", project / "suites/gpu_axpy.yaml", "--plugin", project / "build/gpu_axpy.so")

    def test_names_that_its_source_uses_make_a_project_too(self):
        folder = self.work / "names"
        folder.mkdir()
        nvcc = shutil.which("nvcc", path=os.environ["PATH"] + ":/usr/local/cuda/bin")
        include = f"-I{self.prefix}/include"
        compilers = {"c": ["cc", "-std=c99", "-fsyntax-only"], "c++": ["c++", "-std=c++17", "-fsyntax-only"],
                     "cuda": nvcc and [nvcc, "-std=c++17", "-arch=sm_90", "-c", "-o", folder / "object"]}
        for language, names in (("c", ("benchmark", "assay_case", "int", "open_plugin")), ("cuda", ("set", "expected")),
                                ("c++", ("benchmark", "about", "params", "case", "data", "random", "description", "host_buffer", "std", "class", "null"))):
            for name in names:
                with self.subTest(name, language=language):
                    self.assay("plugin", "new", name, "--lang", language, folder=folder)
                    source = next((folder / name / "src").iterdir())
                    if compilers[language]:
                        self.run_in(folder, *compilers[language], include, source)
                    shutil.rmtree(folder / name)
        for kind, names in (("reporter", ("reporter", "files", "options", "json", "number", "std")), ("backend", ("backend", "inventory", "readings", "disks"))):
            for name in names:
                with self.subTest(name, kind=kind):
                    self.assay("plugin", "new", name, "--kind", kind, folder=folder)
                    self.run_in(folder, *compilers["c++"], include, folder / name / f"src/{name}.cpp")
                    shutil.rmtree(folder / name)
        self.assay("plugin", "new", "benchmark", folder=folder)
        self.assertIn("class BenchmarkBenchmark final", (folder / "benchmark/src/benchmark.cpp").read_text())
        self.configure(folder / "benchmark")
        self.run_in(folder / "benchmark", OPTIONS.cmake, "--build", "build")
        self.assertIn("100% tests passed", self.run_in(folder / "benchmark", "ctest", "--test-dir", "build", "--output-on-failure"))

    def test_what_cannot_be_made_is_refused_and_nothing_is_written(self):
        full = self.work / "full"
        full.mkdir()
        (full / "mine.txt").write_text("keep\n")
        (self.work / "a_file").write_text("keep\n")
        before = sorted(self.work.iterdir())
        for arguments, words in ((["full"], "'full' is there already"), (["a_file"], "not an empty folder"), (["My-Bench"], "lower-case letters"),
                                 (["../up"], "lower-case letters"), (["9lives"], "lower-case letters"), ([""], "lower-case letters"),
                                 (["test"], "target of that name; 'test_bench' would do"),
                                 (["external"], "'external_bench' would do"), (["x" * 61], "more than 60"), (["fine", "--lang", "cdua"], "did you mean 'cuda'"),
                                 (["fine", "--lang", "common"], "no template"), (["fine", "--lang", "../c"], "no template"),
                                 (["fine", "--kind", "reprter"], "did you mean 'reporter'"), (["fine", "--kind", "common"], "no template"),
                                 (["fine", "--kind", "reporter", "--lang", "c"], "no template for a reporter in 'c'")):
            with self.subTest(arguments):
                self.assertIn(words, self.assay("plugin", "new", *arguments, code=2))
        self.assertEqual(sorted(self.work.iterdir()), before)
        self.assertEqual([path.name for path in full.iterdir()], ["mine.txt"])
        (self.work / "empty").mkdir()
        self.assertIn("made empty/", self.assay("plugin", "new", "empty"))

    def test_a_backend_of_ones_own(self):
        project = self.work / "acme"
        shutil.copytree(self.prefix / "share/assay/examples/acme", project)
        self.configure(project)
        self.run_in(project, OPTIONS.cmake, "--build", "build")
        self.assertIn("100% tests passed", self.run_in(project, "ctest", "--test-dir", "build", "--output-on-failure"))
        plugins = project / "build"

        # A suite that was written for other devices.
        chosen = [word for case in ("membw", "latency", "gemm") for word in ("--set", f"{case}.backend=acme")]
        self.assay("run", "quick", "--plugin-dir", plugins, *chosen, "-q", "-o", self.work / "quick")
        document = json.loads((self.work / "quick/result.json").read_text())
        self.assertEqual({case["outcome"] for case in document["cases"]}, {"passed"})
        self.assertEqual(len(document["cases"]), 12)  # each on its two devices at once
        for case in document["cases"]:
            self.assertEqual((case["placement"]["devices"], case["placement"]["load"]), (["acme:0", "acme:1"], "together"))
            self.assertIn("simulated", [flag["code"] for flag in case["flags"]], case["id"])

        # Two providers on one backend: the suite says which.
        suite = self.work / "two.yaml"
        text = "version: 1\nsuite: two\nrequires: {backend: acme}\ncases:\n  - {id: a, uses: %s, with: {bytes: 256MiB}}\n"
        both = ["--plugin-dir", plugins, "--plugin-dir", plugins / "fast"]
        suite.write_text(text % "membw")
        out = self.assay("validate", suite, *both, code=3)
        for words in ("two.yaml:5:", "'com.acme.membw' and 'org.fast.membw'", "write membw@acme:com.acme.membw"):
            self.assertIn(words, out)
        rates = {}
        for provider in ("com.acme.membw", "org.fast.membw"):
            suite.write_text(text % f"'membw@acme:{provider}'")
            self.assay("run", suite, *both, "-q", "-o", self.work / provider)
            case = json.loads((self.work / provider / "result.json").read_text())["cases"][0]
            rates[provider] = case["metrics"][0]["value"]
        self.assertGreater(rates["org.fast.membw"], 1.05 * rates["com.acme.membw"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--cmake", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
