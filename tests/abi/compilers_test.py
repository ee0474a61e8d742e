#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One host, plugins of every build: the examples built by other compilers, standards and C++ libraries, run in one suite."""

import unittest

from project import HERE, Vendor, builds, example, renamed, run, tool

SAXPY, FILL, THROWER = "com.acme.saxpy", "org.example.fill", "org.assay.thrower"
ELEMENTS, BYTES = 65536, 1 << 20


def in_cxx(kind, source, variant, standard, arguments, compile_options, link_options):
    name = f"{kind}_{variant}"
    more = (f"set_target_properties({name} PROPERTIES CXX_STANDARD {standard} CXX_EXTENSIONS OFF)\n"
            f"target_compile_options({name} PRIVATE {compile_options})\ntarget_link_options({name} PRIVATE {link_options})\n")
    return {name: (source, "cpp", arguments, more)}


def saxpy(variant, standard, arguments="", *, compile_options="", link_options=""):
    source = renamed(example("saxpy_host/saxpy.cpp"), SAXPY, variant)
    return in_cxx("saxpy", source, variant, standard, arguments, compile_options, link_options)


def thrower(variant, arguments="", *, compile_options="", link_options=""):
    source = renamed((HERE / "plugins/thrower.cpp").read_text(encoding="utf-8"), THROWER, variant)
    return in_cxx("thrower", source, variant, 17, arguments, compile_options, link_options)


def fill(variant, standard, options="-Wall -Wextra -Wpedantic"):
    more = (f"set_target_properties(fill_{variant} PROPERTIES C_STANDARD {standard} C_EXTENSIONS OFF)\n"
            f"target_compile_options(fill_{variant} PRIVATE {options})")
    return {f"fill_{variant}": (renamed(example("c_minimal/fill.c"), FILL, variant), "c", "", more)}


def smallest():
    source = (HERE / "plugins/smallest.c").read_text(encoding="utf-8")
    manifest = f"MANIFEST {HERE / 'plugins/smallest.assay.json'}"
    return {"smallest": (source, "c", manifest, "set_target_properties(smallest PROPERTIES C_STANDARD 99)")}


def needed(library):
    return [line.split("[")[1].rstrip("]") for line in run("readelf", "-d", library).splitlines() if "(NEEDED)" in line]


class Compilers(Vendor):
    def run_all(self, folder, plugins):
        """All plugins of the folder in one suite, every value verified; each exports its entry and nothing else."""
        cases, checked = {}, {}
        for name in plugins:
            kind, _, variant = name.partition("_")
            if kind == "saxpy":
                cases[name] = (f"saxpy@host:{SAXPY}.{variant}", {"elements": ELEMENTS})
                checked[name] = ELEMENTS
            elif kind == "fill":
                cases[name] = (f"fill@host:{FILL}.{variant}", {"bytes": BYTES})
                checked[name] = BYTES
            elif kind == "smallest":
                cases[name] = ("smallest", {})
                checked[name] = None
            symbols = [line.split()[-1] for line in run("nm", "-D", "--defined-only", folder / f"{name}.so").splitlines()]
            self.assertEqual(symbols, ["assay_plugin_entry_v1"], name)
        self.assert_passed(*self.run_suite([folder], cases), checked)

    # What a thrown thing comes to: (outcome, part of the reason's text).
    THROWN = {"nothing": ("passed", None), "failure": ("error", "a failure of the plugin's"), "skip": ("skipped", "nothing to measure here"),
              "standard": ("error", "basic_string"), "other": ("error", "something that is not a std::exception")}

    def assert_exceptions_stay_inside(self, folder, plugins):
        """Every kind of exception in every build, in one suite: an outcome with its reason, never a crash."""
        variants = [name.partition("_")[2] for name in plugins if name.startswith("thrower")]
        cases = {f"{variant}-{what}": (f"thrower@host:{THROWER}.{variant}", {"what": what})
                 for variant in variants for what in self.THROWN}
        done, seen = self.run_suite([folder], cases)
        for name, case in seen.items():
            outcome, text = self.THROWN[name.rpartition("-")[2]]
            self.assertEqual(case["outcome"], outcome, f"{name}: {case['reason']}{done.stderr}")
            if text and not (text == "basic_string" and "libcxx" in name):  # each library has words of its own
                self.assertIn(text, case["reason"]["text"], name)

    def test_gcc_at_every_standard_and_with_its_runtime_inside(self):
        plugins = {
            **saxpy("gcc17", 17), **saxpy("gcc20", 20), **saxpy("gcc23", 23),
            **saxpy("gccinside", 17, "STATIC_CXX_RUNTIME"),
            **saxpy("gccold", 17, compile_options="-D_GLIBCXX_USE_CXX11_ABI=0"),
            **saxpy("gccdebug", 17, compile_options="-O0 -g -D_GLIBCXX_ASSERTIONS"),
            **saxpy("gccplain", 17, compile_options="-fno-rtti"),
            **thrower("gcc"), **thrower("gccinside", "STATIC_CXX_RUNTIME"),
            **fill("gcc99", 99), **fill("gcc11", 11), **fill("gcc17", 17),
        }
        folder = self.build("gcc", plugins, options=("-DCMAKE_C_COMPILER=gcc", "-DCMAKE_CXX_COMPILER=g++"))
        self.assertNotIn("libstdc++.so.6", needed(folder / "saxpy_gccinside.so"))
        self.run_all(folder, plugins)
        self.assert_exceptions_stay_inside(folder, plugins)

    def test_the_smallest_legal_structs(self):
        plugins = smallest()
        self.run_all(self.build("small", plugins, "C"), plugins)

    def test_clang_with_either_cxx_library(self):
        clang, clangxx = tool("clang", "clang-14"), tool("clang++", "clang++-14")
        here = clang and clangxx and builds(clangxx, "-stdlib=libc++")
        self.require(here, "clang-14", "libc++-14-dev", "libc++abi-14-dev")
        plugins = {
            **saxpy("clang17", 17), **saxpy("clang20", 20),
            **saxpy("clanginside", 17, "STATIC_CXX_RUNTIME"),
            **saxpy("clanglibcxx", 17, compile_options="-stdlib=libc++", link_options="-stdlib=libc++"),
            **saxpy("clanglibcxx20", 20, compile_options="-stdlib=libc++", link_options="-stdlib=libc++"),
            **saxpy("clanglibcxxinside", 17, "STATIC_CXX_RUNTIME", compile_options="-stdlib=libc++", link_options="-stdlib=libc++"),
            **thrower("clang"), **thrower("clanglibcxx", compile_options="-stdlib=libc++", link_options="-stdlib=libc++"),
            **thrower("clanglibcxxinside", "STATIC_CXX_RUNTIME", compile_options="-stdlib=libc++", link_options="-stdlib=libc++"),
            **fill("clang99", 99, "-Weverything -Wno-declaration-after-statement -Wno-padded"), **fill("clang17", 17),
        }
        folder = self.build("clang", plugins, options=(f"-DCMAKE_C_COMPILER={clang}", f"-DCMAKE_CXX_COMPILER={clangxx}"))
        self.assertIn("libc++.so.1", needed(folder / "saxpy_clanglibcxx.so"))
        self.assertNotIn("libstdc++.so.6", needed(folder / "saxpy_clanglibcxx.so"))
        for name in ("saxpy_clanginside", "saxpy_clanglibcxxinside"):
            self.assertNotIn("c++", "".join(needed(folder / f"{name}.so")))
        self.run_all(folder, plugins)
        self.assert_exceptions_stay_inside(folder, plugins)


if __name__ == "__main__":
    unittest.main()
