# SPDX-License-Identifier: Apache-2.0
"""Variants of a case, `assay run --pairs`, and `assay compare --confirm`: what is printed, how it ends, and what is refused."""

import json
import re
import shlex
import shutil
import unittest

import harness

# How fast it says that it is, by a variable and by an argument.
STEP = """case "$OMP_NUM_THREADS$1" in 1*) echo "64 tokens/s";; *) echo "5 tokens/s";; esac
"""
CASE = """    uses: external
    command: [sh, step.sh]
    metrics: {throughput: {pattern: '^([0-9.]+) tokens/s', unit: tokens/s, direction: higher}}
"""
# How long a shell takes is compared, too, and differs by far more than 2 % on a busy machine.
THETA = ["--theta", "90%"]
HEAD = "version: 1\nsuite: test\ncases:\n  - id: step\n"
PLAIN = HEAD + CASE
VARIANTS = HEAD + CASE + """    variants:
      before: {env: {OMP_NUM_THREADS: 1}}
      after: {env: {OMP_NUM_THREADS: 2}}
    reference: {variant: before}
findings:
  - id: faster
    question: Is after faster than before?
    let: {after: "step[variant=after].throughput", before: "step[variant=before].throughput"}
    claim: after > before
"""


class Pairs(harness.Assay):
    def setUp(self):
        super().setUp()
        self.write("step.sh", STEP)
        self.write("plain.yaml", PLAIN)

    def found(self, folder="results"):
        return json.loads((self.folder / folder / "comparison.json").read_text(encoding="utf-8"))

    @staticmethod
    def throughput(found):
        return next(row for row in found["rows"] if row["metric"] == "throughput")

    def pairs(self, *arguments, suite="plain.yaml", **keywords):
        return self.assay("run", suite, "-o", self.results, "--pairs", *arguments, *THETA, **keywords)


class Variants(Pairs):
    def test_their_difference_is_printed_before_and_after_the_run(self):
        self.write("suite.yaml", VARIANTS)
        line = "before → after: env.OMP_NUM_THREADS 1 → 2"
        for command in (["run", "suite.yaml", "--dry-run"], ["plan", "suite.yaml"]):
            done = self.assay(*command)
            self.assertEqual(done.code, 0, done.err)
            self.assertIn(line, done.out)
        done = self.assay("run", "suite.yaml", "-o", self.results)
        self.assertEqual(done.code, 0, done.out + done.err)
        self.assertIn(line, done.out)
        self.assertIn(line, (self.results / "report.md").read_text(encoding="utf-8").replace("\\", ""))
        self.assertEqual(set(done.outcomes()), {"step[variant=before]", "step[variant=after]"})
        self.assertEqual([f["verdict"] for f in done.document["findings"]], ["refuted"])
        axis = done.case("step[variant=after]")["axes"][0]
        self.assertEqual(axis, {"name": "variant", "text": "after", "value": {"env.OMP_NUM_THREADS": "2"}})
        self.assertEqual(done.document["run"]["rounds"], 6)

    def test_they_take_turns_in_every_round(self):
        self.write("suite.yaml", VARIANTS)
        self.assay("run", "suite.yaml", "-o", self.results, "-q")
        lines = [json.loads(line) for line in (self.results / "journal.jsonl").read_text(encoding="utf-8").splitlines()]
        visits = [line["visit"] if "visit" in line else line for line in lines[1:]]
        cases = [visit.get("case") or visit.get("case_id") or visit.get("id") for visit in visits]
        cases = [case for case in cases if case]
        self.assertEqual(len(cases), 12)
        first = [cases[i] for i in range(0, 12, 2)]
        self.assertTrue(all(cases[i] != cases[i + 1] for i in range(0, 12, 2)), cases)
        self.assertEqual(sorted(first), ["step[variant=after]"] * 3 + ["step[variant=before]"] * 3)

    def test_what_is_wrong_is_said_at_its_place(self):
        for variants, said in [
            ("{before: {with: {n: 2}}, after: {with: {n: 1}}}", "suite.yaml:8:32: error: the command does not use 'n'"),
            ("{before: {}, after: {}}", "suite.yaml:8:28: error: variant 'after' is the same as 'before'"),
            ("{before: {}, after: {environment: {}}}", "suite.yaml:8:36: error: unknown key 'environment' in a variant"),
            ("{before: {}}", "suite.yaml:8:15: error: one variant has nothing to be compared with"),
        ]:
            self.write("suite.yaml", PLAIN + f"    variants: {variants}\n")
            done = self.assay("validate", "suite.yaml")
            self.assertEqual(done.code, 3, done.out + done.err)
            self.assertIn(said, done.out + done.err)

    def test_a_journal_alone_gives_the_same_result(self):
        self.write("suite.yaml", VARIANTS)
        done = self.assay("run", "suite.yaml", "-o", self.results, "-q")
        first = done.document["cases"]
        (self.results / "result.json").unlink()
        again = self.assay("report", self.results, "--report", "json=again.json")
        self.assertEqual(again.code, 0, again.err)
        self.assertEqual(json.loads((self.folder / "again.json").read_text(encoding="utf-8"))["cases"], first)


