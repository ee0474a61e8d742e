// SPDX-License-Identifier: Apache-2.0
#include "lib/finding_texts.hpp"

#include "lib/compared.hpp"
#include "markdown/markdown.hpp"

#include <gtest/gtest.h>

#include <string>

namespace assay::reporters {
namespace {

std::string asked(const std::string& op, double factor, double tolerance) {
  Finding finding;
  finding.claim = "a " + op + " 1.05 * b";
  finding.theta = 0.02;
  finding.asks.emplace();
  finding.asks->op = op;
  finding.asks->factor = factor;
  finding.asks->tolerance = tolerance;
  return asked_text(finding);
}

TEST(FindingTexts, SayWhatAClaimAsksFor) {
  EXPECT_EQ(asked(">=", 1, 0.02), "≥ 0.980×");
  EXPECT_EQ(asked("==", 1, 0.005), "0.995× to 1.005×");
  EXPECT_EQ(asked(">=", 3.9, 0), "≥ 3.90×");
  EXPECT_EQ(asked(">", 1.05, 0), "> 1.05×");
  EXPECT_EQ(asked("<=", 0.955, 0), "≤ 0.955×");
  EXPECT_EQ(asked("<", 2, 0), "< 2.00×");
  EXPECT_EQ(asked("==", 2, 0.02), "1.961× to 2.04×");
  EXPECT_EQ(asked("!=", 0.5, 0.02), "outside 0.490× to 0.51×");
  EXPECT_EQ(asked("<", 1, 0), "") << "a quantity of an older version: time < 5us";
}

Finding ridge() {
  Finding finding;
  finding.claim = "compute >= 412 FLOP/B * read";
  finding.verdict = FindingVerdict::refuted;
  finding.asks = Threshold{">=", 1, 0, "compute", "412FLOP/B * read", "compute / read", {412}, "FLOP/B"};
  finding.rows.resize(1);
  finding.rows[0].verdict = FindingVerdict::refuted;
  finding.rows[0].effect = -0.508;
  finding.rows[0].bounds = Bounds{-0.51, -0.507};
  finding.rows[0].measured = model::Measured{202.7, {201.9, 203.1}};
  return finding;
}

TEST(FindingTexts, SayWhatADerivedQuantityCameTo) {
  EXPECT_EQ(asked_text(ridge()), "≥ 412 FLOP/B");
  EXPECT_EQ(measured_text(ridge()), "202.7 FLOP/B [201.9, 203.1]");
  EXPECT_EQ(fill("It is {measured}, asked was {asked}.", ridge()),
            "It is 202.7 FLOP/B, asked was ≥ 412 FLOP/B.");
  Document document;
  document.findings = {ridge()};
  EXPECT_NE(render_markdown(document, {}).find("| ≥ 412 FLOP/B | 202.7 FLOP/B"), std::string::npos)
      << render_markdown(document, {});
}

TEST(FindingTexts, ADifferenceKeepsItsUnit) {
  Finding finding;
  finding.claim = "far - near <= 5us";
  finding.asks = Threshold{"<=", 1, 0, "far - near", "5us", "far - near", {5e-6}, "s"};
  finding.rows.resize(1);
  finding.rows[0].measured = model::Measured{-1.5e-6, {-2e-6, -1e-6}};
  EXPECT_EQ(asked_text(finding), "≤ 5 µs");
  EXPECT_EQ(measured_text(finding), "−1.50 µs [−2.00, −1.00]");
  EXPECT_EQ(fill("By {effect} {interval}.", finding), "By −1.50 µs [−2.00, −1.00].");
}

TEST(FindingTexts, CallSidesByTheirNames) {
  EXPECT_EQ(side_names(ridge()).first, "compute");
  Finding older;
  const auto names = [&](const std::string& claim) {
    older.claim = claim;
    const auto [left, right] = side_names(older);
    return left + "|" + right;
  };
  EXPECT_EQ(names("fp8 >= 1.8 * bf16"), "fp8|bf16");
  EXPECT_EQ(names("deep >= 95% of square"), "deep|square");
  EXPECT_EQ(names("compute >= 412 FLOP/B * read"), "compute|412 FLOP/B * read");
  EXPECT_EQ(names("apart >= 0.9 * model * together"), "apart|model * together");
  EXPECT_EQ(names("a * b > c"), "a * b|c");
  EXPECT_EQ(names("a / b > c"), "left|right");
  EXPECT_EQ(names("2 * a + b > c"), "left|right");
  EXPECT_EQ(names("copy[bytes=1GiB].bandwidth > x"), "left|right");
}

TEST(FindingTexts, ARatioHasTheDigitsThatItsIntervalSupports) {
  const auto ratio = [](double value, double half) {
    return compared_text({value, Bounds{value - half, value + half}, "×"});
  };
  EXPECT_EQ(ratio(1.7023, 0.005), "1.702× [1.697, 1.707]");
  EXPECT_EQ(ratio(1.83, 0.02), "1.83× [1.81, 1.85]");
  EXPECT_EQ(ratio(4.97, 1.2), "4.97× [3.77, 6.17]");
  EXPECT_EQ(ratio(1, 0), "1.00×");
  EXPECT_EQ(compared_text({5.56, Bounds{5.56, 5.56}, "×"}), "5.56×") << "what is counted is exact";
  EXPECT_EQ(compared_text({0.912, Bounds{0.905, 0.919}, "%"}), "91.2 % [90.5, 91.9]");
}

TEST(FindingTexts, GiveASideTheDigitsThatItHasAmongTheResults) {
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
  EXPECT_NE(text.find("| 11.58 | 10.67 | 1.10× |"), std::string::npos) << text;
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

TEST(FindingTexts, TellQuantitiesOfOneCaseApart) {
  EXPECT_EQ(compared({"a", "time", 1.0, "s"}, {"b", "time", 1.0, "s"}), "`a` against `b`");
  EXPECT_EQ(compared({"a", "", 1.0, "s"}, {"b", "", 1.0, "s"}), "`a` against `b`");
  EXPECT_EQ(compared({"a", "time", 1.0, "s"}, {"a", "bound", 1.0, "s"}), "time against bound, both of `a`");
  EXPECT_EQ(compared({"a", "time", 1.0, "s"}, {"b", "bound", 1.0, "s"}), "time of `a` against bound of `b`");
}

Finding refuted_by_ten() {
  Finding finding;
  finding.claim = "a > b";
  finding.verdict = FindingVerdict::refuted;
  finding.rows.resize(1);
  finding.rows[0].verdict = FindingVerdict::refuted;
  finding.rows[0].effect = -0.10;
  finding.rows[0].bounds = Bounds{-0.12, -0.07};
  return finding;
}

TEST(FindingTexts, PutAnEffectAndItsIntervalTogether) {
  EXPECT_EQ(fill("No: {effect} {interval}.", refuted_by_ten()), "No: −10 % [−12, −7].");
  EXPECT_EQ(fill("No, {effect}.", refuted_by_ten()), "No, 10 %.") << "alone the verdict says which way";
  EXPECT_EQ(fill("{interval} is where {effect} lies.", refuted_by_ten()), "[−12, −7] % is where −10 % lies.");
  Finding several = refuted_by_ten();
  several.rows[0].label = "bytes=64MiB";
  several.rows.push_back(several.rows[0]);
  several.rows[1].label = "bytes=1MiB";
  several.rows[1].verdict = FindingVerdict::confirmed;
  several.rows[1].effect = 0.48;
  several.verdict = FindingVerdict::refuted;
  EXPECT_EQ(fill("It depends: {effect} {interval}.", several), "It depends: −10 % [−12, −7] at 64MiB.");
  EXPECT_EQ(fill("By {effect} {interval}.", Finding()), "By an unknown effect.");
}

TEST(FindingTexts, SetWordsToActOnAsWords) {
  EXPECT_TRUE(is_sentence("Keep eight workers per GPU."));
  for (const char* words :
       {"keep workers (persistent), or use fewer", "pin the loader's memory", "workers as many as cores"})
    EXPECT_TRUE(is_sentence(words)) << words;
  for (const char* command :
       {"assay run training-tuning", "unset NCCL_ALGO", "bind: local", "export X=1", "./tune all",
        "cpupower frequency-set -g performance", "sudo reboot", "numactl --membind=N"})
    EXPECT_FALSE(is_sentence(command)) << command;
  EXPECT_FALSE(is_sentence("numactl --cpunodebind=N"));
  Document document;
  document.findings = {refuted_by_ten()};
  document.findings[0].act = "Keep `eight` workers.";
  EXPECT_NE(render_markdown(document, {}).find("\n- Keep `eight` workers.\n"), std::string::npos);
  document.findings[0].act = "export X=1";
  EXPECT_NE(render_markdown(document, {}).find("\n- `export X=1`\n"), std::string::npos);
}

}  // namespace
}  // namespace assay::reporters
