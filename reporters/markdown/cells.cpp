// SPDX-License-Identifier: Apache-2.0
#include "markdown/cells.hpp"

#include "lib/escape.hpp"

#include <vector>

namespace assay::reporters {

std::string label_cell(const std::string& label) {
  return label == "unset" ? "*unset*" : markdown_text(label);
}

std::optional<Scale> scale_of(const Block& block, const std::string& name) {
  std::vector<double> values;
  Unit unit;
  for (const Row& row : block.rows) {
    const auto read = reading(row, name);
    if (!read) continue;
    unit = read->metric->unit;
    values.push_back(read->low);
    values.push_back(read->high);
  }
  return common_scale(unit, values);
}

std::string with_unit(const std::string& name, const std::optional<Scale>& scale) {
  return markdown_text(name) + (scale && !scale->unit.empty() ? ", " + markdown_text(scale->unit) : "");
}

std::string number_cell(double value, const Metric& metric, const std::optional<Scale>& scale) {
  return scale ? quantity(value, Scale{scale->factor, ""}, half_width(metric))
               : markdown_text(quantity(value, metric.unit, half_width(metric)));
}

std::string delta_cell(const Row& row, const Metric& metric) {
  if (row.reference) return "reference";
  if (!metric.delta || !metric.delta->ratio) return {};
  const Delta& delta = *metric.delta;
  if (delta.verdict == "same") return "same";
  const std::optional<double> width =
      known(delta.bounds) ? std::optional(delta.bounds.half_width()) : std::nullopt;
  return change(*delta.ratio - 1, width) +
         (delta.verdict == "undecided" || delta.verdict == "small" ? ", " + delta.verdict : "");
}

}  // namespace assay::reporters