class InOneRun(Pairs):
    def test_what_is_slower_is_exit_1_and_said_last(self):
        done = self.pairs("env:OMP_NUM_THREADS=1", "env:OMP_NUM_THREADS=2")
        self.assertEqual(done.code, 1, done.out + done.err)
        row = self.throughput(self.found())
        self.assertEqual((row["id"], row["verdict"], row["old_rounds"]), ("step", "slower", 6))
        self.assertAlmostEqual(row["ratio"], 5 / 64)
        self.assertEqual(self.found()["differences"], [{"what": "env.OMP_NUM_THREADS", "old": "1", "new": "2"}])
        self.assertIn("env.OMP_NUM_THREADS: 1 → 2", done.out)
        self.assertTrue(done.out.rstrip().endswith("exit 1"), done.out)
        self.assertIn("measured in turn", " ".join(done.out.split()))

    def test_faster_and_same_are_exit_0(self):
        done = self.pairs("env:OMP_NUM_THREADS=2", "env:OMP_NUM_THREADS=1")
        self.assertEqual(done.code, 0, done.out + done.err)
        self.assertEqual(self.throughput(self.found())["verdict"], "faster")
        self.assay("run", "plain.yaml", "-o", "third", *THETA, "--no-worse-than", "1%", "--pairs", "env:OMP_NUM_THREADS=2", "env:OMP_NUM_THREADS=1")
        self.assertIs(self.throughput(self.found("third"))["no_worse"], True)
        done = self.assay("run", "plain.yaml", "-o", "second", *THETA, "--pairs", "env:OMP_NUM_THREADS=2", "env:OMP_NUM_THREADS=3")
        self.assertEqual(done.code, 0, done.out + done.err)
        self.assertEqual(self.throughput(self.found("second"))["verdict"], "same")

    def test_a_variable_is_removed_and_a_case_stays_as_it_is(self):
        done = self.pairs("as-is", "env:OMP_NUM_THREADS=~", environment={"OMP_NUM_THREADS": "1"})
        self.assertEqual(done.code, 1, done.out + done.err)
        self.assertIn("env.OMP_NUM_THREADS as it is outside → unset", done.out)

    def test_parameters_are_paired_too(self):
        self.write("with.yaml", (HEAD + CASE).replace("[sh, step.sh]", "[sh, step.sh, \"{n}\"]") + "    with: {n: 1}\n")
        done = self.pairs("as-is", "with:n=2", suite="with.yaml")
        self.assertEqual(done.code, 1, done.out + done.err)
        self.assertEqual(self.found()["differences"], [{"what": "n", "old": "1", "new": "2"}])
        bench = self.assay("bench", "n=1", "-o", "bench", "--runs", "3", *THETA, "--pairs", "as-is", "with:n=2", "--", "sh", "step.sh", "{n}")
        self.assertEqual(bench.code, 0, bench.out + bench.err)  # how long a command takes did not change by so much

    def test_what_follows_the_two_sides_belongs_to_the_command(self):
        bench = self.assay("bench", "--runs", "3", *THETA, "--pairs", "as-is", "with:n=2", "n=1", "-o", "bench", "--", "sh", "step.sh", "{n}")
        self.assertEqual(bench.code, 0, bench.out + bench.err)

    def test_the_output_ends_once(self):
        done = self.pairs("env:OMP_NUM_THREADS=1", "env:OMP_NUM_THREADS=2")
        for name in ("results", "exit"):
            self.assertEqual(len(re.findall(f"^{name} .*", done.out, re.MULTILINE)), 1, done.out)
        self.assertRegex(done.out, r"results +\S*/\{result.json,report.md,junit.xml,comparison.json\}\n")

    def test_what_is_undecided_gets_a_line_with_more_rounds(self):
        # Each execution takes another time than the one before it, whichever side it is of.
        self.write("step.sh", "n=$(cat count 2>/dev/null || echo 0); echo $((n + 1)) > count; case $((n % 3)) in 0) sleep 0.06;; 1) sleep 0.1;; *) sleep 0.17;; esac; echo 1 tokens/s\n")
        sides = ["--theta", "90%", "--pairs", "as-is", "env:OMP_NUM_THREADS=2"]
        said = "--theta 90% --pairs as-is env:OMP_NUM_THREADS=2"
        for command, folder, expected in ((["run", "plain.yaml", "--set", "step.processes=3", "-o", "two"], "two", rf"assay run plain.yaml {said} --set step.processes=(\d+)"),
                                          (["bench", "--runs", "3", "-o", "three", "--", "sh", "step.sh"], "three", rf"assay bench --runs (\d+) {said} -- sh step.sh")):
            at = command.index("--") if "--" in command else len(command)
            (self.folder / "count").unlink(missing_ok=True)
            done = self.assay(*command[:at], *sides, *command[at:])
            self.assertIn("undecided", {row["verdict"] for row in self.found(folder)["rows"]}, done.out)
            line = re.search(r"^again +(assay .*)$", done.out, re.MULTILINE).group(1)
            self.assertRegex(line, f"^{expected}$")
            rounds = int(re.match(expected, line).group(1))
            self.assertGreater(rounds, 3)
            again = self.assay(*shlex.split(line)[1:])
            self.assertIn(f", {rounds} rounds, ", again.out, again.err)
        done = self.assay("run", "plain.yaml", "--extend", "two")
        self.assertEqual(done.code, 2, done.err)
        self.assertIn("begun with --pairs as-is env:OMP_NUM_THREADS=2, and --extend does not go with that", done.err)

    def test_what_only_the_change_breaks_is_exit_1_in_every_report(self):
        self.write("limit.yaml", PLAIN + "    expect: [throughput >= 10 tokens/s]\n")
        done = self.pairs("env:OMP_NUM_THREADS=1", "env:OMP_NUM_THREADS=2", suite="limit.yaml")
        self.assertEqual(done.code, 1, done.out + done.err)
        self.assertEqual(self.throughput(self.found())["verdict"], "failed")
        self.assertEqual(done.document["verdict"]["exit_code"], 1)

    def test_what_is_slower_is_in_every_report_of_the_run(self):
        done = self.pairs("env:OMP_NUM_THREADS=1", "env:OMP_NUM_THREADS=2", "--report", "junit=run.xml", "--report", "markdown=run.md")
        self.assertEqual(done.code, 1, done.out + done.err)
        verdict = done.document["verdict"]
        self.assertEqual((verdict["outcome"], verdict["exit_code"], verdict["reasons"][0]["code"]), ("failed", 1, "run.slower"))
        self.assertRegex((self.folder / "run.xml").read_text(encoding="utf-8"), r'(failures|errors)="1"')
        self.assertIn("Exit code 1", (self.folder / "run.md").read_text(encoding="utf-8"))

    def test_one_variant_alone_is_refused_before_measuring(self):
        for option in (["--only", "variant=before"], ["--filter", "variant=after"]):
            done = self.pairs("env:OMP_NUM_THREADS=1", "env:OMP_NUM_THREADS=2", *option)
            self.assertEqual(done.code, 2, done.out + done.err)
            self.assertIn("no case with both variants", done.err)
        done = self.pairs("env:OMP_NUM_THREADS=1", "env:OMP_NUM_THREADS=2", "--wrap", "env")
        self.assertEqual((done.code, "--wrap" in done.err), (2, True), done.err)

    def test_the_line_that_repeats_a_case_measures_both_variants(self):
        done = self.pairs("env:OMP_NUM_THREADS=1", "env:OMP_NUM_THREADS=2")
        line = done.document["cases"][0]["reproduce"]
        again = self.assay(*shlex.split(line)[1:], "-o", "again")
        self.assertEqual(again.code, 1, again.out + again.err)
        self.assertEqual(self.throughput(self.found("again"))["verdict"], "slower")

    def test_filters_find_what_the_suite_calls_its_cases(self):
        self.write("several.yaml", PLAIN + "  - id: other\n" + CASE)
        done = self.pairs("as-is", "env:OMP_NUM_THREADS=2", "--filter", "^step$", suite="several.yaml")
        self.assertEqual({row["id"] for row in self.found()["rows"]}, {"step"}, done.out + done.err)

    def test_it_goes_on_where_it_was_interrupted(self):
        sides = ["env:OMP_NUM_THREADS=1", "env:OMP_NUM_THREADS=2"]
        self.pairs(*sides)
        journal = self.results / "journal.jsonl"
        lines = journal.read_text(encoding="utf-8").splitlines(keepends=True)
        journal.write_text("".join(lines[:6]), encoding="utf-8")
        alone = self.assay("run", "plain.yaml", "--resume", self.results)
        self.assertEqual(alone.code, 3, alone.err)
        self.assertIn(f"begun with --pairs {' '.join(sides)}; give that again, for what a journal names is not executed", alone.err)
        line = re.search(r"assay run \S+ --pairs .*--resume \S+", self.assay("report", journal).out).group(0)
        self.assertIn(f"--pairs {' '.join(sides)} --theta 90%", line)
        done = self.assay(*shlex.split(line)[1:])
        self.assertEqual(done.code, 1, done.out + done.err)
        self.assertEqual(self.throughput(self.found())["old_rounds"], 6)

    def test_what_cannot_be_paired_is_refused(self):
        self.write("suite.yaml", VARIANTS)
        self.write("swept.yaml", PLAIN + "    matrix: {env.OMP_NUM_THREADS: [1, 2]}\n")
        for arguments, suite, code, said in [
            (["env:A=1", "env:A=1"], "plain.yaml", 2, "nothing would differ"),
            (["A=1", "env:A=1"], "plain.yaml", 2, "did you mean 'env:A=1'?"),
            (["enw:A=1", "env:A=1"], "plain.yaml", 2, "did you mean 'env'?"),
            (["env:A", "env:A=1"], "plain.yaml", 2, "'A' is not NAME=VALUE"),
            (["with:n=1", "as-is"], "plain.yaml", 2, "has no parameter 'n'"),
            (["as-is", "env:A=1"], "suite.yaml", 2, "has an axis 'variant' of its own"),
            (["as-is", "env:A=1", "--quick"], "plain.yaml", 2, "one round tells nothing"),
            (["as-is", "env:A=1", "--budget", "1min"], "plain.yaml", 2, "--pairs and --budget do not go together"),
            (["as-is", "env:OMP_NUM_THREADS=1"], "swept.yaml", 2, "--pairs: 'env.OMP_NUM_THREADS' is an axis of case 'step'; pair another variable"),
            (["as-is"], "plain.yaml", 2, "--pairs"),
        ]:
            done = self.pairs(*arguments, suite=suite)
            self.assertEqual(done.code, code, f"{arguments}: {done.out}{done.err}")
            self.assertIn(said, done.err, arguments)
        done = self.assay("run", "plain.yaml", "--no-worse-than", "1%")
        self.assertEqual(done.code, 2)
        self.assertIn("go with --pairs", done.err)


