# SPDX-License-Identifier: Apache-2.0
"""Names and texts that try to steer terminals, XML parsers, Markdown and JSON readers, at every place where one comes from outside."""

import json
import os
import shutil
import xml.etree.ElementTree

import harness
from harness import Assay

# No digit: the texts of a suite refuse bare numbers.
EVIL = "]]><script>alert()</script>\x1b]owned\x07\x1b[m|a|`*_&amp;\u202e\u009bm\u2028\ufeff<!-- \x7f\r\n# heading"
FORBIDDEN = {*range(0x20)} - {0x09, 0x0A} | {*range(0x7F, 0xA0)} | {*range(0x202A, 0x202F)} | {*range(0x2066, 0x206A)} | {0x2028, 0x2029, 0xFEFF}

# Texts of a manifest that people read; other keys are names or words of the format.
SHOWN = ("summary", "vendor", "license", "help", "counting", "flow", "mechanism", "doc")


def poisoned(json_value, key=""):
    if isinstance(json_value, dict):
        return {name: poisoned(value, name) for name, value in json_value.items()}
    if isinstance(json_value, list):
        return [poisoned(value) for value in json_value]
    return EVIL + json_value if key in SHOWN else json_value


def texts(json_value):
    if isinstance(json_value, dict):
        for name, value in json_value.items():
            yield name
            yield from texts(value)
    elif isinstance(json_value, list):
        for value in json_value:
            yield from texts(value)
    elif isinstance(json_value, str):
        yield json_value


class Hostile(Assay):
    def setUp(self):
        super().setUp()
        self.plugins = self.folder / "plugins"
        self.plugins.mkdir()
        shutil.copy(harness.FIXTURES / "assay_fake.so", self.plugins)
        manifest = json.loads((harness.FIXTURES / "assay_fake.assay.json").read_text(encoding="utf-8"))
        (self.plugins / "assay_fake.assay.json").write_text(json.dumps(poisoned(manifest)), encoding="utf-8")
        (self.folder / "noise.sh").write_bytes(b"printf '" + EVIL.encode() + b"\\377\\300\\200\\n'; printf '" + EVIL.encode() + b"\\n' >&2; exit 3\n")
        self.environment["CUDA_EVIL"] = EVIL

    def harmless(self, text, what):
        if isinstance(text, bytes):
            text = text.decode("utf-8")  # or it ends the test
        bad = sorted({hex(ord(character)) for character in text if ord(character) in FORBIDDEN})
        self.assertEqual(bad, [], f"{what}: {text[:400]!r}")

    def suite(self):
        evil = json.dumps(EVIL)
        return f"""version: 1
suite: hostile
description: {evil}
cases:
  - {{id: noted, uses: series, with: {{note: {evil}, check: failed}}, env: {{EVIL: {evil}}}, measure: {{samples: 6, warmup: 0}},
     expect: [{{that: bandwidth >= 1 TB/s, say: {evil}}}]}}
  - {{id: axis, uses: series, matrix: {{note: [{evil}, {json.dumps(EVIL + "b")}]}}, measure: {{samples: 6, warmup: 0}},
     expect: [spread(bandwidth over note) <= 0.0001%]}}
  - {{id: crash, uses: series, with: {{note: {evil}, fault: segv, phase: iterate}}, measure: {{samples: 1, warmup: 0}}}}
  - {{id: command, uses: external, backend: [host], command: [sh, noise.sh, {evil}]}}
findings:
  - {{id: f, question: {evil}, let: {{a: "axis[].bandwidth", b: "noted[].bandwidth"}}, claim: a > b, undecided: {{say: {evil}}}}}
"""

    def test_every_report_is_harmless(self):
        name = os.fsdecode(b"evil<b>|`\xff\x1b[m\xc2\x9b.yaml")
        self.write(name, self.suite())
        reports = ["json", "markdown", "markdown:flavor=gitlab=gitlab.md", "markdown:flavor=plain=plain.md", "junit", "junit:dialect=rich=rich.xml"]
        command = ["run", name, "--plugin-dir", self.plugins, "-o", self.results, *(word for report in reports for word in ("--report", report))]
        done = self.assay_bytes(*command)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.harmless(done.stdout, "the table")
        self.harmless(done.stderr, "the progress")
        files = {path.name: path.read_bytes() for path in [*self.results.iterdir(), *self.folder.glob("*.md"), *self.folder.glob("*.xml")] if path.is_file()}
        files.pop("journal.jsonl")
        self.assertEqual(sorted(files), ["gitlab.md", "junit.xml", "plain.md", "report.md", "result.json", "rich.xml"])
        for file, content in files.items():
            self.harmless(content, file)
        document = json.loads(files["result.json"])
        self.assertEqual(len(document["cases"]), 5)
        for text in texts(document):
            self.harmless(text, "a text of result.json")
        for file in ("junit.xml", "rich.xml"):
            text = files[file].decode("utf-8")
            xml.etree.ElementTree.fromstring(text)
            for tag in ("<script", "<!--", "<![CDATA["):
                self.assertNotIn(tag, text)
        # The journal is JSON; every byte of it can be shown, too.
        for line in (self.results / "journal.jsonl").read_bytes().splitlines():
            json.loads(line)
        again = self.assay_bytes("report", self.results / "journal.jsonl", "--report", "json=again.json", "-q")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual((self.folder / "again.json").read_bytes(), files["result.json"])

    def test_every_command_that_shows_a_plugin_or_suite_is_harmless(self):
        self.write("suite.yaml", self.suite())
        self.write("wrong.yaml", self.suite().replace("uses: series", "uses: " + json.dumps("none" + EVIL)))
        plugin = self.plugins / "assay_fake.so"
        for command in (["list"], ["list", "--plugin", plugin], ["describe", "series"], ["describe", "series", "--yaml"], ["plugin", "info", plugin],
                        ["plugin", "check", plugin], ["validate", "suite.yaml"], ["validate", "wrong.yaml"], ["run", "suite.yaml", "--dry-run"],
                        ["describe", EVIL], ["explain", EVIL], ["run", EVIL], ["report", EVIL], ["bench", "series", "note=" + EVIL],
                        ["run", "suite.yaml", "--set", "noted.with.note=" + EVIL], ["run", "suite.yaml", "--report", EVIL], [EVIL]):
            with self.subTest(command):
                done = self.assay_bytes(*command, *([] if command[0] in ("explain", "report", EVIL) else ["--plugin-dir", self.plugins]))
                self.harmless(done.stdout, "stdout")
                self.harmless(done.stderr, "stderr")

    def assay_bytes(self, *arguments):
        return harness.subprocess.run(self.command(*arguments), cwd=self.folder, env=self.environment, stdin=harness.subprocess.DEVNULL,
                                      capture_output=True, timeout=harness.PATIENCE_S, check=False)


if __name__ == "__main__":
    harness.main()
