// SPDX-License-Identifier: Apache-2.0
//
// What a page shows of a case that a reader opens.
#include "html/html.hpp"
#include "html/page.hpp"
#include "html/page_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace assay::reporters {
namespace {

using testing::HasSubstr;
using testing::Not;

Case opened_case() {
  Case one;
  one.id = "gemm[device=cuda:0]";
  one.name = "gemm";
  one.outcome = Outcome::passed;
  return one;
}

std::string opened(const Case& one) { return html_case(one, 0, {}); }

Expectation on_rate(ExpectationStatus status) {
  Expectation one;
  one.text = "throughput >= 58% of peak";
  one.op = ">=";
  one.value = 690e12;
  one.limit = 580e12;
  one.unit = "FLOP/s";
  one.status = status;
  one.why = "58.0 % of 1000 TFLOP/s, a datasheet";
  return one;
}

TEST(OpenedCase, SaysTheValueThenTheLimitThenItsSource) {
  Case one = opened_case();
  one.expectations = {on_rate(ExpectationStatus::passed)};
  Expectation& count = one.expectations.emplace_back();
  count.text = "nvlink_crc <= 10";
  count.op = "<=";
  count.value = 26;
  count.limit = 10;
  count.unit = "1";
  count.status = ExpectationStatus::failed;
  const std::string html = opened(one);
  EXPECT_THAT(
      html, HasSubstr("<span class=\"good\">passed</span>, 69 % of peak, limit 58 % (58.0 % of 1000 TFLOP/s, "
                      "a datasheet)</li>"));
  EXPECT_THAT(html, HasSubstr("<span class=\"bad\">failed</span>, 26, limit 10</li>"));
  one.expectations[1].limit = nullptr;
  one.expectations[1].why = "no baseline was given";
  EXPECT_THAT(opened(one), HasSubstr("failed</span>, no baseline was given</li>"));
}

TEST(OpenedCase, IsUndecidedInTheListAsInTheTable) {
  Case one = opened_case();
  one.expectations = {on_rate(ExpectationStatus::undecided)};
  EXPECT_THAT(opened(one), HasSubstr("passed</span>, <span class=\"warn\">undecided</span></summary>"));
}

TEST(OpenedCase, TellsParametersFromFacts) {
  Case one = opened_case();
  one.facts = {{"workspace", "33554432"}};
  EXPECT_THAT(opened(one), HasSubstr("<p class=\"dim\"><strong>Facts</strong> workspace: 33554432</p>"));
  EXPECT_THAT(opened(one), Not(HasSubstr("Parameters")));
}

TEST(OpenedCase, ShowsWhatWasAddedToACounter) {
  Case one = opened_case();
  one.telemetry.resize(2);
  one.telemetry[0].device = one.telemetry[1].device = "cuda:0";
  one.telemetry[0].quantity = "energy";
  one.telemetry[0].unit = "J";
  one.telemetry[0].added = 3700;
  one.telemetry[1].quantity = "nvlink_crc";
  one.telemetry[1].unit = "1";
  one.telemetry[1].added = std::numeric_limits<double>::quiet_NaN();
  const std::string html = opened(one);
  EXPECT_THAT(html, HasSubstr("added"));
  EXPECT_THAT(html, HasSubstr(">3.70 kJ</td>"));
  EXPECT_THAT(html, HasSubstr(">unknown</td>"));
}

TEST(OpenedCase, KnowsTheUnitOfTelemetryThatHasNone) {
  Case one = opened_case();
  model::Telemetry& clock = one.telemetry.emplace_back();
  clock.device = "cuda:0";
  clock.quantity = "clock";
  clock.mean = 1980000000;
  EXPECT_THAT(opened(one), HasSubstr(">1.98 GHz</td>"));
}

TEST(Page, OfAnAcceptanceBeginsWithItsVerdict) {
  Document document;
  document.cases = {opened_case()};
  document.cases[0].expectations = {on_rate(ExpectationStatus::passed)};
  document.verdict.outcome = RunOutcome::passed;
  EXPECT_THAT(render_html(document),
              HasSubstr("<p class=\"verdict\"><strong class=\"good\">PASS</strong>. <strong>The one check"));
  document.cases[0].outcome = Outcome::failed;
  document.cases[0].expectations = {on_rate(ExpectationStatus::failed)};
  document.verdict.outcome = RunOutcome::failed;
  const std::string failed = render_html(document);
  EXPECT_THAT(failed, HasSubstr("<strong class=\"bad\">FAIL</strong>. <strong>The one check"));
  EXPECT_THAT(failed, HasSubstr("<p class=\"verdict\">1 of 1 failed.</p>"));
}

TEST(Page, NamesTheConditionThatFailedInItsRow) {
  Document document;
  document.cases = {opened_case()};
  document.cases[0].outcome = Outcome::failed;
  Expectation count;
  count.text = "nvlink_crc <= 10";
  count.op = "<=";
  count.value = 26;
  count.limit = 10;
  count.unit = "1";
  count.status = ExpectationStatus::failed;
  document.cases[0].expectations = {on_rate(ExpectationStatus::passed), count};
  EXPECT_THAT(render_html(document),
              HasSubstr("2 conditions; nvlink_crc 26, limit 10, <span class=\"bad\">failed</span>"));
}

TEST(Page, BreaksNoValueFromItsUnit) {
  Document document;
  document.cases = {opened_case()};
  document.cases[0].metrics.resize(1);
  document.cases[0].metrics[0].name = "throughput";
  document.cases[0].metrics[0].unit = Unit("FLOP/s");
  document.cases[0].metrics[0].value = 690e12;
  document.cases[0].metrics[0].headline = true;
  document.cases[0].expectations = {on_rate(ExpectationStatus::passed)};
  document.run.duration_s = 156;
  const std::string html = render_html(document);
  EXPECT_THAT(html, HasSubstr("<span class=\"whole\">≥ 58 %</span>"));
  EXPECT_THAT(html, HasSubstr(" · <span class=\"whole\">2 min 36 s</span></p>"));
}

TEST(Page, BeginsNoReasonWithACapitalOfACasesName) {
  Document document;
  document.cases = {opened_case()};
  Finding& finding = document.findings.emplace_back();
  finding.verdict = FindingVerdict::not_comparable;
  finding.why = "gemm[dtype=bf16] and copy differ in batch";
  EXPECT_THAT(render_html(document), HasSubstr("<p class=\"dim\">gemm["));
  document.findings[0].why = "rounds differ";
  EXPECT_THAT(render_html(document), HasSubstr("<p class=\"dim\">Rounds differ.</p>"));
}

TEST(Page, KeepsAKeysDotBesideItsWords) {
  Picture picture;
  picture.title = "Is it faster?";
  picture.key = {{"s0", "confirmed"}};
  EXPECT_THAT(html_figure(picture),
              HasSubstr("<span class=\"entry\"><span class=\"key s0\"></span>confirmed</span>"));
  EXPECT_THAT(html_figure(picture), HasSubstr("<figure><div class=\"wide\" tabindex=\"0\""));
}

}  // namespace
}  // namespace assay::reporters
