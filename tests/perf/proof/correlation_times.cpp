// SPDX-License-Identifier: Apache-2.0
//
// Would it help to stop no mean before this many correlation times were seen? It would not: decision 49.
#include "proof.hpp"
#include "statistics/stopping.hpp"
#include "statistics/summary.hpp"
#include "statistics/testing/random.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace assay::proof {
namespace {

using statistics::Random;
using statistics::Statistic;

constexpr std::size_t kVisits = 1000;
constexpr double kSample_s = 0.001, kLongest_s = 10.0 / 3, kPrecision = 0.01;
constexpr double kCorrelationTimes = 10;
constexpr std::size_t kMost = 4000;

struct Kind {
  const char* name;
  double correlation, deviation, noise;
};

constexpr Kind kKinds[] = {{"independent, 0.5 %", 1, 0, 0.005},
                           {"wanders by 1 % in 0.1 s", 100, 0.01, 0.005},
                           {"wanders by 0.3 % in 0.3 s", 300, 0.003, 0.001},
                           {"wanders by 0.3 % in 1 s", 1000, 0.003, 0.001},
                           {"wanders by 1 % in 1 s", 1000, 0.01, 0.005},
                           {"wanders by 1 % in 5 s", 5000, 0.01, 0.005}};

struct Visit {
  bool covers = false, off = false;
  double time_s = 0;
};

Visit visit(const Kind& kind, bool asks_for_more, std::uint64_t trial) {
  Random random(kSeed, trial);
  const double keep = 1 - 1 / kind.correlation, fresh = std::sqrt(1 - keep * keep);
  std::vector<double> seconds(kMost);
  double state = random.normal();
  for (double& value : seconds) {
    value = kSample_s * (1 + kind.deviation * state + kind.noise * random.normal());
    state = keep * state + fresh * random.normal();
  }
  statistics::StoppingOptions options;
  options.statistic = Statistic::mean;
  options.precision = kPrecision;
  options.maximum_time_s = kLongest_s;
  const statistics::StoppingRule rule(options);
  const std::span<const double> all(seconds);
  std::size_t n = 0;
  for (statistics::Decision decision = rule.decide({}, 0);;) {
    n = std::min(kMost, n + decision.more);
    const auto seen = statistics::estimate(all.first(n), Statistic::mean, 0);
    decision = rule.decide(all.first(n), statistics::sum(all.first(n)));
    if (asks_for_more && decision.reason == statistics::StopReason::converged &&
        seen.effective_samples < kCorrelationTimes && statistics::sum(all.first(n)) < kLongest_s)
      decision = {statistics::StopReason::none, rule.next_look(n + 1, kSample_s) - n};
    if (!decision.stop() && n < kMost) continue;
    return {seen.interval->contains(kSample_s), std::abs(seen.value / kSample_s - 1) > kPrecision,
            statistics::sum(all.first(n))};
  }
}

std::vector<std::string> cells_of(const std::vector<Visit>& visits) {
  double covers = 0, off = 0, time_s = 0;
  for (const Visit& each : visits) {
    covers += each.covers;
    off += each.off;
    time_s += each.time_s;
  }
  const auto count = static_cast<double>(visits.size());
  return {percent(covers / count), percent(off / count), fmt::format("{:.2f} s", time_s / count)};
}

}  // namespace

Section correlation_times() {
  std::vector<std::vector<std::string>> rows;
  for (const Kind& kind : kKinds) {
    std::vector<std::string> row = {kind.name};
    for (const bool asks_for_more : {false, true})
      for (std::string& cell :
           cells_of(trials<Visit>(kVisits, [&](std::size_t i) { return visit(kind, asks_for_more, i); })))
        row.push_back(std::move(cell));
    rows.push_back(std::move(row));
  }
  return {fmt::format(R"(## What ten correlation times would add

Means of samples of 1 ms at a precision of 1 %, in the time of one of three rounds; {} visits each. On the right the same rule, but that it takes no mean for known
before the series holds ten correlation times of those that it shows itself. Where noise is slower than the visit, the series does not show them, and nothing changes. Where it
does, visits become up to two and a half times as long, and their intervals shrink faster than their errors. So there is no such rule
([why](../decisions/0049-no-wait-for-ten-correlation-times.md)).

)",
                      kVisits) +
              table({"series", "coverage", "off by more than asked", "time a visit", "coverage with ten",
                     "off with ten", "time with ten"},
                    rows),
          {}};
}

}  // namespace assay::proof
