// SPDX-License-Identifier: Apache-2.0
//
// The time below which a strategy cannot come, from the rates of single copies.
#pragma once

#include "broadcast/schedule.hpp"

#include <algorithm>

namespace assay::plugins::broadcast {

// Of one copy while nothing else runs, in B/s.
struct Rates {
  double source = 0;  // from the source to a destination
  double onward = 0;  // from one destination to another
};

// Of two measurements: a bound must not be above what is possible.
inline Rates fastest(Rates a, Rates b) {
  return {std::max(a.source, b.source), std::max(a.onward, b.onward)};
}

// What the path of the last byte needs, were there a processor for every worker. Each term is a sum of copies
// of which none can begin before the one before it has ended.
inline double path_bound(const Schedule& schedule, Rates rates) {
  const Plan& plan = schedule.plan();
  const auto payload = static_cast<double>(plan.bytes);
  const double from_source = payload / rates.source;
  const double others = plan.destinations - 1;
  const double hops = schedule.depth();
  // Without a second destination nothing travels onward, and no such rate was measured.
  if (plan.destinations == 1) return from_source;
  switch (plan.strategy) {
    case Strategy::direct:
      return from_source * plan.destinations;
    case Strategy::direct_parallel:
      return from_source;
    case Strategy::relay:
      return from_source + (schedule.by_root_alone() ? others : hops) * payload / rates.onward;
    case Strategy::pipelined: {
      const auto first = static_cast<double>(schedule.piece_bytes(0));
      const auto last = static_cast<double>(schedule.piece_bytes(schedule.pieces() - 1));
      // The last chunk leaves the source last and then travels; or the last destination gets the first chunk
      // and then still has to take all of them.
      return std::max(from_source + hops * last / rates.onward,
                      first / rates.source + ((hops - 1) * first + payload) / rates.onward);
    }
    case Strategy::scatter_allgather:
      break;
  }
  double longest = 0;
  for (std::uint64_t piece = 0; piece < schedule.pieces(); ++piece) {
    const auto own = static_cast<double>(schedule.piece_bytes(piece));
    longest = std::max(longest, own / rates.source + (payload - own) / rates.onward);
  }
  return longest;
}

// What all copies together need, shared out evenly among the processors.
inline double work_bound(const Schedule& schedule, Rates rates, int processors) {
  const Plan& plan = schedule.plan();
  const auto payload = static_cast<double>(plan.bytes);
  const bool all_from_source =
      plan.strategy == Strategy::direct || plan.strategy == Strategy::direct_parallel;
  const double from_source = (all_from_source ? plan.destinations : 1) * payload / rates.source;
  const double onward =
      all_from_source || plan.destinations == 1 ? 0 : (plan.destinations - 1) * payload / rates.onward;
  return (from_source + onward) / processors;
}

inline double lower_bound(const Schedule& schedule, Rates rates, int processors) {
  return std::max(path_bound(schedule, rates), work_bound(schedule, rates, processors));
}

}  // namespace assay::plugins::broadcast
