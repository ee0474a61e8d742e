# SPDX-License-Identifier: Apache-2.0
"""Files that are read and were changed at random: results, journals, suites, manifests, inventories, tables of peaks, results of 'assay doctor'.

Whatever becomes of one, the commands that read it end in time and by themselves with an exit code of theirs, no library speaks to the user,
reports are well-formed, and JUnit is not green where the verdict is not.
"""

import copy
import hashlib
import json
import random
import re
import shutil
import xml.etree.ElementTree

from common import SOURCE, Budget, Defect, Place, check

SLOW_S = 20
CODES = {0, 1, 2, 3, 4, 5, 6, 7}
# What libraries say when nobody catches it; and our own word for what should not happen.
FOREIGN = re.compile(r"\[json\.exception|nlohmann|yaml-cpp|bad file|std::|bad_alloc|bad_cast|terminate called|what\(\)|basic_string|vector::|_M_\w+|map::at"
                     r"|regex_error|filesystem error|boost::|CLI::|\bsto(i|l|d|ul|ull)\b|stack smashing|AddressSanitizer|runtime error|is a defect")
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")

RED = """version: 1
suite: red
requires: {backend: fake}
cases:
  - {id: a, uses: series, processes: 3, matrix: {bytes: [1KiB, 2KiB]}, measure: {samples: 8}, expect: [bandwidth >= 1 TB/s]}
  - {id: b, uses: series, with: {fault: segv, phase: iterate}, measure: {samples: 6}}
  - {id: c, uses: series, devices: each, measure: {samples: 6}, expect: [spread(bandwidth over device) <= 5%]}
findings:
  - {id: f, question: "Is more slower?", let: {more: "a[bytes=2KiB].bandwidth", less: "a[bytes=1KiB].bandwidth"}, claim: more <= 0.9 * less, assert: confirmed}
"""
GREEN = """version: 1
suite: green
requires: {backend: fake}
cases:
  - {id: a, uses: series, processes: 3, matrix: {bytes: [1KiB, 2KiB]}, measure: {samples: 8}, expect: [bandwidth >= 1 kB/s]}
"""
DOCTOR = """version: 1
suite: doctor
requires: {backend: fake}
cases:
  - {id: steady, uses: series, processes: 4}
  - {id: worst, uses: series, processes: 4}
"""
PEAKS = """version: 1
devices:
  - name: fake
    source: the data sheet
    match: {model: Fake accelerator, memory_bytes: {min: 1 GB, max: 155 GB}}
    peaks: {memory_bandwidth: 2 GB/s, matrix_throughput: {fp64: 67 TFLOP/s}}
"""
ODD = (None, True, False, 0, -1, 1, 2**53, 2**64, -(2**63), 1e308, -1e308, 1e-320, "", "a", "\u0000", "\x1b[m", "1e999", "NaN", "../..", "x" * 3000, [], {}, [[]],
       [None], {"": None}, {"a": 1})


def places_of(value, path=()):
    """Every place in a JSON value, as paths."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places_of(inner, (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def change_tree(value, chance):
    """One to three places changed, dropped, doubled or exchanged."""
    value = copy.deepcopy(value)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        places = [path for path in places_of(value) if path]
        if not places:
            break
        path = chance.choice(places)
        parent, key = at(value, path[:-1]), path[-1]
        kind = chance.randrange(6)
        if kind <= 1:
            parent[key] = copy.deepcopy(chance.choice(ODD))
        elif kind == 2:
            del parent[key]
        elif kind == 3:
            other = chance.choice(places)
            parent[key] = copy.deepcopy(at(value, other))
        elif kind == 4 and isinstance(parent[key], (int, float)) and not isinstance(parent[key], bool):
            parent[key] = parent[key] * chance.choice((-1, 0.5, 2, 1e6, 1e300))
        elif isinstance(parent, list):
            parent.insert(chance.randrange(len(parent) + 1), copy.deepcopy(parent[key]))
        elif isinstance(parent[key], str):
            parent[key] = change_text(parent[key].encode(), chance).decode("utf-8", "replace")
        else:
            parent[str(key) + "x"] = parent.pop(key)
    return value


def change_text(data, chance):
    """Bytes turned, cut out, doubled, put in; or the end cut off."""
    data = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4))):
        where, length = chance.randrange(len(data) + 1), chance.choice((1, 2, 8, 64))
        kind = chance.randrange(6)
        if kind == 0 and where < len(data):
            data[where] ^= 1 << chance.randrange(8)
        elif kind == 1:
            del data[where:where + length]
        elif kind == 2:
            data[where:where] = data[where:where + length]
        elif kind == 3:
            data[where:where] = chance.choice((b"\0", b"\n", b"{", b"]", b'"', b"\xff", b"\xc3", b"1e999", b"NaN", b"null", b": ", b"- ", b"&a ", b"*a", b"!!x ", b"\t"))
        elif kind == 4 and where < len(data):
            data[where] = chance.randrange(256)
        elif kind == 5 and chance.random() < 0.3:
            del data[where:]
    return bytes(data)


def seal(record):
    """A journal's line with the sum that it ends with, as somebody makes it who knows the format."""
    record.pop("sha256", None)
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))[:-1]
    total = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f'{text}{"," if len(text) > 1 else ""}"sha256":"{total}"}}\n'


