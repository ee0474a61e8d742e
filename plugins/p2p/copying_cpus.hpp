// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/nodes.hpp"

#include <cstddef>
#include <vector>

namespace assay::plugins::p2p {

// The CPUs on which `threads` threads of a node copy (0: one on each). `two`: there have to be two, because
// they go different ways at once; two share a CPU only where the node has no other.
inline std::vector<int> copying_cpus(const Node& node, std::size_t threads, bool two) {
  std::vector<int> cpus = spread(node.cpus, threads);
  if (two && cpus.size() == 1 && node.cpus.size() > 1) cpus.push_back(node.cpus[1]);
  return cpus;
}

}  // namespace assay::plugins::p2p
