// SPDX-License-Identifier: Apache-2.0
//
// Threads on the CPUs of several nodes, each bound to its own.
#pragma once

#include "lib/cpu_team.hpp"
#include "lib/nodes.hpp"

#include <assay/verification.hpp>

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::numa {

// One run at a time.
class Crew {
 public:
  // At most `threads` of each node (0: one per CPU), on CPUs that lie evenly among the node's.
  Crew(const std::vector<Node>& nodes, std::size_t threads) : first_(1, 0) {
    std::vector<int> cpus;
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      for (const int cpu : spread(nodes[node].cpus, threads)) {
        cpus_.push_back(cpu);
        node_of_.push_back(node);
      }
      first_.push_back(cpus_.size());
    }
    team_ = std::make_unique<CpuTeam>(cpus_);
  }

  [[nodiscard]] std::size_t size() const { return cpus_.size(); }
  // The place of a member's node in the constructor's list.
  [[nodiscard]] std::size_t node_of(std::size_t member) const { return node_of_[member]; }
  [[nodiscard]] std::size_t members_of(std::size_t node) const { return first_[node + 1] - first_[node]; }
  [[nodiscard]] std::size_t first_of(std::size_t node) const { return first_[node]; }

  // Calls work(member) on every member. It must not throw.
  void run(const std::function<void(std::size_t)>& work) {
    team_->run([&](int member) { work(static_cast<std::size_t>(member)); });
  }

  // A member's part of [0, count) among those of its node, cut at multiples of `grain`.
  [[nodiscard]] std::pair<std::size_t, std::size_t> share(std::size_t member, std::size_t count,
                                                          std::size_t grain) const {
    const std::size_t node = node_of_[member];
    const std::size_t grains = (count + grain - 1) / grain;
    const auto cut = [&](std::size_t part) {
      return std::min(count, grains * part / members_of(node) * grain);
    };
    return {cut(member - first_[node]), cut(member - first_[node] + 1)};
  }

  // Counts the members, and as wrong those that are not bound to their CPU, or not on it: what the kernel
  // says when it is asked again.
  void check_affinity(Verification& seen) {
    std::vector<char> right(size(), 0);
    run([&](std::size_t member) {
      right[member] = allowed_cpus() == std::vector{cpus_[member]} && ::sched_getcpu() == cpus_[member];
    });
    const auto wrong = static_cast<std::uint64_t>(std::count(right.begin(), right.end(), 0));
    const auto first = static_cast<std::size_t>(std::find(right.begin(), right.end(), 0) - right.begin());
    seen.count(
        size(), wrong,
        wrong == 0 ? "" : "the thread for CPU " + std::to_string(cpus_[first]) + " is not bound there");
  }

 private:
  std::vector<int> cpus_;             // by member
  std::vector<std::size_t> node_of_;  // by member
  std::vector<std::size_t> first_;    // by node: its first member; and behind the last
  std::unique_ptr<CpuTeam> team_;     // last: its threads use all of the above
};

}  // namespace assay::plugins::numa
