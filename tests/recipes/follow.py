#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""follow.py --check: the recipes of CONTRIBUTING.md name just the files that following them writes, and every place to write at is there.
follow.py --build [NAME…]: follows them, each in a copy of the repository: builds what it must and runs its tests. Minutes each."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import recipes

ROOT = pathlib.Path(__file__).resolve().parents[2]


def named(recipe):
    """The files that the recipe's section of CONTRIBUTING.md names."""
    section = re.search(rf"^### {recipe.title}\n(.*?)(?=^##)", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    if section is None:
        raise ValueError(f"CONTRIBUTING.md has no section '{recipe.title}'")
    return {span.replace("NAME", recipe.name) for span in re.findall(r"`([^`\s]+/[^`\s]+)`", section[1]) if not span.startswith("./")}


def tracked():
    done = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


def check(recipe):
    """What is wrong with it."""
    written = recipe.written() | set(recipe.made)
    wrong = [f"CONTRIBUTING.md does not name {name}" for name in sorted(written - named(recipe))]
    wrong += [f"CONTRIBUTING.md names {name}, and nothing is written there" for name in sorted(named(recipe) - written)]
    with tempfile.TemporaryDirectory(prefix="assay-recipe-") as folder:
        for edit in recipe.edits:
            target = pathlib.Path(folder, edit.path)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / edit.path, target)
        try:
            recipe.follow(pathlib.Path(folder))
        except ValueError as error:
            wrong.append(str(error))
    return wrong


def build(recipe):
    with tempfile.TemporaryDirectory(prefix="assay-recipe-") as folder:
        copy = pathlib.Path(folder)
        for name in tracked():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
        recipe.follow(copy)
        environment = {**os.environ, "CCACHE_BASEDIR": folder, "CCACHE_NOHASHDIR": "1"}
        launcher = [f"-DCMAKE_{language}_COMPILER_LAUNCHER=ccache" for language in ("C", "CXX", "CUDA") if shutil.which("ccache")]

        def run(*command, **more):
            subprocess.run(command, cwd=copy, env={**environment, **more}, check=True)

        run("cmake", "--preset", "release", "-DASSAY_BUILD_TESTS=ON", *launcher, "--log-level=NOTICE")
        run("cmake", "--build", "--preset", "release", "--target", *recipe.targets, "--", "--quiet")
        for name, made in recipe.made.items():
            if made:
                shutil.copy(copy / "build/release" / made, copy / name)
        ctest = ["ctest", "--preset", "release", "--no-tests=error", "-R", recipe.tests]
        if "tests/golden/reporters" in recipe.made:
            run(*ctest, ASSAY_APPROVE="1")
        run(*ctest)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--build", nargs="*", metavar="NAME")
    options = parser.parse_args()
    failed = 0
    for recipe in recipes.RECIPES:
        wrong = check(recipe)
        if options.build is not None and (not options.build or recipe.name in options.build) and not wrong:
            try:
                build(recipe)
            except subprocess.CalledProcessError as error:
                wrong.append(f"{' '.join(error.cmd)} ended with {error.returncode}")
        failed += bool(wrong)
        for line in wrong:
            print(f"{recipe.title}: {line}")
    print(f"{len(recipes.RECIPES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
