// SPDX-License-Identifier: Apache-2.0
#include "lib/indexed_lines.hpp"

#include "lib/matrix.hpp"
#include "lib/numbers.hpp"
#include "lib/row_texts.hpp"
#include "lib/text.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace assay::reporters {
namespace {

constexpr std::size_t kMostListed = 6;  // that are listed

std::string values_text(const std::vector<const Metric*>& metrics) {
  const auto text_of = [](const Metric& metric) {
    return quantity(*metric.value, metric.unit, half_width(metric));
  };
  const std::string count = count_of(metrics.size(), "value");
  if (metrics.size() <= kMostListed) {
    std::vector<std::string> all;
    for (const Metric* metric : metrics) all.push_back(text_of(*metric));
    return count + ": " + join(all, ", ");
  }
  const auto [least, most] = std::minmax_element(
      metrics.begin(), metrics.end(), [](const Metric* a, const Metric* b) { return *a->value < *b->value; });
  return count + " from " + text_of(**least) + " to " + text_of(**most);
}

std::string name_of_row(const Block& block, const Row& row, const Case& one) {
  std::vector<std::string> parts;
  if (block.rows.size() > 1) parts.push_back(join(row.labels, " "));
  if (row.members.size() > 1) parts.push_back(member_label(one));
  std::erase(parts, "");
  return parts.empty() ? std::string() : join(parts, " ") + ": ";
}

template <typename Wanted>
std::vector<std::string> lines_where(const Block& block, const Wanted& is_wanted) {
  std::set<std::pair<const Case*, std::string>> in_matrix;
  for (const Matrix& matrix : matrices_of(block)) in_matrix.emplace(matrix.source, matrix.metric);
  std::vector<std::string> out;
  for (const Row& row : block.rows) {
    for (const Case* one : row.members) {
      std::vector<std::pair<std::string, std::vector<const Metric*>>> by_name;
      for (const Metric& metric : one->metrics)
        if (!metric.indices.empty() && metric.value && is_wanted(*one, metric) &&
            !in_matrix.contains({one, metric.name}))
          entry_of(by_name, metric.name).push_back(&metric);
      for (const auto& [name, metrics] : by_name)
        out.push_back(name_of_row(block, row, *one) + one_line(name) + ", " + values_text(metrics));
    }
  }
  return out;
}

}  // namespace

std::vector<std::string> indexed_lines(const Block& block) {
  return lines_where(block, [](const Case&, const Metric&) { return true; });
}

std::vector<std::string> indexed_lines_of_commands(const Block& block) {
  return lines_where(block, [](const Case& one, const Metric&) { return !one.command.empty(); });
}

std::vector<std::string> indexed_lines_beside_table(const Block& block) {
  return lines_where(block, [](const Case&, const Metric& metric) { return metric.indices.size() != 1; });
}

}  // namespace assay::reporters
