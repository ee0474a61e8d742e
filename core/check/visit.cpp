// SPDX-License-Identifier: Apache-2.0
#include "check/visit.hpp"

#include "base/text.hpp"
#include "check/trial.hpp"
#include "worker/visit.hpp"

#include <algorithm>
#include <limits>

namespace assay::check {
namespace {

// Which of two verdicts decides.
int weight(Result result) {
  switch (result) {
    case Result::failed:
      return 3;
    case Result::not_checked:
      return 2;
    case Result::passed:
      return 1;
    case Result::skipped:
      return 0;
  }
  return 3;
}

std::string cannot_run(const Subject& subject, const catalog::Benchmark& benchmark) {
  if (benchmark.ranks.minimum > 1) {
    return "it needs " + std::to_string(benchmark.ranks.minimum) +
           " ranks, and a check has one process; run a suite with it";
  }
  const std::size_t here = subject.devices().list.size();
  const auto wanted = static_cast<std::size_t>(benchmark.devices.minimum);
  if (here >= wanted) return "";
  if (here == 0) return subject.devices().lacking;
  return "it needs " + std::to_string(wanted) + " devices, and " + std::to_string(here) + " was found";
}

}  // namespace

worker::Plugin open_plugin(const Subject& subject) {
  return worker::Plugin(subject.library(), subject.manifest()->id, "0.0.0");
}

wire::Visited visit(const worker::Plugin& plugin, const wire::StartVisit& start) {
  const worker::Interruption interruption(nullptr);
  worker::VisitReports reports;
  reports.log = [](std::string_view, const std::string&) {};
  reports.samples = [](const Json&) {};
  return worker::serve_visit(plugin, start, std::numeric_limits<std::int64_t>::max(), worker::Place{},
                             interruption, reports);
}

wire::Visited quick_visit(const Subject& subject, const worker::Plugin& plugin,
                          const catalog::Benchmark& benchmark) {
  return visit(plugin, start_of(subject, benchmark, quick_parameters(subject, plugin, benchmark)));
}

std::string text_of(const result::Visit& visit) {
  return std::string(result::to_text(visit.outcome)) + " " + visit.reason.code +
         (visit.reason.phase.empty() ? "" : " in " + visit.reason.phase) + ": " + visit.reason.text;
}

Verdict did_not_run(const result::Visit& visit) { return not_checked("it did not run: " + text_of(visit)); }

Verdict each_benchmark(const Subject& subject, const BenchmarkCheck& check) {
  const std::vector<catalog::Benchmark>& benchmarks = subject.manifest()->benchmarks;
  const worker::Plugin plugin = open_plugin(subject);
  Result worst = Result::skipped;
  std::vector<std::pair<Result, std::string>> texts;
  for (const catalog::Benchmark& benchmark : benchmarks) {
    const std::string lacking = cannot_run(subject, benchmark);
    subject.enter("benchmark '" + benchmark.name + "'");
    const Verdict verdict = lacking.empty() ? check(plugin, benchmark) : not_checked(lacking);
    if (weight(verdict.result) > weight(worst)) worst = verdict.result;
    if (!verdict.text.empty()) {
      texts.emplace_back(verdict.result,
                         benchmarks.size() == 1 ? verdict.text : "'" + benchmark.name + "': " + verdict.text);
    }
  }
  std::vector<std::string> told;
  for (const auto& [result, text] : texts) {
    if (result == worst) told.push_back(text);
  }
  return {worst, join(told, "; ")};
}

}  // namespace assay::check