def change_lines(data, chance):
    """Lines of a journal exchanged, doubled, dropped; or one changed as JSON, with the sum that it should have."""
    lines = data.splitlines(keepends=True)
    which = chance.randrange(len(lines))
    kind = chance.randrange(6)
    if kind == 0:
        del lines[which]
    elif kind == 1:
        lines.insert(chance.randrange(len(lines) + 1), lines[which])
    elif kind == 2:
        chance.shuffle(lines)
    else:
        changed = change_tree(json.loads(lines[which]), chance)
        lines[which] = (seal(changed) if isinstance(changed, dict) and chance.random() < 0.9 else json.dumps(changed) + "\n").encode("utf-8", "surrogatepass")
    return b"".join(lines)


def changed(data, chance, is_journal=False):
    if is_journal and chance.random() < 0.7:
        return change_lines(data, chance)
    if not is_journal and chance.random() < 0.7:
        try:
            return json.dumps(change_tree(json.loads(data), chance)).encode("utf-8", "surrogatepass")
        except ValueError:
            pass
    return change_text(data, chance)


class Reader:
    """One kind of file, what it looks like, and the commands that read it."""

    def __init__(self, name, samples, commands, is_journal=False, is_report=False):
        self.name, self.samples, self.commands, self.is_journal, self.is_report = name, samples, commands, is_journal, is_report
        self.tried, self.accepted, self.slowest = 0, 0, 0.0


