// SPDX-License-Identifier: Apache-2.0
//
// What copies carry: every word says where it belongs and which case it is of, so that a copy that went
// elsewhere, came late or did not come shows.
#pragma once

#include <assay/random.hpp>

#include <cstddef>
#include <cstdint>

namespace assay::plugins {

using CopiedWord = std::uint64_t;

enum class CopyWay : std::uint32_t { to_device, to_host };

// Word i of what goes one way. Never all ones, which is what destinations are filled with.
struct CopiedWords {
  CopyWay way;
  std::uint64_t seed;

  ASSAY_HOST_DEVICE CopiedWord operator()(std::uint64_t i) const {
    CopiedWord word = i + seed * 0x9E3779B97F4A7C15ull + (static_cast<CopiedWord>(way) << 63);
    word = (word ^ (word >> 32)) * 0xD6E8FEB86659FD93ull;
    word = (word ^ (word >> 32)) * 0xD6E8FEB86659FD93ull;
    return (word ^ (word >> 32)) & ~CopiedWord{1};
  }
};

inline void write_words(CopiedWord* words, std::size_t first, std::size_t last, CopiedWords pattern) {
  for (std::size_t i = first; i < last; ++i) words[i] = pattern(i);
}

struct CopyMisses {
  std::uint64_t wrong = 0;
  std::uint64_t first = 0;  // if there are any
};

// Adds to `seen` the words of [first, last) that are not the pattern's.
inline void check_words(const CopiedWord* words, std::size_t first, std::size_t last, CopiedWords pattern,
                        CopyMisses& seen) {
  for (std::size_t i = first; i < last; ++i) {
    if (words[i] == pattern(i)) continue;
    if (seen.wrong++ == 0) seen.first = i;
  }
}

}  // namespace assay::plugins
