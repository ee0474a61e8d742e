// SPDX-License-Identifier: Apache-2.0
#include "check/checked_visit.hpp"

#include "check/tested_case.hpp"
#include "text/text.hpp"
#include "worker/serve_visit.hpp"

#include <algorithm>
#include <limits>

namespace assay::check {
namespace {

std::string cannot_run(const Subject& subject, const catalog::Benchmark& benchmark) {
  const std::size_t here = subject.devices().list.size();
  // The host's devices can be shared by ranks.
  const int ranks = subject.manifest()->backend == catalog::kHostBackend ? 1 : benchmark.ranks.minimum;
  const auto wanted = static_cast<std::size_t>(benchmark.devices.minimum) * static_cast<std::size_t>(ranks);
  if (here >= wanted) return "";
  if (here == 0) return subject.devices().lacking;
  return "it needs " + std::to_string(wanted) + " devices, and " + std::to_string(here) + " was found";
}

}  // namespace

worker::LoadedPlugin open_plugin(const Subject& subject) {
  return worker::LoadedPlugin(subject.library(), subject.manifest()->id, "0.0.0", subject.manifest()->version,
                              subject.manifest_file());
}

wire::Visited visit(const CheckedBenchmark& checked, const wire::StartVisit& start,
                    worker::Interruption& interruption) {
  const CheckedRank& rank = checked.subject.rank();
  rank.begin_case();
  worker::VisitReports reports;
  reports.log = [](std::string_view, const std::string&) {};
  reports.samples = [](const Json&) {};
  wire::Visited visited = worker::serve_visit(checked.plugin, start, std::numeric_limits<std::int64_t>::max(),
                                              rank.place(), interruption, reports);
  // The outcome is everybody's.
  result::Visit& done = visited.visit;
  auto failure = CallFailure::none;
  if (done.outcome != result::Outcome::passed)
    failure = done.outcome == result::Outcome::cancelled ? CallFailure::cancelled : CallFailure::fault;
  const Json mine = {{"outcome", result::to_text(done.outcome)},
                     {"code", done.reason.code},
                     {"phase", done.reason.phase},
                     {"text", done.reason.text}};
  if (const auto remote = rank.share_failure(failure, mine)) {
    from_text(remote->part.at("outcome").get_ref<const std::string&>(), done.outcome);
    done.reason.code = remote->part.at("code").get<std::string>();
    done.reason.phase = remote->part.at("phase").get<std::string>();
    done.reason.text =
        "rank " + std::to_string(remote->rank) + ": " + remote->part.at("text").get<std::string>();
  }
  return visited;
}

wire::Visited visit(const CheckedBenchmark& checked, const wire::StartVisit& start) {
  worker::Interruption interruption(checked.subject.rank().group());
  return visit(checked, start, interruption);
}

wire::Visited quick_visit(const CheckedBenchmark& checked) {
  return visit(checked, start_of(checked, quick_parameters(checked)));
}

std::string text_of(const result::Visit& visit) {
  return std::string(result::to_text(visit.outcome)) + " " + visit.reason.code +
         (visit.reason.phase.empty() ? "" : " in " + visit.reason.phase) + ": " + visit.reason.text;
}

CheckVerdict did_not_run(const result::Visit& visit) {
  return not_checked("it did not run: " + text_of(visit));
}

CheckVerdict each_benchmark(const Subject& subject, const BenchmarkCheck& check) {
  const std::vector<catalog::Benchmark>& benchmarks = subject.manifest()->benchmarks;
  if (!subject.rank().alone()) {
    for (const catalog::Benchmark& benchmark : benchmarks) {
      if (benchmark.name != subject.only_benchmark()) continue;
      const worker::LoadedPlugin plugin = open_plugin(subject);
      return check({subject, plugin, benchmark});
    }
  }
  std::vector<CheckVerdict> verdicts(benchmarks.size());
  const auto each = [&](auto&& chosen, auto&& verdict_of) {
    for (std::size_t i = 0; i < benchmarks.size(); ++i) {
      if (!chosen(benchmarks[i])) continue;
      subject.enter("benchmark '" + benchmarks[i].name + "'");
      const std::string lacking = cannot_run(subject, benchmarks[i]);
      verdicts[i] = lacking.empty() ? verdict_of(benchmarks[i]) : not_checked(lacking);
    }
  };
  // Before the plugin is loaded: on a device it would take what the ranks need.
  each([](const catalog::Benchmark& benchmark) { return benchmark.ranks.minimum > 1; },
       [&](const catalog::Benchmark& benchmark) { return subject.in_ranks(benchmark); });
  const auto is_alone = [](const catalog::Benchmark& benchmark) { return benchmark.ranks.minimum <= 1; };
  if (std::any_of(benchmarks.begin(), benchmarks.end(), is_alone)) {
    const worker::LoadedPlugin plugin = open_plugin(subject);
    each(is_alone, [&](const catalog::Benchmark& benchmark) { return check({subject, plugin, benchmark}); });
  }

  CheckStatus worst = CheckStatus::skipped;
  for (const CheckVerdict& verdict : verdicts)
    worst = is_worse(verdict.result, worst) ? verdict.result : worst;
  std::vector<std::string> told;
  for (std::size_t i = 0; i < benchmarks.size(); ++i) {
    if (verdicts[i].result != worst || verdicts[i].text.empty()) continue;
    told.push_back(benchmarks.size() == 1 ? verdicts[i].text
                                          : "'" + benchmarks[i].name + "': " + verdicts[i].text);
  }
  return {worst, join(told, "; ")};
}

}  // namespace assay::check
