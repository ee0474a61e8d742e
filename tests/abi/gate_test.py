#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The gate lets the interface grow and stops everything else: each test changes a copy of the published header."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import gate
import surface

PUBLISHED = gate.Published(gate.HERE)
MISSING = gate.missing_tools()


def stable(header, minor):
    """The header as that of a stable host of this minor, which serves every minor from 0 on."""
    for name, value in (("ASSAY_ABI_MINOR", minor), ("ASSAY_ABI_OLDEST_MINOR", 0), ("ASSAY_ABI_PREVIEW", 0)):
        header = re.sub(rf"(#define {name}) \d+", rf"\1 {value}", header)
    return header


@unittest.skipIf(MISSING and not os.environ.get("ASSAY_ABI_COMPLETE"), f"not here: {', '.join(MISSING)}")
class Gate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.include = self.folder / "include"
        self.header = PUBLISHED.header(0).read_text(encoding="utf-8")
        (self.include / gate.HEADER).parent.mkdir(parents=True)
        # Of the tests' own, with 1.0 in it and nothing else.
        self.published = gate.Published(self.folder)
        self.published.baselines.mkdir()
        self.published.header(0).parent.mkdir(parents=True)
        shutil.copy(PUBLISHED.baseline(0), self.published.baseline(0))
        self.published.header(0).write_text(self.header, encoding="utf-8")

    def change(self, *replacements, header=None):
        text = header or self.header
        for old, new in replacements:
            self.assertEqual(text.count(old), 1, old)
            text = text.replace(old, new)
        return text

    def check(self, header):
        (self.include / gate.HEADER).write_text(header, encoding="utf-8")
        return gate.check(self.include, self.published)

    def assert_refused(self, header, *texts):
        with self.assertRaises(gate.Refusal) as caught:
            self.check(header)
        for text in texts:
            self.assertIn(text, str(caught.exception))

    TAIL = ("  uint64_t lap_count;    /* how many the plugin wrote: 0 or n */\n", "  uint64_t lap_count;\n  double energy_j;\n")

    def test_what_is_published_passes(self):
        self.assertEqual(self.check(self.header), [])

    def test_the_header_of_this_tree_passes(self):
        self.assertEqual(gate.check(gate.INCLUDE, PUBLISHED), [])

    def test_drafts_are_nobodys_promise(self):
        (self.include / gate.HEADER).with_name("drafts.h").write_text("typedef struct assay_progress_draft { int other; } assay_progress_draft;\n",
                                                                      encoding="utf-8")
        self.assertEqual(self.check(self.header), [])

    def test_a_field_at_the_tail_passes_with_a_new_minor(self):
        news = self.check(stable(self.change(self.TAIL), 1))
        self.assertEqual(news[0], "assay_sample.energy_j is new at the tail")
        self.assertIn("1.1 is not published yet", news[1])

    def test_a_new_struct_and_a_new_constant_pass_with_a_new_minor(self):
        header = self.change(("ASSAY_LOG_ERROR = 3", "ASSAY_LOG_ERROR = 3, ASSAY_LOG_FATAL = 4"),
                             ("typedef struct assay_option {", "typedef struct assay_new { uint32_t size; } assay_new;\n"
                                                               "typedef struct assay_option {"))
        self.assertIn("ASSAY_LOG_FATAL is new", self.check(stable(header, 1)))

    def test_growth_without_a_new_minor_is_refused(self):
        self.assert_refused(stable(self.change(self.TAIL), 0), "1.0 is published", "assay_sample.energy_j is new at the tail",
                            "Raise ASSAY_ABI_MINOR to 1", "gate.py --renew")
        self.assert_refused(self.change(self.TAIL), "raise ASSAY_ABI_MINOR and ASSAY_ABI_OLDEST_MINOR together")

    def test_every_other_change_is_refused_with_what_it_is(self):
        host_s = "  double host_s; /* host time"
        rows = (
            ("another type of the same size", [(host_s, "  int64_t host_s; /* host time")],
             "assay_sample.host_s was 'double' and is 'int64_t'"),
            ("a smaller type in the same place", [(host_s, "  float host_s; /* host time")],
             "assay_sample.host_s was 'double' and is 'float'"),
            ("another name", [(host_s, "  double hosts_s; /* host time")], "assay_sample.host_s is gone"),
            ("in the middle", [(host_s, "  double more_s;\n" + host_s)],
             "assay_sample.host_s moved from byte 16 to byte 24"),
            ("removed", [("  assay_status (*probe)(void* instance);\n", "")], "assay_benchmark_v1.probe is gone"),
            ("another signature", [("void (*fact)(const assay_case*, const char* name,",
                                    "void (*fact)(const assay_case*, int32_t name,")],
             "assay_case.fact was 'void(const assay_case*, const char*, const char*)*'"),
            ("another result", [("int64_t (*now_ns)", "double (*now_ns)")], "assay_case.now_ns was"),
            ("a spare field put to use", [("  assay_thermal thermal;\n  uint32_t reserved;\n",
                                           "  assay_thermal thermal;\n  float power;\n")],
             "assay_conditions.reserved is gone"),
            ("a wider enumeration", [("typedef int32_t assay_mode;", "typedef int64_t assay_mode;")],
             "assay_mode was 'int32_t' and is 'int64_t'"),
            ("another value", [("ASSAY_E_VERIFY = -6", "ASSAY_E_VERIFY = -16")], "ASSAY_E_VERIFY was '-6' and is '-16'"),
            ("a constant removed", [("ASSAY_LOG_ERROR = 3", "ASSAY_LOG_FATAL = 3")], "ASSAY_LOG_ERROR is gone"),
            ("another id", [('"assay.benchmark/1"\n', '"assay.benchmark/2"\n')], "ASSAY_FACET_BENCHMARK was"),
            ("an array's element grows", [("  const char* value;\n}", "  const char* value;\n  const char* more;\n}")],
             "assay_option is passed in arrays, and so cannot grow"),
            ("the tail hides a changed field", [self.TAIL, (host_s, "  int64_t host_s; /* host time")],
             "assay_sample.host_s was 'double' and is 'int64_t'"),
        )
        for name, replacements, text in rows:
            with self.subTest(name):
                header = self.change(*replacements)
                self.assert_refused(stable(header, 1), "no longer the published 1.0", text, "add at the tail instead", "another major")
                self.assert_refused(header, text, "gate.py --renew")

    def test_abidiff_has_the_last_word(self):
        (self.include / gate.HEADER).write_text(self.change(("  double host_s; /* host time", "  int64_t host_s; /* host time")))
        _, library = gate.describe(self.include, self.folder)
        self.assertIn("type name changed from 'double' to 'long int'", gate.sees_more(self.published.baseline(0), library, False))

    def test_a_preview_may_break_with_a_new_minor_on_purpose(self):
        header = self.change(("int64_t (*now_ns)", "double (*now_ns)"), ("ABI_MINOR 0", "ABI_MINOR 1"),
                             ("ABI_OLDEST_MINOR 0", "ABI_OLDEST_MINOR 1"))
        self.assert_refused(header, "Nothing guards 1.1", "gate.py --renew")
        self.assertEqual(gate.renew(self.include, self.published), 1)
        self.assertEqual(self.check(header), [])
        self.assertEqual(self.published.header(1).read_text(), header)
        with self.assertRaisesRegex(gate.Refusal, "1.1 is published, and what is published stays"):
            gate.renew(self.include, self.published)

    def test_a_stable_minor_that_breaks_one_cannot_be_published(self):
        (self.include / gate.HEADER).write_text(stable(self.change(("int64_t (*now_ns)", "double (*now_ns)")), 1))
        with self.assertRaisesRegex(gate.Refusal, "no longer the published 1.0"):
            gate.renew(self.include, self.published)
        self.assertFalse(self.published.baseline(1).exists())

    def test_the_numbers_fit_together(self):
        for replacement in (("ABI_OLDEST_MINOR 0", "ABI_OLDEST_MINOR 1"), ("ABI_MINOR 0", "ABI_MINOR 1")):
            self.assert_refused(self.change(replacement), "in a preview they are equal")

    def test_every_published_minor_has_its_baseline_and_its_header(self):
        for minor in PUBLISHED.minors():
            header = PUBLISHED.header(minor).read_text(encoding="utf-8")
            self.assertEqual(surface.number(header, "ASSAY_ABI_MINOR"), minor)
            include = PUBLISHED.frozen / f"v1.{minor}"
            document, _ = gate.describe(include, self.folder)
            breaks, additions = surface.compare(PUBLISHED.surface(minor), surface.surface(document, header))
            self.assertEqual((breaks, additions), ([], []))

    def test_the_command_says_the_same_and_ends_with_1(self):
        done = subprocess.run([sys.executable, "-B", gate.HERE / "gate.py"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = subprocess.run([sys.executable, "-B", gate.HERE / "gate.py", "--renew"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("what is published stays", done.stderr)


if __name__ == "__main__":
    unittest.main()
