// SPDX-License-Identifier: Apache-2.0
#include "lib/page_nodes.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace assay::plugins {
namespace {

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
}  // namespace assay::plugins
