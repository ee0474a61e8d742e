// SPDX-License-Identifier: Apache-2.0
//
// Recorded series from their first sample on: warm-up and stopping rule together.
#include "proof.hpp"
#include "records.hpp"
#include "statistics/stationarity.hpp"
#include "statistics/stopping.hpp"
#include "statistics/summary.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace assay::proof {
namespace {

struct Way {
  const char* name;
  bool sustained;
  double precision, longest_s;  // of the visit
};

// One of three rounds, one of `quick`, and a round that has all of a case's time.
constexpr Way kWays[] = {{"standard", false, 0.005, 10.0 / 3},
                         {"standard", false, 0.03, 2.5 / 3},
                         {"standard", false, 0.005, 10},
                         {"sustained", true, 0.005, 10}};

// What a worker's loop takes for steady (core/measure/leader.cpp).
statistics::SteadyOptions steady_options(const Way& way, double longest_s) {
  statistics::SteadyOptions options =
      way.sustained ? statistics::sustained_steady_options() : statistics::SteadyOptions{};
  if (way.sustained) options.windows = static_cast<std::size_t>(std::clamp(longest_s, 2.0, 4.0));
  options.window_s =
      std::min(options.window_s, longest_s / (way.sustained ? 1 : 2) / static_cast<double>(options.windows));
  options.minimum_s = std::min(options.minimum_s, longest_s / 2);
  options.tolerance = std::max(options.tolerance, way.precision / 2);
  options.tick_s = kTick_s;
  return options;
}

struct Start {
  double warmup_s = 0, visit_s = 0, error = 0, half_width = 0;
  bool converged = false, holds = false, ends = true;  // before the record does
};

Start start(const Record& record, const Way& way) {
  const std::vector<double> whole = read(record);
  const std::span<const double> all(whole);
  const double longest_s = (way.sustained ? 0.5 : 0.2) * way.longest_s;
  const statistics::SteadyOptions steady = steady_options(way, longest_s);
  std::size_t warm = 1;
  while (warm < all.size() && statistics::sum(all.first(warm)) < longest_s &&
         !statistics::is_steady(all.first(warm), steady))
    ++warm;
  statistics::StoppingOptions options;
  options.statistic = record.headline;
  options.tick_s = kTick_s;
  options.precision = way.precision;
  options.maximum_time_s = way.longest_s - statistics::sum(all.first(warm));
  if (way.sustained) options.minimum_time_s = 1;
  const statistics::StoppingRule rule(options);
  const std::span<const double> rest = all.subspan(warm);
  std::size_t n = 0;
  statistics::Decision decision = rule.decide({}, 0);
  while (!decision.stop() && n < rest.size()) {
    n = std::min<std::size_t>(rest.size(), n + decision.more);
    decision = rule.decide(rest.first(n), statistics::sum(rest.first(n)));
  }
  Start result;
  result.ends = decision.stop();
  if (!result.ends) return result;
  const auto seen = statistics::estimate(rest.first(n), record.headline, kTick_s);
  const double truth = statistics::estimate(settled(record), record.headline, kTick_s).value;
  result.warmup_s = statistics::sum(all.first(warm));
  result.visit_s = statistics::sum(rest.first(n));
  result.error = seen.value / truth - 1;
  result.half_width = seen.interval->half_width() / seen.value;
  result.converged = decision.reason == statistics::StopReason::converged;
  result.holds = seen.interval->contains(truth);
  return result;
}

}  // namespace

Section cold_starts() {
  Section section;
  std::vector<std::vector<std::string>> rows;
  std::size_t power_limited = 0, off = 0;
  for (const Record& record : records()) {
    for (const Way& way : kWays) {
      if (way.sustained && !record.sustained) continue;
      const Start one = start(record, way);
      std::vector<std::string> cells = {record.name, way.name,
                                        fmt::format("{} in {:.1f} s", percent(way.precision), way.longest_s)};
      if (one.ends) {
        for (const std::string& cell :
             {fmt::format("{:.2f} s", one.warmup_s), fmt::format("{:.2f} s", one.visit_s),
              std::string(one.converged ? "yes" : "no"),
              fmt::format("{}{}", one.error < 0 ? "−" : "+", percent(std::abs(one.error), 2)),
              "± " + percent(one.half_width, 2), std::string(one.holds ? "yes" : "**no**")})
          cells.push_back(cell);
      } else {
        cells.insert(cells.end(), {"–", "–", "–", "the record ends before", "–", "–"});
      }
      rows.push_back(std::move(cells));
      if (!one.ends || !record.sustained) continue;
      if (way.sustained) {
        section.targets.push_back({fmt::format("cold start of '{}', sustained: off by", record.name),
                                   "at most 0.5 %", percent(std::abs(one.error), 2),
                                   std::abs(one.error) <= 0.005});
      } else {
        ++power_limited;
        off += std::abs(one.error) > 0.005 ? 1 : 0;
      }
    }
  }
  section.targets.push_back({"cold starts of power-limited work that are off by more than 0.5 %, standard",
                             "none", fmt::format("{} of {}", off, power_limited), off == 0});
  section.text =
      R"(## Cold starts

Each record once from its first sample on, as a visit meets it: warmed up until steady, then sampled until the rule stops or the visit's time is up: one
of three rounds, one of `quick`, a round that has all of its case's time. The value is compared with that of the settled record, and so is the interval within the process, which reports do not print.
Where a power limit sets in after seconds, a short visit measures what the processor does before that: work of that kind wants `thermal: sustained`, and
rounds do not help, since every one of them begins cold.

)" + table({"record", "thermal", "precision and time", "warm-up", "samples", "converged", "off by",
            "interval", "holds the settled value"},
           rows);
  return section;
}

}  // namespace assay::proof
