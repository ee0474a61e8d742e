#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kept_test.py BUILD: what holds kept results to their suites does notice; and what a report says under Replicate replicates."""

import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

import results_test

ROOT = results_test.ROOT
BUILD = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
WITHOUT_GPU = {"quick": "h200/quick.json"}  # a suite that runs without a GPU, and a kept result that holds its own text of it
SUITE = re.compile(r"<summary>The suite (\S+) as it was run</summary>\n\n(```+)yaml\n(.*?)^\2$", re.DOTALL | re.MULTILINE)


class Kept(unittest.TestCase):
    """On a copy of suites and results, of which something is changed."""

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="assay-kept-"))
        self.addCleanup(shutil.rmtree, self.root)
        for folder in ("docs/results", "suites", "tests/gpu/peers"):
            shutil.copytree(ROOT / folder, self.root / folder)
        for name, value in (("ROOT", self.root), ("RESULTS", self.root / "docs/results")):
            self.addCleanup(setattr, results_test, name, getattr(results_test, name))
            setattr(results_test, name, value)

    def wrong(self):
        """The names of what is not right, each with why."""
        return {str(path.relative_to(results_test.RESULTS)): f"{what} {why}" for path, what, right, why in results_test.checks_of_suites() if not right}

    def marks(self, change):
        path = self.root / "docs/results/earlier-suites.json"
        marks = json.loads(path.read_text(encoding="utf-8"))
        change(marks)
        path.write_text(json.dumps(marks), encoding="utf-8")

    def test_as_they_are_nothing_is_wrong(self):
        self.assertEqual(self.wrong(), {})

    def test_a_byte_of_a_suite_is_noticed(self):
        for path in [*self.root.glob("suites/*.yaml"), *self.root.glob("tests/gpu/peers/*.yaml")]:
            before = path.read_bytes()
            path.write_bytes(before + b"#")
            results = [json.loads(kept.read_text(encoding="utf-8"))["run"] for kept in results_test.kept()]
            texts = {run["suite"] for run in results} | {pathlib.PurePath(each["file"]).stem for run in results for each in run.get("suite_includes", [])}
            marked = json.loads((self.root / "docs/results/earlier-suites.json").read_text(encoding="utf-8"))
            unmarked = {str(kept.relative_to(results_test.RESULTS)) for kept, run in zip(results_test.kept(), results)
                        if path.stem in {run["suite"], *(pathlib.PurePath(each["file"]).stem for each in run.get("suite_includes", []))}} - set(marked)
            with self.subTest(path.name, is_of_a_result=path.stem in texts):
                self.assertEqual(set(self.wrong()), unmarked)
                self.assertTrue(all("was changed since" in why for why in self.wrong().values()))
            path.write_bytes(before)
        self.assertTrue({"quick"} <= texts)

    def test_a_suite_that_is_gone_is_noticed(self):
        (self.root / "suites/numa-study.yaml").unlink()
        self.assertIn("is there no more", self.wrong()["h100/numa-study.json"])

    def test_a_suite_that_a_page_shows_is_one(self):
        readme = self.root / "docs/results/h200x2/README.md"
        readme.write_text(readme.read_text(encoding="utf-8").replace("max_time: 1s", "max_time: 2s"), encoding="utf-8")
        self.assertIn("was changed since", self.wrong()["h200x2/all-reduce-sweep.json"])

    def test_a_mark_says_what_is_still_shown_and_by_which_text(self):
        text = self.root / "docs/results/h200/h200-guide.suite.yaml"
        text.write_bytes(text.read_bytes() + b"#")
        self.assertIn("is not the text that it was taken by", self.wrong()["h200/h200-guide.json"])
        readme = self.root / "docs/results/h200/README.md"
        readme.write_text(readme.read_text(encoding="utf-8").replace("what its findings say was changed since", "so on"), encoding="utf-8")
        self.assertIn("the README beside it does not say", self.wrong()["h200/gemm-shapes.json"])

    def test_a_mark_that_is_missing_or_too_many_is_noticed(self):
        self.marks(lambda marks: marks.pop("h200/h200-guide.json"))
        self.assertEqual(set(self.wrong()), {"h200/h200-guide.json"})
        self.marks(lambda marks: marks.update({"h100/numa-study.json": {"suite": None, "still_shows": "all"}, "h200/none.json": {}}))
        wrong = self.wrong()
        self.assertIn("needs no mark", wrong["h100/numa-study.json"])
        self.assertIn("there is no such result", wrong["h200/none.json"])

    def test_a_time_that_a_page_has_wrong_is_noticed(self):
        readme = self.root / "docs/results/h200/README.md"
        for before, after in (("| 48.2 s |", "| 48.3 s |"), ("| 2 min 36 s |", "| 3 min 36 s |")):
            readme.write_text(readme.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")
        wrong = self.wrong()
        self.assertEqual(set(wrong), {"h200/quick.json", "h200/gemm-shapes.json"})
        self.assertIn("48.3 s in the README, 48.17 s in the result", wrong["h200/quick.json"])

    def test_what_was_deleted_is_noticed(self):
        for name in ("h200/gemm-shapes.json", "h200/stream-peer.txt", "h200x4/external.json"):
            (self.root / "docs/results" / name).unlink()
        (self.root / "docs/results/h200/h200-guide.md").unlink()
        self.assertEqual(set(self.wrong()), {"h200/gemm-shapes.json", "h200/stream-peer.txt", "h200x4/external.json", "h200/h200-guide.md"})


class Replicate(unittest.TestCase):
    """With nothing but a report of a kept result: the texts that it folds away, and its command, in a fresh folder."""

    def replicated(self, result, *more):
        report = pathlib.Path(tempfile.mkdtemp(prefix="assay-replicate-"), "report.md")
        self.addCleanup(shutil.rmtree, report.parent)
        subprocess.run([BUILD / "bin/assay", "report", result, "-q", "--report", f"markdown:charts=false={report}"], check=True)
        text = report.read_text(encoding="utf-8")
        _, _, after = text.partition("\n## Replicate\n")
        command = shlex.split(re.search(r"```sh\n(.*)\n```", after)[1])
        folder = pathlib.Path(tempfile.mkdtemp(prefix="assay-replicate-"))
        self.addCleanup(shutil.rmtree, folder)
        for name, _, suite in SUITE.findall(after):
            (folder / name).write_text(suite, encoding="utf-8")
        self.assertEqual(command[0], "assay")
        done = subprocess.run([BUILD / "bin/assay", *command[1:], *more], cwd=folder, capture_output=True, text=True,
                              env={"HOME": str(folder), "PATH": "/usr/bin:/bin", "ASSAY_LOCK_FOLDER": str(folder / ".locks")}, timeout=300)
        return folder, done

    def test_a_kept_report_replicates_with_its_suite(self):
        """By the text that its report has, whatever this machine calls by that name."""
        for suite, name in WITHOUT_GPU.items():
            kept = json.loads((ROOT / "docs/results" / name).read_text(encoding="utf-8"))["run"]
            folder, done = self.replicated(ROOT / "docs/results" / name, "--quick", "-q", "-o", "again")
            document = json.loads((folder / "again/result.json").read_text(encoding="utf-8"))
            self.assertEqual(done.returncode, 0, [(case["id"], case["reason"]) for case in document["cases"] if case["reason"]])
            again = document["run"]
            self.assertEqual((again["suite"], again["suite_sha256"], again["suite_text"], again["seed"]),
                             (suite, kept["suite_sha256"], kept["suite_text"], kept["seed"]))

    def test_a_suite_that_includes_others_replicates_the_plan(self):
        name = ROOT / "docs/results/h200/node-acceptance.json"
        document = json.loads(name.read_text(encoding="utf-8"))
        with tempfile.NamedTemporaryFile("w", suffix=".json") as inventory:
            json.dump({"inventory_version": 1, "backends": document["run"]["backends"]}, inventory)
            inventory.flush()
            _, done = self.replicated(name, "--dry-run", "--inventory", inventory.name)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for case in document["cases"]:
            self.assertIn(case["id"].split("[")[0], done.stdout)
        self.assertIn("cuda:0", done.stdout)


if __name__ == "__main__":
    unittest.main()
