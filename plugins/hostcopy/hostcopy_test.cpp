// SPDX-License-Identifier: Apache-2.0
#include "hostcopy/pattern.hpp"
#include "lib/page_nodes.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

namespace assay::plugins::hostcopy {
namespace {

TEST(Pattern, TellsPlacesWaysAndSeedsApart) {
  std::set<Word> seen;
  std::size_t words = 0;
  for (const Way way : {Way::to_device, Way::to_host}) {
    for (const std::uint64_t seed : {0, 1, 2}) {
      for (std::uint64_t i = 0; i < 20000; ++i, ++words) seen.insert(Pattern{way, seed}(i));
    }
  }
  EXPECT_EQ(seen.size(), words);
  EXPECT_EQ(seen.count(~Word{0}), 0u);
}

TEST(Pattern, ACheckFindsEachWordThatIsNotTheOneThatBelongsThere) {
  const Pattern pattern{Way::to_host, 7};
  std::vector<Word> words(1000);
  write_pattern(words.data(), 0, 400, pattern);
  write_pattern(words.data(), 400, words.size(), pattern);
  Misses seen;
  check_pattern(words.data(), 0, words.size(), pattern, seen);
  EXPECT_EQ(seen.wrong, 0u);

  std::swap(words[17], words[18]);
  words[900] ^= Word{1} << 40;
  check_pattern(words.data(), 0, 500, pattern, seen);
  check_pattern(words.data(), 500, words.size(), pattern, seen);
  EXPECT_EQ(seen.wrong, 3u);
  EXPECT_EQ(seen.first, 17u);
}

TEST(PageNodes, AreThoseOfPagesThatWereTouched) {
  std::vector<char> memory(1 << 20, 1);
  const std::set<int> nodes = page_nodes_of(memory.data(), memory.size());
  if (nodes.empty()) GTEST_SKIP() << "this kernel does not say where pages lie";
  EXPECT_GE(*nodes.begin(), 0);
  EXPECT_LT(*nodes.rbegin(), 1024);
  EXPECT_TRUE(page_nodes_of(memory.data(), 0).empty());
}

TEST(PageNodes, AreWrittenAsPeopleReadThem) {
  EXPECT_EQ(page_nodes_text({}), "unknown");
  EXPECT_EQ(page_nodes_text({3}), "node 3");
  EXPECT_EQ(page_nodes_text({1, 0}), "nodes 0, 1");
}

}  // namespace
}  // namespace assay::plugins::hostcopy
