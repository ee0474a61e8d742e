// SPDX-License-Identifier: Apache-2.0
#include "check/render.hpp"

#include "base/json.hpp"
#include "text/quote.hpp"
#include "text/utf8.hpp"

#include <fmt/format.h>

#include <array>

namespace assay::check {
namespace {

constexpr std::size_t kIdWidth = 26;

struct StatusLook {
  const char *word, *color;
};
// In the order of CheckStatus.
constexpr std::array<StatusLook, 4> kLooks{
    {{"passed", "\033[32m"}, {"FAILED", "\033[31m"}, {"skipped", "\033[2m"}, {"NOT CHECKED", "\033[33m"}}};

std::string subject_of(const CheckReport& report) {
  return report.plugin.empty() ? report.library.filename().string() : report.plugin + " " + report.version;
}

}  // namespace

std::string finding_text(const CompletedCheck& finding, bool color) {
  const StatusLook& look = kLooks.at(static_cast<std::size_t>(finding.verdict.result));
  std::string line =
      fmt::format("{}{:<11}{}  {:<{}}", color ? look.color : "", look.word, color ? "\033[0m" : "",
                  finding.row->id, finding.verdict.text.empty() ? 0 : kIdWidth);
  if (!finding.verdict.text.empty()) line += "  " + finding.verdict.text;
  return line + "\n";
}

std::string summary_text(const CheckReport& report) {
  const std::size_t failed = report.count(CheckStatus::failed), open = report.count(CheckStatus::not_checked);
  std::string text =
      fmt::format("\n{}: {} passed, {} failed, {} skipped, {} not checked\n", subject_of(report),
                  report.count(CheckStatus::passed), failed, report.count(CheckStatus::skipped), open);
  if (report.left_out > 0) {
    const std::string which =
        report.left_out == 1 ? "check that needs a device was" : "checks that need a device were";
    text += fmt::format("{} {} left out: check again where one is\n", report.left_out, which);
  }
  if (failed > 0) {
    for (const CompletedCheck& finding : report.findings) {
      if (finding.verdict.result != CheckStatus::failed) continue;
      return text + fmt::format("what a check is for: assay plugin check --explain {}\n", finding.row->id);
    }
  }
  if (open > 0) text += "not green: check it again on a machine that has what is missing\n";
  return text;
}

std::string report_json(const CheckReport& report) {
  Json checks = Json::array();
  for (const CompletedCheck& finding : report.findings) {
    checks.push_back({{"id", finding.row->id},
                      {"group", finding.row->group},
                      {"result", to_text(finding.verdict.result)},
                      {"text", finding.verdict.text},
                      {"duration_s", finding.duration_s}});
  }
  const Json document = {{"plugin_check_version", 1},       {"plugin", report.plugin},
                         {"version", report.version},       {"library", printable(report.library.string())},
                         {"exit_code", report.exit_code()}, {"left_out", report.left_out},
                         {"checks", std::move(checks)}};
  return document.dump(2) + "\n";
}

std::string report_junit(const CheckReport& report) {
  double total_s = 0;
  std::string cases;
  const std::string name = xml_attribute(subject_of(report));
  for (const CompletedCheck& finding : report.findings) {
    total_s += finding.duration_s;
    cases += fmt::format(R"(    <testcase classname="plugin_check.{}" name="{}" time="{:.3f}")", name,
                         finding.row->id, finding.duration_s);
    const std::string text = xml_attribute(finding.verdict.text);
    switch (finding.verdict.result) {
      case CheckStatus::passed:
        cases += "/>\n";
        continue;
      case CheckStatus::failed:
        cases += fmt::format(">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                             finding.row->group, text, text);
        break;
      case CheckStatus::not_checked:
        cases += fmt::format(">\n      <error type=\"not_checked\" message=\"{}\">{}</error>\n", text, text);
        break;
      case CheckStatus::skipped:
        cases += fmt::format(">\n      <skipped message=\"{}\">{}</skipped>\n", text, text);
        break;
    }
    cases += "    </testcase>\n";
  }
  const std::string counts =
      fmt::format(R"(name="{}" tests="{}" failures="{}" errors="{}")", name, report.findings.size(),
                  report.count(CheckStatus::failed), report.count(CheckStatus::not_checked));
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {} time=\"{:.3f}\">\n  <testsuite {} "
      "skipped=\"{}\" "
      "time=\"{:.3f}\">\n{}  </testsuite>\n</testsuites>\n",
      counts, total_s, counts, report.count(CheckStatus::skipped), total_s, cases);
}

}  // namespace assay::check
