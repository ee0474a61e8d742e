#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What plugins and contracts say of a parameter, a metric, a fact or an option begins with a noun phrase: it says what the thing is."""

import json
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PREPOSITIONS = "about after at before between by for from in of on over through to under until while with without"
CLAUSES = "how if that what when where whether which who why it not"
VERBS = "adds are brings does draws gives goes has holds is keeps lasts leaves makes moves reads says shows takes tells uses writes"
# A value of the parameter, "auto: …", is not a noun phrase either.
OTHER = re.compile(rf"(?:{'|'.join(f'{PREPOSITIONS} {CLAUSES} {VERBS}'.split())})\b|\w+: |the same\b|$")


def texts():
    """Where each text stands, and the text."""
    files = [*ROOT.glob("plugins/**/*.assay.json"), *ROOT.glob("sdk/contracts/*.json"), *ROOT.glob("reporters/**/*.assay.json")]
    for path in sorted(files):
        document = json.loads(path.read_text(encoding="utf-8"))
        for described in [document["benchmark"]] if "benchmark" in document else document["benchmarks"] + document["reporters"]:
            for kind, key in (("parameters", "help"), ("metrics", "summary"), ("facts", "summary"), ("options", "help")):
                for one in described.get(kind, []):
                    if kind != "metrics" or one.get(key):  # a metric's name may say all
                        yield f"{path.relative_to(ROOT)}: {one['name']}", one.get(key, "")


class HelpTexts(unittest.TestCase):
    def test_each_begins_with_a_noun_phrase(self):
        found = list(texts())
        self.assertGreater(len(found), 600)
        self.assertEqual([f"{where}: {text}" for where, text in found if OTHER.match(text)], [])

    def test_other_beginnings_are_found(self):
        for text in ("", "of each array", "how many are drawn", "leaves that part out", "0: one per allowed CPU", "auto: ring", "the same by the formula"):
            self.assertTrue(OTHER.match(text), text)
        for text in ("size of each array", "number of threads; 0: one per allowed CPU", "time of one pass", "inner length", "item size"):
            self.assertFalse(OTHER.match(text), text)


if __name__ == "__main__":
    unittest.main()
