// SPDX-License-Identifier: Apache-2.0
#include "lib/answer.hpp"

#include "lib/finding_texts.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace assay::reporters {
namespace {

// Rows along one axis with their verdicts, on one device.
Finding along(const std::string& axis, const std::vector<std::pair<std::string, FindingVerdict>>& rows,
              FindingVerdict verdict) {
  Finding finding;
  finding.claim = "a >= 1.8 * b";
  finding.verdict = verdict;
  for (const auto& [text, word] : rows) {
    FindingRow& row = finding.rows.emplace_back();
    row.axes = {{axis, text}, {"device", "cuda:0"}};
    row.label = axis + "=" + text + ", device=cuda:0";
    row.verdict = word;
  }
  return finding;
}

constexpr FindingVerdict kYes = FindingVerdict::confirmed, kNo = FindingVerdict::refuted,
                         kOpen = FindingVerdict::undecided, kMixed = FindingVerdict::mixed,
                         kApart = FindingVerdict::not_comparable;

TEST(Answers, SayWhereTheAnswerChangesAlongAnAxisOfNumbers) {
  EXPECT_EQ(
      finding_answer(along(
          "shape",
          {{"m:4096/n:4096/k:4096", kNo}, {"m:8192/n:8192/k:8192", kYes}, {"m:16384/n:16384/k:16384", kYes}},
          kMixed)),
      "yes from 8192³ on; no at 4096³");
  EXPECT_EQ(finding_answer(
                along("kernel_time", {{"2us", kYes}, {"10us", kYes}, {"20us", kNo}, {"50us", kNo}}, kMixed)),
            "yes up to 10us; no from 20us on");
  EXPECT_EQ(finding_answer(along("bytes", {{"1GiB", kYes}, {"512MiB", kNo}}, kMixed)),
            "yes at 1GiB; no at 512MiB")
      << "by size, whatever their order";
  EXPECT_EQ(finding_answer(along("workers", {{"2", kYes}, {"4", kNo}, {"8", kNo}}, kMixed)),
            "yes at workers=2; no from workers=4 on");
}

TEST(Answers, NameRowsThatLieAlongNoAxis) {
  EXPECT_EQ(finding_answer(along("bytes", {{"1MiB", kYes}, {"2MiB", kNo}, {"4MiB", kYes}}, kMixed)),
            "yes at 1MiB and at 4MiB; no at 2MiB");
  EXPECT_EQ(finding_answer(along("dtype", {{"bf16", kYes}, {"fp32", kNo}}, kMixed)),
            "yes at bf16; no at fp32");
  EXPECT_EQ(finding_answer(along("bytes", {{"1MiB", kYes}, {"64us", kNo}}, kMixed)),
            "yes at 1MiB; no at 64us")
      << "no one axis";
  EXPECT_EQ(finding_answer(along(
                "n", {{"1", kYes}, {"2", kNo}, {"3", kYes}, {"4", kYes}, {"5", kYes}, {"6", kYes}}, kMixed)),
            "yes in 5 of 6 rows; no at n=2");
}

TEST(Answers, NameTheOneAxisThatDecidesAmongSeveral) {
  const auto of = [](const std::vector<FindingVerdict>& verdicts) {
    Finding finding;
    finding.verdict = kMixed;
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      FindingRow& row = finding.rows.emplace_back();
      row.axes = {{"bytes", i % 3 == 0   ? "1MiB"
                            : i % 3 == 1 ? "8MiB"
                                         : "64MiB"},
                  {"mode", i < 3 ? "ring" : "tree"}};
      row.verdict = verdicts[i];
    }
    return finding_answer(finding);
  };
  EXPECT_EQ(of({kYes, kYes, kYes, kNo, kNo, kNo}), "yes at ring; no at tree");
  EXPECT_EQ(of({kNo, kYes, kYes, kNo, kYes, kYes}), "yes from 8MiB on; no at 1MiB");
  EXPECT_EQ(of({kNo, kYes, kYes, kYes, kYes, kYes}), "yes in 5 of 6 rows; no at bytes=1MiB, mode=ring")
      << "both decide";
}

