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
  EXPECT_EQ(compared({"a", "time", "s", 1.0}, {"b", "time", "s", 1.0}), "`a` against `b`");
  EXPECT_EQ(compared({"a", "", "s", 1.0}, {"b", "", "s", 1.0}), "`a` against `b`");
  EXPECT_EQ(compared({"a", "time", "s", 1.0}, {"a", "bound", "s", 1.0}), "time against bound, both of `a`");
  EXPECT_EQ(compared({"a", "time", "s", 1.0}, {"b", "bound", "s", 1.0}), "time of `a` against bound of `b`");
}

}  // namespace
}  // namespace assay::reporters
