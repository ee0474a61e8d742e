// SPDX-License-Identifier: Apache-2.0
//
// The time below which a strategy cannot come between devices, which receive and pass on at the same time.
#pragma once

#include "broadcast/bounds.hpp"
#include "broadcast/routes.hpp"

#include <algorithm>

namespace assay::plugins::broadcast {

// `sharing`: the time of one device's simultaneous onward copies to several others, relative to that of one copy of the same
// size. 1: each copy has a link of its own. Their number: they share one link.
inline double lower_bound(const Routes& routes, Rates rates, double sharing) {
  const Plan& plan = routes.plan();
  const auto payload = static_cast<double>(plan.bytes);
  const double from_source = payload / rates.source;
  // Without a second destination nothing travels onward. A library that passes on may do it faster than any
  // copy that was measured, and decides itself who sends to whom.
  if (plan.destinations == 1 || routes.to_root_only()) return from_source;
  const double others = plan.destinations - 1;
  const double hops = Schedule(plan).depth();
  const auto first = [](const Route& route) { return static_cast<double>(route.last(0) - route.begin); };
  const auto last = [](const Route& route) {
    return static_cast<double>(route.end - route.first(route.copies() - 1));
  };
  switch (plan.strategy) {
    case Strategy::direct:
      return from_source * plan.destinations;
    case Strategy::direct_parallel:
      return from_source;
    case Strategy::relay:
      return from_source +
             (plan.shape == Shape::star ? others : std::max(hops, sharing)) * payload / rates.onward;
    case Strategy::pipelined: {
      const Route& route = routes.all().front();
      const double fills = first(route) / rates.source;
      // The last chunk leaves the source last and then travels; the last destination gets the first chunk and
      // then still has to take all of them; the root has the first chunk and then sends all, to all.
      return std::max({from_source + hops * last(route) / rates.onward,
                       fills + ((hops - 1) * first(route) + payload) / rates.onward,
                       fills + sharing * payload / rates.onward});
    }
    case Strategy::scatter_allgather:
      break;
  }
  double longest = 0;
  for (const Route& route : routes.all()) {
    if (route.from != kSource) continue;
    const auto share = static_cast<double>(route.bytes());
    longest = std::max({longest, share / rates.source + sharing * last(route) / rates.onward,
                        first(route) / rates.source + sharing * share / rates.onward});
  }
  return longest;
}

}  // namespace assay::plugins::broadcast
