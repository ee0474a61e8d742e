// SPDX-License-Identifier: Apache-2.0
#include "measure/rank_team.hpp"

#include "measure/clock.hpp"
#include "text/text.hpp"

#include <algorithm>

namespace assay::measure {

bool RankTeam::publish(Command& command) { return share(&command, sizeof command); }

bool RankTeam::share(void* data, std::size_t bytes) { return solo() || exchange_->broadcast(data, bytes, 0); }

bool RankTeam::slowest(std::vector<double>& times) {
  if (solo()) return true;
  const auto ranks = static_cast<std::size_t>(exchange_->rank_count());
  gathered_.resize(times.size() * ranks);
  if (!exchange_->allgather(times.data(), gathered_.data(), times.size() * sizeof(double))) return false;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (std::size_t i = 0; i < times.size(); ++i) {
      times[i] = std::max(times[i], gathered_[rank * times.size() + i]);
    }
  }
  return true;
}

bool RankTeam::overlap(std::optional<std::int64_t> begin_ns, double time_s, Overlap& overlap) {
  overlap = {0, time_s};
  if (solo()) return true;
  struct RegionOfRank {
    std::int64_t begin_ns, is_known;
    double time_s;
  };
  const RegionOfRank mine{begin_ns.value_or(0), begin_ns.has_value() ? 1 : 0, time_s};
  std::vector<RegionOfRank> all(static_cast<std::size_t>(exchange_->rank_count()));
  if (!exchange_->allgather(&mine, all.data(), sizeof mine)) return false;
  for (const RegionOfRank& one : all) overlap.time_s = std::max(overlap.time_s, one.time_s);
  if (std::any_of(all.begin(), all.end(), [](const RegionOfRank& one) { return one.is_known == 0; }))
    return true;
  const auto [first, last] = std::minmax_element(
      all.begin(), all.end(),
      [](const RegionOfRank& left, const RegionOfRank& right) { return left.begin_ns < right.begin_ns; });
  overlap = {seconds_between(first->begin_ns, last->begin_ns), 0};
  for (const RegionOfRank& one : all) {
    const double end_s = one.time_s - seconds_between(one.begin_ns, last->begin_ns);
    overlap.time_s = std::max(overlap.time_s, end_s);
  }
  return true;
}

bool RankTeam::compare(const Traits& traits, std::string& difference) {
  difference.clear();
  if (solo()) return true;
  // As plain numbers: padding in a struct has no value to compare.
  const double mine[] = {static_cast<double>(traits.clock), traits.tick_s,
                         static_cast<double>(traits.quantum), static_cast<double>(traits.maximum),
                         traits.laps ? 1.0 : 0.0};
  const char* const names[] = {"clocks", "ticks", "quanta", "maxima", "laps"};
  constexpr std::size_t kCount = std::size(mine);
  std::vector<double> all(kCount * static_cast<std::size_t>(exchange_->rank_count()));
  if (!exchange_->allgather(mine, all.data(), sizeof mine)) return false;
  for (std::size_t i = 0; i < all.size() && difference.empty(); ++i) {
    if (all[i] == all[i % kCount]) continue;
    const auto stated = [&](double value) -> std::string {
      if (i % kCount == 0) return value == 0 ? "host" : value == 1 ? "device" : "simulated";
      if (i % kCount == kCount - 1) return value == 0 ? "none" : "given";
      return shortest(value);
    };
    difference = "rank " + std::to_string(i / kCount) + " states other " + names[i % kCount] +
                 " than rank 0: " + stated(all[i]) + ", not " + stated(all[i % kCount]);
  }
  return true;
}

}  // namespace assay::measure
