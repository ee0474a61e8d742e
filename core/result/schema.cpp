// SPDX-License-Identifier: Apache-2.0
#include "result/schema.hpp"

#include "model/document.hpp"
#include "model/schema.hpp"

#include <utility>

namespace assay::result {

Json document_schema() {
  Json definitions = Json::object();
  Json whole = model::schema_of<model::Document>(definitions);
  whole["properties"]["schema_version"]["pattern"] = "^1\\.";
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "Assay result document"},
                 {"description", "docs/reference/result.md. Numbers are in base units; null is unknown."}};
  schema.update(whole);
  schema["definitions"] = std::move(definitions);
  return schema;
}

}  // namespace assay::result
