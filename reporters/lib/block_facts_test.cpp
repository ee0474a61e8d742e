// SPDX-License-Identifier: Apache-2.0
#include "lib/block_facts.hpp"

#include "markdown/markdown.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace assay::reporters {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

Case at(const std::string& size, const std::string& kind, Facts facts) {
  Case one;
  one.id = "copy[" + size + "," + kind + "]";
  one.name = "copy";
  one.outcome = Outcome::passed;
  one.axes = {{"size", size, 1}, {"kind", kind}};
  one.parameters = {{"bytes", std::stod(size)}, {"kind", kind}};
  one.units = {{"bytes", "B"}};
  one.facts = std::move(facts);
  one.metrics.resize(1);
  one.metrics[0].headline = true;
  one.metrics[0].name = "bandwidth";
  one.metrics[0].value = 1;
  return one;
}

Document four() {
  Document document;
  document.cases = {
      at("8", "a", {{"library", "N 2"}, {"pieces", "1"}, {"kind", "a"}, {"bytes", "8"}, {"tile", "x"}}),
      at("9", "a", {{"library", "N 2"}, {"pieces", "1"}, {"kind", "a"}, {"bytes", "9"}, {"tile", "y"}}),
      at("8", "b", {{"library", "N 2"}, {"pieces", "4"}, {"kind", "b"}, {"bytes", "8"}, {"tile", "y"}}),
      at("9", "b", {{"library", "N 2"}, {"pieces", "4"}, {"kind", "b"}, {"bytes", "9"}, {"tile", "y"}})};
  return document;
}

TEST(BlockFacts, TellWhatIsSharedAndWhatFollowsAnAxis) {
  Document document = four();
  document.cases.push_back(at("10", "b", {}));  // skipped: it tells nothing, and is in nobody's way
  const BlockFacts facts = facts_of(pivot(document).at(0));
  EXPECT_EQ(facts.shared, (Facts{{"library", "N 2"}}));
  ASSERT_EQ(facts.by_axis.size(), 1u) << "not those that repeat an axis or a parameter";
  EXPECT_EQ(facts.by_axis[0].name, "pieces");
  EXPECT_EQ(facts.by_axis[0].axis, "kind");
  EXPECT_EQ(facts.by_axis[0].values[1], (std::pair<std::string, std::vector<std::string>>("4", {"b"})));
  EXPECT_EQ(facts.names, (std::vector<std::string>{"tile"}));
  EXPECT_EQ(facts.by_row[0], (std::vector<std::string>{"x"}));
}

TEST(BlockFacts, NameTheDevicesThatDiffer) {
  Document document;
  for (const char* device : {"cuda:0", "cuda:1"}) {
    Case one = at("8", "a", {{"memory_node", device[5] == '0' ? "node 0" : "node 1"}});
    one.id += device;
    one.axes = {{"device", device}};
    document.cases.push_back(one);
  }
  const BlockFacts facts = facts_of(pivot(document).at(0));
  ASSERT_EQ(facts.by_axis.size(), 1u);
  EXPECT_EQ(facts.by_axis[0].axis, "device");
  EXPECT_EQ(facts.by_axis[0].values[0].second, (std::vector<std::string>{"cuda:0"}));
}

TEST(BlockFacts, SayInACellWhichMembersOfARowDiffer) {
  Document document;
  for (const char* kind : {"a", "b"}) {
    for (int device = 0; device < 4; ++device) {
      const std::string name = "cuda:" + std::to_string(device);
      Case one = at("8", kind,
                    {{"tile", *kind == 'a' && device == 2 ? "y" : "x" + std::string(kind)},
                     {"pairs", "to " + name + kind}});
      one.axes = {{"kind", kind}, {"device", name}};
      one.id += name;
      document.cases.push_back(one);
    }
  }
  const BlockFacts facts = facts_of(pivot(document).at(0));
  EXPECT_EQ(facts.names, (std::vector<std::string>{"tile"})) << "pairs only names the members";
  EXPECT_EQ(facts.by_row[0], (std::vector<std::string>{"xa (3 of 4); y (cuda:2)"}));
  EXPECT_EQ(facts.by_row[1], (std::vector<std::string>{"xb"}));
}

TEST(BlockFacts, KeepTheSameWordOfAnotherThing) {
  Document document;
  document.cases = {at("8", "a", {{"peer_access", "a"}, {"links", "8"}, {"size", "8192"}}),
                    at("8", "a", {{"peer_access", "a"}, {"links", "8"}, {"size", "8192"}})};
  for (Case& one : document.cases) one.parameters["elements"] = 8192;
  EXPECT_EQ(facts_of(pivot(document).at(0)).shared, (Facts{{"peer_access", "a"}, {"links", "8"}}));
}

TEST(BlockFacts, AreInTheReport) {
  const std::string text = render_markdown(four(), {});
  EXPECT_NE(text.find("Facts: library: N 2.\nBy kind, pieces: 1 (a); 4 (b)."), std::string::npos) << text;
  EXPECT_NE(text.find("Facts that differ from row to row"), std::string::npos);
  EXPECT_NE(text.find("| 8 | a | x |\n| 9 | a | y |"), std::string::npos) << text;
}

}  // namespace
}  // namespace assay::reporters