TEST(Answers, SayYesOrNoOfRowsThatAgree) {
  EXPECT_EQ(finding_verdict(along("n", {{"1", kYes}}, kYes)), "confirmed: yes");
  EXPECT_EQ(finding_verdict(along("n", {{"1", kNo}, {"2", kNo}}, kNo)), "refuted: no, in both rows");
  EXPECT_EQ(finding_verdict(along("n", {{"1", kYes}, {"2", kYes}, {"4", kYes}}, kYes)),
            "confirmed: yes, in all 3 rows");
  EXPECT_EQ(finding_verdict(along("n", {}, kApart)), "not comparable");
}

TEST(Answers, NameTheRowsThatDecideTheWhole) {
  const auto decided = [](const char* by, FindingVerdict verdict, std::vector<std::size_t> rows) {
    Finding finding = along("bytes", {{"1MiB", kYes}, {"64MiB", kNo}, {"1GiB", kYes}}, verdict);
    finding.decided_by = by;
    for (const std::size_t i : rows) finding.rows[i].decides = true;
    return finding_answer(finding);
  };
  EXPECT_EQ(decided("all", kNo, {1}), "no, not in every row: no at 64MiB");
  EXPECT_EQ(decided("any", kYes, {0, 2}), "yes, at 1MiB and at 1GiB");
  EXPECT_EQ(decided("worst", kNo, {1}), "no, by the worst of 3 rows: 64MiB");
  EXPECT_EQ(decided("worst", kYes, {0}), "yes, by the worst of 3 rows: 1MiB");
  Finding open = along("bytes", {{"1MiB", kYes}, {"64MiB", kNo}}, kOpen);
  open.decided_by = "all";
  open.why = "refuted in 1 of 2 rows, which among so many may be chance";
  EXPECT_EQ(finding_why(open), open.why) << "which no row says";
}

TEST(Answers, SayHowManyRoundsShouldDecide) {
  Finding open = along("bytes", {{"1MiB", kOpen}, {"64MiB", kYes}}, kOpen);
  EXPECT_EQ(finding_answer(open), "yes at 64MiB; undecided at 1MiB");
  open.rows[0].more_rounds = 4;
  open.why = "undecided in 1 of 2 rows, confirmed in 1 of 2 rows";
  EXPECT_EQ(finding_answer(open), "yes at 64MiB; undecided at 1MiB, which about 4 more rounds should decide");
  EXPECT_EQ(finding_why(open), "") << "the answer counts the rows";
  Finding alone = along("bytes", {{"1MiB", kOpen}}, kOpen);
  alone.why = "the interval holds both";
  EXPECT_EQ(finding_verdict(alone), "undecided");
  EXPECT_EQ(finding_why(alone), "the interval holds both");
  alone.rows[0].more_rounds = 1;
  EXPECT_EQ(finding_verdict(alone), "undecided: about 1 more round should decide it");
}

// Without a value, for a reason that the judge gives.
Finding unmeasured(const std::string& why, std::size_t rows = 1) {
  Finding finding = along("n", {}, kOpen);
  finding.why = why;
  for (std::size_t i = 0; i < rows; ++i) {
    FindingRow& row = finding.rows.emplace_back();
    row.axes = {{"n", std::to_string(i + 1)}};
    row.verdict = kOpen;
    row.why = why;
  }
  return finding;
}

