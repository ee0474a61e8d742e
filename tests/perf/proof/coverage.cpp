// SPDX-License-Identifier: Apache-2.0
#include "proof.hpp"
#include "statistics/stopping.hpp"
#include "statistics/summary.hpp"
#include "statistics/testing/simulation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

namespace assay::proof {

using statistics::SampleEstimate;
using statistics::SimulatedProcess;
using statistics::Statistic;

namespace {

constexpr std::size_t kTraces = 2000;

struct Kind {
  SimulatedProcess process;
  const char* brief;
  const char* name;
  double target;     // of coverage
  double precision;  // asked of the stopping rule
};

constexpr Kind kKinds[] = {
    {SimulatedProcess::iid, "independent", "independent, normal, 2 %", 0.93, 0.005},
    {SimulatedProcess::spiky, "spiky", "spiky: independent, and 5 % of samples longer by 20 % on average",
     0.93, 0.005},
    {SimulatedProcess::lognormal, "log-normal", "log-normal, sigma 0.25", 0.93, 0.02},
    {SimulatedProcess::correlated, "autoregressive 0.5", "autoregressive 0.5, 2 %", 0.92, 0.005},
    {SimulatedProcess::very_correlated, "autoregressive 0.9", "autoregressive 0.9, 2 %", 0.86, 0.005},
    {SimulatedProcess::two_state, "two clocks", "two clocks 4 % apart, for 40 and 10 samples on average",
     0.86, 0.005},
    {SimulatedProcess::quantised, "quantised", "quantised: rounded to a tick of 10 % of the value", 0.93,
     0.005},
};

double truth(SimulatedProcess process, Statistic statistic) {
  const statistics::TrueValues known = statistics::truth_of(process);
  return statistic == Statistic::median ? known.median : known.mean;
}

struct Trial {
  bool covered = false;
  bool converged = false;
  double half_width = 0;
  double n = 0;
};

struct Summary {
  double coverage = 0;
  double converged = 0;
  double half_width = 0;  // mean, over the estimate
  double n = 0;           // mean
};

Summary summary_of(const std::vector<Trial>& trials) {
  Summary result;
  for (const Trial& trial : trials) {
    result.coverage += trial.covered;
    result.converged += trial.converged;
    result.half_width += trial.half_width;
    result.n += trial.n;
  }
  const double count = static_cast<double>(trials.size());
  result.coverage /= count;
  result.converged /= count;
  result.half_width /= count;
  result.n /= count;
  return result;
}

Trial judged(std::span<const double> values, SimulatedProcess process, Statistic statistic, double unit) {
  const SampleEstimate estimate = statistics::estimate(values, statistic, 0);
  Trial trial;
  trial.covered = estimate.interval->contains(unit * truth(process, statistic));
  trial.half_width = estimate.interval->half_width() / estimate.value;
  trial.n = static_cast<double>(values.size());
  return trial;
}

Summary at_length(SimulatedProcess process, Statistic statistic, std::size_t n) {
  return summary_of(trials<Trial>(kTraces, [&](std::size_t i) {
    return judged(statistics::simulate(process, n, kSeed, i), process, statistic, 1);
  }));
}

// Samples of about sample_s, as many as the rule asks for.
Summary until_stopped(const Kind& kind, Statistic statistic, double sample_s) {
  const double unit = sample_s / truth(kind.process, Statistic::mean);
  return summary_of(trials<Trial>(kTraces, [&](std::size_t i) {
    statistics::StoppingOptions options;
    options.statistic = statistic;
    options.precision = kind.precision;
    const statistics::StoppingRule rule(options);
    const auto most = static_cast<std::size_t>(1.25 * options.maximum_time_s / sample_s) + 10;
    std::vector<double> seconds = statistics::simulate(kind.process, most, kSeed, i);
    for (double& value : seconds) value *= unit;
    const std::span<const double> all(seconds);
    std::size_t n = 0;
    statistics::Decision decision = rule.decide({}, 0);
    while (!decision.stop() && n < most) {
      n = std::min<std::size_t>(most, n + decision.more);
      decision = rule.decide(all.first(n), statistics::sum(all.first(n)));
    }
    Trial trial = judged(all.first(n), kind.process, statistic, unit);
    trial.converged = decision.reason == statistics::StopReason::converged;
    return trial;
  }));
}

void add_target(std::vector<Target>& targets, const std::string& claim, double limit, double reached) {
  targets.push_back({claim, "at least " + percent(limit, 0), percent(reached), reached >= limit});
}

}  // namespace

Section fixed_length() {
  constexpr std::size_t kLengths[] = {50, 200, 1000};
  Section section;
  std::vector<std::vector<std::string>> rows;
  for (const Kind& kind : kKinds) {
    for (const std::size_t n : kLengths) {
      const Summary median = at_length(kind.process, Statistic::median, n);
      const Summary mean = at_length(kind.process, Statistic::mean, n);
      rows.push_back({kind.name, std::to_string(n), percent(median.coverage), percent(median.half_width, 2),
                      percent(mean.coverage), percent(mean.half_width, 2)});
      if (n == 200) {
        add_target(section.targets, fmt::format("coverage, {} samples, {}", n, kind.brief), kind.target,
                   std::min(median.coverage, mean.coverage));
      }
    }
  }
  section.text =
      fmt::format(R"(## Series of a fixed length

How often the interval holds the truth, in {} series each, and its mean half-width. Latencies are medians, rates come from means. What no method can
know from one short series shows: a mean over 50 samples of a clock that leaves its state every 40 is often wrong, because the other state
was not seen. The stopping rule below does not stop there.

)",
                  kTraces) +
      table({"series", "n", "median: coverage", "half-width", "mean: coverage", "half-width"}, rows);
  return section;
}

Section under_the_stopping_rule() {
  constexpr double kSample_s[] = {0.001, 0.02};
  Section section;
  std::vector<std::vector<std::string>> rows;
  for (const double sample_s : kSample_s) {
    for (const Kind& kind : kKinds) {
      for (const Statistic statistic : {Statistic::median, Statistic::mean}) {
        const Summary summary = until_stopped(kind, statistic, sample_s);
        rows.push_back({fmt::format("{:.0f} ms", 1000 * sample_s), kind.name,
                        statistics::to_string(statistic), percent(kind.precision), percent(summary.coverage),
                        percent(summary.converged), fmt::format("{:.0f}", summary.n)});
        if (sample_s == kSample_s[0]) {
          add_target(section.targets,
                     fmt::format("coverage under the stopping rule, {}, {}", statistics::to_string(statistic),
                                 kind.brief),
                     kind.target, summary.coverage);
        }
      }
    }
  }
  section.text = fmt::format(R"(## Series as long as the stopping rule makes them

Looking at an interval again and again until it is narrow picks lucky moments, and coverage suffers; the rule looks rarely (at 50, 63, 79, …
samples), wants two narrow looks in a row, and wants enough time to have passed. {} series each, all counted, converged or not. The targets are
those of samples of 1 ms; at 20 ms the limit of 10 s ends some series, and fewer samples are seen before the first look.

)",
                             kTraces) +
                 table({"a sample takes", "series", "statistic", "precision asked", "coverage", "converged",
                        "samples (mean)"},
                       rows);
  return section;
}

}  // namespace assay::proof
