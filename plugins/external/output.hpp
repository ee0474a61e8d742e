// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "external/definition.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::plugins::external {

// What a command wrote, and its exit status.
struct Output {
  std::string out, error;
  int status = 0;
};

struct Value {
  std::vector<std::uint32_t> indices;  // 0 to 2
  double value = 0;                    // in base units
};

// The values of one metric, in the order of the output; at least one. Throws assay::Failure of domain
// "external.output" if it is not there, is not a finite number, or is there more often than the metric allows.
[[nodiscard]] std::vector<Value> read_metric(const Metric& metric, const Output& output);

// True if a line of the output matches.
[[nodiscard]] bool matches(const std::string& pattern, const Output& output);

// The last line that is not blank, at most 200 bytes of it; errors go before output. "" if there is none.
[[nodiscard]] std::string last_line(const Output& output);

}  // namespace assay::plugins::external
