# SPDX-License-Identifier: Apache-2.0
"""What a journal may be, and what is done to it: damage, links, other people's files, reports in its place."""

import json
import os
import pathlib
import re
import shutil
import unittest

import harness
from harness import HEADER, Assay

SUITE = HEADER + "cases:\n  - {id: a, uses: series, measure: {samples: 6}, matrix: {bytes: [1KiB, 2KiB, 3KiB]}}\n"


class Interrupted(Assay):
    def interrupted(self, visits=2):
        """A run of three visits of which so many are in its journal."""
        self.assertEqual(self.run_suite(SUITE).code, 0)
        journal = self.results / "journal.jsonl"
        journal.write_text("".join(journal.read_text(encoding="utf-8").splitlines(keepends=True)[: visits + 1]), encoding="utf-8")
        return journal

    def resume(self, *more, **keywords):
        return self.assay("run", "suite.yaml", "--plugin-dir", harness.FIXTURES, "--resume", self.results, *more, **keywords)



class Journal(Interrupted):
    def test_a_damaged_header_is_refused_and_no_visit_is_lost(self):
        journal = self.interrupted()
        whole = journal.read_bytes()
        for at in (0, 9, 40, 300, whole.index(b"\n") - 3, whole.index(b"\n")):
            with self.subTest(at):
                damaged = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:]
                journal.write_bytes(damaged)
                resumed = self.resume()
                self.assertEqual(resumed.code, 3, resumed.err)
                self.assertNotIn("nothing was measured", resumed.err)
                self.assertIn("journal.jsonl", resumed.err)
                self.assertEqual(journal.read_bytes(), damaged)

    def test_a_damaged_visit_is_left_out_and_measured_again(self):
        journal = self.interrupted(3)
        lines = journal.read_text(encoding="utf-8").splitlines(keepends=True)
        for damage in (lambda visit: visit.replace('"round":1', '"round":2'), lambda visit: visit.replace('"round"', '"rounb"'),
                       lambda visit: harness.sealed({"type": "visit", "visit": {"case": 5}})):
            with self.subTest(damage(lines[2])[:60]):
                self.assertNotEqual(damage(lines[2]), lines[2])
                journal.write_text("".join([*lines[:2], damage(lines[2]), lines[3]]), encoding="utf-8")
                report = self.assay("report", journal, "--report", "json=-")
                self.assertEqual(report.code, 0, report.err)
                told = json.loads(report.out)["verdict"]["reasons"]
                self.assertIn("1 of its lines cannot be read, the first is line 3", json.dumps(told))
                resumed = self.resume()
                self.assertEqual(resumed.code, 0, resumed.err)
                self.assertEqual(len(re.findall(r"(?m)^\d+/\d+  ", resumed.err)), 1, resumed.err)
                self.assertEqual(set(resumed.outcomes().values()), {"passed"})

    def test_what_the_journal_links_to_is_not_written(self):
        self.write("suite.yaml", SUITE)
        self.results.mkdir()
        precious = self.write("precious", "{}\nmy data\n")
        for make in (os.symlink, os.link):
            with self.subTest(make.__name__):
                make(precious, self.results / "journal.jsonl")
                refused = self.resume()
                self.assertEqual(refused.code, 3, refused.err)
                self.assertIn("is left as it is", refused.err)
                self.assertEqual(precious.read_text(encoding="utf-8"), "{}\nmy data\n")
                (self.results / "journal.jsonl").unlink()

    def test_a_file_of_that_name_that_is_no_journal_is_not_written(self):
        self.write("suite.yaml", SUITE)
        for name, text in (("letter", "dear diary"), ("lines", "one\ntwo\n"), ("table", '{"x":1}\n{"x":2}\n'), ("number", "7")):
            with self.subTest(name):
                self.results = self.folder / name
                other = self.write(f"{name}/journal.jsonl", text)
                refused = self.resume()
                self.assertEqual(refused.code, 3, refused.err)
                self.assertEqual(other.read_text(encoding="utf-8"), text)

    def test_pipes_and_devices_are_refused_at_once(self):
        self.write("suite.yaml", SUITE)
        self.results.mkdir()
        journal = self.results / "journal.jsonl"
        os.mkfifo(journal)
        refused = self.resume(timeout=harness.PATIENCE_S)
        self.assertEqual(refused.code, 3, refused.err)
        self.assertIn("not a regular file", refused.err)
        journal.unlink()
        journal.symlink_to("/dev/zero")
        for arguments in (["run", "suite.yaml", "--resume", self.results], ["report", self.results]):
            refused = self.assay(*arguments, timeout=harness.PATIENCE_S)
            self.assertEqual(refused.code, 3, refused.err)
            self.assertRegex(refused.err, "is a link|not a regular file")

    @unittest.skipUnless(os.geteuid() == 0, "only root can give a file away")
    def test_somebody_elses_journal_is_not_gone_on_with(self):
        journal = self.interrupted()
        before = journal.read_bytes()
        os.chown(journal, 65534, 65534)
        refused = self.resume()
        self.assertEqual(refused.code, 3, refused.err)
        self.assertIn("belongs to another user, number 65534", refused.err)
        self.assertEqual(journal.read_bytes(), before)
        self.assertEqual(self.assay("report", journal).code, 0, "it can be looked at")

    def test_evil_expressions_in_it_end_at_once(self):
        journal = self.interrupted()
        whole = journal.read_text(encoding="utf-8")
        for evil in ("(a+)+$x", "(a|a?)+" * 50, "(.*)*x", "(a{1,100}){1,100}", "(a)\\1", "("):
            with self.subTest(evil[:20]):
                harness.change_header(journal, lambda header: header["options"].update(filters=[evil + "|a"]))
                done = self.assay("report", journal, timeout=harness.PATIENCE_S)
                self.assertIn(done.code, (0, 2), done.err)
                again = self.assay("run", "suite.yaml", "--plugin-dir", harness.FIXTURES, "--dry-run", "--filter", evil, timeout=harness.PATIENCE_S)
                self.assertIn(again.code, (0, 2, 6), again.err)
                journal.write_text(whole, encoding="utf-8")

    def test_a_journal_of_an_earlier_format_is_refused_with_a_word(self):
        journal = self.interrupted()
        harness.change_header(journal, lambda header: header.update(journal=1))
        before = journal.read_bytes()
        for done in (self.resume(), self.assay("report", journal)):
            self.assertEqual(done.code, 3, done.err)
            self.assertIn("has format 1, this program reads format 2: use the version that wrote it", done.err)
        self.assertEqual(journal.read_bytes(), before)


