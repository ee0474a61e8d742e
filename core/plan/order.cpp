// SPDX-License-Identifier: Apache-2.0
#include "plan/order.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace assay::plan {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014). std::shuffle and the standard distributions differ between libraries.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

  // Uniform below `bound`, by rejection of the incomplete last interval.
  std::size_t below(std::size_t bound) {
    const std::uint64_t threshold = (0 - static_cast<std::uint64_t>(bound)) % bound;
    for (;;) {
      const std::uint64_t value = next();
      if (value >= threshold) return static_cast<std::size_t>(value % bound);
    }
  }

  template <typename T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
  }

 private:
  std::uint64_t state_;
};

using Group = std::vector<std::size_t>;

std::vector<Group> groups_by_key(const std::vector<Case>& cases) {
  std::vector<Group> groups;
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].settled) continue;
    const auto [entry, fresh] = index.emplace(cases[i].worker_key, groups.size());
    if (fresh) groups.emplace_back();
    groups[entry->second].push_back(i);
  }
  return groups;
}

}  // namespace

std::vector<PlannedVisit> visit_order(const std::vector<Case>& cases, int rounds, std::uint64_t seed) {
  const std::vector<Group> groups = groups_by_key(cases);
  std::vector<PlannedVisit> order;
  std::vector<std::size_t> sequence;
  for (int round = 1; round <= rounds; ++round) {
    const bool backwards = round % 2 == 0;
    if (backwards) {
      std::reverse(sequence.begin(), sequence.end());
    } else {
      Random random(seed + static_cast<std::uint64_t>(round) * 0xD1342543DE82EF95U);
      std::vector<Group> shuffled = groups;
      random.shuffle(shuffled);
      sequence.clear();
      for (Group& group : shuffled) {
        random.shuffle(group);
        sequence.insert(sequence.end(), group.begin(), group.end());
      }
    }
    for (const std::size_t index : sequence) {
      if (cases[index].rounds >= round) order.push_back({index, round});
    }
  }
  return order;
}

}  // namespace assay::plan
