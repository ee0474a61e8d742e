// SPDX-License-Identifier: Apache-2.0
#include "judge/least_size.hpp"

#include "judge/judge_test_world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::judge {
namespace {

using ::testing::HasSubstr;

// Rows of two cases with many expectations.
void fill(World& world, int rows, int expectations) {
  std::vector<std::string> texts;
  for (int i = 0; i < expectations; ++i) texts.push_back("bandwidth >= " + std::to_string(i + 1) + " MB/s");
  const std::size_t one = world.suite_case("membw", texts), other = world.suite_case("other");
  for (suite::SuiteExpectation& expectation : world.suite.cases[one].expect)
    expectation.say = std::string(300, 's');
  for (int i = 0; i < rows; ++i) {
    world.planned(i % 4 == 3 ? other : one, {{"row", std::to_string(i)}});
    auto& planned = world.plan.cases.back();
    if (planned.suite_case != one) continue;
    planned.expectations.clear();
    for (std::size_t k = 0; k < texts.size(); ++k) planned.expectations.push_back(k);
  }
}

TEST(LeastSize, IsNoMoreThanTheSmallestResultAndNotMuchLess) {
  for (const auto& [rows, expectations] : {std::pair{40, 0}, {40, 3}, {20, 200}}) {
    World world;
    fill(world, rows, expectations);
    world.options.most_bytes = 1;  // everything that can go goes
    const std::size_t actual =
        judge(world.suite, world.plan, world.inventory, world.header, world.visits, world.end, world.options)
            .document.size();
    const std::size_t least = least_result_bytes(world.suite, world.plan);
    EXPECT_LE(least, actual) << rows << " x " << expectations;
    EXPECT_GE(least, actual / 3) << rows << " x " << expectations;
  }
}

TEST(LeastSize, ThatNoResultHoldsIsRefusedWithTheNumberAndTheCase) {
  World world;
  fill(world, 20, 200);
  const std::size_t least = least_result_bytes(world.suite, world.plan);
  Diagnostics good, bad;
  refuse_too_large(world.suite, world.plan, least, good);
  EXPECT_FALSE(good.has_errors());
  refuse_too_large(world.suite, world.plan, least - 1, bad);
  ASSERT_EQ(bad.error_count(), 1U);
  EXPECT_THAT(bad.sorted().front().text,
              HasSubstr("these 20 cases would have at least " + std::to_string(least) +
                        " bytes, but a result holds at most " + std::to_string(least - 1)));
  EXPECT_THAT(bad.sorted().front().text, HasSubstr("case 'membw' alone needs"));
}

}  // namespace
}  // namespace assay::judge
