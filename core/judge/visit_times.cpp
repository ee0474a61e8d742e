// SPDX-License-Identifier: Apache-2.0
#include "judge/visit_times.hpp"

#include <algorithm>
#include <cmath>

namespace assay::judge {
namespace {

const std::vector<double>& times_of(const result::Visit& visit, const result::RankRecord& rank) {
  return visit.measurement.clock == "host" && !rank.series.host_s.empty() ? rank.series.host_s
                                                                          : rank.series.device_s;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string of_rank(const result::Visit& visit, const result::RankRecord& rank) {
  return visit.ranks.size() == 1 ? std::string() : " of rank " + std::to_string(rank.rank);
}

// Sets problem if the times of a rank cannot be used.
void examine(const result::Visit& visit, const result::RankRecord& rank, VisitTimes& times) {
  const result::Series& first = visit.ranks.front().series;
  const std::vector<double>& samples = times_of(visit, rank);
  if (samples.empty() || rank.series.iterations == 0) {
    times.problem = "result.missing";
    times.problem_text = "no sample" + of_rank(visit, rank) + " was recorded";
    return;
  }
  if (samples.size() != times_of(visit, visit.ranks.front()).size() ||
      rank.series.iterations != first.iterations || rank.series.laps_s.size() != first.laps_s.size()) {
    times.problem = "rank.disagree";
    times.problem_text = "rank " + std::to_string(rank.rank) + " took other samples than rank " +
                         std::to_string(visit.ranks.front().rank);
    return;
  }
  if (!rank.series.laps_s.empty() && rank.series.laps_s.size() != samples.size() * rank.series.iterations) {
    times.problem = "plugin.protocol";
    times.problem_text = std::to_string(rank.series.laps_s.size()) + " laps" + of_rank(visit, rank) +
                         " for " + std::to_string(samples.size()) + " samples of " +
                         std::to_string(rank.series.iterations) + " iterations";
    return;
  }
  const auto check = [&](const std::vector<double>& values, const char* what) {
    for (std::size_t i = 0; i < values.size() && times.problem.empty(); ++i) {
      if (std::isfinite(values[i]) && values[i] > 0) continue;
      times.problem = std::isfinite(values[i]) ? "result.zero" : "result.not-finite";
      times.problem_text = std::string("the time of ") + what + " " + std::to_string(i + 1) +
                           of_rank(visit, rank) + " is " +
                           (!std::isfinite(values[i]) ? "not a finite number"
                            : values[i] == 0          ? "zero"
                                                      : "negative");
    }
  };
  check(samples, "sample");
  check(rank.series.laps_s, "lap");
}

// Element-wise maximum over ranks; counts which rank was the slowest.
std::vector<double> slowest(const std::vector<const std::vector<double>*>& ranks,
                            std::vector<double>* share) {
  std::vector<double> maxima = *ranks.front();
  std::vector<std::size_t> slowest_rank(maxima.size(), 0);
  for (std::size_t r = 1; r < ranks.size(); ++r)
    for (std::size_t i = 0; i < maxima.size(); ++i)
      if ((*ranks[r])[i] > maxima[i]) {
        maxima[i] = (*ranks[r])[i];
        slowest_rank[i] = r;
      }
  if (share) {
    share->assign(ranks.size(), 0);
    for (const std::size_t r : slowest_rank) (*share)[r] += 1;
    for (double& s : *share) s /= static_cast<double>(maxima.size());
  }
  return maxima;
}

double mean_over_ranks(const std::vector<const std::vector<double>*>& ranks) {
  double sum = 0;
  std::size_t count = 0;
  for (const std::vector<double>* rank : ranks) {
    for (const double value : *rank) sum += value;
    count += rank->size();
  }
  return sum / static_cast<double>(count);
}

// How far apart the ranks began each sample. Empty if there is one rank, or some did not say.
std::vector<double> start_skew(const result::Visit& visit, std::size_t samples) {
  if (visit.ranks.size() < 2) return {};
  std::vector<double> first, last;
  for (const result::RankRecord& rank : visit.ranks) {
    const std::vector<double>& begins = rank.series.begin_s;
    if (begins.size() != samples) return {};
    if (first.empty()) first = last = begins;
    for (std::size_t i = 0; i < samples; ++i) {
      first[i] = std::min(first[i], begins[i]);
      last[i] = std::max(last[i], begins[i]);
    }
  }
  for (std::size_t i = 0; i < samples; ++i) last[i] -= first[i];
  return last;
}

}  // namespace

VisitTimes reduce(const result::Visit& visit) {
  VisitTimes times;
  if (visit.ranks.empty()) {
    times.problem = "result.missing";
    times.problem_text = "no sample was recorded";
    return times;
  }
  for (const result::RankRecord& rank : visit.ranks) {
    examine(visit, rank, times);
    if (!times.problem.empty()) return times;
  }
  times.iterations = visit.ranks.front().series.iterations;
  const double n = static_cast<double>(times.iterations);
  const bool has_laps = !visit.ranks.front().series.laps_s.empty();
  times.laps = has_laps || times.iterations == 1;

  std::vector<const std::vector<double>*> samples, laps, host;
  for (const result::RankRecord& rank : visit.ranks) {
    samples.push_back(&times_of(visit, rank));
    laps.push_back(&rank.series.laps_s);
    if (rank.series.host_s.size() == samples.back()->size()) host.push_back(&rank.series.host_s);
  }
  if (host.size() == samples.size()) times.host_s = slowest(host, nullptr);

  std::vector<double> share;
  if (has_laps) {
    times.iteration_s = slowest(laps, &share);
    for (std::size_t i = 0; i < times.iteration_s.size(); i += times.iterations) {
      double sum = 0;
      for (std::size_t j = 0; j < times.iterations; ++j) sum += times.iteration_s[i + j];
      times.sample_s.push_back(sum);
    }
  } else {
    times.sample_s = slowest(samples, &share);
    for (const double sample : times.sample_s) times.iteration_s.push_back(sample / n);
  }
  times.rank_mean_s = has_laps ? mean_over_ranks(laps) : mean_over_ranks(samples) / n;
  times.start_skew_s = start_skew(visit, times.sample_s.size());
  for (std::size_t r = 0; r < visit.ranks.size(); ++r) {
    const double own = has_laps ? median(*laps[r]) : median(*samples[r]) / n;
    times.ranks.push_back({visit.ranks[r].rank, visit.ranks[r].devices, own, share[r]});
  }
  return times;
}

}  // namespace assay::judge
