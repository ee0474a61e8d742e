# SPDX-License-Identifier: Apache-2.0
"""assay plan, --budget and --extend: what rounds can show, which fit, and what open verdicts get more of."""

import json
import unittest

import harness

# Each execution takes the next line of its file: rounds whose values are known.
NEXT = "head -n 1 {0} && tail -n +2 {0} > {0}.rest && mv {0}.rest {0}"

CASE = """  - id: {name}
    uses: external
    command: [sh, -c, "{next}"]
    processes: 3
    metrics:
      rate: {{pattern: '^([0-9.]+)$', unit: GB/s, direction: higher}}
    expect: [rate >= {limit} GB/s]
"""


def case(name, limit):
    return CASE.format(name=name, next=NEXT.format(name + ".txt"), limit=limit)


SUITE = "version: 1\nsuite: test\ncases:\n" + case("open", 9.5) + case("decided", 5)

CLAIM = """findings:
  - id: alike
    question: Is open not slower than decided?
    let: {a: "open[].rate", b: "decided[].rate"}
    claim: a >= 0.9 * b
"""


class Plan(harness.Assay):
    def values(self, name, *values):
        self.write(name, "".join(f"{value}\n" for value in values))

    def run_open(self, *options, suite=SUITE, code=0):
        self.values("open.txt", 9.4, 10, 10.6, 10.1, 9.9, 10, 10, 10, 10, 10, 10, 10)
        self.values("decided.txt", *([10] * 6))
        self.write("suite.yaml", suite)
        done = self.assay("run", "suite.yaml", "-o", self.results, *options)
        self.assertEqual(done.code, code, done.out + done.err)
        return done

    def extend(self, *options):
        return self.assay("run", "suite.yaml", "--extend", self.results, *options)

    def statuses(self, done):
        return {case["id"]: case["expectations"][0]["status"] for case in done.document["cases"]}

    # ---- assay plan

    def plan(self, *options):
        done = self.assay("plan", "suite.yaml", "--json", *options)
        self.assertEqual(done.code, 0, done.err)
        return json.loads(done.out)

    def test_without_results_what_was_assumed_is_said(self):
        self.write("suite.yaml", SUITE + CLAIM)
        found = self.plan("--see", "5%")
        self.assertEqual((found["see"], found["results"], len(found["cases"])), (0.05, 0, 2))
        for case in found["cases"]:
            self.assertEqual((case["rounds_known"], case["runs_known"], case["round_s_known"]), (False, False, False))
            self.assertLessEqual(case["shows"], 0.05)
        self.assertEqual(found["findings"][0]["rounds"], max(case["rounds"] for case in found["cases"]))
        self.assertIn("* assumed", self.assay("plan", "suite.yaml", "--see", "5%").out)

    def test_results_tell_how_rounds_vary(self):
        self.run_open()
        found = self.plan("--see", "5%", self.results)
        by_id = {case["id"]: case for case in found["cases"]}
        self.assertAlmostEqual(by_id["open"]["rounds_vary_by"], 0.06, delta=0.001)  # of ln 9.4, ln 10, ln 10.6
        self.assertEqual((by_id["decided"]["rounds_vary_by"], by_id["decided"]["rounds"]), (0, 3))
        self.assertTrue(all(case["round_s_known"] for case in found["cases"]))
        self.assertGreater(by_id["open"]["rounds"], 6)
        self.assertAlmostEqual(found["total_s"], sum(case["rounds"] * case["round_s"] for case in found["cases"]))

    def test_a_claim_beyond_the_effect_has_no_rounds(self):
        self.write("suite.yaml", SUITE + CLAIM.replace("a >= 0.9 * b", "a > b"))
        found = self.plan("--see", "1%")
        self.assertIsNone(found["findings"][0]["rounds"])
        self.assertIn("effects up to 2 % count as none", found["findings"][0]["why_not"])

    def test_what_cannot_be_planned_is_refused(self):
        self.write("suite.yaml", SUITE)
        for options, text in ((["--see", "0.01%"], "0.1 %"), (["--see", "much"], "a share"), (["--budget", "soon"], "a time"),
                              (["--see", "1%", "--budget", "1min"], "give one of them"), (["--budget", "1s"], "an interval needs 3 rounds")):
            done = self.assay("plan", "suite.yaml", *options)
            self.assertEqual(done.code, 2, options)
            self.assertIn(text, done.err)

    def test_a_quick_result_is_refused(self):
        self.run_open("--quick")
        done = self.assay("plan", "suite.yaml", self.results)
        self.assertEqual(done.code, 2)
        self.assertIn("quick run", done.err)

    def test_simulated_results_and_effects_below_clocks_are_refused(self):
        self.run_open()
        self.assertTrue(all(case["shows"] >= 0.001 for case in self.plan(self.results)["cases"]))
        file = self.results / "result.json"
        document = json.loads(file.read_text(encoding="utf-8"))
        document["run"]["mode"]["simulated"] = True
        file.write_text(json.dumps(document), encoding="utf-8")
        done = self.assay("plan", "suite.yaml", file)
        self.assertEqual(done.code, 2)
        self.assertIn("is simulated", done.err)

    def test_what_would_say_something_untrue_is_refused(self):
        self.run_open()
        for options, text in (([self.results, self.results], "are the same run"), (["--filter", "nosuch"], "no case of the suite matches")):
            done = self.assay("plan", "suite.yaml", *options)
            self.assertEqual(done.code, 2, done.out)
            self.assertIn(text, done.err)

    def test_a_result_of_another_suite_is_refused(self):
        self.run_open()
        self.write("suite.yaml", SUITE.replace("id: open", "id: other").replace("id: decided", "id: another"))
        done = self.assay("plan", "suite.yaml", self.results)
        self.assertEqual(done.code, 2, done.out)
        self.assertIn("none of the cases that are planned", done.err)

    # ---- --budget

    def test_a_budget_chooses_rounds_and_says_what_they_show(self):
        self.run_open()
        self.values("open.txt", *([10, 10.1] * 200))
        self.values("decided.txt", *([10] * 400))
        planned = self.plan("--budget", "1s", self.results)
        self.assertLessEqual(planned["total_s"], 1)
        again = self.folder / "again"
        done = self.assay("run", "suite.yaml", "--budget", "1s", "--earlier", self.results, "-o", again)
        self.assertEqual(done.code, 0, done.out + done.err)
        self.assertIn("rounds that fit into", done.out)
        document = json.loads((again / "result.json").read_text(encoding="utf-8"))
        self.assertEqual(document["run"]["mode"]["budget_s"], 1)
        rounds = {case["id"]: len(case["visits"]) for case in document["cases"]}
        self.assertEqual(rounds, {case["id"]: case["rounds"] for case in planned["cases"]})
        # What does not vary gets a round more only where one of the other no longer fits.
        self.assertGreater(rounds["open"], rounds["decided"])
        self.assertGreaterEqual(rounds["decided"], 3)
        # The journal alone gives the same again.
        self.assertEqual(self.assay("report", again / "journal.jsonl", "--report", "json=anew.json").code, 0)
        self.assertEqual(json.loads((self.folder / "anew.json").read_text(encoding="utf-8")), document)

    def test_a_budget_that_chooses_rounds_warns_of_no_single_round(self):
        self.write("suite.yaml", SUITE.replace("processes: 3", "processes: 1") + CLAIM)
        for budget, said in ([], True), (["--budget", "2h"], False):
            done = self.assay("run", "suite.yaml", "--dry-run", *budget)
            self.assertEqual(done.code, 0, done.err)
            self.assertEqual("will be undecided" in done.err, said, done.err)

    def test_a_budget_that_does_not_fit_runs_nothing(self):
        self.write("suite.yaml", SUITE)
        done = self.assay("run", "suite.yaml", "--budget", "1s", "-o", self.results)
        self.assertEqual(done.code, 2, done.err)
        self.assertIn("which take", done.err)
        self.assertFalse(self.results.exists())

    # ---- --extend

    def test_the_undecided_gets_twice_the_rounds_a_wider_interval(self):
        first = self.run_open()
        self.assertEqual(self.statuses(first), {"open": "undecided", "decided": "passed"})
        self.assertRegex(first.out, r"again +assay run suite.yaml --extend ")
        done = self.extend()
        self.assertEqual(done.code, 0, done.out + done.err)
        after = done.document
        case, other = done.case("open"), done.case("decided")
        self.assertEqual((len(case["visits"]), len(other["visits"])), (6, 3))
        self.assertEqual((case["looks"], other.get("looks")), (1, None))
        self.assertEqual(case["expectations"][0]["status"], "passed")
        self.assertEqual([each["cases"] for each in after["run"]["mode"]["extended"]], [1])
        self.assertFalse(after["run"]["mode"]["resumed"])
        rate = next(metric for metric in case["metrics"] if metric["name"] == "rate")
        self.assertLess(rate["verdict_interval"]["low"], rate["interval"]["low"])
        self.assertIn("extended after open verdicts had been seen", done.out)
        # The journal alone gives the same again.
        self.assertEqual(self.assay("report", self.results / "journal.jsonl", "--report", "json=anew.json").code, 0)
        self.assertEqual(json.loads((self.folder / "anew.json").read_text(encoding="utf-8")), after)
        # Nothing is open any more.
        again = self.extend()
        self.assertEqual(again.code, 2)
        self.assertIn("is open", again.err)

    def test_a_second_extension_doubles_again(self):
        self.run_open(suite=SUITE.replace("9.5 GB/s", "9.99 GB/s"))
        self.assertEqual(self.extend().code, 0)
        done = self.extend()
        self.assertEqual((len(done.case("open")["visits"]), done.case("open")["looks"]), (12, 2))
        self.assertEqual(len(done.document["run"]["mode"]["extended"]), 2)

    def test_an_open_finding_takes_both_its_cases(self):
        self.run_open(suite=SUITE.replace("9.5 GB/s", "5 GB/s") + CLAIM)
        done = self.extend()
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual({case["id"]: case["looks"] for case in done.document["cases"]}, {"open": 1, "decided": 1})
        self.assertEqual(done.document["findings"][0]["rows"][0]["n"], 6)

    def test_what_was_failed_of_an_extended_run_has_its_rounds(self):
        self.run_open(suite=SUITE.replace("rate >= 5 GB/s", "rate >= 50 GB/s"), code=1)
        self.assertEqual(self.extend().code, 1)
        self.values("decided.txt", 10, 10, 10)
        done = self.assay("run", "suite.yaml", "--failed", self.results, "-o", self.folder / "again")
        self.assertEqual(done.code, 1, done.err)

    def test_a_limit_whose_extension_line_is_lost_is_not_judged(self):
        self.run_open()
        self.extend()
        journal = self.results / "journal.jsonl"
        lines = journal.read_text(encoding="utf-8").splitlines(keepends=True)
        journal.write_text("".join("damaged\n" if '"type":"extended"' in line else line for line in lines), encoding="utf-8")
        self.assay("report", journal, "--report", "json=anew.json")
        document = json.loads((self.folder / "anew.json").read_text(encoding="utf-8"))
        case = next(case for case in document["cases"] if case["id"] == "open")
        self.assertEqual((len(case["visits"]), case["expectations"][0]["status"]), (3, "undecided"))
        told = next(reason for reason in document["verdict"]["reasons"] if reason["code"] == "run.left-out")
        self.assertIn("3 visits are left out: no line that can be read has planned them; of the journal 1 of its lines cannot be read", told["text"])

    def test_what_cannot_be_extended_is_refused_and_left_as_it_is(self):
        self.run_open()
        before = (self.results / "journal.jsonl").read_bytes()
        for options, text in ((["-o", "other"], "leave -o out"), (["--filter", "open"], "leave --resume, --failed and --filter out"),
                              (["--budget", "1min"], "leave it out"), (["--seed", "5"], "--seed 1")):
            done = self.extend(*options)
            self.assertIn(done.code, (2, 3), done.err)
            self.assertIn(text, done.err)
        self.write("suite.yaml", SUITE.replace("9.5 GB/s", "9.6 GB/s"))
        done = self.extend()
        self.assertEqual(done.code, 3, done.err)
        self.assertIn("suite was changed", done.err)
        self.assertEqual((self.results / "journal.jsonl").read_bytes(), before)
        (self.results / "journal.jsonl").unlink()
        self.assertIn("journal", self.extend().err)

    def test_a_quick_run_is_not_extended(self):
        self.run_open("--quick")
        done = self.extend()
        self.assertEqual(done.code, 2)
        self.assertIn("without --quick", done.err)


if __name__ == "__main__":
    harness.main()
