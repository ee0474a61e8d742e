// SPDX-License-Identifier: Apache-2.0
#include "engine/rejudge.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "text/testing/folders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>

namespace assay::engine {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::HasSubstr;

// Why the text is refused; "" if it is not.
std::string refusal_of(const fs::path& path, std::string text) {
  try {
    (void)checked_result(path, std::move(text));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(CheckedResult, AcceptsWhatWasKept) {
  std::size_t documents = 0;
  for (const char* folder : {"tests/golden/documents", "docs/results/h100x4", "docs/results/h200"})
    for (const auto& entry : fs::directory_iterator(source_folder() / folder)) {
      const std::string text = entry.path().extension() == ".json" ? read_file(entry.path()) : "";
      if (text.find("\"verdict\"") == std::string::npos || text.find("\"cases\"") == std::string::npos)
        continue;
      EXPECT_EQ(refusal_of(entry.path(), text), "");
      ++documents;
    }
  EXPECT_GT(documents, 15U);
}

TEST(CheckedResult, RefusesAVerdictThatItsCasesDoNotCarry) {
  const fs::path path = source_folder() / "tests/golden/documents/node-acceptance.json";
  const auto edited = [&](const std::function<void(Json&)>& edit) {
    Json document = Json::parse(read_file(path));
    edit(document);
    return refusal_of("edited.json", document.dump());
  };
  EXPECT_EQ(edited([](Json&) {}), "");
  EXPECT_THAT(edited([](Json& document) {
                document["verdict"]["outcome"] = "passed";
                document["verdict"]["exit_code"] = 0;
              }),
              AllOf(HasSubstr("'edited.json' contradicts itself: its verdict is passed (exit code 0), and "),
                    HasSubstr("come to failed (exit code 1)"), HasSubstr("journal.jsonl")));
  EXPECT_THAT(edited([](Json& document) { document["verdict"]["counts"]["failed"] = 0; }),
              HasSubstr("its verdict counts 0 failed"));
  // A case that failed is called passed, and all that speaks of it with it but its own expectations.
  EXPECT_THAT(
      edited([](Json& document) {
        for (Json& one : document["cases"]) {
          if (one["outcome"].get<std::string>() != "failed") continue;
          one["outcome"] = "passed";
          document["verdict"]["counts"]["passed"] = document["verdict"]["counts"]["passed"].get<int>() + 1;
          document["verdict"]["counts"]["failed"] = document["verdict"]["counts"]["failed"].get<int>() - 1;
        }
      }),
      HasSubstr("is passed, and has the reason 'expectation.failed'"));
}

}  // namespace
}  // namespace assay::engine
