// SPDX-License-Identifier: Apache-2.0
#include "judge/metrics.hpp"

#include "judge/fixed_cost.hpp"
#include "judge/parts.hpp"
#include "judge/peaks.hpp"
#include "judge/percentile.hpp"
#include "judge/publish.hpp"
#include "judge/values.hpp"
#include "statistics/estimate.hpp"
#include "statistics/interval.hpp"
#include "statistics/rate.hpp"
#include "statistics/summary.hpp"
#include "text/quantity_text.hpp"

#include <algorithm>
#include <cmath>

namespace assay::judge {
namespace {

constexpr double kAnotherNumber = 0.05;  // as a share

// With samples enough there is no interval where they scatter so much that it would have no end.
const char* why_no_interval(std::size_t samples) {
  return samples < statistics::kSmallestSeriesForInterval ? kFewSamples : kNoEnd;
}

// What one visit says of a rate.
RoundValue rate_of(const VisitTimes& times, double work_per_iteration) {
  const statistics::Rate rate =
      statistics::rate(work_per_iteration * static_cast<double>(times.iterations), times.sample_s);
  RoundValue value;
  value.value = rate.value;
  value.interval = plain(rate.interval);
  if (!value.interval) value.no_interval = why_no_interval(times.sample_s.size());
  value.n = times.sample_s.size();
  value.autocorrelation_time = rate.autocorrelation_time;
  for (const double seconds : times.sample_s)
    value.samples.push_back(work_per_iteration * static_cast<double>(times.iterations) / seconds);
  return value;
}

// What one visit says of a duration.
RoundValue duration_of(const VisitTimes& times, double work, double tick_s) {
  const double tick = times.sample_s.size() == times.iteration_s.size()
                          ? tick_s / static_cast<double>(times.iterations)
                          : tick_s;
  const statistics::SampleEstimate estimate =
      statistics::estimate(times.iteration_s, statistics::Statistic::median, tick);
  RoundValue value;
  value.value = estimate.value / work;
  if (estimate.interval)
    value.interval = ValueRange{estimate.interval->low / work, estimate.interval->high / work};
  else
    value.no_interval = why_no_interval(times.iteration_s.size());
  value.n = times.iteration_s.size();
  value.autocorrelation_time = estimate.autocorrelation_time;
  for (const double seconds : times.iteration_s) value.samples.push_back(seconds / work);
  return value;
}

// Of durations: the mean, where it is another number than the median.
std::optional<double> telling_mean(const CaseResult& result, double work) {
  std::vector<double> means, medians;
  for (const VisitTimes& times : result.times) {
    means.push_back(statistics::mean(times.iteration_s) / work);
    medians.push_back(statistics::median(times.iteration_s) / work);
  }
  const double mean = statistics::geometric_mean(means), median = statistics::geometric_mean(medians);
  return std::fabs(mean - median) > kAnotherNumber * median ? std::optional(mean) : std::nullopt;
}

// The work of one iteration, 0 if the benchmark declared none for this metric; nothing if it cannot be used,
// and the case was refused for it.
std::optional<double> usable_work(CaseResult& result, const catalog::MetricDeclaration& metric) {
  double work = 0;
  for (const result::Visit* visit : result.last_attempts) {
    const auto found = visit->work.find(metric.name);
    if (found == visit->work.end()) return 0;
    if (!std::isfinite(found->second) || found->second <= 0) {
      refuse(result, std::isfinite(found->second) ? "result.zero" : "result.not-finite",
             "the work that the benchmark declares for '" + metric.name + "' is " +
                 (std::isfinite(found->second) ? "zero or negative" : "not a finite number"));
      return std::nullopt;
    }
    if (work > 0 && work != found->second) {
      refuse(result, "rank.disagree",
             "the work of one iteration for '" + metric.name + "' differs between rounds");
      return std::nullopt;
    }
    work = found->second;
  }
  return work;
}

bool declares_work(const CaseResult& result) {
  return std::any_of(result.last_attempts.begin(), result.last_attempts.end(),
                     [](const result::Visit* visit) { return !visit->work.empty(); });
}

// A peak that was measured beside the work is a lower bound. If the work itself reached clearly more,
// something disturbed that measurement, and it is not a peak to compare anything with. What is cited of the device
// still says which rates cannot be.
void forget_disturbed_peak(const CaseResult& result, const catalog::MetricDeclaration& declared,
                           const system::Inventory& inventory, const Json& peaks, MetricResult& metric) {
  if (!metric.peak || !metric.peak->is_beside_the_work() || metric.value <= metric.peak->ceiling) return;
  metric.no_peak = "the peak measured beside the work, " + quantity_text(metric.peak->value, metric.unit) +
                   ", is below what the work reached: something disturbed its measurement";
  std::string unknown, refused;
  metric.peak = find_peak(*result.planned, declared, inventory, peaks, &unknown, &refused);
  if (metric.peak && metric.value <= metric.peak->ceiling) metric.peak.reset();
}

void add_rate_or_duration(CaseResult& result, const catalog::MetricDeclaration& metric, double tick_s,
                          const system::Inventory& inventory, const Json& peaks) {
  const std::optional<double> usable = usable_work(result, metric);
  if (!usable) return;
  const double work = *usable;
  const bool rate = metric.kind == catalog::MetricKind::rate;
  // A benchmark whose kinds of work differ (a bandwidth for one kernel, a latency for another) reports what
  // it declared work for. One that declared none has durations of one iteration, and must not declare rates.
  if (work == 0 && declares_work(result)) return;
  if (rate && work == 0) {
    refuse(result, "result.missing",
           "the benchmark declares the rate '" + metric.name + "' and gave no work for it");
    return;
  }
  MetricResult published = described(metric);
  published.clocked = true;
  std::vector<RoundValue> rounds;
  const bool by_slope = rate && result.fixed_cost && !result.fixed_cost->rounds.empty();
  published.statistic = by_slope ? "slope" : rate ? "work over time" : "median";
  for (std::size_t i = 0; i < result.times.size(); ++i) {
    if (!rate) {
      rounds.push_back(duration_of(result.times[i], work > 0 ? work : 1, tick_s));
      continue;
    }
    const double of_ranks = work * static_cast<double>(result.last_attempts[i]->ranks.size());
    rounds.push_back(rate_of(result.times[i], of_ranks));
    if (!by_slope) continue;
    published.whole.push_back(rounds.back().value);
    rounds.back() = rate_by_slope(result.times[i], of_ranks * static_cast<double>(result.times[i].iterations),
                                  result.fixed_cost->rounds[i]);
  }
  if (!rate) published.mean = telling_mean(result, work > 0 ? work : 1);
  if (work > 0) result.work[metric.name] = work;
  if (rate) published.peak = recorded_peak(result, metric);
  if (rate && !published.peak) {
    std::string refused;
    published.peak = find_peak(*result.planned, metric, inventory, peaks, &published.no_peak, &refused);
    if (!refused.empty()) {
      result.flags.push_back({"peak_refused", refused + ", so it was not used"});
      if (!published.peak) published.no_peak += "; " + refused;
    }
  }
  add_sampled(result, std::move(published), rounds, result.allowance);
  if (rate) forget_disturbed_peak(result, metric, inventory, peaks, result.metrics.back());
}

std::vector<model::Percentile> tail_of(const CaseResult& result) {
  std::vector<model::Percentile> tail;
  for (const double share : {0.99, 0.999}) {
    const Evaluated found = percentile(result, "time", share);
    if (!found.ok()) continue;
    const auto& interval = found.estimate.interval;
    tail.push_back({share, found.estimate.value, interval.low,
                    std::isfinite(interval.high) ? std::optional(interval.high) : std::nullopt});
  }
  return tail;
}

void add_time(CaseResult& result, double tick_s) {
  MetricResult time;
  time.name = "time";
  time.unit = "s";
  time.direction = catalog::Direction::lower;
  time.kind = "duration";
  time.counting = "one iteration";
  time.statistic = "median";
  time.clocked = true;
  // How long a command took is always worth a column, and of others where nothing else leads.
  time.headline = plan::runs_command(*result.planned) ||
                  std::none_of(result.metrics.begin(), result.metrics.end(),
                               [](const MetricResult& metric) { return metric.headline; });
  std::vector<RoundValue> rounds;
  double samples = 0, effective = 0;
  for (const VisitTimes& times : result.times) {
    rounds.push_back(duration_of(times, 1, tick_s));
    samples += static_cast<double>(rounds.back().n);
    effective += static_cast<double>(rounds.back().n) / rounds.back().autocorrelation_time;
    result.iteration_s.insert(result.iteration_s.end(), times.iteration_s.begin(), times.iteration_s.end());
  }
  result.effective_samples = effective;
  result.autocorrelation_time = samples / effective;
  result.laps =
      std::all_of(result.times.begin(), result.times.end(), [](const VisitTimes& t) { return t.laps; });
  const statistics::Summary summary = statistics::summarize(result.iteration_s);
  result.time =
      TimeSummary{summary.median, summary.mean, summary.minimum, summary.p5,  summary.p25,   summary.p75,
                  summary.p95,    summary.p99,  summary.maximum, summary.mad, summary.stdev, summary.first};
  time.mean = telling_mean(result, 1);
  add_sampled(result, std::move(time), rounds, result.allowance);
  if (summary.p99 && result.laps) result.time->tail = tail_of(result);
}

}  // namespace

void compute_metrics(CaseResult& result, const system::Inventory& inventory, const Json& peaks) {
  for (const result::Visit* visit : result.last_attempts) {
    result.times.push_back(reduce(*visit));
    if (!result.times.back().problem.empty()) {
      refuse(result, result.times.back().problem, result.times.back().problem_text);
      result.times.clear();
      return;
    }
  }
  const double tick_s = result.last_attempts.front()->measurement.tick_s;
  result.fixed_cost = fixed_cost_of(result);
  if (result.planned->benchmark)
    for (const catalog::MetricDeclaration& metric : result.planned->benchmark->metrics) {
      if (metric.reported)
        add_reported(result, metric);
      else if (metric.kind == catalog::MetricKind::value)
        add_recorded(result, metric);
      else if (metric.kind == catalog::MetricKind::part)
        add_part(result, metric, tick_s);
      else
        add_rate_or_duration(result, metric, tick_s, inventory, peaks);
    }
  add_time(result, tick_s);
}

void measure_failed_visit(CaseResult& result) {
  for (const result::Visit* visit : result.last_attempts) {
    if (visit->outcome == result::Outcome::passed) continue;
    const VisitTimes times = reduce(*visit);
    if (!times.problem.empty()) continue;
    const auto add = [&](MetricResult metric, double value) {
      metric.value = value;
      metric.n = times.sample_s.size();
      if (std::isfinite(value)) result.unpublished.push_back(std::move(metric));
    };
    if (result.planned->benchmark)
      for (const catalog::MetricDeclaration& metric : result.planned->benchmark->metrics) {
        const auto work = visit->work.find(metric.name);
        if (metric.kind == catalog::MetricKind::rate && work != visit->work.end())
          add(described(metric), work->second * static_cast<double>(visit->ranks.size() * times.iterations) *
                                     static_cast<double>(times.sample_s.size()) /
                                     statistics::sum(times.sample_s));
      }
    MetricResult time;
    time.name = "time";
    time.unit = "s";
    add(std::move(time), statistics::median(times.iteration_s));
    return;
  }
}

}  // namespace assay::judge
