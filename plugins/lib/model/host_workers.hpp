// SPDX-License-Identifier: Apache-2.0
//
// Threads that share what is done row by row or column by column.
#pragma once

#include "lib/cpu_team.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace assay::plugins::model {

class HostWorkers {
 public:
  // One thread for each of these CPUs; with one CPU or none the calling thread does all, and stays unbound.
  explicit HostWorkers(std::vector<int> cpus) {
    if (cpus.size() > 1) team_.emplace(std::move(cpus));
  }

  int size() const { return team_ ? team_->size() : 1; }

  // Calls body(first, last) for parts of [0, count) that are cut at multiples of `grain`, and returns when all
  // of it is done. `body` must not throw.
  template <class Body>
  void share(std::size_t count, std::size_t grain, const Body& body) {
    if (!team_ || count <= grain) return body(std::size_t{0}, count);
    team_->run([&](int member) {
      const auto [first, last] = team_->share(member, count, grain);
      if (first < last) body(first, last);
    });
  }

 private:
  std::optional<CpuTeam> team_;
};

}  // namespace assay::plugins::model
