// SPDX-License-Identifier: Apache-2.0
//
// From spans of a traced sample to the document's timeline.
#include "judge/judge_test_world.hpp"

#include <gtest/gtest.h>

namespace assay::judge {
namespace {

TEST(Timeline, PublishesTheTimelineOfTheFirstRoundThatHasOne) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {}, 2);
  world.visit(id, World::around(0.02, 50));
  EXPECT_FALSE(world.judged().contains("timeline"));
  result::Visit& second = world.visit(id, World::around(0.02, 50));
  second.round = 2;
  second.ranks.push_back(second.ranks[0]);
  second.ranks[1].rank = 1;
  second.ranks[0].spans = {{"b", "later", 3500, 4000}, {"a", "first", 1000, 1001}, {"a", "broken", 9, 3}};
  second.ranks[1].spans = {{"a", "other", 2000, 3000}, {"c", "broken", -5, 3}};
  const Json expected = Json::parse(R"({"round": 2, "left_out": 0, "tracks": [
    {"rank": 0, "name": "b", "spans": [{"name": "later", "begin_s": 2.5e-06, "end_s": 3e-06}]},
    {"rank": 0, "name": "a", "spans": [{"name": "first", "begin_s": 0.0, "end_s": 1e-09}]},
    {"rank": 1, "name": "a", "spans": [{"name": "other", "begin_s": 1e-06, "end_s": 2e-06}]}]})");
  EXPECT_EQ(world.judged().at("timeline"), expected);
}

TEST(Timeline, TellsIterationsOfATimelineApartWhereThereAreSeveral) {
  World world;
  result::Visit& visit = world.visit(world.planned(world.suite_case("membw"), {}), World::around(0.02, 50));
  visit.ranks[0].spans = {{"a", "s", 10, 20, 0}, {"a", "s", 30, 40, 1}};
  const Json timeline = world.judged().at("timeline");
  EXPECT_EQ(timeline.at("tracks").at(0).at("spans").at(0).at("iteration"), 0);
  EXPECT_EQ(timeline.at("tracks").at(0).at("spans").at(1).at("iteration"), 1);
}

TEST(Timeline, KeepsTheBeginningOfALongTimeline) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {});
  result::Visit& visit = world.visit(id, World::around(0.02, 50));
  for (std::int64_t i = 0; i < 10'003; ++i)
    visit.ranks[0].spans.push_back({"a", "s", 20'000 - i, 20'000 - i});
  const Json timeline = world.judged().at("timeline");
  EXPECT_EQ(timeline.at("left_out"), 3);
  const Json& spans = timeline.at("tracks").at(0).at("spans");
  ASSERT_EQ(spans.size(), 10'000u);
  EXPECT_EQ(spans.front().at("begin_s"), 0.0);
  EXPECT_EQ(spans.back().at("begin_s"), 9999e-9);
}

}  // namespace
}  // namespace assay::judge
