// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "engine/effort.hpp"
#include "judge/dependency_closure.hpp"
#include "statistics/interval.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace assay::engine {
namespace {

constexpr int kFewestChosenRounds = static_cast<int>(statistics::kFewestProcessesForInterval);

// Cases that have the same number of rounds, because they are compared with each other round by round.
struct Block {
  std::vector<CaseEffort*> cases;
  double scatter = 0;  // of the case that varies most
  double round_s = 0;  // of all together
  int rounds = kFewestChosenRounds;
};

// What rounds show is in proportion to the scatter, so it is found once a number of rounds.
class SmallestDistances {
 public:
  double of(double scatter, int rounds) {
    double& known = of_one_.at(static_cast<std::size_t>(rounds));
    if (known == 0) known = statistics::smallest_distance_seen(1, static_cast<std::size_t>(rounds));
    return scatter * known;
  }

 private:
  std::array<double, result::kMostRoundsOfACase + 1> of_one_{};
};

// A union-find over cases: the representative of a set is its first case.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count) : first_(count) {
    std::iota(first_.begin(), first_.end(), std::size_t{0});
  }
  std::size_t first_of(std::size_t index) {
    while (first_[index] != index) index = first_[index] = first_[first_[index]];
    return index;
  }
  void join(std::size_t a, std::size_t b) {
    const auto [low, high] = std::minmax({first_of(a), first_of(b)});
    first_[high] = low;
  }

 private:
  std::vector<std::size_t> first_;
};

std::vector<Block> blocks_of(const suite::Suite& suite, const plan::Plan& plan, Effort& effort) {
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < effort.cases.size(); ++i) index[effort.cases[i].id] = i;
  DisjointSets joined(effort.cases.size());
  for (const std::set<std::string>& set : judge::judged_together(suite, plan)) {
    std::optional<std::size_t> first;
    for (const std::string& id : set) {
      const auto found = index.find(id);
      if (found == index.end()) continue;
      if (first) joined.join(*first, found->second);
      first = found->second;
    }
  }
  for (const plan::PlannedCase& planned : plan.cases) {
    const auto row = index.find(planned.id), reference = index.find(planned.reference);
    if (row != index.end() && reference != index.end()) joined.join(row->second, reference->second);
  }
  std::map<std::size_t, Block> blocks;
  for (std::size_t i = 0; i < effort.cases.size(); ++i) {
    Block& block = blocks[joined.first_of(i)];
    CaseEffort& one = effort.cases[i];
    block.cases.push_back(&one);
    block.scatter = std::max(block.scatter, one.varies.of_a_round);
    block.round_s += one.round_s;
  }
  for (const FindingEffort& finding : effort.findings)
    for (const std::string& id : finding.cases)
      if (const auto found = index.find(id); found != index.end()) {
        int& rounds = blocks[joined.first_of(found->second)].rounds;
        rounds = std::max(rounds, kFewestChosenRounds * finding.rounds_a_pair);
      }
  std::vector<Block> list;
  for (auto& [first, block] : blocks) list.push_back(std::move(block));
  return list;
}

}  // namespace

void set_rounds_within(double budget_s, const suite::Suite& suite, const plan::Plan& plan, Effort& effort) {
  effort.budget_s = budget_s;
  std::vector<Block> blocks = blocks_of(suite, plan, effort);
  double left_s = budget_s;
  for (const Block& block : blocks) left_s -= block.rounds * block.round_s;
  if (left_s < 0) {
    throw Error(
        "usage.budget",
        fmt::format("{} cases do not fit into {:.3g} min: an interval needs {} rounds, which take {:.1f} "
                    "min{}; allow that much time, or choose cases with --filter",
                    effort.cases.size(), budget_s / 60, kFewestChosenRounds,
                    std::ceil((budget_s - left_s) / 6) / 10,
                    effort.assumes_times() ? " at most (--earlier RESULT makes the estimate closer)" : ""));
  }
  SmallestDistances distances;
  // The smallest change that a block can show, and the block's index. The largest comes first.
  using Open = std::pair<double, std::size_t>;
  const auto after = [](const Open& a, const Open& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  };
  std::priority_queue<Open, std::vector<Open>, decltype(after)> open(after);
  for (std::size_t i = 0; i < blocks.size(); ++i)
    open.emplace(distances.of(blocks[i].scatter, blocks[i].rounds), i);
  while (!open.empty()) {
    Block& block = blocks[open.top().second];
    const std::size_t i = open.top().second;
    open.pop();
    if (block.rounds == result::kMostRoundsOfACase || block.round_s > left_s) continue;
    ++block.rounds;
    left_s -= block.round_s;
    open.emplace(distances.of(block.scatter, block.rounds), i);
  }
  for (const Block& block : blocks)
    for (CaseEffort* one : block.cases) one->rounds = block.rounds;
  effort.take_rounds_of_cases();
}

}  // namespace assay::engine
