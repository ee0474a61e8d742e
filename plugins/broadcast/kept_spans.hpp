// SPDX-License-Identifier: Apache-2.0
//
// How many spans of a broadcast a timeline gets. The host lists the earliest and counts the others, so it is
// given all that it takes; of what is beyond that a fact tells.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::plugins::broadcast {

// Of a visit: with more the host ends it.
inline constexpr std::uint64_t kMostSpans = 100'000;

// How many copies of each worker, or route, become spans: all if there is space, otherwise the first ones of each,
// as many of one as of the other where it has that many.
inline std::vector<std::uint64_t> kept_spans(const std::vector<std::uint64_t>& copies,
                                             std::uint64_t most = kMostSpans) {
  std::vector<std::uint64_t> ascending = copies;
  std::sort(ascending.begin(), ascending.end());
  std::uint64_t left = most, of_each = 0;
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    const std::uint64_t share = left / (ascending.size() - i);
    of_each = std::min(ascending[i], share);
    if (of_each < ascending[i]) break;
    left -= of_each;
  }
  std::vector<std::uint64_t> kept;
  for (const std::uint64_t count : copies) kept.push_back(std::min(count, of_each));
  return kept;
}

// "the first 100000 of 131072 copies", or nothing where they are all there.
inline std::string kept_text(const std::vector<std::uint64_t>& kept,
                             const std::vector<std::uint64_t>& copies) {
  std::uint64_t some = 0, all = 0;
  for (const std::uint64_t count : kept) some += count;
  for (const std::uint64_t count : copies) all += count;
  if (some == all) return "";
  return "the first " + std::to_string(some) + " of " + std::to_string(all) + " copies";
}

}  // namespace assay::plugins::broadcast
