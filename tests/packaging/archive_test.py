#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""archive_test.py BUILD NAME: makes the archive, unpacks it elsewhere, and uses it as somebody on a bare machine would.

Every ELF file in it runs with the C and C++ libraries that are promised, no run path leads out of it, what it needs is in it or belongs to the machine, what it holds of others
has its licence beside it, and it measures.
"""

import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tarfile
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
# The archive that is handed out is made on Debian 12; one that is made elsewhere runs on systems as new as its own.
HANDED_OUT = platform.freedesktop_os_release().get("VERSION_CODENAME") == "bookworm"
NEWEST_GLIBC = (2, 34) if HANDED_OUT else tuple(map(int, platform.libc_ver()[1].split(".")))
NEWEST_GLIBCXX = (3, 4, 29) if HANDED_OUT else (3, 4, 999)  # 29: GCC 11's C++ library, RHEL 9's
FROM_THE_MACHINE = re.compile(r"^(ld-linux.*|libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s)\.so")


def output(*command, **keywords):
    """What the command prints; what it says on stderr goes where this test's own words go."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **keywords).stdout


def named_needs(path):
    """What the plugin's manifest says that it needs: without it the plugin is listed, and its cases are skipped with the reason."""
    manifest = path.with_suffix(".assay.json")
    return {need["soname"] for need in json.loads(manifest.read_text(encoding="utf-8"))["needs"]} if manifest.exists() else set()


def needed_version(path, library):
    versions = re.findall(rf"\b{library}_([0-9.]+)", output("objdump", "-T", str(path)))
    return max((tuple(map(int, version.split("."))) for version in versions), default=(0, 0))


def dotted(version):
    return ".".join(map(str, version))


def licence_problems(root, bundled):
    """Every library that is bundled, and whatever is compiled in, is listed with a text that is there."""
    folder = root / "share/doc/assay/third-party"
    listed = dict(re.findall(r"^(\S.*?)  (\S+)$", (folder / "README.txt").read_text(encoding="utf-8"), re.MULTILINE))
    compiled_in = {f"headers of {package}" for package in ("libboost-dev", "libcli11-dev", "nlohmann-json3-dev", "libfmt-dev")}
    if list((root / "lib/assay/plugins").glob("*_cuda.so")):
        compiled_in.add("CUDA runtime (in plugins for GPUs)")
    found = [f"{what}: no licence is listed" for what in sorted((bundled | compiled_in) - listed.keys())]
    found += [f"{what}: {text} has no licence" for what, text in listed.items() if not (folder / text).is_file() or (folder / text).stat().st_size < 500]
    for text in folder.glob("*.txt"):
        for common in re.findall(r"/usr/share/common-licenses/([A-Za-z0-9.-]*[A-Za-z0-9])", text.read_text(encoding="utf-8", errors="replace")):
            if os.path.exists(f"/usr/share/common-licenses/{common}") and not (folder / f"common-{common}.txt").is_file():
                found.append(f"{text.name}: refers to {common}, which is not there")
    return found


def problems_of(path, bundled):
    found = []
    for library, limit in (("GLIBC", NEWEST_GLIBC), ("GLIBCXX", NEWEST_GLIBCXX)):
        if (newest := needed_version(path, library)) > limit:
            found.append(f"{path}: needs {library}_{dotted(newest)}, newer than {dotted(limit)}")
    dynamic = output("objdump", "-p", str(path))
    for run_path in re.findall(r"R(?:UN)?PATH\s+(\S+)", dynamic):
        found += [f"{path}: run path {part}" for part in run_path.split(":") if not part.startswith("$ORIGIN")]
    for needed in re.findall(r"NEEDED\s+(\S+)", dynamic):
        if needed not in bundled | named_needs(path) and not FROM_THE_MACHINE.match(needed):
            found.append(f"{path}: needs {needed}, which is not in the archive")
    return found


def main():
    build, name = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="assay-archive-") as folder:
        archive, asks = output(str(SOURCE / "cmake/make_archive.sh"), build, folder, name).splitlines()
        with tarfile.open(archive) as tar:
            tar.extractall(folder)
        root = pathlib.Path(folder, name)
        bundled = {path.name for path in (root / "lib/assay/bundled").iterdir()}
        elves = [path for path in root.rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
        problems = [problem for path in elves for problem in problems_of(path, bundled)]
        for library in ("GLIBC", "GLIBCXX"):
            newest = f"{library}_{dotted(max(needed_version(path, library) for path in elves))}"
            if not re.search(rf" {re.escape(newest)}[ ,]", asks):
                problems.append(f"it needs {newest} and says: {asks}")
        problems += licence_problems(root, bundled)
        bare = {"PATH": "/usr/bin:/bin", "HOME": folder, "ASSAY_LOCK_FOLDER": f"{folder}/locks"}
        assay = str(root / "bin/assay")
        loaded = output("ldd", assay, env=bare)
        for library in bundled & set(re.findall(r"^\s*(\S+) =>", loaded, re.MULTILINE)):
            if f"{root}/bin/../lib/assay/bundled/{library}" not in loaded:
                problems.append(f"{assay}: takes {library} from the machine")
        subprocess.run([assay, "bench", "gemm@host", "m=64", "n=64", "k=64", "samples=6", "-q", "-o", f"{folder}/out"], check=True, env=bare, cwd=folder)
        result = json.loads(pathlib.Path(folder, "out/result.json").read_text())
        if result["cases"][0]["outcome"] != "passed":
            problems.append(f"gemm@host from the archive: {result['cases'][0]['reason']}")
        # A plugin that needs a bundled library finds it without the program's help.
        for library in bundled & set(re.findall(r"NEEDED\s+(\S+)", output("objdump", "-p", str(root / "lib/assay/plugins/external.so")))):
            if f"{root}/lib/assay/plugins/../bundled/{library}" not in output("ldd", str(root / "lib/assay/plugins/external.so"), env=bare):
                problems.append(f"external.so: does not find {library} in the archive")
        suite = pathlib.Path(folder, "command.yaml")
        suite.write_text("version: 1\nsuite: command\ncases:\n  - {id: a, uses: external, backend: [host], command: [echo, v=7], metrics: {m: {pattern: 'v=(.)', unit: s}}}\n")
        subprocess.run([assay, "run", str(suite), "-q", "-o", f"{folder}/command"], check=True, env=bare, cwd=folder)
        for problem in problems:
            print(problem)
        print(f"{len(elves) + 5 - len(problems)} passed, {len(problems)} failed")
        return 1 if problems or len(elves) < 5 else 0


if __name__ == "__main__":
    sys.exit(main())