class Changed(Interrupted):
    """A run goes on only with what it began with, and executes nothing that its journal names."""

    def refused(self, *words, arguments=(), **keywords):
        before = (self.results / "journal.jsonl").read_bytes()
        done = self.resume(*arguments, **keywords)
        self.assertEqual(done.code, 3, done.err)
        for word in words:
            self.assertIn(word, done.err)
        self.assertEqual((self.results / "journal.jsonl").read_bytes(), before)

    def test_another_library_is_refused(self):
        plugins = self.folder / "plugins"
        shutil.copytree(harness.FIXTURES, plugins)
        self.write("suite.yaml", SUITE)
        first = self.assay("run", "suite.yaml", "--plugin-dir", plugins, "-o", self.results)
        self.assertEqual(first.code, 0, first.err)
        journal = self.results / "journal.jsonl"
        journal.write_text("".join(journal.read_text(encoding="utf-8").splitlines(keepends=True)[:3]), encoding="utf-8")
        library, manifest = plugins / "assay_fake.so", plugins / "assay_fake.assay.json"
        ident = json.loads(manifest.read_text(encoding="utf-8"))["id"]

        def refused(word):
            done = self.assay("run", "suite.yaml", "--plugin-dir", plugins, "--resume", self.results)
            self.assertEqual(done.code, 3, done.err)
            self.assertIn(f"the SHA-256 of the {word} of {ident} was", done.err)

        whole = library.read_bytes()
        library.write_bytes(whole + b"x")
        refused("library")
        library.write_bytes(whole)
        text = json.loads(manifest.read_text(encoding="utf-8"))
        text["summary"] = "another"
        manifest.write_text(json.dumps(text), encoding="utf-8")
        refused("manifest")

    def interrupted_commands(self, case):
        self.results = self.folder / "commands"
        self.write("suite.yaml", "version: 1\nsuite: s\ncases:\n  - " + case.replace("\n", "\n    ") + "\n")
        done = self.assay("run", "suite.yaml", "-o", self.results)
        self.assertEqual(done.code, 0, done.err)
        journal = self.results / "journal.jsonl"
        journal.write_text("".join(journal.read_text(encoding="utf-8").splitlines(keepends=True)[:2]), encoding="utf-8")

    def test_another_program_is_refused(self):
        script = self.write("step.sh", "#!/bin/sh\necho 1\n")
        script.chmod(0o755)
        for command in ("[./step.sh]", "[sh, step.sh]"):
            with self.subTest(command):
                script.write_text("#!/bin/sh\necho 1\n", encoding="utf-8")
                self.interrupted_commands(f"id: a\nuses: external\ncommand: {command}\nprocesses: 3\n"
                                          "metrics: {n: {pattern: '^([0-9])$'}}\nexpect: [n == 1]")
                script.write_text("#!/bin/sh\necho  1\n", encoding="utf-8")
                self.refused("the SHA-256 of the program '", "step.sh' of case 'a' was '")
                script.write_text("#!/bin/sh\necho 1\n", encoding="utf-8")
                self.assertEqual(self.resume().code, 0)
                shutil.rmtree(self.results)

    def test_a_suite_may_be_named_from_another_folder(self):
        self.interrupted_commands("id: a\nuses: external\ndirectory: .\ncommand: [pwd]\nprocesses: 3")
        suite, self.folder = self.folder / "suite.yaml", self.folder / "elsewhere"
        self.folder.mkdir()
        done = self.assay("run", suite, "--resume", self.results)
        self.assertEqual(done.code, 0, done.err)

    def test_another_environment_is_refused(self):
        self.environment["OMP_NUM_THREADS"] = "64"
        self.interrupted()
        self.refused("the variable OMP_NUM_THREADS was '64' and is '1' now", environment={"OMP_NUM_THREADS": "1"})
        del self.environment["OMP_NUM_THREADS"]
        self.refused("the variable OMP_NUM_THREADS was '64' and is not set now")
        self.environment["OMP_NUM_THREADS"] = "64"
        self.refused("the variable NCCL_ALGO was not set and is 'Ring' now", environment={"NCCL_ALGO": "Ring"})
        done = self.resume(environment={"SLURM_JOB_ID": "7", "HOME": "/nowhere"})
        self.assertEqual(done.code, 0, "another job, and what is not recorded: " + done.err)

    def test_another_version_is_refused(self):
        journal = self.interrupted()
        harness.change_header(journal, lambda header: header["tool"].update(version="0.0.9"))
        self.refused("assay's version was '0.0.9' and is")

    def test_another_driver_is_refused(self):
        journal = self.interrupted()
        harness.change_header(journal, lambda header: header["inventory"]["backends"][0]["facts"].update(driver="fake 0.9"))
        self.refused("of the backend fake driver was 'fake 0.9' and is 'fake 1.0' now")

    def test_a_backend_that_gives_no_inventory_is_told_as_such(self):
        self.interrupted()
        self.refused("the backend 'fake' gives no inventory now (", environment={"ASSAY_FAKE_BACKEND": "inventory:segv"})

    def test_a_backend_that_dies_once_is_asked_again(self):
        mark = self.write("once", "")
        self.environment.update(ASSAY_FAKE_BACKEND="inventory:segv", ASSAY_FAKE_ONCE=str(mark))
        done = self.run_suite(SUITE)
        self.assertEqual(done.code, 0, done.out + done.err)
        self.assertFalse(mark.exists())

    def test_what_a_journal_names_is_not_executed(self):
        mark = self.folder / "mark"
        journal = self.interrupted()
        wrap = f"sh -c 'touch {mark}'"
        for change, words, option in (
                (lambda header: header["options"].update(wrap=wrap), "begun with --wrap", ["--wrap", "env"]),
                (lambda header: header.update(overrides=[f"a.env.LD_PRELOAD={mark}"]), "begun with --set a.env.LD_PRELOAD=", ["--set", "a.bytes=1KiB"])):
            whole = journal.read_text(encoding="utf-8")
            harness.change_header(journal, change)
            self.refused(words, "what a journal names is not executed")
            self.refused(words, arguments=option)
            journal.write_text(whole, encoding="utf-8")
        self.assertFalse(mark.exists())

    def test_the_same_wrap_given_again_goes_on(self):
        self.assertEqual(self.run_suite(SUITE, "--wrap", "env").code, 6)  # shown, not judged
        journal = self.results / "journal.jsonl"
        journal.write_text("".join(journal.read_text(encoding="utf-8").splitlines(keepends=True)[:3]), encoding="utf-8")
        self.refused("begun with --wrap env; give that again")
        done = self.resume("--wrap", "env")
        self.assertEqual(done.code, 6, done.err)

    def test_the_suite_in_a_journal_or_result_is_not_run_by_itself(self):
        self.interrupted()
        for option, source in (("--resume", "results"), ("--failed", "results/result.json"), ("--failed", "results/journal.jsonl")):
            with self.subTest(option, source=source):
                done = self.assay("run", option, source, "--plugin-dir", harness.FIXTURES)
                self.assertEqual(done.code, 2, done.err)
                self.assertIn(f"it was: assay run suite.yaml {option} {source}", done.err)


