// SPDX-License-Identifier: Apache-2.0
#include "text/json_cursor.hpp"

#include "base/json.hpp"
#include "text/testing/folders.hpp"
#include "text/utf8.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace assay {
namespace {

// Nothing of what is too deep, for which the library has no limit.
std::optional<bool> accepts(std::string_view text) {
  try {
    JsonCursor cursor(text);
    (void)cursor.pass();
    cursor.end();
    return true;
  } catch (const BadJson& bad) {
    EXPECT_LE(bad.at, text.size()) << text;
    return bad.is_deep ? std::nullopt : std::optional(false);
  }
}

// A byte of zero ends a text for it.
void expect_as_the_library(const std::string& text) {
  const bool ends_early = text.find('\0') != std::string::npos;
  const bool expected = !ends_early && Json::accept(text);
  EXPECT_EQ(accepts(text).value_or(expected), expected) << text;
}

TEST(JsonCursor, AcceptsWhatTheLibraryAccepts) {
  for (const char* text : {"",
                           " ",
                           "1",
                           "-0",
                           "01",
                           "-",
                           "+1",
                           "1.",
                           ".5",
                           "1.5e",
                           "1.5e+",
                           "1.5e+3",
                           "1E400",
                           "-1E400",
                           "1E-400",
                           "18446744073709551616",
                           "nul",
                           "null",
                           "nullx",
                           "true",
                           "truefalse",
                           "false ",
                           "[",
                           "]",
                           "[]",
                           "[ ]",
                           "[,]",
                           "[1,]",
                           "[1 2]",
                           "[1,2]",
                           "{",
                           "{}",
                           "{ }",
                           "{,}",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "{\"a\":1 \"b\":2}",
                           "{a:1}",
                           "{\"a\":1}x",
                           "\"",
                           "\"a",
                           "\"\\",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\u123g\"",
                           "\"\\ud800\"",
                           "\"\\ud800\\u0041\"",
                           "\"\\ud83d\\ude80\"",
                           "\"\\udc00\"",
                           "\"\x01\"",
                           "\"\x7f\"",
                           "\"\t\"",
                           "\"\xff\"",
                           "\"\xc0\x80\"",
                           "\"\xed\xa0\x80\"",
                           "\"\xf4\x90\x80\x80\"",
                           "\"\xc2\"",
                           "\"µ🚀\"",
                           "\xEF\xBB\xBF[1]",
                           "\xEF\xBB[1]",
                           "[1]//",
                           "/**/1",
                           "'a'",
                           "NaN",
                           "Infinity"})
    expect_as_the_library(text);
  for (const std::size_t digits : {300U, 308U, 309U, 310U}) expect_as_the_library(std::string(digits, '9'));
}

TEST(JsonCursor, AcceptsWhatTheLibraryAcceptsOfDamagedDocuments) {
  std::mt19937 random(5);
  const std::string bytes = "\"\\{}[]:,0-.eEu \n\tntf\x01\x7f\xc2\xb5\xff";
  for (const auto& entry :
       std::filesystem::directory_iterator(source_folder() / "tests/fuzz/result/corpus")) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(file), {}};
    expect_as_the_library(whole);
    for (int attempt = 0; attempt < 20 && !whole.empty() && whole.size() < 100'000; ++attempt) {
      std::string damaged = whole;
      damaged[random() % damaged.size()] = bytes[random() % bytes.size()];
      expect_as_the_library(damaged);
      expect_as_the_library(damaged.substr(0, random() % damaged.size()));
    }
  }
}

TEST(JsonCursor, GivesTheValuesOfTheLibrary) {
  std::mt19937_64 random(7);
  std::vector<std::string> numbers{"0",
                                   "-0",
                                   "0.1",
                                   "1e22",
                                   "1E-320",
                                   "-1e-400",
                                   "123456789012345678901234567890",
                                   "5e-324",
                                   "2.2250738585072011e-308",
                                   "1.7976931348623157e308"};
  for (int i = 0; i < 1000; ++i)
    numbers.push_back(
        Json(std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 1900) - 1000)).dump());
  for (const std::string& text : numbers) {
    JsonCursor cursor(text);
    EXPECT_EQ(cursor.number().value(), Json::parse(text).get<double>()) << text;
  }
  for (const char* text : {R"("")", R"("a\"b\\c\/d\b\f\n\r\t")", R"("\u00b5\u65e5\ud83d\ude80\u0000")",
                           R"("µ 日本 🚀")", "\"\x7f\"", R"("\u202e\r\n")"}) {
    JsonCursor cursor(text);
    std::string read = "before";
    cursor.text(read);
    EXPECT_EQ(read, printable(Json::parse(text).get<std::string>())) << text;
  }
}

TEST(JsonCursor, GivesIntegersWithinTheirRange) {
  const auto integer = [](const char* text) { return JsonCursor(text).number(); };
  EXPECT_EQ(integer("18446744073709551615").integer<std::uint64_t>(), 18446744073709551615U);
  EXPECT_EQ(integer("-0").integer<unsigned>(), 0U);
  EXPECT_EQ(integer("-128").integer<std::int8_t>(), -128);
  EXPECT_EQ(integer("128").integer<std::int8_t>(), std::nullopt);
  EXPECT_EQ(integer("-1").integer<unsigned>(), std::nullopt);
  EXPECT_EQ(integer("18446744073709551616").integer<std::uint64_t>(), std::nullopt);
  EXPECT_EQ(integer("1.0").integer<int>(), std::nullopt);
  EXPECT_EQ(integer("1e2").integer<int>(), std::nullopt);
}

TEST(JsonCursor, WalksOverMembersAndElements) {
  JsonCursor cursor(R"( {"a\u001b":[1, {"b":"}"}] , "c" : -1e3,"d":"\\","e":{}} )");
  std::vector<std::string> found;
  cursor.members([&](JsonCursor& value, std::string_view key) {
    if (value.kind() != JsonKind::array)
      return found.push_back(std::string(key) + "=" + std::string(value.pass()));
    value.elements(
        [&](JsonCursor& element) { found.push_back(std::string(key) + "=" + std::string(element.pass())); });
  });
  cursor.end();
  EXPECT_EQ(found,
            (std::vector<std::string>{"a\uFFFD=1", "a\uFFFD={\"b\":\"}\"}", "c=-1e3", R"(d="\\")", "e={}"}));
}

TEST(JsonCursor, RefusesWhatIsDeepOrHasManyKeys) {
  const auto depth = [](int levels) {
    const auto count = static_cast<std::size_t>(levels);
    return std::string(count, '[') + std::string(count, ']');
  };
  EXPECT_EQ(accepts(depth(kMaximumJsonDepth)), true);
  const std::string deep = depth(kMaximumJsonDepth + 1);
  try {
    (void)JsonCursor(deep).pass();
    FAIL();
  } catch (const BadJson& bad) {
    EXPECT_TRUE(bad.is_deep);
  }
  EXPECT_NO_THROW((void)JsonCursor(R"({"a":1,"b":{"c":2}})", 2).pass());
  EXPECT_THROW((void)JsonCursor(R"({"a":1,"b":2,"c":3})", 2).pass(), BadJson);
}

}  // namespace
}  // namespace assay
