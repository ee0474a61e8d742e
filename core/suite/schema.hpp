// SPDX-License-Identifier: Apache-2.0
//
// What editors and the reference page know of a suite, from the same table as the parser.
#pragma once

#include "base/json.hpp"

#include <string>
#include <utility>
#include <vector>

namespace assay::suite {

// A benchmark as an editor should know it. The caller has the catalog.
struct BenchmarkSchema {
  std::string name;
  std::string summary;
  std::vector<std::pair<std::string, Json>> parameters;  // name, JSON Schema of one value with "description"
};

// JSON Schema draft-07 of a suite file. Every key has a description; `uses` completes to the benchmarks and
// brings their parameters to `with` and `matrix`. Without benchmarks any name and parameter is accepted.
// Stable order.
[[nodiscard]] Json suite_schema(const std::vector<BenchmarkSchema>& benchmarks);

// The tables of the reference page in Markdown: one heading and one table for each place that has keys.
[[nodiscard]] std::string suite_reference_markdown();

}  // namespace assay::suite
