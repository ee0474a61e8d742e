#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""version_test.py CMAKE: which sources a build says it was made from, as every result repeats it."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CMAKE = sys.argv.pop()


class Version(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="assay-version-test-")
        self.addCleanup(folder.cleanup)
        self.sources, self.made = pathlib.Path(folder.name, "sources"), pathlib.Path(folder.name, "version.txt")
        self.sources.mkdir()
        self.template = pathlib.Path(folder.name, "version.txt.in")
        self.template.write_text("@PROJECT_VERSION@ @ASSAY_COMMIT@")

    def git(self, *words, where=None):
        identity = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b", "GIT_CONFIG_GLOBAL": os.devnull}
        return subprocess.run(["git", "-C", where or self.sources, *words], check=True, capture_output=True, text=True, env={**os.environ, **identity}).stdout.strip()

    def commit(self, text):
        (self.sources / "file").write_text(text)
        self.git("add", "-A")
        self.git("commit", "-qm", "x")
        return self.git("rev-parse", "HEAD")

    def version(self):
        subprocess.run([CMAKE, f"-DSOURCES={self.sources}", "-DPROJECT_VERSION=1.2.3", f"-DTEMPLATE={self.template}", f"-DOUTPUT={self.made}",
                        "-P", ROOT / "cmake/AssayVersion.cmake"], check=True, capture_output=True, text=True, timeout=60)
        number, commit = self.made.read_text().split()
        self.assertEqual(number, "1.2.3")
        return commit

    def test_it_is_the_commit_of_the_build_and_not_of_an_earlier_one(self):
        self.git("init", "-q")
        for text in ("one", "two"):
            self.assertTrue(self.commit(text).startswith(self.version()))
            self.assertGreaterEqual(len(self.version()), 7)

    def test_a_release_is_told_by_its_commit_too(self):
        self.git("init", "-q")
        whole = self.commit("one")
        self.git("tag", "-am", "x", "v1.2.3")
        self.assertTrue(whole.startswith(self.version()))

    def test_sources_that_nobody_can_have_are_told_apart(self):
        self.git("init", "-q")
        whole = self.commit("one")
        (self.sources / "file").write_text("changed")
        commit, word = self.version().split("-")
        self.assertTrue(whole.startswith(commit))
        self.assertEqual(word, "dirty")

    def test_an_archive_of_the_sources_ignores_a_repository_around(self):
        self.assertEqual(self.version(), "unknown")
        self.git("init", "-q", where=self.sources.parent)
        self.git("commit", "-qm", "x", "--allow-empty", where=self.sources.parent)
        self.assertEqual(self.version(), "unknown")

    def test_the_same_again_makes_nothing_anew(self):
        self.git("init", "-q")
        self.commit("one")
        self.version()
        os.utime(self.made, ns=(0, 0))
        self.version()
        self.assertEqual(self.made.stat().st_mtime_ns, 0)


unittest.main()
