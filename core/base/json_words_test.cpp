// SPDX-License-Identifier: Apache-2.0
#include "base/json_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string fault_in(std::string_view text) {
  const auto fault = json_fault(text);
  return fault ? place_in(text, fault->offset) + ": " + fault->text : "";
}

TEST(JsonFault, IsNamedWithItsPlace) {
  EXPECT_EQ(fault_in("{\"a\": [1, 2.5e3, null, \"x\"]}"), "");
  EXPECT_EQ(fault_in(""), "line 1, column 1: it is empty");
  EXPECT_EQ(fault_in(" \n"), "line 1, column 1: it is empty");
  EXPECT_EQ(fault_in("{\"a\":\n [1,}"), "line 2, column 5: '}' cannot stand there");
  EXPECT_EQ(fault_in("{\"a\":1\n\"b\":2}"), "line 2, column 1: a text cannot stand there");
  EXPECT_EQ(fault_in("[nulx]"), "line 1, column 2: 'nulx' cannot stand there");
  EXPECT_EQ(fault_in("[1, 2"), "line 1, column 6: it ends where more should follow");
  EXPECT_EQ(fault_in("[1]\n]"), "line 2, column 1: ']' cannot stand there");
  EXPECT_EQ(fault_in("[1,\n 1e9999]"), "line 2, column 2: a number is larger than numbers can be");
  EXPECT_THAT(fault_in("{\"a\": \"\xff\"}"), HasSubstr("line 1, column 7: a text is not closed"));
  EXPECT_THAT(fault_in("{\"a\": \"x\ny\"}"), HasSubstr("line 1, column 7: a text is not closed"));
}

TEST(JsonFault, IsShortAndHarmlessWhateverStandsThere) {
  EXPECT_THAT(fault_in("{" + std::string(5000, 'x') + "}"), HasSubstr("cannot stand there"));
  EXPECT_LT(fault_in("[\"a\" \"" + std::string(5000, 'x') + "\"]").size(), 100U);
  EXPECT_THAT(fault_in("[\x1b[31m]"), Not(HasSubstr("\x1b")));
}

std::string lacking(const std::string& text, void (*read)(const Json&)) {
  try {
    read(Json::parse(text));
  } catch (const Json::exception& error) {
    return in_words(error);
  }
  return "nothing";
}

TEST(JsonWords, AreOurOwn) {
  EXPECT_EQ(lacking("{}", [](const Json& json) { (void)json.at("seed"); }), "'seed' is missing");
  EXPECT_EQ(lacking("7", [](const Json& json) { (void)json.at("seed"); }),
            "a number stands where an object is expected");
  EXPECT_EQ(lacking("[]", [](const Json& json) { (void)json.get<std::string>(); }),
            "an array stands where a string is expected");
  EXPECT_EQ(lacking("{\"seed\": []}", [](const Json& json) { (void)value_at<bool>(json, "seed"); }),
            "'seed' is of a wrong type (array)");
  EXPECT_EQ(lacking("{\"seed\": 1e300}", [](const Json& json) { (void)integer_at<int>(json, "seed"); }),
            "'seed' is not an integer of its range");
  EXPECT_EQ(lacking("[]", [](const Json& json) { (void)json.at(3); }), "a list is too short");
  EXPECT_EQ(value_at<int>(Json{{"a", 5}}, "a"), 5);
}

}  // namespace
}  // namespace assay
