// SPDX-License-Identifier: Apache-2.0
#include "result/run_options.hpp"

#include "base/json_words.hpp"

#include <gtest/gtest.h>

namespace assay::result {
namespace {

constexpr const char* kPlain =
    R"({"filters":["a"],"seed":7,"quick":true,"strict":false,"isolation":"case","wrap":"nice","doctor":"d",)"
    R"("missing_libraries":{"x":["libx.so"]},"libraries":[]})";
constexpr const char* kWhole =
    R"({"filters":[],"seed":1,"quick":false,"strict":true,"isolation":"worker","wrap":"","doctor":"",)"
    R"("missing_libraries":{},"run_to_run":{"run":"r","shares":{"host":0.01}},"others_unseen":"no folder",)"
    R"("site":{"file":"s.yaml","text":"version: 1\n"},"libraries":[{"id":"p"}],"only":["a","b"]})";

TEST(RunOptions, AreReadAndWrittenByteForByte) {
  for (const char* text : {kPlain, kWhole})
    EXPECT_EQ(to_json(run_options_from_json(Json::parse(text))).dump(), text);
}

TEST(RunOptions, SayWhatIsMissingOrOfAnotherType) {
  const auto problem = [](const char* key, const Json& value) {
    Json json = Json::parse(kPlain);
    if (value.is_null()) {
      json.erase(key);
    } else {
      json[key] = value;
    }
    try {
      static_cast<void>(run_options_from_json(json));
    } catch (const Json::exception& error) {
      return in_words(error);
    }
    return std::string("none");
  };
  EXPECT_EQ(problem("seed", nullptr), "'seed' is missing");
  EXPECT_NE(problem("seed", -1), "none");
  EXPECT_NE(problem("quick", 1), "none");
  EXPECT_NE(problem("site", "s.yaml"), "none");
  EXPECT_NE(problem("only", "a"), "none");
  EXPECT_EQ(problem("doctor", nullptr), "none") << "older journals lack it";
}

}  // namespace
}  // namespace assay::result