class Reports(Assay):
    def test_no_report_replaces_journal_result_or_suite(self):
        self.assertEqual(self.run_suite(SUITE).code, 0)
        (self.folder / "linked").symlink_to(self.results / "journal.jsonl")
        os.link(self.results / "journal.jsonl", self.folder / "hard")
        files = {path: path.read_bytes() for path in (self.results / "journal.jsonl", self.results / "result.json", self.folder / "suite.yaml")}
        for path in ("results/journal.jsonl", "results/../results/journal.jsonl", "results/result.json", "suite.yaml", "linked", "hard"):
            for source in ("results", "results/journal.jsonl", "results/result.json"):
                with self.subTest(path, source=source):
                    done = self.assay("report", source, "--report", f"markdown={path}")
                    self.assertEqual(done.code, 7, done.err)
                    self.assertIn("is not replaced by a report", done.err)
                    self.assertEqual({file: file.read_bytes() for file in files}, files)
        again = self.assay("report", "results/journal.jsonl", "--report", "json=results/result.json")
        self.assertEqual(again.code, 0, again.err)

    def test_a_journal_with_what_nothing_decides_is_judged(self):
        """Versions before the one that refuses such suites ran them; their journals stay readable."""
        suite = """version: 1
suite: test
cases:
  - id: a
    uses: external
    processes: 3
    command: [sh, -c, "exit {n}"]
    matrix: {n: [0, 1], m: [0, 1], exclude: [{n: 1, m: 1}]}
    metrics: {v: {from: exit}}
    expect: [v <= 1]
findings:
  - {id: f, question: "Is it?", let: {x: "a[n=1].time", y: "a[n=0,m=0].time"}, claim: x <= y}
""".replace("[0, 1], m: [0, 1]", "[0, 1], env.M: [0, 1]").replace("m: 1", "env.M: 1").replace("m=0", "env.M=0")
        self.assertEqual(self.run_suite(suite).code, 0)
        journal = self.results / "journal.jsonl"
        whole = journal.read_text(encoding="utf-8")
        for old, new, where, words in (
                ('y: "a[n=0,env.M=0].time"', 'y: "best(a[n=0].time)"', "findings", "best() picks on the odd ones"),
                ('y: "a[n=0,env.M=0].time"', 'y: "mean(a[n=0].time)"', "findings", "cannot stand in a claim"),
                ("expect: [v <= 1]", "expect: [{that: v <= 1, where: {n: 1, env.M: 1}}]", "groups", "no row of this run has n=1, env.M=1")):
            with self.subTest(new):
                self.assertIn(old, suite)
                journal.write_text(whole, encoding="utf-8")
                harness.change_header(journal, lambda header: header.update(suite_text=suite.replace(old, new)))
                self.write("old.yaml", suite.replace(old, new))
                self.assertEqual(self.assay("validate", "old.yaml").code, 3, "nobody runs it today")
                again = self.assay("report", journal, "--report", "json=again.json", "-q")
                self.assertEqual(again.code, 0, again.err)
                document = json.loads((self.folder / "again.json").read_text(encoding="utf-8"))
                judged = document[where]
                self.assertIn(judged[0].get("verdict") or judged[0]["status"], ("undecided", "no_reference", "not_judged"))
                self.assertIn(words, judged[0]["why"] + "".join(row["why"] for row in judged[0].get("rows", [])))
        journal.write_text(whole, encoding="utf-8")
        harness.change_header(journal, lambda header: header.update(suite_text=suite.replace("v <= 1", "w <= 1")))
        again = self.assay("report", journal, "-q")
        self.assertNotEqual(again.code, 0)
        self.assertIn("holds a suite that this version of assay does not accept", again.err)

    def test_a_run_does_not_replace_its_own_suite(self):
        for path in ("suite.yaml", "{}/journal.jsonl", "{}/result.json"):
            self.results = self.folder / f"results-{pathlib.Path(path).suffix[1:]}"
            path = path.format(self.results.name)
            with self.subTest(path):
                done = self.run_suite(SUITE, "--report", f"junit={path}", "--report", "json")
                self.assertEqual(done.code, 7, done.err)
                self.assertIn("is not replaced by a report", done.err)
                self.assertEqual((self.folder / "suite.yaml").read_text(encoding="utf-8"), SUITE)
                self.assertEqual(len(done.document["cases"]), 3)


if __name__ == "__main__":
    harness.main()
