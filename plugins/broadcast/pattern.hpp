// SPDX-License-Identifier: Apache-2.0
//
// What the payload consists of: every word says where it belongs and of which seed it is, so that a chunk
// that went elsewhere, came twice or did not come shows.
#pragma once

#include <assay/random.hpp>

#include <cstdint>

namespace assay::plugins::broadcast {

using Word = std::uint64_t;

// What destinations are filled with before: no word of any payload.
inline constexpr Word kNothing = ~Word{0};

// One-to-one in `i` for the upper 63 bits but for chance; never kNothing.
ASSAY_HOST_DEVICE inline Word word_of(std::uint64_t seed, std::uint64_t i) {
  Word word = (i + 1) * 0x9E3779B97F4A7C15ull ^ (seed * 0xC2B2AE3D27D4EB4Full + 0x165667B19E3779F9ull);
  word = (word ^ (word >> 29)) * 0xBF58476D1CE4E5B9ull;
  return (word ^ (word >> 32)) & ~Word{1};
}

// What a destination holds once a payload of this many bytes is there, which need not end at a word's end: of
// the last word the rest is untouched.
struct Arrived {
  std::uint64_t seed = 0, bytes = 0;

  ASSAY_HOST_DEVICE Word operator()(std::uint64_t i) const {
    const Word word = word_of(seed, i);
    const std::uint64_t there = bytes - i * sizeof(Word);
    if (there >= sizeof(Word)) return word;
    const Word rest = kNothing << (8 * there);
    return (word & ~rest) | rest;
  }
};

struct Misses {
  std::uint64_t wrong = 0;
  std::uint64_t first = 0;  // if there are any
};

// Adds the words of [first, last) that are not where they belong.
inline void compare(const Word* words, std::uint64_t first, std::uint64_t last, std::uint64_t seed,
                    Misses& seen) {
  for (std::uint64_t i = first; i < last; ++i) {
    if (words[i] == word_of(seed, i)) continue;
    if (seen.wrong++ == 0) seen.first = i;
  }
}

}  // namespace assay::plugins::broadcast
