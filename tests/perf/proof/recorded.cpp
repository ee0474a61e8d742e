// SPDX-License-Identifier: Apache-2.0
#include "proof.hpp"
#include "records.hpp"
#include "statistics/stopping.hpp"
#include "statistics/summary.hpp"

#include <fmt/core.h>

#include <cmath>
#include <string>
#include <vector>

namespace assay::proof {

using statistics::SampleEstimate;
using statistics::Statistic;

namespace {

constexpr std::size_t kStarts = 60;

struct Visit {
  bool converged = false;
  bool covered = false;
  double difference = 0;  // from the rest
  double time_s = 0;
};

// One visit that begins at `start` of a steady series, against everything it did not see.
Visit visit(const std::vector<double>& steady, std::size_t start, Statistic statistic, bool sustained) {
  statistics::StoppingOptions options;
  options.statistic = statistic;
  options.tick_s = kTick_s;
  if (sustained) options.minimum_time_s = 1;
  const statistics::StoppingRule rule(options);
  const std::size_t most = std::min(steady.size() - start, steady.size() / 2);
  const std::span<const double> seen = std::span<const double>(steady).subspan(start, most);
  std::size_t n = 0;
  statistics::Decision decision = rule.decide({}, 0);
  while (!decision.stop() && n < most) {
    n = std::min<std::size_t>(most, n + decision.more);
    decision = rule.decide(seen.first(n), statistics::sum(seen.first(n)));
  }
  std::vector<double> rest(steady.begin(), steady.begin() + static_cast<std::ptrdiff_t>(start));
  rest.insert(rest.end(), steady.begin() + static_cast<std::ptrdiff_t>(start + n), steady.end());
  const SampleEstimate estimate = statistics::estimate(seen.first(n), statistic, kTick_s);
  const double truth = statistics::estimate(rest, statistic, kTick_s).value;
  // The rest is finite, too: the difference of the two has the variance of the visit's estimate times whole /
  // rest.
  const double finite = std::sqrt(static_cast<double>(steady.size()) / static_cast<double>(rest.size()));
  const bool covered = truth >= estimate.value - finite * (estimate.value - estimate.interval->low) &&
                       truth <= estimate.value + finite * (estimate.interval->high - estimate.value);
  return {decision.reason == statistics::StopReason::converged, covered, std::abs(estimate.value / truth - 1),
          statistics::sum(seen.first(n))};
}

std::string share(std::size_t count, std::size_t of) {
  return of == 0 ? "–" : percent(static_cast<double>(count) / static_cast<double>(of), 0);
}

}  // namespace

Section on_recorded_series() {
  Section section;
  std::vector<std::vector<std::string>> rows;
  for (const Record& record : records()) {
    const std::vector<double> steady = settled(record);
    for (const Statistic statistic : {Statistic::median, Statistic::mean}) {
      // Starts in the last eighth would leave too little to see.
      const std::size_t starts = kStarts * 7 / 8;
      const std::vector<Visit> visits = trials<Visit>(starts, [&](std::size_t i) {
        return visit(steady, steady.size() * i / kStarts, statistic, record.sustained);
      });
      std::size_t converged = 0;
      std::size_t covered = 0;
      std::size_t near = 0;
      std::size_t covered_all = 0;
      double time_s = 0;
      for (const Visit& one : visits) {
        covered_all += one.covered;
        time_s += one.time_s / static_cast<double>(visits.size());
        if (!one.converged) continue;
        ++converged;
        covered += one.covered;
        near += one.difference <= 0.005;
      }
      const bool headline = statistic == record.headline;
      rows.push_back({record.name,
                      std::string(statistics::to_string(statistic)) + (headline ? " (headline)" : ""),
                      share(converged, starts), share(covered, converged), share(near, converged),
                      share(covered_all, starts), fmt::format("{:.2f} s", time_s)});
      if (headline) {
        const double reached = static_cast<double>(covered_all) / static_cast<double>(starts);
        section.targets.push_back(
            {fmt::format("coverage on the record '{}', {}", record.name, statistics::to_string(statistic)),
             "at least 86 %", percent(reached, 0), reached >= 0.86});
      }
    }
  }
  section.text = fmt::format(R"(## Recorded series

A visit is begun at {} places of each record, evenly spread over its first seven eighths, after the warm-up is cut off; it samples until
the rule stops it or half of the record is used up. Its interval is compared with the estimate from *all that the visit did not see*. That
has an error of its own, so the interval is widened by the square root of whole over rest, as for a difference of means; at a visit of a tenth of the
record this is 5 %. Visits overlap, so a row says less than its number of starts. The targets are those of all visits, converged or not.

Launches from a busy host jump between levels that last for a tenth of a second: the rule never claims to have converged there. The mean
of host-to-device copies shows the limit of any single visit: once in 5 s these copies were 2.8 % slower for half a second, and a visit
that ends before cannot know. That is run-to-run variation: it takes rounds (`processes:`) to see it, and until there are three, verdicts add an
allowance of 1 %.

)",
                             kStarts * 7 / 8) +
                 table({"record", "statistic", "converged", "coverage (converged)",
                        "within 0.5 % (converged)", "coverage (all)", "time a visit"},
                       rows);
  return section;
}

}  // namespace assay::proof