TEST(Answers, AreNotUndecidedWhereNothingWasMeasured) {
  EXPECT_EQ(finding_verdict(unmeasured("a has no result (skipped)")),
            "not answered: a has no result (skipped)");
  EXPECT_EQ(finding_why(unmeasured("a has no result (skipped)")), "") << "the answer says it";
  EXPECT_EQ(finding_verdict(unmeasured("findings are not judged in a quick run", 0)),
            "not answered: findings are not judged in a quick run");
  Finding two = unmeasured("a has no result (skipped)", 2);
  two.rows[1].why = "b has no result (skipped)";
  EXPECT_EQ(finding_verdict(two), "not answered: a has no result (skipped), and 1 more reason");
  two.decided_by = "all";
  two.why = "confirmed in 0 of 2 rows; the others are not decided";
  EXPECT_EQ(finding_verdict(two), "not answered: a has no result (skipped), and 1 more reason");
  Finding zero = unmeasured("it divides by zero");
  zero.rows[0].n = 3;
  EXPECT_EQ(finding_word(zero), "not answered") << "rounds without an interval, which no more of them bring";
  Finding noise = unmeasured("the interval holds values on both sides of what the claim asks for");
  noise.rows[0].n = 3;
  noise.rows[0].bounds = {-0.1, 0.1};
  EXPECT_EQ(finding_word(noise), "undecided");
  Finding few = unmeasured("2 rounds; a verdict needs at least three");
  few.rows[0].more_rounds = 1;
  EXPECT_EQ(finding_word(few), "undecided");
}

TEST(Answers, TellOfRowsThatTheRunLeftOut) {
  Finding part = unmeasured("", 2);
  for (FindingRow& row : part.rows) row.verdict = kYes, row.why = "";
  part.why = "2 of the 4 rows that it is about were left out of this run";
  part.left_out = 2;
  EXPECT_EQ(finding_verdict(part), "not answered in full: yes, in both rows; 2 more rows were left out");
  EXPECT_EQ(finding_why(part), "");
  part.rows[1].verdict = FindingVerdict::refuted;
  part.left_out = 1;
  EXPECT_EQ(finding_verdict(part), "not answered in full: yes at n=1; no at n=2; 1 more row was left out");
}

TEST(Answers, TellRowsWithoutAValueFromNoise) {
  Finding part = unmeasured("a has no result (failed)", 2);
  part.rows[0].verdict = kYes;
  part.rows[0].why = "";
  EXPECT_EQ(finding_verdict(part),
            "not answered in full: yes at n=1; not answered at n=2: a has no result (failed)");
  part.rows[0].verdict = kOpen;
  part.rows[0].n = 3;
  part.rows[0].more_rounds = 4;
  EXPECT_EQ(
      finding_verdict(part),
      "undecided: undecided at n=1, which about 4 more rounds should decide; not answered at n=2: a has no "
      "result (failed)");
  Document document;
  document.findings = {part, along("n", {{"1", kYes}}, kYes)};
  EXPECT_EQ(bottom_line(document), "1 of 2 questions is answered yes and 1 is undecided.")
      << "rounds do not answer all of it";
}

TEST(Answers, CountWhatIsNotAnswered) {
  Document document;
  Case skipped, done;
  skipped.outcome = Outcome::cancelled;
  done.outcome = Outcome::passed;
  Metric metric;
  metric.value = 1;
  done.metrics = {metric};
  document.cases = {skipped, done};
  const Finding yes = along("n", {{"1", kYes}}, kYes);
  document.findings = {yes, unmeasured("a has no result (skipped)"), unmeasured("b has no 'latency'")};
  EXPECT_EQ(bottom_line(document), "1 of 3 questions is answered yes and 2 are not answered.");
  document.findings = {unmeasured("quick"), unmeasured("quick"), unmeasured("quick")};
  EXPECT_EQ(bottom_line(document), "None of the 3 questions is answered: quick.");
  document.findings = {unmeasured("a"), unmeasured("b")};
  EXPECT_EQ(bottom_line(document), "Neither question is answered.");
  document.findings = {unmeasured("a has no result (skipped)")};
  EXPECT_EQ(bottom_line(document), "The question cannot be answered: a has no result (skipped).");
  document.cases = {skipped};
  document.verdict.outcome = RunOutcome::interrupted;
  EXPECT_EQ(bottom_line(document), "The question cannot be answered: no case is complete.");
  document.verdict.outcome = RunOutcome::unmet;
  EXPECT_EQ(bottom_line(document), "The question cannot be answered: nothing was measured.");
}