class TwoPluginFiles(Pairs):
    """Two files with one identifier, the first of which is the backend, too."""

    def setUp(self):
        super().setUp()
        self.write("fake.yaml", harness.HEADER + "cases:\n  - {id: a, uses: series}\n")
        for name in ("one", "two"):
            (self.folder / name).mkdir()
            for file in ("assay_fake.so", "assay_fake.assay.json"):
                shutil.copy(harness.FIXTURES / file, self.folder / name / file)
        self.sides = ["plugin:one/assay_fake.so", "plugin:two/assay_fake.so"]

    def test_both_are_used_and_kept_apart(self):
        done = self.pairs(*self.sides, suite="fake.yaml")
        self.assertEqual(done.code, 0, done.out + done.err)
        self.assertEqual({row["verdict"] for row in self.found()["rows"]}, {"same"})
        self.assertEqual([difference["what"] for difference in self.found()["differences"]], ["plugin"])
        self.assertEqual([plugin["id"] for plugin in done.document["run"]["plugins"]], ["org.assay.fake"] * 2)
        first = done.document["cases"]
        (self.results / "result.json").unlink()
        again = self.assay("report", self.results, "--report", "json=again.json")
        self.assertEqual(again.code, 0, again.err)
        self.assertEqual(json.loads((self.folder / "again.json").read_text(encoding="utf-8"))["cases"], first)

    def test_one_is_not_taken_for_the_other(self):
        (self.folder / "two/assay_fake.so").write_bytes(b"no library")
        done = self.pairs(*self.sides, suite="fake.yaml")
        outcomes = done.outcomes()
        self.assertEqual(outcomes["a[variant=before]"], "passed", done.out + done.err)
        self.assertNotEqual(outcomes["a[variant=after]"], "passed")
        self.assertEqual(done.code, 5, done.out + done.err)
        self.assertEqual({row["verdict"] for row in self.found()["rows"]}, {"failed"})

    def test_a_second_plugin_that_nothing_would_use_is_refused(self):
        named = ("--plugin", "one/assay_fake.so", "--plugin", "two/assay_fake.so")
        run = ("run", "fake.yaml", "--dry-run", *named)
        self.assertEqual(self.assay(*run).code, 0, "the same files under two names")
        manifest = self.folder / "two/assay_fake.assay.json"
        changed = json.loads(manifest.read_text(encoding="utf-8"))
        manifest.write_text(json.dumps({**changed, "version": "2.0.0"}), encoding="utf-8")
        for command in (run, ("validate", "fake.yaml", *named), ("list", *named), ("bench", "series@fake", "--dry-run", *named)):
            done = self.assay(*command)
            self.assertEqual(done.code, 2, done.out + done.err)
            self.assertIn("'one/assay_fake.assay.json' and 'two/assay_fake.assay.json' are both the plugin 'org.assay.fake'", done.err)
        variants = "    variants: {before: {plugin: one/assay_fake.so}, after: {plugin: two/assay_fake.so}}\n"
        self.write("fake.yaml", harness.HEADER + "cases:\n  - id: a\n    uses: series\n" + variants)
        done = self.assay(*run)
        self.assertEqual(done.code, 0, done.err)

    def test_other_parameters_are_other_work(self):
        manifest = self.folder / "two/assay_fake.assay.json"
        changed = json.loads(manifest.read_text(encoding="utf-8"))
        for benchmark in changed["benchmarks"]:
            if benchmark["name"] == "series":
                benchmark["parameters"][0]["name"] = "another"
        manifest.write_text(json.dumps(changed), encoding="utf-8")
        done = self.pairs(*self.sides, suite="fake.yaml")
        self.assertEqual(done.code, 3, done.out + done.err)
        self.assertIn("has other parameters or defaults", done.err)

    def test_a_file_that_is_not_there_is_refused(self):
        done = self.pairs(self.sides[0], "plugin:three.so", suite="fake.yaml")
        self.assertEqual(done.code, 2, done.err)
        self.assertIn("there is no file 'three.so'", done.err)
        done = self.pairs("as-is", "plugin:" + str(self.folder / "two/assay_fake.so"))
        self.assertEqual(done.code, 3, done.err)
        self.assertIn("a command has no plugin to choose", done.err)


