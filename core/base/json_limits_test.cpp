// SPDX-License-Identifier: Apache-2.0
#include "base/json_limits.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>

namespace assay {
namespace {

std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']');
}

std::string object_of(std::size_t keys) {
  std::string text = "{";
  for (std::size_t i = 0; i < keys; ++i) text += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
  return text + "}";
}

TEST(JsonLimits, EndAtTheirDepth) {
  EXPECT_FALSE(json_excess(nested(kMaximumJsonDepth)));
  const auto excess = json_excess(nested(kMaximumJsonDepth + 1));
  ASSERT_TRUE(excess);
  EXPECT_EQ(excess->offset, static_cast<std::size_t>(kMaximumJsonDepth));
}

TEST(JsonLimits, EndAtTheirKeysPerObject) {
  EXPECT_FALSE(json_excess(object_of(kMaximumJsonKeys)));
  EXPECT_TRUE(json_excess(object_of(kMaximumJsonKeys + 1)));
  std::string many = "[";
  for (int i = 0; i < 10; ++i) many += object_of(kMaximumJsonKeys) + (i < 9 ? "," : "]");
  EXPECT_FALSE(json_excess(many)) << "the limit is one object's";
}

TEST(JsonLimits, DoNotCountWhatIsInTexts) {
  EXPECT_FALSE(json_excess("[\"" + std::string(5000, '[') + std::string(5000, ':') + "\\\"[\"]"));
}

TEST(JsonLimits, StandBrokenText) {
  for (const char* text : {"", "]]]]", "}:", "\"", "\"\\", "{\"a"}) EXPECT_FALSE(json_excess(text)) << text;
}

TEST(ParseJson, SaysWhatIsWrongWithWhom) {
  EXPECT_EQ(parse_json("{\"a\":[1]}", "x.malformed", "'f'")["a"][0], 1);
  for (const std::string& text :
       {std::string("{"), std::string("\xff"), std::string("[1e9999]"), nested(65), object_of(1025)}) {
    try {
      (void)parse_json(text, "x.malformed", "'f'");
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "x.malformed");
      EXPECT_EQ(std::string(error.what()).substr(0, 3), "'f'");
    }
  }
}

}  // namespace
}  // namespace assay
