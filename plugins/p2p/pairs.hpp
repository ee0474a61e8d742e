// SPDX-License-Identifier: Apache-2.0
//
// Which pairs of places are measured.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace assay::plugins::p2p {

struct Pair {
  std::size_t from = 0, to = 0;  // numbers of places, from 0
};

// Every ordered pair of different places, if there are no more than `most`; otherwise about this many: each
// place with those at a few distances from it, which are spread evenly. So every place takes part equally
// often, from either side.
inline std::vector<Pair> pairs_of(std::size_t places, std::size_t most) {
  std::vector<Pair> pairs;
  if (places < 2) return pairs;
  const std::size_t all = places - 1;  // distances that there are: 1 to this
  const std::size_t some = std::clamp<std::size_t>(most / places, 1, all);
  for (std::size_t from = 0; from < places; ++from) {
    for (std::size_t i = 0; i < some; ++i) {
      const std::size_t distance = some == 1 ? 1 : 1 + i * (all - 1) / (some - 1);
      pairs.push_back({from, (from + distance) % places});
    }
  }
  return pairs;
}

}  // namespace assay::plugins::p2p
