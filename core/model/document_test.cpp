// SPDX-License-Identifier: Apache-2.0
#include "model/document.hpp"

#include "base/file.hpp"
#include "model/comparison.hpp"
#include "model/document_json.hpp"
#include "text/testing/folders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace assay::model {
namespace {

const std::filesystem::path kDocuments = source_folder() / "tests/golden/documents";

Document whole(const Json& json) {
  return from_json<Document>(json, {"result.malformed", "it is not whole", "take another", false});
}

// The first member that `written` lacks or has otherwise, or "".
std::string lost(const Json& original, const Json& written, const std::string& at = {}) {
  if (!original.is_structured()) return original == written ? "" : at;
  for (const auto& [key, value] : original.items()) {
    const std::string place = at + "/" + key;
    const bool is_there = original.is_array() ? written.is_array() && written.size() == original.size()
                                              : written.is_object() && written.contains(key);
    if (!is_there) return place;
    const Json& other = original.is_array() ? written.at(std::stoul(key)) : written.at(key);
    if (std::string found = lost(value, other, place); !found.empty()) return found;
  }
  return {};
}

TEST(Document, LosesNothingWhenItIsReadAndWritten) {
  int documents = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kDocuments)) {
    const Json json = Json::parse(read_file(entry.path()));
    EXPECT_EQ(lost(json, to_json(whole(json))), "") << entry.path();
    ++documents;
  }
  EXPECT_GT(documents, 0);
}

TEST(Document, ThatIsNotWholeIsRefusedWithThePlace) {
  Json json = Json::parse(read_file(kDocuments / "mixed.json"));
  json["cases"][1].erase("expectations");
  try {
    static_cast<void>(whole(json));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "it is not whole: 'cases[1].expectations' is missing; take another");
  }
}

template <Vocabulary E>
void expect_each_word_is_read_as_it_is_written() {
  for (std::size_t i = 0; i < words_of(E::other).size(); ++i) {
    E word = E::other;
    EXPECT_TRUE(from_text(to_text(static_cast<E>(i)), word));
    EXPECT_EQ(word, static_cast<E>(i));
  }
  E word = E::other;
  EXPECT_FALSE(from_text("unknown", word)) << "no document says so on purpose";
}

TEST(Vocabulary, EachWordIsReadAsItIsWritten) {
  expect_each_word_is_read_as_it_is_written<RunOutcome>();
  expect_each_word_is_read_as_it_is_written<ExpectationStatus>();
  expect_each_word_is_read_as_it_is_written<FindingVerdict>();
  expect_each_word_is_read_as_it_is_written<DeltaVerdict>();
  expect_each_word_is_read_as_it_is_written<ReasonSeverity>();
  expect_each_word_is_read_as_it_is_written<ComparedVerdict>();
}

TEST(Document, IsReadLenientlyForReports) {
  const Document document = read_document(
      "{\"schema_version\": \"1.9\", \"later\": 1, \"verdict\": 3, \"run\": {\"suite\": \"a\\u001b\", "
      "\"resolved_suite\": {\"cases\": []}},"
      "\"cases\": [{\"id\": 1, \"outcome\": \"exploded\", \"metrics\": [1, {\"value\": null}]}, \"b\"]}");
  EXPECT_EQ(document.verdict.outcome, RunOutcome::other);
  EXPECT_EQ(document.run.suite.find('\x1b'), std::string::npos);
  EXPECT_TRUE(document.run.resolved_suite.empty());
  ASSERT_EQ(document.cases.size(), 2u);
  EXPECT_EQ(document.cases[0].outcome, Outcome::other);
  ASSERT_EQ(document.cases[0].metrics.size(), 2u);
  EXPECT_FALSE(document.cases[0].has_values());
}

TEST(Document, OfAnotherVersionOrOfNoJsonIsRefused) {
  EXPECT_THROW(static_cast<void>(read_document("")), Unreadable);
  EXPECT_THROW(static_cast<void>(read_document("[1]")), Unreadable);
  EXPECT_THROW(static_cast<void>(read_document(R"({"schema_version": "2.0"})")), Unreadable);
  EXPECT_THROW(static_cast<void>(read_document(std::string(100, '['))), Unreadable);
}

}  // namespace
}  // namespace assay::model
