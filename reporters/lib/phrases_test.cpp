// SPDX-License-Identifier: Apache-2.0
#include "lib/phrases.hpp"

#include "markdown/markdown.hpp"

#include <gtest/gtest.h>

#include <string>

namespace assay::reporters {
namespace {

std::string asked(const std::string& op, double factor, double tolerance) {
  Finding finding;
  finding.claim = "a " + op + " 1.05 * b";
  finding.theta = 0.02;
  finding.asks = Asks{op, factor, tolerance};
  return asked_text(finding);
}

TEST(Phrases, SayWhatAClaimAsksFor) {
  EXPECT_EQ(asked(">=", 1, 0.02), "against a margin of 2 %");
  EXPECT_EQ(asked("==", 1, 0.005), "against a margin of 0.5 %");
  EXPECT_EQ(asked(">=", 3.9, 0), "which asks for +290 % or more");
  EXPECT_EQ(asked(">", 1.05, 0), "which asks for more than +5 %");
  EXPECT_EQ(asked("<=", 0.955, 0), "which asks for −4.5 % or less");
  EXPECT_EQ(asked("<", 2, 0), "which asks for less than +100 %");
  EXPECT_EQ(asked("==", 2, 0.02), "which asks for +100 %, within 2 %");
  EXPECT_EQ(asked("!=", 0.5, 0.02), "which asks for other than −50 %, by more than 2 %");
  EXPECT_EQ(asked("<", 1, 0), "") << "a quantity: time < 5us";
}

TEST(Phrases, SayNoMarginOfAnOlderDocumentWhereTheClaimHasANumber) {
  const auto of = [](const std::string& claim) {
    Finding finding;
    finding.claim = claim;
    finding.theta = 0.02;
    return asked_text(finding);
  };
  EXPECT_EQ(of("nt2 > plain"), "against a margin of 2 %");
  EXPECT_EQ(of("copy[bytes=1GiB].bandwidth > copy[bytes=1MiB].bandwidth"), "against a margin of 2 %");
  EXPECT_EQ(of("chunks >= 3.9 * whole"), "");
  EXPECT_EQ(of("deep >= 95% of square"), "");
  Finding without;
  without.claim = "a > b";
  EXPECT_EQ(asked_text(without), "");
}

TEST(Phrases, GiveASideTheDigitsThatItHasAmongTheResults) {
  Document document;
  Finding finding;
  finding.rows.resize(1);
  finding.rows[0].effect = 0.1;
  finding.rows[0].bounds = Bounds{-0.4, 0.6};
  for (Operand* side : {&finding.rows[0].left, &finding.rows[0].right}) {
    Case one;
    one.id = one.name = side == &finding.rows[0].left ? "a" : "b";
    Metric metric;
    metric.name = "time";
    metric.unit = "s";
    metric.value = side == &finding.rows[0].left ? 11.584 : 10.671;
    metric.interval = Interval{*metric.value - 0.15, *metric.value + 0.15};
    metric.headline = true;
    one.metrics = {metric};
    *side = {one.id, one.id == "a" ? "time" : "", metric.value, "s"};  // an older document names no metric
    document.cases.push_back(one);
  }
  document.findings = {finding};
  const std::string text = render_markdown(document, {});
  EXPECT_NE(text.find("| 11.58 | 10.67 |"), std::string::npos) << text;
  EXPECT_NE(text.find("| **11.58** |"), std::string::npos) << text;
}

std::string compared(const Operand& left, const Operand& right) {
  Document document;
  document.cases.resize(1);
  document.cases[0].metrics.resize(1);
  document.cases[0].metrics[0].headline = true;
  document.cases[0].metrics[0].value = 1;
  Finding finding;
  finding.rows.resize(1);
  finding.rows[0].left = left;
  finding.rows[0].right = right;
  document.findings = {finding};
  const std::string text = render_markdown(document, {});
  const std::size_t begin = text.find("\n- ", text.find("Which cases were compared")) + 3;
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(Phrases, TellQuantitiesOfOneCaseApart) {
  EXPECT_EQ(compared({"a", "time", 1.0, "s"}, {"b", "time", 1.0, "s"}), "`a` against `b`");
  EXPECT_EQ(compared({"a", "", 1.0, "s"}, {"b", "", 1.0, "s"}), "`a` against `b`");
  EXPECT_EQ(compared({"a", "time", 1.0, "s"}, {"a", "bound", 1.0, "s"}), "time against bound, both of `a`");
  EXPECT_EQ(compared({"a", "time", 1.0, "s"}, {"b", "bound", 1.0, "s"}), "time of `a` against bound of `b`");
}

Finding refuted_by_ten() {
  Finding finding;
  finding.claim = "a > b";
  finding.verdict = "refuted";
  finding.rows.resize(1);
  finding.rows[0].verdict = "refuted";
  finding.rows[0].effect = -0.10;
  finding.rows[0].bounds = Bounds{-0.12, -0.07};
  return finding;
}

TEST(Phrases, PutAnEffectAndItsIntervalTogether) {
  EXPECT_EQ(fill("No: {effect} {interval}.", refuted_by_ten()), "No: −10 % [−12, −7].");
  EXPECT_EQ(fill("No, {effect}.", refuted_by_ten()), "No, 10 %.") << "alone the verdict says which way";
  EXPECT_EQ(fill("{interval} is where {effect} lies.", refuted_by_ten()), "[−12, −7] % is where −10 % lies.");
  Finding several = refuted_by_ten();
  several.rows[0].label = "bytes=64MiB";
  several.rows.push_back(several.rows[0]);
  several.rows[1].label = "bytes=1MiB";
  several.rows[1].verdict = "confirmed";
  several.rows[1].effect = 0.48;
  several.verdict = "refuted";
  EXPECT_EQ(fill("It depends: {effect} {interval}.", several), "It depends: −10 % [−12, −7] at 64MiB.");
  EXPECT_EQ(fill("By {effect} {interval}.", Finding()), "By an unknown effect.");
}

TEST(Phrases, SetWordsToActOnAsWords) {
  EXPECT_TRUE(is_sentence("Keep eight workers per GPU."));
  EXPECT_FALSE(is_sentence("numactl --cpunodebind=N"));
  Document document;
  document.findings = {refuted_by_ten()};
  document.findings[0].act = "Keep `eight` workers.";
  EXPECT_NE(render_markdown(document, {}).find("| Keep `eight` workers. |"), std::string::npos);
  document.findings[0].act = "export X=1";
  EXPECT_NE(render_markdown(document, {}).find("| `export X=1` |"), std::string::npos);
}

}  // namespace
}  // namespace assay::reporters
