// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace assay::plugins::external {

enum class Take { only, first, last, all };

// A number of the command's output.
struct Metric {
  std::string name;
  double scale = 1;                          // base units in one of the printed number
  std::optional<std::string> json, pattern;  // where it is; neither: the exit status
  Take take = Take::only;
};

// What a case runs, with every placeholder filled in (docs/decisions/0009).
struct Definition {
  std::vector<std::string> arguments;
  std::string directory;
  std::optional<std::vector<int>> passed;  // exit statuses; none: all
  std::vector<int> skipped;
  std::optional<std::string> verify_pattern;
  std::optional<int> verify_exit;
  std::vector<Metric> metrics;
};

// Throws assay::BadParameter if Assay did not make it.
[[nodiscard]] Definition parse_definition(const std::string& json);

}  // namespace assay::plugins::external
