// SPDX-License-Identifier: Apache-2.0
//
// direction: read, write, both. Copies between memory of the NUMA nodes, one pair of nodes after the other.
#pragma once

#include "lib/cpu_team.hpp"
#include "lib/nodes.hpp"
#include "lib/pages.hpp"
#include "lib/rolling_median.hpp"
#include "p2p/copy_roles.hpp"
#include "p2p/node_buffer.hpp"
#include "p2p/pairs.hpp"
#include "p2p/pattern.hpp"
#include "p2p/work.hpp"

#include <assay/case.hpp>
#include <assay/errors.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::p2p {

class NodeCopies final : public Work {
 public:
  // What a thread copies between two looks whether to stop: so much that the C library, which goes by the
  // size, chooses the same instructions as for all at once.
  static constexpr std::uint64_t kBlockBytes = std::uint64_t{256} << 20;

  NodeCopies(const Case& run, std::vector<Node> nodes, Direction direction, std::uint64_t bytes,
             std::uint64_t block_bytes = kBlockBytes)
      : run_(run),
        direction_(direction),
        words_(bytes / sizeof(Word)),
        block_(block_bytes / sizeof(Word)),
        nodes_(std::move(nodes)),
        pairs_(node_pairs(nodes_.size(), direction)),
        times_(pairs_.size()),
        ways_times_(2 * pairs_.size()) {
    // One thread cannot go both ways at once. Where there is but one CPU, two share it.
    if (direction_ == Direction::both && nodes_.size() == 1 && nodes_[0].cpus.size() == 1)
      nodes_[0].cpus.push_back(nodes_[0].cpus[0]);
    std::vector<int> cpus;
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      for (const int cpu : nodes_[node].cpus) {
        cpus.push_back(cpu);
        node_of_.push_back(node);
      }
    }
    busy_s_.resize(cpus.size());
    for (std::size_t way = 0; way < ways(); ++way) {
      for (const Node& node : nodes_) {
        sources_[way].emplace_back(run_, words_, node.number);
        destinations_[way].emplace_back(run_, words_, node.number);
        written_from_[way].emplace_back();
      }
    }
    team_.emplace(cpus);
    restore();
    for (std::size_t way = 0; way < ways(); ++way) {
      for (std::size_t node = 0; node < nodes_.size(); ++node) {
        require_on_node(sources_[way][node], nodes_[node].number);
        require_on_node(destinations_[way][node], nodes_[node].number);
      }
    }
    state_facts(cpus.size());
    run_.work("bandwidth", static_cast<double>(ways() * bytes) * static_cast<double>(counted_pairs()));
  }

  double run(std::uint64_t n) override {
    double counted_s = 0;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      run_.throw_if_cancelled();
      const double time_s = copy(i, n);
      times_.add(i, time_s / static_cast<double>(n));
      for (const std::size_t way : {0, 1}) ways_times_.add(2 * i + way, way_s_[way] / static_cast<double>(n));
      if (counted(pairs_[i])) counted_s += time_s;
    }
    record();
    return counted_s;
  }

  Verification verification(VerifyPhase phase) override {
    Verification seen;
    seen.method("every word, by the destination's own threads");
    if (phase == VerifyPhase::last) {
      for (std::size_t way = 0; way < ways(); ++way) {
        for (std::size_t node = 0; node < nodes_.size(); ++node) {
          if (written_from_[way][node]) check(static_cast<Way>(way), *written_from_[way][node], node, seen);
        }
      }
      return seen;
    }
    restore();
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      run_.throw_if_cancelled();
      clear_destinations();
      copy(i, 1);
      check(Way::there, pairs_[i].from, pairs_[i].to, seen);
      if (ways() == 2) check(Way::back, pairs_[i].to, pairs_[i].from, seen);
    }
    clear_destinations();  // what the samples leave has to be theirs
    return seen;
  }

 private:
  std::size_t ways() const { return direction_ == Direction::both ? 2 : 1; }
  bool counted(const Pair& pair) const { return nodes_.size() == 1 || pair.from != pair.to; }
  std::size_t counted_pairs() const {
    return static_cast<std::size_t>(
        std::count_if(pairs_.begin(), pairs_.end(), [&](const Pair& p) { return counted(p); }));
  }
  Pattern pattern(Way way, std::size_t node) const {
    return {static_cast<std::uint32_t>(nodes_[node].number), way, run_.seed()};
  }

  // A member's part of what is on its own node.
  Role part_at_home(std::size_t member) const {
    Role role{true, Way::there, 0, 0};
    for (std::size_t other = 0; other < node_of_.size(); ++other) {
      if (node_of_[other] != node_of_[member]) continue;
      if (other < member) ++role.part;
      ++role.parts;
    }
    return role;
  }

  // Calls visit(first, last) for blocks of words, one after the other, until the case is cancelled.
  template <class Visit>
  void in_blocks(std::size_t first, std::size_t last, std::size_t block, const Visit& visit) const {
    for (std::size_t at = first; at < last; at += block) {
      if (at != first && run_.cancelled()) return;
      visit(at, std::min(last, at + block));
    }
  }

  // Calls fill(way, node, first word, last word) on the threads of each node for their parts of its memory.
  template <class Fill>
  void at_home(const Fill& fill) {
    team_->run([&](int number) {
      const auto member = static_cast<std::size_t>(number);
      const auto [first, last] = words_of(part_at_home(member), words_);
      for (std::size_t way = 0; way < ways(); ++way) {
        in_blocks(first, last, std::min(block_, kFillWords),
                  [&](std::size_t from, std::size_t to) { fill(way, node_of_[member], from, to); });
      }
    });
    run_.throw_if_cancelled();
  }

  // Sources get what they should have; the first time this puts their pages on their nodes.
  void restore() {
    at_home([&](std::size_t way, std::size_t node, std::size_t first, std::size_t last) {
      write_pattern(sources_[way][node].data(), first, last, pattern(static_cast<Way>(way), node));
    });
    clear_destinations();
  }

  // Destinations get what no word is.
  void clear_destinations() {
    at_home([&](std::size_t way, std::size_t node, std::size_t first, std::size_t last) {
      std::fill(destinations_[way][node].data() + first, destinations_[way][node].data() + last, kNoWord);
    });
    for (auto& way : written_from_) std::fill(way.begin(), way.end(), std::nullopt);
  }

  // How long n copies of one pair took, in seconds. Waking the team is not measured: the region begins when
  // all have come, and every copy ends with all of them meeting.
  double copy(std::size_t index, std::uint64_t n) {
    const Pair pair = pairs_[index];
    const std::vector<Role> roles = roles_of(node_of_, direction_, pair);
    const auto at_it = [](const Role& role) { return role.takes_part; };
    const auto clock =
        static_cast<std::size_t>(std::find_if(roles.begin(), roles.end(), at_it) - roles.begin());
    SpinBarrier barrier(static_cast<int>(std::count_if(roles.begin(), roles.end(), at_it)));
    std::int64_t begin = 0, end = 0;
    std::atomic<std::uint64_t> last_copy{n - 1};
    team_->run([&](int number) {
      const auto member = static_cast<std::size_t>(number);
      const Role& role = roles[member];
      if (!role.takes_part) return;
      const bool back = role.way == Way::back;
      const auto way = static_cast<std::size_t>(role.way);
      const auto [first, last] = words_of(role, words_);
      const Word* source = sources_[way][back ? pair.to : pair.from].data() + first;
      Word* destination = destinations_[way][back ? pair.from : pair.to].data() + first;
      std::int64_t busy_ns = 0;
      barrier.wait();
      if (member == clock) begin = run_.now_ns();
      // A member may still be on its way from one meeting when the clock's is at the next copy: so it is told
      // which copy is the last, not to stop.
      for (std::uint64_t i = 0; i <= last_copy; ++i) {
        const std::int64_t began = ways() == 2 ? run_.now_ns() : 0;
        in_blocks(0, last - first, block_, [&](std::size_t from, std::size_t to) {
          std::memcpy(destination + from, source + from, (to - from) * sizeof(Word));
        });
        if (ways() == 2) busy_ns += run_.now_ns() - began;
        if (member == clock && run_.cancelled()) last_copy = i;
        barrier.wait();
      }
      if (member == clock) end = run_.now_ns();
      busy_s_[member] = static_cast<double>(busy_ns) * 1e-9;
    });
    run_.throw_if_cancelled();
    written_from_[0][pair.to] = pair.from;
    if (ways() == 2) written_from_[1][pair.from] = pair.to;
    for (double& way_s : way_s_) way_s = 1e-9;
    for (std::size_t member = 0; member < roles.size(); ++member) {
      if (!roles[member].takes_part) continue;
      double& way_s = way_s_[static_cast<std::size_t>(roles[member].way)];
      way_s = std::max(way_s, busy_s_[member]);
    }
    return static_cast<double>(end > begin ? end - begin : 1) * 1e-9;
  }

  // The threads of node `to` compare what came from node `from`.
  void check(Way way, std::size_t from, std::size_t to, Verification& seen) {
    const Word* arrived = destinations_[static_cast<std::size_t>(way)][to].data();
    const Pattern expected = pattern(way, from);
    std::vector<Misses> misses(node_of_.size());
    team_->run([&](int number) {
      const auto member = static_cast<std::size_t>(number);
      if (node_of_[member] != to) return;
      const auto [first, last] = words_of(part_at_home(member), words_);
      in_blocks(first, last, std::min(block_, kFillWords), [&](std::size_t from_word, std::size_t to_word) {
        const Misses seen_here = check_pattern(arrived, from_word, to_word, expected);
        if (misses[member].wrong == 0) misses[member].first = seen_here.first;
        misses[member].wrong += seen_here.wrong;
      });
    });
    run_.throw_if_cancelled();
    std::uint64_t wrong = 0, first_wrong = words_;
    for (const Misses& part : misses) {
      wrong += part.wrong;
      if (part.wrong != 0) first_wrong = std::min(first_wrong, part.first);
    }
    seen.count(words_, wrong,
               "word " + std::to_string(first_wrong) + " from node " + std::to_string(nodes_[from].number) +
                   " to node " + std::to_string(nodes_[to].number) + " is another one");
  }

  void record() const {
    const double bytes = static_cast<double>(words_ * sizeof(Word));
    double of_way_s[2] = {0, 0};
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const auto from = static_cast<std::uint32_t>(nodes_[pairs_[i].from].number);
      const auto to = static_cast<std::uint32_t>(nodes_[pairs_[i].to].number);
      const double bandwidth = static_cast<double>(ways()) * bytes / times_.median(i);
      run_.value("bandwidth_matrix", from, to, bandwidth);
      if (ways() == 1) continue;
      run_.value("bandwidth_matrix", to, from, bandwidth);
      for (const std::size_t way : {0, 1}) of_way_s[way] += ways_times_.median(2 * i + way);
    }
    for (std::uint32_t way = 0; ways() == 2 && way < 2; ++way) {
      run_.value("directions", way, bytes * static_cast<double>(pairs_.size()) / of_way_s[way]);
    }
  }

  void state_facts(std::size_t threads) const {
    std::vector<int> numbers, cpus;
    for (const Node& node : nodes_) {
      numbers.push_back(node.number);
      cpus.insert(cpus.end(), node.cpus.begin(), node.cpus.end());
    }
    std::sort(cpus.begin(), cpus.end());
    cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
    run_.fact("cpus", list_of(cpus));
    run_.fact("nodes", list_of(numbers));
    run_.fact("threads", std::to_string(threads) + " on " + std::to_string(nodes_.size()) +
                             (nodes_.size() == 1 ? " node" : " nodes"));
    run_.fact("pages", page_policy());
    const std::string only = std::to_string(numbers.front());
    run_.fact("pairs", nodes_.size() == 1 ? "node " + only + " to node " + only +
                                                ", the only one: nothing goes between nodes"
                                          : std::to_string(counted_pairs()) + " of different nodes");
    const bool known = !nodes_under(sources_[0][0].data(), sources_[0][0].bytes()).empty();
    run_.fact("placement", known ? "as the kernel shows it" : "by first touch; the kernel does not show it");
  }

  static constexpr std::size_t kFillWords = std::size_t{1} << 21;  // as a block, of what is not timed

  const Case& run_;
  Direction direction_;
  std::size_t words_, block_;  // of a copy, and between two looks whether to stop
  std::vector<Node> nodes_;
  std::vector<Pair> pairs_;
  std::vector<std::size_t> node_of_;                         // by member
  std::vector<NodeBuffer> sources_[2], destinations_[2];     // by way, then node
  std::vector<std::optional<std::size_t>> written_from_[2];  // what a destination holds
  std::vector<double> busy_s_;                               // by member, of the copies made last
  double way_s_[2] = {0, 0};                                 // of each way, by its slowest thread, likewise
  RollingMedian times_, ways_times_;                         // by pair; by pair and way
  std::optional<CpuTeam> team_;                              // last: its threads use all of the above
};

}  // namespace assay::plugins::p2p
