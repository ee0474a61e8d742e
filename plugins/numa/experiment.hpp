// SPDX-License-Identifier: Apache-2.0
//
// What every measurement of a plan has: threads, memory where the plan has it, and times of each use as a
// matrix or by node.
#pragma once

#include "lib/rolling_median.hpp"
#include "numa/crew.hpp"
#include "numa/machine.hpp"
#include "numa/placed_memory.hpp"
#include "numa/plan.hpp"

#include <assay/benchmark.hpp>
#include <assay/case.hpp>
#include <assay/verification.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::numa {

class Experiment {
 public:
  // Allocates `arrays` of `bytes` for every region. Throws Skip where pages do not come to lie where they
  // belong, Cancelled.
  Experiment(const Case& run, Machine machine, Plan plan, std::size_t threads, std::size_t arrays,
             std::size_t bytes)
      : run_(run),
        machine_(std::move(machine)),
        plan_(std::move(plan)),
        uses_(uses_of(plan_)),
        times_(uses_.size()),
        crew_(machine_.cpu_nodes, threads),
        arrays_(arrays) {
    std::size_t first = 0;
    for (const Phase& phase : plan_.phases) {
      first_use_.push_back(first);
      first += phase.size();
    }
    for (const Region& region : plan_.regions) {
      for (std::size_t array = 0; array < arrays; ++array)
        memory_.emplace_back(run, crew_, region, bytes, machine_.nodes_with_memory > 1);
    }
    state_facts(threads);
    state_moves();
  }
  Experiment(const Experiment&) = delete;  // memory points at the plan
  Experiment& operator=(const Experiment&) = delete;

  [[nodiscard]] const Case& run() const { return run_; }
  [[nodiscard]] const std::vector<Phase>& phases() const { return plan_.phases; }
  [[nodiscard]] std::size_t regions() const { return plan_.regions.size(); }
  [[nodiscard]] std::size_t toucher(std::size_t region) const { return plan_.regions[region].toucher; }
  [[nodiscard]] Crew& crew() { return crew_; }
  [[nodiscard]] int number_of(std::size_t cpu_node) const { return machine_.cpu_nodes[cpu_node].number; }
  [[nodiscard]] std::byte* memory(std::size_t region, std::size_t array) {
    return memory_[region * arrays_ + array].data();
  }

  // All uses, phase by phase, and the place of a phase's first one among them.
  [[nodiscard]] const std::vector<Use>& uses() const { return uses_; }
  [[nodiscard]] std::size_t first_use(std::size_t phase) const { return first_use_[phase]; }
  // "node 0 on node 1", for messages.
  [[nodiscard]] std::string text_of(const Use& use) const {
    return "node " + std::to_string(number_of(use.cpu_node)) + " on memory of " + memory_text(use);
  }

  // Threads are where they are bound, pages where they belong: asked of the kernel, all of them. Also records
  // `placed`, the worst region's share.
  void check_places(Verification& seen) {
    crew_.check_affinity(seen);
    double placed = 1;
    for (PlacedMemory& memory : memory_) {
      placed = std::min(placed, memory.check(seen));
    }
    run_.value("placed", placed);
  }

  // How long a use took, for one iteration.
  void add_time(std::size_t use, double time_s) { times_.add(use, time_s); }

  // Records each use's middle time by `figure(seconds)`: in the matrix where one node's CPUs work on one
  // node's memory by themselves, else by node.
  template <class Figure>
  void record(const char* matrix, const char* by_node, const Figure& figure) const {
    double sums[2] = {0, 0};
    std::size_t counts[2] = {0, 0};
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      const double value = figure(times_.median(i));
      const Region& region = plan_.regions[uses_[i].region];
      const int cpu_node = number_of(uses_[i].cpu_node);
      if (!is_matrix()) {
        run_.value(by_node, static_cast<std::uint32_t>(cpu_node), value);
        continue;
      }
      const int memory_node = region.expected.front();
      run_.value(matrix, static_cast<std::uint32_t>(cpu_node), static_cast<std::uint32_t>(memory_node),
                 value);
      sums[cpu_node == memory_node ? 0 : 1] += value;
      ++counts[cpu_node == memory_node ? 0 : 1];
    }
    if (counts[0] == 0 || counts[1] == 0) return;
    run_.value("remote_ratio",
               sums[1] / static_cast<double>(counts[1]) / (sums[0] / static_cast<double>(counts[0])));
  }

 private:
  static std::vector<Use> uses_of(const Plan& plan) {
    std::vector<Use> uses;
    for (const Phase& phase : plan.phases) uses.insert(uses.end(), phase.begin(), phase.end());
    return uses;
  }

  // Bound and migrated pages; regions of the others belong to one user each.
  bool is_matrix() const {
    return std::all_of(plan_.regions.begin(), plan_.regions.end(),
                       [](const Region& region) { return region.policy == Region::Policy::bind; });
  }

  std::string memory_text(const Use& use) const {
    const std::vector<int>& nodes = plan_.regions[use.region].expected;
    return (nodes.size() == 1 ? "node " : "nodes ") + list_of(nodes);
  }

  // Memory that was moved: what that took, from the node that it was touched on.
  void state_moves() const {
    for (std::size_t i = 0; i < plan_.regions.size(); ++i) {
      const Region& region = plan_.regions[i];
      if (!region.moved_to) continue;
      double bytes = 0, time_s = 0;
      for (std::size_t array = 0; array < arrays_; ++array) {
        bytes += static_cast<double>(memory_[i * arrays_ + array].bytes());
        time_s += memory_[i * arrays_ + array].moving_s();
      }
      run_.value("migration_matrix", static_cast<std::uint32_t>(region.policy_nodes.front()),
                 static_cast<std::uint32_t>(*region.moved_to), bytes / time_s);
    }
  }

  void state_facts(std::size_t threads) const {
    run_.fact("nodes", nodes_text(machine_));
    run_.fact("distances", distances_text(machine_));
    run_.fact("threads", threads == 1 ? "1 of a node"
                                      : std::to_string(crew_.size()) + " on " +
                                            std::to_string(machine_.cpu_nodes.size()) +
                                            (machine_.cpu_nodes.size() == 1 ? " node" : " nodes"));
    run_.fact("pages", page_policy());
    run_.fact("placement", memory_.front().is_known()
                               ? "every page, as the kernel shows it"
                               : "one node has memory; the kernel does not show where pages lie");
    std::string uses;
    if (is_matrix() && uses_.size() > 1) {
      uses = std::to_string(uses_.size()) + " pairs of CPUs and memory";
    } else {
      for (const Use& use : uses_) uses += (uses.empty() ? "" : "; ") + text_of(use);
    }
    run_.fact("uses", uses);
  }

  const Case& run_;
  const Machine machine_;
  const Plan plan_;
  const std::vector<Use> uses_;
  std::vector<std::size_t> first_use_;  // by phase
  RollingMedian times_;                 // by use
  Crew crew_;
  const std::size_t arrays_;          // of a region
  std::vector<PlacedMemory> memory_;  // by region, then array
};

// What numa@host does for one kernel or another.
class Work {
 public:
  Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  virtual ~Work() = default;

  // Inputs as the seed has them, and no old results.
  virtual void restore() = 0;
  // After this no result is right.
  virtual void destroy_results() = 0;
  // n iterations. Returns how long the phases took, in seconds, and records what there is of each use.
  virtual double run(std::uint64_t n) = 0;
  // `spoil`: results are destroyed right before they are compared.
  virtual Verification verification(VerifyPhase phase, bool spoil) = 0;
};

}  // namespace assay::plugins::numa
