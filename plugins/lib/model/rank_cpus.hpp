// SPDX-License-Identifier: Apache-2.0
//
// Which CPUs each of several ranks of one machine computes on, and its threads there.
#pragma once

#include "lib/cpu_team.hpp"
#include "lib/host_products.hpp"
#include "lib/model/host_workers.hpp"

#include <assay/case.hpp>
#include <assay/group.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::plugins::model {

struct RankCpus {
  std::vector<int> mine;  // one for each of this rank's threads
  std::size_t threads = 1;
  std::size_t ranks = 1;    // of this machine
  std::size_t lacking = 0;  // CPUs that all ranks' threads together have too few
  std::size_t spare = 0;    // and too many
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
  cpus.threads = count;
  cpus.ranks = ranks;
  const std::size_t wanted = ranks * count;
  cpus.lacking = wanted > all ? wanted - all : 0;
  cpus.spare = all > wanted ? all - wanted : 0;
  return cpus;
}

// Of this rank of the group; its facts say what it was given.
inline RankCpus start_threads(const Case& run, const Group& group, std::uint32_t threads,
                              std::optional<HostWorkers>& workers) {
  const std::vector<int> allowed = allowed_cpus();
  const std::uint32_t ranks = (group.size() + group.node_count() - 1) / group.node_count();
  RankCpus cpus = cpus_of_rank(allowed, group.local_rank(), ranks, threads);
  workers.emplace(cpus.mine);
  use_product_threads(static_cast<int>(cpus.threads));
  run.fact("threads", std::to_string(cpus.threads));
  run.fact("processors", std::to_string(allowed.size()));
  run.fact("library", product_library());
  return cpus;
}

}  // namespace assay::plugins::model
