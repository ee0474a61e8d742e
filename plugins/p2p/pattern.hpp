// SPDX-License-Identifier: Apache-2.0
//
// What copies carry: every word says where it belongs, from which node or device it comes and to which it
// goes, which way that is and of which seed it is.
#pragma once

#include <assay/random.hpp>

#include <cstddef>
#include <cstdint>

namespace assay::plugins::p2p {

using Word = std::uint64_t;

inline constexpr Word kNoWord = ~Word{0};  // what destinations are filled with

// Of two copies at once between a node and another.
enum class Way : std::uint32_t { there, back };

struct Pattern {
  std::uint32_t node = 0;  // that the source is on: a NUMA node, or a device by its place in the case
  Way way = Way::there;
  std::uint64_t seed = 0;
  std::uint32_t to = 0;  // where it goes, for a source that only one destination gets

  // One to one for each source and destination below 1024, up to the last bit, which keeps it apart from
  // kNoWord.
  ASSAY_HOST_DEVICE Word operator()(std::uint64_t i) const {
    Word word = i + (Word{node} << 43) + (Word{to} << 53) + (static_cast<Word>(way) << 63) +
                seed * 0x9E3779B97F4A7C15ull;
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9ull;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBull;
    return (word ^ (word >> 31)) & ~Word{1};
  }
};

struct Misses {
  std::uint64_t wrong = 0;
  std::uint64_t first = 0;  // if there are any
};

inline void write_pattern(Word* words, std::size_t first, std::size_t last, const Pattern& pattern) {
  for (std::size_t i = first; i < last; ++i) words[i] = pattern(i);
}

// The words of [first, last) that are not the pattern's.
inline Misses check_pattern(const Word* words, std::size_t first, std::size_t last, const Pattern& pattern) {
  Misses seen;
  for (std::size_t i = first; i < last; ++i) {
    if (words[i] == pattern(i)) continue;
    if (seen.wrong++ == 0) seen.first = i;
  }
  return seen;
}

}  // namespace assay::plugins::p2p
