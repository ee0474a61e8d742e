// SPDX-License-Identifier: Apache-2.0
#include "markdown/cells.hpp"

#include "lib/escape.hpp"

namespace assay::reporters {

std::string label_cell(const std::string& label) {
  return label == "unset" ? "*unset*" : markdown_text(label);
}

std::string with_unit(const std::string& name, const std::optional<Scale>& scale) {
  return markdown_text(name) + (scale && !scale->unit.empty() ? ", " + markdown_text(scale->unit) : "");
}

std::string number_cell(double value, const Metric& metric, const std::optional<Scale>& scale) {
  return scale ? quantity(value, Scale{scale->factor, ""}, half_width(metric))
               : markdown_text(quantity(value, metric.unit, half_width(metric)));
}

std::string change_cell(const ChangeCell& change) {
  return change.text + (change.open.empty() ? "" : ", " + change.open);
}

}  // namespace assay::reporters
