#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every test of a build has one label, by which ctest -L runs its kind: labels_test.py CTEST BUILD"""

import json
import subprocess
import sys
import unittest

CTEST, BUILD = sys.argv[1:3]
LABELS = {"unit", "integration", "docs", "abi", "perf", "gpu", "packaging", "property", "campaign"}


class Labels(unittest.TestCase):
    def test_every_test_has_one_of_the_labels(self):
        listed = subprocess.run([CTEST, "--test-dir", BUILD, "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout
        tests = json.loads(listed)["tests"]
        self.assertGreater(len(tests), 1000)
        odd = {}
        for test in tests:
            labels = [label for each in test.get("properties", []) if each["name"] == "LABELS" for label in each["value"]]
            if len(labels) != 1 or labels[0] not in LABELS:
                odd[test["name"]] = labels
        self.assertEqual(odd, {})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
