// SPDX-License-Identifier: Apache-2.0
//
// Parts of samples, from what ranks recorded to what is published.
#include "judge/judge_test_world.hpp"

#include <gtest/gtest.h>

namespace assay::judge {
namespace {

using catalog::Direction;
using catalog::MetricKind;

// A case of samples that last 0.2 s, with a part `waiting`.
struct Parted {
  explicit Parted(const std::vector<std::string>& expectations = {}, int rounds = 1) {
    world.manifest.benchmarks.front().metrics.push_back(
        World::metric("waiting", "s", Direction::lower, MetricKind::part));
    id = world.planned(world.suite_case("membw", expectations), {}, rounds);
  }
  // One round of what each rank recorded of the first index, in the order of samples.
  Parted& round(const std::vector<std::vector<double>>& by_rank, std::size_t samples,
                std::uint64_t iterations = 1) {
    std::vector<std::vector<result::Value>> values;
    for (const auto& of_rank : by_rank) {
      values.emplace_back();
      for (const double value : of_rank) values.back().push_back({"waiting", {}, value});
    }
    return round(values, samples, iterations);
  }
  Parted& round(const std::vector<std::vector<result::Value>>& by_rank, std::size_t samples,
                std::uint64_t iterations = 1) {
    result::Visit& visit = world.visit(id, std::vector<double>(samples, 0.2), ++done_);
    const result::RankRecord first = visit.ranks.front();
    visit.ranks.clear();
    for (const auto& values : by_rank) {
      result::RankRecord rank = first;
      rank.rank = static_cast<int>(visit.ranks.size());
      rank.series.iterations = iterations;
      rank.values = values;
      visit.ranks.push_back(rank);
    }
    return *this;
  }

  // The published metric, null if there is none.
  [[nodiscard]] Json published(std::size_t nth = 0) const {
    const Json judged = world.judged();
    for (const Json& metric : judged.at("metrics"))
      if (metric.at("name") == "waiting" && nth-- == 0) return metric;
    return {};
  }
  [[nodiscard]] std::string code() const { return world.judged().at("reason").at("code"); }
  [[nodiscard]] std::string text() const { return world.judged().at("reason").at("text"); }

  World world;
  std::string id;

 private:
  int done_ = 0;
};

std::vector<double> rising(std::size_t count, double from, double step) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(from + step * static_cast<double>((i * 7) % count));
  return values;
}

TEST(Parts, HaveTheStatisticsOfTimes) {
  const Json metric = Parted().round({rising(11, 0.01, 0.001)}, 11).published();
  EXPECT_EQ(metric.at("kind"), "part");
  EXPECT_EQ(metric.at("unit"), "s");
  EXPECT_EQ(metric.at("statistic"), "median");
  EXPECT_DOUBLE_EQ(metric.at("value").get<double>(), 0.015);
  EXPECT_EQ(metric.at("n"), 11);
  EXPECT_LT(metric.at("interval").at("low").get<double>(), 0.015);
  EXPECT_GT(metric.at("interval").at("high").get<double>(), 0.015);
}

TEST(Parts, ASampleHasTheLongestOfItsRanks) {
  std::vector<double> early(8, 0.01), late(8, 0.03);
  std::swap(early[0], late[0]);
  const Json metric = Parted().round({early, late}, 8).published();
  EXPECT_DOUBLE_EQ(metric.at("value").get<double>(), 0.03);
  EXPECT_DOUBLE_EQ(metric.at("spread").at("minimum").get<double>(), 0.03)
      << "of each sample, not of each rank";
}

TEST(Parts, MayBeNothingAtAll) {
  const Json metric = Parted({}, 3)
                          .round({std::vector<double>(8, 0.0)}, 8)
                          .round({std::vector<double>(8, 0.0)}, 8)
                          .round({std::vector<double>(8, 0.0)}, 8)
                          .published();
  EXPECT_EQ(metric.at("value").get<double>(), 0);
}

TEST(Parts, AreJudgedByTheirInterval) {
  const Json judged =
      Parted({"waiting <= 20 ms", "waiting <= 5 ms"}).round({rising(30, 0.01, 0.00001)}, 30).world.judged();
  EXPECT_EQ(judged.at("expectations").at(0).at("status"), "passed");
  EXPECT_EQ(judged.at("expectations").at(1).at("status"), "failed");
}

TEST(Parts, OfACaseThatRecordsNoneAreLeftOut) {
  EXPECT_TRUE(Parted().round({std::vector<double>()}, 8).published().is_null());
}

TEST(Parts, ThatAreMissingInASampleAreAnError) {
  Parted one;
  one.round({std::vector<double>(8, 0.01), std::vector<double>(7, 0.01)}, 8);
  EXPECT_EQ(one.code(), "result.missing");
  EXPECT_EQ(one.text(), "rank 1 recorded the part 'waiting' 7 times in round 1, for 8 samples");
}

TEST(Parts, ThatOneRankAloneRecordsAreAnError) {
  Parted one;
  one.round({std::vector<double>(8, 0.01), std::vector<double>()}, 8);
  EXPECT_EQ(one.text(), "rank 1 recorded the part 'waiting' 0 times in round 1, for 8 samples");
}

TEST(Parts, HaveARowForEachIndex) {
  std::vector<result::Value> first, second;
  for (int i = 0; i < 8; ++i) {
    first.push_back({"waiting", {0}, 0.01});
    second.push_back({"waiting", {1}, 0.02});
  }
  Parted one;
  one.round({first, second}, 8);
  EXPECT_DOUBLE_EQ(one.published(0).at("value").get<double>(), 0.01);
  EXPECT_DOUBLE_EQ(one.published(1).at("value").get<double>(), 0.02);
}

TEST(Parts, LongerThanAnIterationOfTheirSampleAreInvalid) {
  Parted one;
  one.round({std::vector<double>(8, 0.19)}, 8);
  EXPECT_EQ(one.world.judged().at("outcome"), "passed");
  Parted longer;
  longer.round({std::vector<double>(8, 0.19)}, 8, 2);
  EXPECT_EQ(longer.code(), "guard.part-above-sample");
  Parted negative;
  negative.round({std::vector<double>(8, -0.01)}, 8);
  EXPECT_EQ(negative.code(), "guard.part-above-sample");
}

}  // namespace
}  // namespace assay::judge