class Mutations:
    def __init__(self, place, seed):
        self.place, self.chance = place, random.Random(seed)
        self.plugins = place.folder / "plugins"
        self.plugins.mkdir()
        for name in ("assay_fake.so", "assay_fake.assay.json"):
            shutil.copy(place.build / "tests/plugins" / name, self.plugins)
        self.readers = self.all_readers()

    def measured(self, name, text):
        """A run of the suite; its folder."""
        self.place.write(f"{name}.yaml", text)
        done = self.place.assay("run", f"{name}.yaml", "--plugin-dir", self.plugins, "-q", "-o", name)
        check((self.place.folder / name / "result.json").exists(), f"the suite '{name}' gave no result: {done.err}")
        return self.place.folder / name

    def all_readers(self):
        plugins = ("--plugin-dir", str(self.plugins))
        red, green, doctor = self.measured("red", RED), self.measured("green", GREEN), self.measured("doctor", DOCTOR)
        results = [(folder / "result.json").read_bytes() for folder in (red, green)]
        results += [path.read_bytes() for path in sorted((SOURCE / "tests/golden/documents").glob("*.json"))]
        journals = [(folder / "journal.jsonl").read_bytes() for folder in (red, green)]
        system = self.place.assay("system", "--json", *plugins)
        suites = [(SOURCE / path).read_bytes() for path in sorted(SOURCE.glob("suites/*.yaml"))] + [text.encode() for text in (RED, GREEN, DOCTOR)]
        reports = ("--report", "json=out.json", "--report", "junit=out.xml", "--report", "markdown=out.md", "--report", "trace=out.trace.json")
        return [
            Reader("result", results, [("report", "FILE", *reports)], is_report=True),
            Reader("journal", journals, [("report", "FILE", *reports)], is_journal=True, is_report=True),
            Reader("failed", results[:2] + journals[:1], [("run", "red.yaml", *plugins, "--failed", "FILE", "--dry-run")]),
            Reader("resume", journals[1:], [("run", "green.yaml", *plugins, "--resume", "resumed", "-q")], is_journal=True),
            Reader("doctor", [(doctor / "result.json").read_bytes()], [("run", "green.yaml", *plugins, "--doctor", "FILE", "-q", "-o", "judged")]),
            Reader("suite", suites, [("validate", "FILE", *plugins), ("run", "FILE", *plugins, "--dry-run")]),
            Reader("inventory", [system.out.encode()], [("run", "green.yaml", *plugins, "--dry-run", "--inventory", "FILE")]),
            Reader("peaks", [PEAKS.encode(), (SOURCE / "suites/devices/nvidia.yaml").read_bytes()], [("run", "green.yaml", *plugins, "--peaks", "FILE", "--dry-run")]),
            Reader("manifest", [(self.plugins / "assay_fake.assay.json").read_bytes()],
                   [("plugin", "info", "MANIFEST"), ("validate", "red.yaml", "--plugin", "MANIFEST"), ("describe", "series", "--plugin", "MANIFEST")]),
        ]

    def one(self, reader):
        data = changed(self.chance.choice(reader.samples), self.chance, reader.is_journal)
        folder = self.place.folder
        name = "mutant.yaml" if reader.name in ("suite", "peaks") else "mutant.jsonl" if reader.is_journal else "mutant.json"
        if reader.name == "resume":
            shutil.rmtree(folder / "resumed", ignore_errors=True)
            self.place.write("resumed/journal.jsonl", data)
        elif reader.name == "manifest":
            (folder / "other").mkdir(exist_ok=True)
            if not (folder / "other/assay_fake.so").exists():
                shutil.copy(self.plugins / "assay_fake.so", folder / "other")
            self.place.write("other/assay_fake.assay.json", data)
        else:
            self.place.write(name, data)
        try:
            for command in reader.commands:
                words = [name if word == "FILE" else "other/assay_fake.assay.json" if word == "MANIFEST" else word for word in command]
                self.try_command(reader, words)
        except Defect as defect:
            kept = SOURCE / f"build/campaign-mutant-{reader.name}"
            kept.parent.mkdir(exist_ok=True)
            kept.write_bytes(data)
            raise Defect(f"{defect}\nThe file is kept: {kept}") from None

    def try_command(self, reader, words):
        folder = self.place.folder
        for leftover in ("out.json", "out.xml", "out.md", "out.trace.json"):
            (folder / leftover).unlink(missing_ok=True)
        shutil.rmtree(folder / "judged", ignore_errors=True)
        shown = "assay " + " ".join(map(str, words))
        ended = self.place.assay(*words)
        reader.tried += 1
        reader.accepted += ended.code in (0, 1)
        reader.slowest = max(reader.slowest, ended.seconds)
        check(ended.code in CODES, f"{shown} ended with {ended.code}: {ended.err[-2000:]}")
        check(ended.seconds < SLOW_S, f"{shown} took {ended.seconds:.1f} s")
        check(not FOREIGN.search(ended.err), f"{shown}: a library speaks: {ended.err[-2000:]}")
        check(not CONTROL.search(ended.out + ended.err), f"{shown}: control characters reach the terminal")
        check(ended.code == 0 or ended.err or ended.out or "-q" in words, f"{shown} ended with {ended.code} and said nothing")
        if reader.is_report:
            self.check_reports(shown)

    def check_reports(self, shown):
        folder = self.place.folder
        suites = None
        if (folder / "out.xml").exists():
            text = (folder / "out.xml").read_bytes()
            try:
                root = xml.etree.ElementTree.fromstring(text)
            except xml.etree.ElementTree.ParseError as error:
                raise Defect(f"{shown}: JUnit is not well-formed: {error}") from None
            suites = [root] if root.tag == "testsuite" else root.findall("testsuite")
        if (folder / "out.json").exists():
            verdict = json.loads((folder / "out.json").read_text(encoding="utf-8")).get("verdict", {})
            if suites is not None and verdict.get("exit_code") not in (0, None):
                bad = sum(int(suite.get(kind, "0")) for suite in suites for kind in ("failures", "errors"))
                check(bad > 0, f"{shown}: the verdict is exit code {verdict.get('exit_code')}, and JUnit has no failure and no error")
        for name in ("out.md",):
            if (folder / name).exists():
                check(not CONTROL.search((folder / name).read_text(encoding="utf-8")), f"{shown}: control characters in {name}")


def run(build, seconds=None, seed=1, each=1000):
    budget = Budget(seconds)
    with Place(build) as place:
        mutations = Mutations(place, seed)
        turn = 0
        while budget.left() and (seconds is not None or turn < each):
            for reader in mutations.readers:
                mutations.one(reader)
            turn += 1
    lines = [f"{sum(reader.tried for reader in mutations.readers)} commands read a file that was changed at random: no crash, no hang, no library's "
             "exception, no ill-formed report, no green JUnit of a red verdict"]
    lines += [f"  {reader.name:<10} {reader.tried:6} tried, {reader.accepted} of them made sense, the slowest {reader.slowest:.2f} s" for reader in mutations.readers]
    return lines
