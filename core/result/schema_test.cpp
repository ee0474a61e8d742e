// SPDX-License-Identifier: Apache-2.0
#include "result/schema.hpp"

#include "base/file.hpp"
#include "result/schema_test_validator.hpp"
#include "text/testing/folders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace assay::result {
namespace {

const std::filesystem::path kRoot = source_folder();

TEST(DocumentSchema, IsTheCommittedFile) {
  EXPECT_EQ(read_file(kRoot / "docs/reference/result.schema.json"), document_schema().dump(2) + "\n")
      << "write what `assay schema result` prints to the file";
}

// The documents that the reporters are tested with are the ones that judge may write.
TEST(DocumentSchema, HoldsForEveryDocumentThatReportersAreTestedWith) {
  const SchemaValidator validator(document_schema());
  int documents = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kRoot / "tests/golden/documents")) {
    const Json document = Json::parse(read_file(entry.path()));
    EXPECT_THAT(validator.problems(document), testing::IsEmpty()) << entry.path();
    ++documents;
  }
  EXPECT_GT(documents, 0);
}

TEST(DocumentSchema, RefusesAnOutcomeThatDoesNotExistAndAMissingKey) {
  const Json schema = document_schema();
  Json document = Json::parse(read_file(kRoot / "tests/golden/documents/unmet.json"));
  document["verdict"]["outcome"] = "green";
  EXPECT_EQ(SchemaValidator(schema).problems(document).size(), 1u);
  document["verdict"].erase("outcome");
  EXPECT_EQ(SchemaValidator(schema).problems(document).size(), 1u);
  document["cases"] = nullptr;
  EXPECT_EQ(SchemaValidator(schema).problems(document).size(), 2u);
}

}  // namespace
}  // namespace assay::result
