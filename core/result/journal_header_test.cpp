// SPDX-License-Identifier: Apache-2.0
#include "result/journal_header.hpp"

#include "base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::result {
namespace {

using testing::HasSubstr;

constexpr const char* kBefore =
    R"({"type":"header","journal":2,"run_id":"r","started_at_s":1.5,"tool":{"name":"assay"},"command":["assay","run"],)"
    R"("suite_file":"a.yaml","suite_text":"version: 1\n","includes":[{"file":"b.yaml","text":"x: 1\n"}],"overrides":["a.b=1"],)"
    R"("options":)";
constexpr const char* kBehind =
    R"(,"inventory":{"inventory_version":1},"system":{},"environment":{"OMP_NUM_THREADS":"1"},"manifests":[],"peaks":[],"plan_hash":"f00")";
constexpr const char* kPlain =
    R"({"filters":["a"],"seed":7,"quick":true,"strict":false,"isolation":"case","wrap":"nice","doctor":"d",)"
    R"("missing_libraries":{"x":["libx.so"]},"libraries":[]})";
constexpr const char* kWhole =
    R"({"filters":[],"seed":1,"quick":false,"strict":true,"isolation":"worker","wrap":"","doctor":"",)"
    R"("missing_libraries":{},"run_to_run":{"run":"r","shares":{"host":0.01}},"others_unseen":"no folder",)"
    R"("site":{"file":"s.yaml","text":"version: 1\n"},"libraries":[{"id":"p"}],"only":["a","b"]})";

std::string header_with(const char* options, const std::string& end = "}") {
  return std::string(kBefore) + options + kBehind + end;
}

std::string problem(const Json& json) {
  try {
    static_cast<void>(header_from_json(json));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "journal.malformed");
    return error.what();
  }
  return "none";
}

TEST(JournalHeader, IsReadAndWrittenByteForByte) {
  for (const std::string& text : {header_with(kPlain), header_with(kWhole, R"(,"earlier":{"runs":[]}})")})
    EXPECT_EQ(to_json(header_from_json(Json::parse(text))).dump(), text);
}

TEST(JournalHeader, SaysWhatIsMissingOrOfAnotherType) {
  const auto without = [](const char* pointer) {
    Json json = Json::parse(header_with(kPlain));
    const Json::json_pointer place(pointer);
    json[place.parent_pointer()].erase(place.back());
    return problem(json);
  };
  const auto with = [](const char* pointer, const Json& value) {
    Json json = Json::parse(header_with(kPlain));
    json[Json::json_pointer(pointer)] = value;
    return problem(json);
  };
  EXPECT_THAT(without("/run_id"), HasSubstr("the first line is not a header: 'run_id' is missing"));
  EXPECT_THAT(with("/run_id", 7), HasSubstr("'run_id' is not a text"));
  EXPECT_THAT(with("/started_at_s", nullptr), HasSubstr("'started_at_s' is not a number"));
  EXPECT_THAT(with("/includes/0/text", 1), HasSubstr("'includes[0].text' is not a text"));
  EXPECT_THAT(without("/options/seed"), HasSubstr("'options.seed' is missing"));
  EXPECT_NE(with("/options/seed", -1), "none");
  EXPECT_NE(with("/options/quick", 1), "none");
  EXPECT_NE(with("/options/site", "s.yaml"), "none");
  EXPECT_NE(with("/options/only", "a"), "none");
  EXPECT_EQ(without("/options/doctor"), "none") << "older journals lack it";
}

}  // namespace
}  // namespace assay::result
