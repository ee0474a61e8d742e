// SPDX-License-Identifier: Apache-2.0
#include "text/lookup.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace assay {
namespace {

TEST(Lookup, AKeyThatIsNotThereIsAddedOnce) {
  std::vector<std::pair<std::string, int>> counts;
  for (const char* word : {"a", "b", "a"}) ++entry_of(counts, std::string(word));
  EXPECT_EQ(counts, (std::vector<std::pair<std::string, int>>{{"a", 2}, {"b", 1}}));
  EXPECT_EQ(find_value(counts, "c"), nullptr);
}

}  // namespace
}  // namespace assay
