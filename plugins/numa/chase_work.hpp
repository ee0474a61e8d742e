// SPDX-License-Identifier: Apache-2.0
//
// kernel: latency. One thread of a node follows pointers through memory of a node.
#pragma once

#include "lib/pointer_chase.hpp"
#include "numa/experiment.hpp"

#include <assay/benchmark.hpp>
#include <assay/case.hpp>
#include <assay/errors.hpp>
#include <assay/random.hpp>
#include <assay/verification.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::plugins::numa {

class ChaseWork final : public Work {
 public:
  static constexpr std::uint64_t kLoads = 4096;  // of an iteration, for each use

  // `experiment` has an array of `bytes` for each region and uses in turn, and outlives this.
  ChaseWork(Experiment& experiment, std::uint64_t bytes)
      : experiment_(experiment),
        run_(experiment.run()),
        count_(bytes / sizeof(chase::Node)),
        walks_(experiment.uses().size()) {
    restore();
    run_.work("latency", static_cast<double>(kLoads * walks_.size()));
  }

  // Links every region's cycle by the seed.
  void restore() override {
    for (std::size_t region = 0; region < experiment_.regions(); ++region) {
      const Random random(run_.seed(), region);
      bool linked = false;
      on_first_of(experiment_.toucher(region), [&] {
        std::uint64_t draw = 0;
        linked = chase::link_cycle(
            nodes_in(region), count_, [&](std::uint64_t bound) { return random.bits(draw++) % bound; },
            [&] { return !run_.cancelled(); });
      });
      if (!linked) throw Cancelled();
    }
    begin_anew();
  }

  void destroy_results() override {
    for (Walk& walk : walks_) walk.at = nullptr;
  }

  double run(std::uint64_t n) override {
    double all_s = 0;
    for (std::size_t i = 0; i < walks_.size(); ++i) {
      run_.throw_if_cancelled();
      Walk& walk = walks_[i];
      std::int64_t begin = 0, end = 0;
      on_first_of(experiment_.uses()[i].cpu_node, [&] {
        begin = run_.now_ns();
        for (std::uint64_t done = 0; done < n && (done == 0 || !run_.cancelled()); ++done) {
          walk.at = chase::follow(walk.at, kLoads);
          walk.loads += kLoads;
        }
        end = run_.now_ns();
      });
      run_.throw_if_cancelled();
      const double time_s = 1e-9 * static_cast<double>(std::max<std::int64_t>(end - begin, 1));
      experiment_.add_time(i, time_s / static_cast<double>(n));
      all_s += time_s;
    }
    experiment_.record("latency_matrix", "latency_by_node",
                       [](double time_s) { return time_s / static_cast<double>(kLoads); });
    return all_s;
  }

  // No load was short-circuited, and every walk ended at the node that the number of its loads leads to.
  // Before the samples of one iteration's walk, after them of the walks that were timed.
  Verification verification(VerifyPhase when, bool spoil) override {
    Verification seen;
    seen.method("one cycle through all nodes, every walk's end; every page's node; every thread's CPU");
    experiment_.check_places(seen);
    if (when == VerifyPhase::before) {
      begin_anew();
      run(1);
    }
    if (spoil) destroy_results();
    for (std::size_t region = 0; region < experiment_.regions(); ++region) check(region, seen);
    begin_anew();
    return seen;
  }

 private:
  struct Walk {
    const chase::Node* at = nullptr;
    std::uint64_t loads = 0;  // from the region's first node to there
  };

  chase::Node* nodes_in(std::size_t region) const {
    return reinterpret_cast<chase::Node*>(experiment_.memory(region, 0));
  }

  template <class Body>
  void on_first_of(std::size_t cpu_node, const Body& body) {
    experiment_.crew().run([&](std::size_t member) {
      if (member == experiment_.crew().first_of(cpu_node)) body();
    });
  }

  void begin_anew() {
    for (std::size_t i = 0; i < walks_.size(); ++i) walks_[i] = {nodes_in(experiment_.uses()[i].region), 0};
  }

  void check(std::size_t region, Verification& seen) const {
    std::vector<std::size_t> here;  // walks through this region
    for (std::size_t i = 0; i < walks_.size(); ++i) {
      if (experiment_.uses()[i].region == region) here.push_back(i);
    }
    std::vector<bool> right(walks_.size(), false);
    const chase::Node* const start = nodes_in(region);
    const chase::Node* node = start;
    std::size_t length = 0;
    do {
      for (const std::size_t i : here) {
        if (walks_[i].at == node && walks_[i].loads % count_ == length) right[i] = true;
      }
      if (length % chase::kNodesBetweenLooks == 0) run_.throw_if_cancelled();
      node = node->next;
      ++length;
    } while (node != start && length <= count_);
    seen.count(count_, length == count_ ? 0 : count_,
               "the cycle has " + std::to_string(length) + " nodes of " + std::to_string(count_));
    for (const std::size_t i : here) {
      seen.count(1, right[i] ? 0 : 1,
                 "after " + std::to_string(walks_[i].loads) + " loads the walk of " +
                     experiment_.text_of(experiment_.uses()[i]) + " is at another node");
    }
  }

  Experiment& experiment_;
  const Case& run_;
  std::size_t count_;        // nodes of a cycle
  std::vector<Walk> walks_;  // by use
};

}  // namespace assay::plugins::numa
