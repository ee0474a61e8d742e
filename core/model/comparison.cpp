// SPDX-License-Identifier: Apache-2.0
#include "model/comparison.hpp"

#include "model/comparison_fields.hpp"
#include "model/field_json.hpp"
#include "model/whole.hpp"

namespace assay::model {

bool is_comparison(std::string_view json) {
  // It is the first value; a reader of results need not look further.
  constexpr std::size_t kHead = 200;
  return json.substr(0, kHead).find("\"comparison-") != std::string_view::npos;
}

Comparison read_comparison(std::string_view json) {
  auto out = whole<Comparison>(json, "the comparison");
  if (out.schema_version.starts_with("comparison-1.")) return out;
  throw Unreadable("the comparison has version '" + out.schema_version +
                   "', and this reporter reads comparison-1.x");
}

Json to_json(const Comparison& comparison) { return to_json<Comparison>(comparison); }

}  // namespace assay::model
