// SPDX-License-Identifier: Apache-2.0
#include "model/variants.hpp"

#include "base/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::model {
namespace {

using ::testing::ElementsAre;

TEST(VariantsInWords, SayWhatDiffersAndNothingElse) {
  EXPECT_THAT(lines_of_variants({{"before", {{"bind", "none"}, {"env.X", "1"}, {"m", "4096"}}},
                                 {"after", {{"bind", "none"}, {"env.X", "2"}, {"m", "8192"}}}}),
              ElementsAre("before → after: env.X 1 → 2, m 4096 → 8192"));
}

TEST(VariantsInWords, TellWhatIsUnsetFromWhatNobodySays) {
  EXPECT_THAT(
      lines_of_variants(
          {{"a", Json::object()}, {"b", {{"env.X", nullptr}}}, {"c", {{"devices", "all"}, {"env.X", "1"}}}}),
      ElementsAre("a → b: env.X as it is outside → unset",
                  "a → c: devices not said → all, env.X as it is outside → 1"));
  EXPECT_THAT(lines_of_variants({{"a", Json::object()}}), ElementsAre());
}

TEST(VariantsInWords, AreOfAnAxisOfObjectsOnly) {
  EXPECT_TRUE(is_variant("variant", Json::object()));
  EXPECT_FALSE(is_variant("variant", "fused"));  // a parameter of that name
  EXPECT_FALSE(is_variant("shape", Json::object()));
}

TEST(Variants, AnIdIsTheSameWithoutItsVariant) {
  EXPECT_EQ(id_without("a[variant=x]", "variant", "x"), "a");
  EXPECT_EQ(id_without("a[m=1,variant=x]", "variant", "x"), "a[m=1]");
  EXPECT_EQ(id_without("a[variant=x,device=host:0]", "variant", "x"), "a[device=host:0]");
  EXPECT_EQ(id_without("a[m=1,variant=x,device=host:0]", "variant", "x"), "a[m=1,device=host:0]");
  EXPECT_EQ(id_without("a[variant=xy]", "variant", "x"), "a[variant=xy]");
  EXPECT_EQ(id_without("a[of_variant=x,variant=x]", "variant", "x"), "a[of_variant=x]");
  EXPECT_EQ(id_without("a", "variant", "x"), "a");
}

}  // namespace
}  // namespace assay::model
