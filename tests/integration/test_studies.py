# SPDX-License-Identifier: Apache-2.0
"""The guards of docs/reference/guards.md that need a whole run, fed with the numbers of the studies that each would have stopped."""

import json

import harness

# What a study prints of 8 and of 16 GPUs.
STUDY = """case $1 in
  8) echo "tokens 331842 step 1.7" ;;
  16) echo "tokens 136970 step 1.9" ;;
esac
"""
CASE = """  - id: training
    uses: external
    command: [./study, "{gpus}"]
    matrix: {gpus: [8, 16]}
    processes: 3
    metrics:
      tokens: {pattern: 'tokens (\\S+)', unit: tokens/s}
      step: {pattern: 'step (\\S+)', unit: s}
"""


class Studies(harness.Assay):
    @staticmethod
    def symptoms(document):
        """The cases that each rule told of."""
        return {each["rule"]: [case["id"] for case in each["cases"]] for each in document["diagnoses"]}

    def run_study(self, text, *arguments, **keywords):
        self.write("study", "#!/bin/sh\n" + STUDY).chmod(0o755)
        return self.run_suite("version: 1\nsuite: study\n" + text, *arguments, **keywords)

    def test_g2_a_rate_and_a_time_of_one_step_agree(self):
        # A batch of 64 sequences of 4096 tokens.
        done = self.run_study("cases:\n" + CASE + "    expect:\n"
                              "      - {that: tokens * step <= 1.05 * 262144 tokens, say: More tokens than the batch has.}\n"
                              "      - {that: tokens * step >= 0.95 * 262144 tokens, say: Fewer tokens than the batch has.}\n")
        self.assertEqual(done.code, 1, done.out + done.err)
        eight = done.case("training[gpus=8]")
        self.assertEqual([each["status"] for each in eight["expectations"]], ["failed", "passed"])
        self.assertAlmostEqual(eight["expectations"][0]["value"], 331842 * 1.7)
        self.assertIn("More tokens than the batch has.", done.out)

    def test_g3_efficiency_by_time_and_by_rate_agree(self):
        done = self.run_study("cases:\n" + CASE + """findings:
  - id: efficiency
    question: Is the efficiency by the steps' times that by their rates?
    let:
      one_step: "training[gpus=8].step"
      two_steps: "training[gpus=16].step"
      one_rate: "training[gpus=8].tokens"
      two_rates: "training[gpus=16].tokens"
    claim: one_step / two_steps within 5% of two_rates / (2 * one_rate)
    assert: confirmed
""")
        self.assertEqual(done.code, 1, done.out + done.err)
        self.assertEqual(done.document["findings"][0]["verdict"], "refuted", "89 % against 21 %")

    def test_g10_a_peak_with_sparsity_is_refused(self):
        self.write("sheet.yaml", "version: 1\ndevices:\n  - name: H200 of a guide\n    source: a guide\n    match: {model: NVIDIA H200}\n"
                                 "    peaks: {matrix_throughput: {bf16: 1979 TFLOP/s}}\n")
        done = self.run_study("cases:\n  - {id: a, uses: external, command: ['true']}\n", "--peaks", "sheet.yaml")
        self.assertEqual(done.code, 3, done.out + done.err)
        self.assertIn("twice the 989 TFLOP/s", done.err)
        self.assertIn("2:4 sparsity", done.err)

    def test_g12_stages_scale_no_better_than_their_schedule(self):
        # 748.5 and 1403.8 samples/s of two and of four stages: 1.875 times, with 4 micro-batches.
        case = ("cases:\n  - id: stages\n    uses: pipeline@host\n    processes: 3\n"
                "    with: {mode: simulate, schedule: gpipe, layers: 12, batch: 32, forward_cost: 1ms, backward_cost: 2ms}\n"
                "    matrix: {stages: [2, 4], micro_batches: [4, 32]}\n    measure: {samples: 6, warmup: 0}\nfindings:\n")
        finding = """  - id: with-{m}
    question: Are four stages 1.875 times as fast as two with {m} micro-batches?
    let:
      two: "stages[stages=2,micro_batches={m}].simulated_step_time"
      four: "stages[stages=4,micro_batches={m}].simulated_step_time"
    claim: two >= 1.875 * four
"""
        done = self.run_study(case + finding.format(m=4) + finding.format(m=32))
        self.assertEqual(done.code, 0, done.out + done.err)
        self.assertEqual([each["verdict"] for each in done.document["findings"]], ["refuted", "confirmed"],
                         "1.43 times with 4 micro-batches, 1.89 with 32")

    def test_g13_a_copy_counts_what_it_reads_and_what_it_writes(self):
        # 32 GB in 10 ms are not 3.2 TB/s: a copy of them moves 64 GB.
        done = self.run_study("cases:\n  - {id: copy, uses: membw@host, with: {kernel: copy, bytes: 1MiB}, measure: {samples: 20}}\n")
        self.assertEqual(done.code, 0, done.out + done.err)
        metrics = {each["name"]: each for each in done.case("copy")["metrics"]}
        self.assertIn("read or written once", metrics["bandwidth"]["counting"])
        self.assertEqual(metrics["bandwidth"]["flow"], "reads and writes together")
        moved = metrics["bandwidth"]["value"] * done.case("copy")["time"]["mean"]
        self.assertAlmostEqual(moved, 2 * 2**20, delta=1)
        self.assertAlmostEqual(2 * 32e9 / 3.02e12, 21.2e-3, places=4)  # and so 3.02 TB/s are 21 ms of that copy

    def test_g14_a_projection_is_no_result(self):
        done = self.run_study("cases:\n" + CASE + """findings:
  - id: combined
    question: Do all settings together reach what is projected?
    let: {after: "training[gpus=8].tokens", before: "training[gpus=16].tokens"}
    claim: after >= 3 * before
    expected: {value: 3x, source: a projection}
""")
        finding = done.document["findings"][0]
        self.assertEqual(finding["verdict"], "refuted")
        self.assertEqual(finding["expected"], {"value": "3x", "source": "a projection"})
        self.assertNotIn("projection", json.dumps(done.document["cases"]))
        self.assertIn("expected: 3x", done.out)

    def test_g15_numbers_of_a_text_come_from_its_run(self):
        done = self.run_study("cases:\n" + CASE + """findings:
  - id: sharding
    question: Is a sharded step slower?
    let: {sharded: "training[gpus=16].step", whole: "training[gpus=8].step"}
    claim: sharded > whole
    confirmed: {say: "Sharding costs less than 0.1 %."}
""")
        self.assertEqual(done.code, 3, done.out + done.err)
        self.assertIn("numbers come from measurements", done.err)

    def test_workers_that_are_kept_are_not_said_to_begin_anew(self):
        done = self.run_study("""cases:
  - id: kept
    uses: dataloader@host
    with: {items: 32, batch: 32, workers: 2, persistent: true, decode_steps: 64}  # one batch is the whole epoch
    processes: 6  # beside programs that never rest three do not tell a fifth of an epoch from the whole
    measure: {samples: 6, warmup: 1}
""", "--report", "json")
        self.assertEqual(done.code, 0, done.out + done.err)
        found = [each["rule"] for each in done.document.get("diagnoses", [])]
        self.assertIn("loader-first-batch", found)
        self.assertNotIn("loader-starts-anew", found)

    def test_a_rule_tells_symptom_and_evidence_in_every_report(self):
        done = self.run_study("""cases:
  - id: loader
    uses: dataloader@host
    with: {items: 64, batch: 32, workers: 2, decode_steps: 0, worker_kind: process, start_cost: 30ms, consumer_time: 1ms}
    processes: 3
    measure: {samples: 6, warmup: 1}
""", "--report", "markdown", "--report", "html", "--report", "json")
        self.assertEqual(done.code, 0, done.out + done.err)
        found = {each["rule"]: each for each in done.document["diagnoses"]}
        start = found["loader-starts-anew"]
        self.assertEqual(start["cases"][0]["id"], "loader")
        self.assertRegex(start["cases"][0]["evidence"][0], r"^startup >= 20% of epoch: [0-9.]+ ms, limit [0-9.]+ ms$")
        for text in (done.out, (self.results / "report.md").read_text(), (self.results / "report.html").read_text()):
            flat = " ".join(text.split())
            self.assertIn(start["symptom"].rstrip("."), flat)
            self.assertIn("Keep workers between epochs", flat)
        again = self.assay("report", self.results / "journal.jsonl", "--report", "json=again.json", "-q")
        self.assertEqual(again.code, 0, again.err)
        self.assertNotIn("loader-first-batch", found)
        self.assertEqual((self.folder / "again.json").read_bytes(), (self.results / "result.json").read_bytes())

    def test_a_consumer_that_takes_no_time_does_not_starve(self):
        done = self.run_study("""defaults: {processes: 3, measure: {samples: 6, warmup: 0}}
cases:
  - {id: none, uses: dataloader@host, with: {items: 1024, batch: 16, workers: 1, persistent: true, decode_steps: 16}}
  - {id: some, uses: dataloader@host, with: {items: 1024, batch: 16, workers: 1, persistent: true, decode_steps: 16, consumer_time: 10us}}
""", "--report", "json")
        self.assertEqual(done.code, 0, done.out + done.err)
        self.assertEqual(done.case("none")["facts"]["consumer"], "takes no time")
        starved = [each for each in done.document["diagnoses"] if each["rule"] == "loader-starves"]
        self.assertEqual([case["id"] for each in starved for case in each["cases"]], ["some"])

    def test_a_bubble_is_blamed_on_the_schedule_that_has_it(self):
        # One micro-batch leaves all stages but one idle; how idle 64 leave them depends on the machine, so that is written into the journal.
        done = self.run_study("""defaults: {ranks: 4, processes: 3, measure: {samples: 6, warmup: 0}}
cases:
  - {id: one, uses: pipeline@host, with: {layers: 8, width: 32, words: 32, sequence: 16, batch: 8, micro_batches: 1, threads: 1}}
  - {id: many, uses: pipeline@host, with: {layers: 8, width: 32, words: 32, sequence: 16, batch: 64, micro_batches: 64, threads: 1}}
""", "--report", "json")
        self.assertEqual(done.code, 0, done.out + done.err)
        self.assertEqual(self.symptoms(done.document)["bubble"], ["one"])

        for bubble, expected in ((0.5, ["many"]), (0.1, None)):
            with self.subTest(bubble=bubble):
                def leave_idle(visit):
                    for value in [value for rank in visit["ranks"] for value in rank["values"]] if visit["case"] == "many" else []:
                        value["value"] = {"bubble": bubble, "predicted_bubble": 0.07}.get(value["metric"], value["value"])

                harness.change_visits(self.results / "journal.jsonl", leave_idle)
                again = self.assay("report", self.results / "journal.jsonl", "--report", "json=again.json", "-q")
                self.assertEqual(again.code, 0, again.err)
                document = json.loads((self.folder / "again.json").read_text(encoding="utf-8"))
                self.assertEqual(self.symptoms(document).get("idle-beyond-the-schedule"), expected)

    def test_an_own_rule_beats_the_shipped_and_a_broken_one_is_said(self):
        folder = self.folder / "own/rules"
        folder.mkdir(parents=True)
        own = ("version: 1\nrules:\n  - {id: loader-starts-anew, uses: dataloader, evidence: [startup > 0 s], symptom: Mine., cause: Mine., "
               "remedy: Mine.}\n")
        (folder / "mine.yaml").write_text(own)
        suite = "cases:\n  - {id: loader, uses: dataloader@host, with: {items: 64, batch: 32}, measure: {samples: 6, warmup: 1}}\n"
        done = self.run_study(suite, environment={"ASSAY_SUITE_PATH": str(self.folder / "own")})
        self.assertEqual(done.code, 0, done.out + done.err)
        found = {each["rule"]: each["symptom"] for each in done.document["diagnoses"]}
        self.assertEqual(found["loader-starts-anew"], "Mine.")
        (folder / "mine.yaml").write_text(own.replace("evidence", "evidnce"))
        broken = self.assay("run", "suite.yaml", "-o", "broken", environment={"ASSAY_SUITE_PATH": str(self.folder / "own")})
        self.assertEqual(broken.code, 3, broken.out + broken.err)
        self.assertIn("did you mean 'evidence'?", broken.err)
        (folder / "mine.yaml").write_text(own.replace("startup >", "strtup >"))
        unknown = self.assay("run", "suite.yaml", "-o", "unknown", environment={"ASSAY_SUITE_PATH": str(self.folder / "own")})
        self.assertEqual(unknown.code, 0, unknown.out + unknown.err)
        self.assertIn("the evidence of rule 'loader-starts-anew' names 'strtup'", unknown.err)
        self.assertIn("did you mean 'startup'?", unknown.err)

    def test_a_file_of_rules_over_its_limit_is_refused(self):
        folder = self.folder / "own/rules"
        folder.mkdir(parents=True)
        (folder / "large.yaml").write_text("version: 1\nrules: []\n" + "#" * 2**20)
        done = self.run_study("cases:\n  - {id: a, uses: external, command: ['true']}\n",
                              environment={"ASSAY_SUITE_PATH": str(self.folder / "own")})
        self.assertEqual(done.code, 3, done.out + done.err)
        self.assertIn("large.yaml", done.err)
        self.assertIn("1048576", done.err)


if __name__ == "__main__":
    harness.main()
