// SPDX-License-Identifier: Apache-2.0
#include "plan/order.hpp"

#include <string_view>
#include <unordered_map>
#include <utility>

namespace assay::plan {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014). std::shuffle and the standard distributions differ between libraries.
class OrderRandom {
 public:
  explicit OrderRandom(std::uint64_t seed) : state_(seed) {}

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

using CaseGroup = std::vector<std::size_t>;

// The last half first and the first half last, each in an order of its own.
template <typename T>
void swap_halves(std::vector<T>& list, OrderRandom& random) {
  const auto half = static_cast<std::ptrdiff_t>(list.size() / 2);
  std::vector<T> first(list.begin(), list.begin() + half), last(list.begin() + half, list.end());
  random.shuffle(first);
  random.shuffle(last);
  std::move(last.begin(), last.end(), list.begin());
  std::move(first.begin(), first.end(), list.end() - half);
}

std::vector<CaseGroup> groups_by_key(const std::vector<PlannedCase>& cases) {
  std::vector<CaseGroup> groups;
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].predetermined) continue;
    const auto [entry, fresh] = index.emplace(cases[i].worker_key, groups.size());
    if (fresh) groups.emplace_back();
    groups[entry->second].push_back(i);
  }
  return groups;
}

}  // namespace

std::vector<PlannedVisit> visit_order(const std::vector<PlannedCase>& cases, int rounds, std::uint64_t seed) {
  const std::vector<CaseGroup> written = groups_by_key(cases);
  std::vector<CaseGroup> groups;
  std::vector<PlannedVisit> order;
  for (int round = 1; round <= rounds; ++round) {
    OrderRandom random(seed + static_cast<std::uint64_t>(round) * 0xD1342543DE82EF95U);
    if (round % 2 == 1) {
      groups = written;
      random.shuffle(groups);
      for (CaseGroup& group : groups) random.shuffle(group);
    } else {
      swap_halves(groups, random);
      for (CaseGroup& group : groups) swap_halves(group, random);
    }
    for (const CaseGroup& group : groups)
      for (const std::size_t index : group)
        if (cases[index].rounds >= round) order.push_back({index, round});
  }
  return order;
}

}  // namespace assay::plan
