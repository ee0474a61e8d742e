// SPDX-License-Identifier: Apache-2.0
#include "base/json.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace assay {
namespace {

TEST(JsonInteger, IsReadWithinItsRangeOnly) {
  EXPECT_EQ(integer<int>(Json(7)), 7);
  EXPECT_EQ(integer<int>(Json(-7)), -7);
  EXPECT_EQ(integer<int>(Json(7U)), 7);
  EXPECT_EQ(integer<int>(Json(std::numeric_limits<std::int64_t>::max())), std::nullopt);
  EXPECT_EQ(integer<std::int64_t>(Json(std::numeric_limits<std::uint64_t>::max())), std::nullopt);
  EXPECT_EQ(integer<std::uint64_t>(Json(std::numeric_limits<std::uint64_t>::max())),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(integer<std::uint64_t>(Json(-1)), std::nullopt);
}

TEST(JsonInteger, IsNeverMadeOfSomethingElse) {
  for (const char* text : {"5.5e138", "-1e300", "1.0", "true", "null", "\"1\"", "[1]", "{}"})
    EXPECT_EQ(integer<int>(Json::parse(text)), std::nullopt) << text;
}

TEST(JsonInteger, ThatCannotBeReadNamesItsKey) {
  const Json object = Json::parse(R"({"seed": 1e300})");
  try {
    static_cast<void>(integer_at<int>(object, "seed"));
    FAIL();
  } catch (const Json::type_error& error) {
    EXPECT_NE(std::string(error.what()).find("'seed' is not an integer of its range"), std::string::npos);
  }
}

}  // namespace
}  // namespace assay
