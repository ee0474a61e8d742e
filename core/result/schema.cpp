// SPDX-License-Identifier: Apache-2.0
#include "result/schema.hpp"

#include "model/comparison_fields.hpp"
#include "model/document_fields.hpp"
#include "model/schema.hpp"

#include <utility>

namespace assay::result {

namespace {

template <class T>
Json whole_schema(const char* title, const char* page, const char* versions) {
  Json definitions = Json::object();
  Json whole = model::schema_of<T>(definitions);
  whole["properties"]["schema_version"]["pattern"] = versions;
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", title},
                 {"description", std::string(page) + ". Numbers are in base units; null is unknown."}};
  schema.update(whole);
  schema["definitions"] = std::move(definitions);
  return schema;
}

}  // namespace

Json document_schema() {
  return whole_schema<model::Document>("Assay result document", "docs/reference/result.md", "^1\\.");
}

Json comparison_schema() {
  return whole_schema<model::Comparison>("Assay comparison document", "docs/reference/comparison.md",
                                         "^comparison-1\\.");
}

}  // namespace assay::result
