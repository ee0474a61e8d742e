#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the sources against the rules of includes and names; prints every breach with its place, then 'N passed, N failed'.

The components' order and the arrows between them are read from core/CMakeLists.txt and the components' own assay_component() calls, so that the
build and this check cannot differ.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
if ROOT.is_file():
    ROOT = ROOT.parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
SOURCES = {".c", ".h", ".cpp", ".hpp", ".cu", ".cuh"}
NAMED_THERE_ONLY = {  # a library's header → the only folders that may include it
    "CLI/": ["core/cli"],
    "boost/dll": ["core/worker"],
    "yaml-cpp/": ["core/yaml"],
    "hwloc": ["core/system"],
    "cblas.h": ["plugins/lib/blas_product.hpp", "plugins/lib/host_products.hpp"],
}
FORBIDDEN_IN_CORE = re.compile(r"^(cuda|nvml|nccl|mpi|cublas)", re.IGNORECASE)
PRINTS = re.compile(r"\bstd::(cout|cerr|clog)\b|(?<![\w.:>])(printf|puts|fprintf)\s*\(|\bstd::(exit|abort|getenv)\b|(?<![\w.:>_])(getenv|abort)\s*\(")
# Of core: children are started, watched and reaped by process::Process, and by wire::Child alone on behalf of everybody else.
CHILDREN = re.compile(r"(?<![\w.>])(fork|vfork|posix_spawnp?|wait[34]|waitp?id|SYS_pidfd_open)\s*[(,]|\bprocess::Process\b")
MAY_HAVE_CHILDREN = ["core/process", "core/wire/child.",
                     "core/worker/process_state.cpp"]  # only looks whether a plugin has left some
MAY_PRINT = ["core/cli", "tests", "sdk/tools", "sdk/template", "sdk/examples/embed",
             "plugins/collective/nccl_facts.hpp",  # says what NCCL reads: the file that a variable of NCCL's names, and its variables
             "plugins/cuda/cuda_backend.cpp",  # tells GPUs that CUDA's own variable leaves out from those that are missing
             "core/system/topology.cpp"]  # keeps hwloc's plugins out, for which there is a variable and no call
LINES_WITHOUT_A_REASON = 500
# A file that may be longer → how long, and why. Whoever makes it longer says so here.
LONGER = {"sdk/include/assay/abi/v1.h": 590}  # the whole contract is one file, so that vendors can copy it; most of it is comments


def sources(folder):
    return sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in SOURCES and "build" not in p.parts)


def includes(path):
    text = path.read_text(encoding="utf-8")
    for match in INCLUDE.finditer(text):
        yield match.group(1), text.count("\n", 0, match.start()) + 1


def components():
    order = re.findall(r"add_subdirectory\((\w+)\)", (ROOT / "core/CMakeLists.txt").read_text())
    uses = {}
    for component in order:
        call = re.search(r"assay_component\((\w+)([^)]*)\)", (ROOT / "core" / component / "CMakeLists.txt").read_text())
        words = call.group(2).split()
        begin = words.index("USES") + 1 if "USES" in words else len(words)
        end = words.index("LIBRARIES") if "LIBRARIES" in words else len(words)
        uses[component] = set(words[begin:end])
    return order, uses


def check():
    breaches = []
    checked = 0
    order, uses = components()
    for component in order:
        for used in uses[component]:
            checked += 1
            if order.index(used) >= order.index(component):
                breaches.append(f"core/{component}/CMakeLists.txt: uses '{used}', which is not below it")
        for path in sources(f"core/{component}"):
            checked += 1
            for name, line in includes(path):
                other = name.split("/")[0]
                if "/" in name and other in order and other != component and other not in uses[component]:
                    # A component's own tests may look one component further down: they build what the component is given.
                    if path.name.endswith("_test.cpp") or "testing" in path.name:
                        continue
                    breaches.append(f"{path.relative_to(ROOT)}:{line}: component '{component}' does not use '{other}'")
                if FORBIDDEN_IN_CORE.match(name):
                    breaches.append(f"{path.relative_to(ROOT)}:{line}: '{name}' has no place in core")
    for name in ("plugins", "reporters"):
        for path in sources(name):
            checked += 1
            for header, line in includes(path):
                component = header.split("/")[0]
                if component in order and not (name == "reporters" and component in ("text", "model")):
                    breaches.append(f"{path.relative_to(ROOT)}:{line}: {name} know nothing of core, and this is '{header}'")
    for path in sources("core") + sources("plugins") + sources("reporters") + sources("sdk"):
        checked += 1
        relative = str(path.relative_to(ROOT))
        text = path.read_text(encoding="utf-8")
        for header, line in includes(path):
            for library, places in NAMED_THERE_ONLY.items():
                if header.startswith(library) and not any(relative.startswith(place) for place in places):
                    breaches.append(f"{relative}:{line}: '{header}' belongs in {' or '.join(places)}")
        if "SPDX-License-Identifier: Apache-2.0" not in text.split("\n", 1)[0]:
            breaches.append(f"{relative}:1: the first line lacks the SPDX identifier")
        if text.count("\n") > LONGER.get(relative, LINES_WITHOUT_A_REASON):
            breaches.append(f"{relative}: {text.count(chr(10))} lines: does it hold one concept?")
        is_test = relative.endswith("_test.cpp") or "/testing/" in relative
        if relative.startswith("core/") and not is_test and not any(relative.startswith(place) for place in MAY_HAVE_CHILDREN):
            for number, code in enumerate(text.split("\n"), 1):
                if CHILDREN.search(code.split("//")[0]):
                    breaches.append(f"{relative}:{number}: a child process that is not a wire::Child: {code.strip()}")
        if any(relative.startswith(place) for place in MAY_PRINT) or is_test:
            continue
        for number, code in enumerate(text.split("\n"), 1):
            if PRINTS.search(code.split("//")[0]):
                breaches.append(f"{relative}:{number}: library code prints, ends the process or reads the environment: {code.strip()}")
    return checked, breaches


