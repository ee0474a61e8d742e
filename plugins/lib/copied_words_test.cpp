// SPDX-License-Identifier: Apache-2.0
#include "lib/copied_words.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace assay::plugins {
namespace {

TEST(CopiedWords, TellPlacesWaysAndSeedsApart) {
  std::set<CopiedWord> seen;
  std::size_t words = 0;
  for (const CopyWay way : {CopyWay::to_device, CopyWay::to_host}) {
    for (const std::uint64_t seed : {0, 1, 2}) {
      for (std::uint64_t i = 0; i < 20000; ++i, ++words) seen.insert(CopiedWords{way, seed}(i));
    }
  }
  EXPECT_EQ(seen.size(), words);
  EXPECT_EQ(seen.count(~CopiedWord{0}), 0u);
}

TEST(CopiedWords, ACheckFindsEachWordThatIsNotTheOneThatBelongsThere) {
  const CopiedWords pattern{CopyWay::to_host, 7};
  std::vector<CopiedWord> words(1000);
  write_words(words.data(), 0, 400, pattern);
  write_words(words.data(), 400, words.size(), pattern);
  CopyMisses seen;
  check_words(words.data(), 0, words.size(), pattern, seen);
  EXPECT_EQ(seen.wrong, 0u);

  std::swap(words[17], words[18]);
  words[900] ^= CopiedWord{1} << 40;
  check_words(words.data(), 0, 500, pattern, seen);
  check_words(words.data(), 500, words.size(), pattern, seen);
  EXPECT_EQ(seen.wrong, 3u);
  EXPECT_EQ(seen.first, 17u);
}

}  // namespace
}  // namespace assay::plugins