std::string line_of(const std::vector<FindingVerdict>& verdicts) {
  Document document;
  for (const FindingVerdict verdict : verdicts)
    document.findings.push_back(along("n", {{"1", verdict}}, verdict));
  return bottom_line(document);
}

TEST(Answers, CountThemInASentence) {
  EXPECT_EQ(line_of({}), "");
  EXPECT_EQ(line_of({kYes}), "The question is answered yes.");
  EXPECT_EQ(line_of({kOpen}), "The question is undecided.");
  EXPECT_EQ(line_of({kYes, kYes, kYes}), "All 3 questions are answered yes.");
  EXPECT_EQ(line_of({kYes, kNo}), "1 of 2 questions is answered yes and 1 no.");
  EXPECT_EQ(
      line_of({kYes, kNo, kMixed, kYes, kOpen, kApart}),
      "2 of 6 questions are answered yes, 1 no, 1 yes in part, 1 is undecided and 1 is not comparable.");
  EXPECT_EQ(line_of({kOpen, kOpen}), "Both questions are undecided.");
  Document document;
  document.findings = {along("n", {{"1", kOpen}}, kOpen), along("n", {{"1", kYes}}, kYes)};
  document.findings[0].rows[0].more_rounds = 4;
  EXPECT_EQ(bottom_line(document),
            "1 of 2 questions is answered yes and 1 is undecided. About 4 more rounds should decide it.");
  document.findings.push_back(along("n", {{"1", kApart}}, kApart));
  EXPECT_EQ(
      bottom_line(document),
      "1 of 3 questions is answered yes, 1 is undecided and 1 is not comparable. About 4 more rounds should "
      "decide what is undecided.")
      << "rounds do not mend the last";
}

TEST(Answers, StandBehindTheQuestionWhereThereIsOne) {
  const auto line = [](const std::string& question,
                       const std::vector<std::pair<std::string, FindingVerdict>>& rows,
                       FindingVerdict verdict) {
    Document document;
    document.findings = {along("n", rows, verdict)};
    document.findings[0].question = question;
    return bottom_line(document);
  };
  EXPECT_EQ(line("Is it at most 1 % slower?", {{"1", kYes}, {"2", kYes}, {"4", kYes}}, kYes),
            "Is it at most 1 % slower? Yes, in all 3 rows.");
  EXPECT_EQ(line("Is it faster?", {{"1", kNo}}, kNo), "Is it faster? No.");
  EXPECT_EQ(line("Is it faster?", {{"1", kYes}, {"2", kNo}}, kMixed), "Is it faster? Yes at n=1; no at n=2.");
  EXPECT_EQ(line("Is it faster?", {{"1", kOpen}}, kOpen), "Is it faster? Undecided.");
  EXPECT_EQ(line("Faster", {{"1", kApart}}, kApart), "Faster: Not comparable.");
}

TEST(Answers, ListWhatToDoOnce) {
  Document document;
  document.findings = {along("n", {{"1", kYes}}, kYes), along("n", {{"1", kYes}}, kYes),
                       along("n", {{"1", kNo}}, kNo)};
  document.findings[0].act = document.findings[1].act = "unset X";
  EXPECT_EQ(what_to_do(document), std::vector<std::string>{"unset X"});
}

TEST(Answers, ARowDoesNotStandForOthersThatSayTheOpposite) {
  Finding finding = along("n", {{"1", kNo}, {"2", kYes}, {"4", kYes}}, kMixed);
  finding.rows[0].effect = 0.02;
  finding.rows[1].effect = 0.85;
  finding.rows[2].effect = 0.5;
  EXPECT_EQ(measured_text(finding), "1.02× to 1.85× over 3 rows");
}

}  // namespace
}  // namespace assay::reporters
