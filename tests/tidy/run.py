#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Static analysis, a component at a time: run.py BUILD [JOBS], where BUILD was configured with the preset tidy.

clang-tidy spends most of its time in the headers that a component's files share. So the files of each unity source that CMake made are
put one behind the other (path-sensitive checks leave out what is included), and findings are told at the files' own lines.

Each file is also compiled by itself, with warnings as errors: an include that only its neighbours in the component bring is missing.

What was analysed before is not analysed again: a component or file in which nothing was found leaves a mark in the user's cache folder,
named by the component as the preprocessor gives it, or by the texts of the project that the file is made of, and by all else that the answer
depends on.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
# How many states of a function the path-sensitive checks follow; 225,000 by default take them three times as long.
STATES_AT_MOST = 60_000


def put_together(unity, component):
    """Writes `component`, the text of everything that `unity` includes; returns [(first line, file)] in order."""
    begins, lines = [], []
    for name in re.findall(r'#include "(.*)"', unity.read_text(encoding="utf-8")):
        begins.append((len(lines) + 1, os.path.relpath(name, ROOT)))
        lines += pathlib.Path(name).read_text(encoding="utf-8").splitlines()
    component.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return begins


def at_home(text, component, begins):
    """The text with every place in `component` told as a place in the file that stood there."""
    def place(found):
        line = int(found[1])
        begin, name = max(entry for entry in begins if entry[0] <= line)
        return f"{name}:{line - begin + 1}:"
    return re.sub(re.escape(str(component)) + r":(\d+):", place, text)


class Alone:
    """What the compiler says of one file, taken by itself with its component's flags.

    Half of the time would go into one header of a library. It is compiled once, ahead, and given to the files that include it, directly or
    through the project's headers: it brings them nothing that they do not have.
    """

    HEAVY = "nlohmann/json.hpp"

    def __init__(self, folder):
        self.folder, self.reached = folder, {}
        self.lock, self.ahead = threading.Lock(), {}

    def reach(self, path, folders):
        """The files of the project that `path` includes, directly or not, and the names of others."""
        asked = (path, tuple(folders))
        if asked not in self.reached:
            own, others = set(), set()
            for name in re.findall(r'^#include ["<](.*)[">]', path.read_text(encoding="utf-8"), re.M):
                found = next((folder / name for folder in (path.parent, *folders) if (folder / name).is_file()), None)
                if found is None:
                    others.add(name)
                else:
                    further = self.reach(found.resolve(), folders)
                    own |= {found.resolve(), *further[0]}
                    others |= further[1]
            self.reached[asked] = own, others
        return self.reached[asked]

    def compiled_ahead(self, words, directory):
        """The options that give a file the heavy header as these flags compile it."""
        with self.lock:
            if words not in self.ahead:
                header = self.folder / f"ahead_{len(self.ahead)}.hpp"
                header.write_text(f"#include <{self.HEAVY}>\n", encoding="utf-8")
                subprocess.run([*words, "-x", "c++-header", str(header), "-o", f"{header}.pch"], cwd=directory, check=True)
                self.ahead[words] = ["-include-pch", f"{header}.pch"]
            return self.ahead[words]

    def key(self, entry, name):
        """By what a file's answer is known: the texts that it is made of, and the flags."""
        words = shlex.split(entry["command"])
        words = words[:words.index("-o")]
        folders = [pathlib.Path(word[2:]) for word in words if word.startswith("-I")]
        own, others = self.reach(ROOT / name, folders)
        texts = [(ROOT / name).read_bytes(), *[path.read_bytes() for path in sorted(own)]]
        return words, self.HEAVY in others, b"\0".join([" ".join(words).replace(str(ROOT), "").encode(), *texts])

    def ask(self, entry, words, is_heavy, name):
        flags = tuple(word for word in words if not word.startswith("-I"))
        ahead = self.compiled_ahead(flags, entry["directory"]) if is_heavy else []
        done = subprocess.run([*words, *ahead, "-Wshadow", "-Werror", "-fsyntax-only", str(ROOT / name)], cwd=entry["directory"],
                              capture_output=True, text=True)
        return done.returncode, done.stderr


class Known:
    """The components and files in which nothing was found, now or in another copy of the repository."""

    def __init__(self):
        cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
        self.folder = pathlib.Path(cache) / "assay" / "tidy"
        self.folder.mkdir(parents=True, exist_ok=True)
        version = subprocess.run(["clang-tidy-14", "--version"], capture_output=True, check=True).stdout
        self.base = version + (ROOT / ".clang-tidy").read_bytes() + pathlib.Path(__file__).read_bytes()

    def mark(self, text):
        return self.folder / hashlib.sha256(self.base + text.replace(bytes(ROOT), b"")).hexdigest()


def preprocessed(entry, component):
    """With its comments, as some of them silence a check."""
    words = shlex.split(entry["command"])
    words = [*words[:words.index("-o")], *[word for word in words if word.startswith("-I")], "-E", "-C", str(component)]
    return subprocess.run(words, cwd=entry["directory"], capture_output=True, check=True).stdout


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else os.cpu_count()
    folder = build / "components"
    folder.mkdir(exist_ok=True)
    database, components, files = [], {}, []
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        unity = pathlib.Path(entry["file"])
        if unity.suffix != ".cxx":
            continue  # of the sources in C, the compilers' warnings are enough
        target = unity.parent.parent.name.removesuffix(".dir")
        component = folder / f"{target}_{unity.stem}.cpp"
        components[component] = put_together(unity, component)
        files += [(entry, name) for _, name in components[component]]
        beside = "".join(f" -I{folder}" for folder in sorted({(ROOT / name).parent for _, name in components[component]}))
        database.append({"directory": entry["directory"], "file": str(component),
                         "command": entry["command"].replace(str(unity), str(component)) + beside})
    (folder / "compile_commands.json").write_text(json.dumps(database), encoding="utf-8")
    if not files:
        sys.exit(f"There is nothing to analyse in {build}.")

    known = Known()

    def analyse(component):
        mark = known.mark(preprocessed(next(entry for entry in database if entry["file"] == str(component)), component))
        if mark.exists():
            return 0, ""
        analyzer = ["-Xclang", "-analyzer-config", "-Xclang", f"max-nodes={STATES_AT_MOST}"]
        done = subprocess.run(["clang-tidy-14", "-p", str(folder), "--quiet", f"--config-file={ROOT / '.clang-tidy'}", "--warnings-as-errors=*",
                               *[f"--extra-arg={word}" for word in analyzer], str(component)], capture_output=True, text=True)
        if done.returncode == 0:
            mark.touch()
        return done.returncode, at_home(done.stdout, component, components[component])

    alone = Alone(folder)

    def compile_alone(file):
        entry, name = file
        words, is_heavy, text = alone.key(entry, name)
        mark = known.mark(text)
        if mark.exists():
            return 0, ""
        code, said = alone.ask(entry, words, is_heavy, name)
        if code == 0:
            mark.touch()
        return code, said

    largest_first = sorted(components, key=lambda component: -component.stat().st_size)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        answers = list(pool.map(analyse, largest_first)) + list(pool.map(compile_alone, files))
    bad = [text for code, text in answers if code != 0]
    if bad:
        print("".join(bad), end="")
        sys.exit("What is listed above was found; .clang-tidy says what is looked for.")
    print(f"clang-tidy: nothing found in {len(files)} files, and each compiles by itself")


main()
