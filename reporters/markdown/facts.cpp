// SPDX-License-Identifier: Apache-2.0
#include "markdown/facts.hpp"

#include "lib/block_facts.hpp"
#include "lib/escape.hpp"
#include "lib/text.hpp"
#include "markdown/grid.hpp"
#include "text/lookup.hpp"

#include <string>
#include <vector>

namespace assay::reporters {

void write_facts(const Block& block, Page& page) {
  const BlockFacts facts = facts_of(block);
  std::vector<std::string> lines, words;
  for (const auto& [name, value] : facts.shared) words.push_back(name + ": " + value);
  if (!words.empty()) lines.push_back(markdown_text("Facts: " + join(words, "; ") + "."));
  for (const FactByAxis& fact : facts.by_axis) {
    std::vector<std::string> values;
    for (const auto& [value, labels] : fact.values) values.push_back(value + " (" + join(labels, ", ") + ")");
    lines.push_back(markdown_text("By " + fact.axis + ", " + fact.name + ": " + join(values, "; ") + "."));
  }
  page.block(join(lines, "\n"));
  if (facts.names.empty() || !page.keeps(Detail::everything)) return;
  Grid grid;
  std::vector<std::size_t> columns;
  grid.axes(block);
  for (const std::string& name : facts.names) {
    const bool is_axis = contains(block.axes, name);
    columns.push_back(grid.column(markdown_text(is_axis ? name + " in fact" : name)));
  }
  for (std::size_t row = 0; row < block.rows.size(); ++row) {
    if (facts.by_row[row].empty()) continue;
    grid.row(block.rows[row].labels);
    for (std::size_t i = 0; i < facts.names.size(); ++i)
      grid.set(columns[i], markdown_text(facts.by_row[row][i]));
  }
  page.begin_fold("Facts that differ from row to row");
  grid.write(page);
  page.end_fold();
}

}  // namespace assay::reporters