def reasons_that_nothing_raises():
    """A code that `assay explain` describes and nothing gives is a promise that cannot be kept."""
    table = ROOT / "core/result/reasons.cpp"
    codes = re.findall(r'^    \{"([a-z_.-]+)", S::', table.read_text(encoding="utf-8"), re.MULTILINE)
    product = "".join(path.read_text(encoding="utf-8") for path in sources("core")
                      if path != table and not path.name.endswith("_test.cpp") and "testing" not in path.parts)

    def is_raised(code):
        # A group check's code is made of its status.
        words = [code, code.removeprefix("group.").replace("-", "_"), code.removeprefix("group.")] if code.startswith("group.") else [code]
        return any(f'"{word}"' in product for word in words)

    return len(codes), [f"core/result/reasons.cpp: nothing raises '{code}'" for code in codes if not is_raised(code)]


def types_with_two_meanings():
    """A type's name means one thing in core. Only `model` may have it again: it is the form in which the same thing is published."""
    places = {}
    for path in sources("core"):
        if path.suffix != ".hpp" or "testing" in path.parts or path.stem.endswith("_test") or "_test_" in path.name:
            continue
        text = path.read_text(encoding="utf-8")
        for found in re.finditer(r"^(?:class|struct|enum class|using) (?:\[\[\w+\]\] )?([A-Z]\w+)[^;{=\n]*(?:\{|=)", text, re.MULTILINE):
            places.setdefault(found.group(1), []).append(f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, found.start()) + 1}")
    outside = {name: [place for place in all_of_it if not place.startswith("core/model/")] for name, all_of_it in places.items()}
    return len(places), [f"{each[1]}: '{name}' means something else in {each[0]}" for name, each in sorted(outside.items()) if len(each) > 1]


BARE_MATCHER = re.compile(r"(?<![\w:])(HasSubstr|ElementsAre|UnorderedElementsAre|StartsWith|EndsWith|AllOf|Contains)\(")
MATCHERS = re.compile(r"\b(?:EXPECT|ASSERT)_THAT\(|\btesting::(?:HasSubstr|ElementsAre|Not)\b")


def tests_without_their_matchers():
    """A component's files are compiled together, where the next one's include does for this one; './dev test' compiles file by file."""
    def includes_matchers(path, seen):
        for included, _ in includes(path):
            if included == "gmock/gmock.h":
                return True
            header = next((place / included for place in (ROOT / "core", ROOT / "reporters", ROOT / "plugins", path.parent) if (place / included).is_file()), None)
            if header is not None and header not in seen:
                seen.add(header)
                if includes_matchers(header, seen):
                    return True
        return False

    found = [path for folder in ("core", "reporters", "plugins") for path in sources(folder)
             if path.name.endswith("_test.cpp") and MATCHERS.search(path.read_text(encoding="utf-8"))]
    breaches = [f"{path.relative_to(ROOT)}: uses matchers and includes no gmock/gmock.h" for path in found if not includes_matchers(path, set())]
    for path in found:
        text = path.read_text(encoding="utf-8")
        bare = sorted({name for name in BARE_MATCHER.findall(text) if not re.search(rf"using (testing|::testing)::{name};|using namespace testing;", text)})
        breaches += [f"{path.relative_to(ROOT)}: '{name}' is testing::{name}, and no using-declaration of this file says so" for name in bare]
    return len(found), breaches


def main():
    checked, breaches = check()
    matching, without = tests_without_their_matchers()
    checked += matching
    breaches += without
    types, ambiguous = types_with_two_meanings()
    checked += types
    breaches += ambiguous
    codes, unraised = reasons_that_nothing_raises()
    checked += codes
    breaches += unraised
    for breach in breaches:
        print(breach)
    print(f"{checked - len(breaches)} passed, {len(breaches)} failed")
    return 1 if breaches or checked == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