class Confirm(Pairs):
    def runs(self, old, new):
        for folder, threads in (("old", old), ("new", new)):
            done = self.assay("run", "plain.yaml", "-q", "-o", folder, "--set", "step.processes=3", environment={"OMP_NUM_THREADS": threads})
            self.assertEqual(done.code, 0, done.err)

    def compare(self, *options, **keywords):
        done = self.assay("compare", "old", "new", "--report", "json=found.json", *THETA, *options, **keywords)
        path = self.folder / "found.json"
        return done, json.loads(path.read_text(encoding="utf-8")) if path.exists() else None

    def test_both_sides_in_turn_where_a_variable_differs(self):
        self.runs("1", "2")
        done, found = self.compare("--confirm", "plain.yaml")
        self.assertEqual(done.code, 1, done.out + done.err)
        self.assertEqual(found["confirmation"]["how"], "in_turn")
        self.assertIn("taken once more (both sides in turn)", found["verdict"]["text"])
        row = self.throughput(found)
        self.assertEqual((row["verdict"], row["second_look"]["verdict"]), ("slower", "slower"))
        self.assertAlmostEqual(row["second_look"]["ratio"], 5 / 64)

    def test_what_is_not_slower_again_fails_nothing(self):
        self.runs("1", "2")
        self.write("step.sh", 'echo "64 tokens/s"\n')  # whatever it was, it is gone
        done, found = self.compare("--confirm", "plain.yaml")
        self.assertEqual(done.code, 0, done.out + done.err)
        row = self.throughput(found)
        self.assertEqual((row["verdict"], row["second_look"]["verdict"]), ("same", "same"))
        self.assertAlmostEqual(row["ratio"], 5 / 64)
        self.assertIn("slower at first", row["why"])
        self.assertEqual(self.compare()[0].code, 1)

    def test_what_turned_slow_on_both_sides_stays_slower(self):
        self.runs("1", "2")
        self.write("step.sh", 'echo "5 tokens/s"\n')
        done, found = self.compare("--confirm", "plain.yaml")
        self.assertEqual(done.code, 1, done.out + done.err)
        row = self.throughput(found)
        self.assertEqual((row["verdict"], row["second_look"]["verdict"]), ("slower", "same"))
        self.assertIn("the old side itself has become slower", row["why"])

    def test_a_result_sets_nothing_that_works_as_a_command(self):
        for name, value in (("BASH_ENV", "$(touch taken)"), ("PERL5OPT", "-Mevil"), ("ENV", "evil"), ("OMP_PLACES", "$(touch taken)"),
                            ("OMP_TOOL_LIBRARIES", "evil.so"), ("NCCL_COMM_ID", "evil:1")):
            with self.subTest(name):
                for folder in ("old", "new", "found.json"):
                    shutil.rmtree(self.folder / folder, ignore_errors=True)
                self.runs("1", "2")
                path = self.folder / "new/result.json"
                document = json.loads(path.read_text(encoding="utf-8"))
                document["run"]["environment"][name] = value
                path.write_text(json.dumps(document), encoding="utf-8")
                done, found = self.compare("--confirm", "plain.yaml")
                self.assertEqual(done.code, 1, done.out + done.err)
                self.assertEqual(found["confirmation"]["how"], "not_possible")
                self.assertFalse((self.folder / "taken").exists())

    def test_a_missing_suite_is_refused_though_nothing_is_slower(self):
        self.runs("1", "1")
        done, _ = self.compare("--confirm", "nosuch.yaml")
        self.assertEqual(done.code, 2, done.out + done.err)

    def test_only_the_new_side_where_nothing_could_be_set_back(self):
        self.runs("1", "1")
        self.write("step.sh", 'echo "5 tokens/s"\n')
        self.assay("run", "plain.yaml", "-q", "-o", "kept", "--set", "step.processes=3", environment={"OMP_NUM_THREADS": "1"})
        done = self.assay("compare", "old", "kept", *THETA, "--confirm", "plain.yaml", "--report", "json=found.json", environment={"OMP_NUM_THREADS": "1"})
        found = json.loads((self.folder / "found.json").read_text(encoding="utf-8"))
        self.assertEqual(done.code, 1, done.out + done.err)
        self.assertEqual((found["confirmation"]["how"], self.throughput(found)["second_look"]["verdict"]), ("new_side", "slower"))
        self.assertIn("the new side alone", found["verdict"]["text"])
        self.write("step.sh", STEP)
        done = self.assay("compare", "old", "kept", *THETA, "--confirm", "plain.yaml", environment={"OMP_NUM_THREADS": "1"})
        self.assertEqual(done.code, 0, done.out + done.err)

    def test_what_a_result_names_is_not_executed(self):
        self.runs("1", "2")
        self.write("other.yaml", PLAIN + "\n")
        done, _ = self.compare("--confirm", "other.yaml")
        self.assertEqual(done.code, 2, done.out + done.err)
        self.assertIn("is not the suite that", done.err)

        def load(header):
            header["overrides"] = ["step.env.LD_PRELOAD=evil.so"]

        harness.change_header(self.folder / "new/journal.jsonl", load)
        done, found = self.compare("--confirm", "plain.yaml")
        self.assertEqual(done.code, 1, done.out + done.err)
        self.assertEqual(found["confirmation"]["how"], "not_possible")
        self.assertIn("what a journal names is not executed", found["confirmation"]["why"])

    def test_several_results_a_side_or_no_journal_are_refused(self):
        self.runs("1", "2")
        done = self.assay("compare", "--old", "old", "--new", "new", "new", "--confirm", "plain.yaml")
        self.assertEqual(done.code, 2, done.err)
        (self.folder / "new/journal.jsonl").unlink()
        done, _ = self.compare("--confirm", "plain.yaml")
        self.assertNotEqual(done.code, 0)
        self.assertIn("has no journal beside it", done.err)


if __name__ == "__main__":
    unittest.main()
