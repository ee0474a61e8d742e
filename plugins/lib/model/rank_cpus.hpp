// SPDX-License-Identifier: Apache-2.0
//
// Which CPUs each of several ranks of one machine computes on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::plugins::model {

struct RankCpus {
  std::vector<int> mine;  // one for each of this rank's threads
  bool crowded = false;   // ranks have fewer CPUs than threads
};

// Ranks have CPUs of their own as far as there are enough. `threads` 0: those that are allowed, divided among ranks.
inline RankCpus cpus_of_rank(const std::vector<int>& allowed, std::uint32_t local_rank, std::uint32_t ranks,
                             std::uint32_t threads) {
  const std::size_t all = std::max<std::size_t>(1, allowed.size());
  const std::size_t share = std::max<std::size_t>(1, all / ranks);
  const std::size_t count = std::min<std::size_t>(threads != 0 ? threads : share, all);
  RankCpus cpus;
  for (std::size_t i = 0; i < count && !allowed.empty(); ++i)
    cpus.mine.push_back(allowed[(local_rank * count + i) % allowed.size()]);
  cpus.crowded = ranks * count > all;
  return cpus;
}

}  // namespace assay::plugins::model
