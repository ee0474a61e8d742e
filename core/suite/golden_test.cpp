// SPDX-License-Identifier: Apache-2.0
//
// Each tests/golden/suite/bad/*.yaml has a .txt with what the user reads. ASSAY_APPROVE=1 writes them anew.
#include "base/error.hpp"
#include "base/file.hpp"
#include "suite/key_table.hpp"
#include "suite/schema.hpp"
#include "suite/suite.hpp"
#include "text/testing/folders.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace assay::suite {
namespace {

const std::filesystem::path kFolder = source_folder() / "tests/golden/suite";

std::vector<std::filesystem::path> suites_in(const char* folder) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder / folder))
    if (entry.path().extension() == ".yaml") found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

// Parses with names relative to the folder, so that messages are the same everywhere.
Suite parse(const std::filesystem::path& path, Diagnostics& diagnostics) {
  const auto read = [&](const std::string& name) {
    const std::filesystem::path target = path.parent_path() / name;
    if (!std::filesystem::exists(target)) throw Error("file.unreadable", "there is no such file");
    return read_file(target);
  };
  return parse_suite(path.filename().string(), read_file(path), read, diagnostics);
}

std::string shown(const Diagnostics& diagnostics, const std::filesystem::path& path) {
  std::string text;
  for (const Diagnostic& one : diagnostics.sorted()) {
    const std::filesystem::path file = path.parent_path() / one.position.file;
    text += to_text(one, std::filesystem::exists(file) ? read_file(file) : "");
  }
  return text;
}

bool approving() {
  const char* value = std::getenv("ASSAY_APPROVE");
  return value != nullptr && std::string(value) == "1";
}

void compare_with(const std::filesystem::path& golden, const std::string& text) {
  if (approving()) write_file(golden, text);
  ASSERT_TRUE(std::filesystem::exists(golden))
      << golden << " is missing: run with ASSAY_APPROVE=1 and read it";
  EXPECT_EQ(text, read_file(golden)) << "if this is meant: run with ASSAY_APPROVE=1 and read the change in "
                                     << golden;
}

class BadSuite : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(BadSuite, SaysAllThatIsWrongAtItsPlace) {
  Diagnostics diagnostics;
  (void)parse(GetParam(), diagnostics);

  ASSERT_TRUE(diagnostics.has_errors());
  for (const Diagnostic& one : diagnostics.sorted()) {
    EXPECT_TRUE(one.position.known()) << one.text;
    EXPECT_GT(one.position.column, 0) << one.text;
    EXPECT_FALSE(one.code.empty()) << one.text;
  }
  std::filesystem::path golden = GetParam();
  compare_with(golden.replace_extension(".txt"), shown(diagnostics, GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Golden, BadSuite, testing::ValuesIn(suites_in("bad")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

class GoodSuite : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(GoodSuite, IsTakenWithoutAWord) {
  Diagnostics diagnostics;
  const Suite suite = parse(GetParam(), diagnostics);

  EXPECT_EQ(shown(diagnostics, GetParam()), "");
  EXPECT_FALSE(suite.cases.empty());
}

std::string test_name(const std::filesystem::path& path) {
  std::string name = path.stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Golden, GoodSuite, testing::ValuesIn(suites_in("good")),
                         [](const auto& parameter) { return test_name(parameter.param); });

TEST(GoldenReference, IsTheTableOfKeys) {
  compare_with(kFolder / "reference.md", suite_reference_markdown());
}

TEST(GoldenSchema, IsTheTableOfKeysAndTheBenchmarks) {
  const Json count = {{"type", "integer"}, {"minimum", 1}, {"description", "rows"}};
  const Json dtype = {{"type", "string"}, {"enum", {"fp32", "bf16"}}, {"description", "type of the inputs"}};
  const Json schema =
      suite_schema({{"gemm", "Matrix product.", {{"m", count}, {"dtype", dtype}}},
                    {"copy", "Copies within a device.", {{"bytes", {{"type", {"integer", "string"}}}}}}});
  compare_with(kFolder / "schema.json", schema.dump(2) + "\n");
}

}  // namespace
}  // namespace assay::suite
