// SPDX-License-Identifier: Apache-2.0
#include "lib/charts.hpp"
#include "lib/numbers.hpp"
#include "lib/svg_rows.hpp"
#include "lib/text.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace assay::reporters {
namespace {

constexpr std::size_t kMostChanges = 24;  // rows of a picture

// "gemm", "n=1", "device=cuda:0" of gemm[n=1,device=cuda:0].
std::vector<std::string> parts_of(const std::string& id) {
  const std::size_t open = id.find('[');
  if (open == std::string::npos || !id.ends_with(']')) return {id};
  std::vector<std::string> parts = split(id.substr(open + 1, id.size() - open - 2), ',');
  parts.insert(parts.begin(), id.substr(0, open));
  return parts;
}

// What all rows of several share tells none apart, and takes the room of what does.
std::vector<std::string> shared_parts(const std::vector<const ComparedRow*>& rows) {
  std::vector<std::string> shared = parts_of(rows.front()->id);
  shared.erase(shared.begin());
  if (rows.size() == 1) return {};
  for (const ComparedRow* row : rows) {
    const std::vector<std::string> own = parts_of(row->id);
    std::erase_if(shared, [&](const std::string& part) {
      return std::find(own.begin() + 1, own.end(), part) == own.end();
    });
  }
  return shared;
}

std::string label_of(const std::string& id, const std::vector<std::string>& shared) {
  std::vector<std::string> parts = parts_of(id);
  const std::string name = parts.front();
  parts.erase(parts.begin());
  std::erase_if(parts, [&](const std::string& part) { return contains(shared, part); });
  return parts.empty() ? name : name + "[" + join(parts, ",") + "]";
}

// What is too long is cut in the case's part, or rows of one case would look alike.
std::string with_metric(const std::string& label, const std::string& metric) {
  const std::string end = " " + one_line(metric);
  return fitted(one_line(label), kMostLabel - text_width(end)) + end;
}

}  // namespace

std::optional<Picture> comparison_chart(const Comparison& comparison) {
  RowPlot plot;
  plot.title = "What changed: new over old";
  plot.name = "new / old";
  plot.bars = false;
  plot.lines.push_back(1);
  std::vector<const ComparedRow*> rows = by_importance(comparison);
  std::erase_if(rows, [](const ComparedRow* row) { return !row->ratio; });
  if (rows.empty()) return std::nullopt;
  const std::size_t with_ratio = rows.size();
  rows.resize(std::min(with_ratio, kMostChanges));
  const std::vector<std::string> shared = shared_parts(rows);
  const bool has_metrics = metric_tells_apart(rows);
  for (const ComparedRow* row : rows) {
    const ComparedTexts texts = texts_of(*row);
    RowMark mark{
        has_metrics ? with_metric(label_of(row->id, shared), row->metric) : label_of(row->id, shared),
        texts.ratio,
        *row->ratio,
        std::nullopt,
        {},
        row->id + ", " + row->metric + ": " + texts.ratio + " " + texts.interval + ", " + texts.verdict};
    if (std::isfinite(row->low) && std::isfinite(row->high)) mark.bounds = {row->low, row->high};
    mark.colour = row->verdict == ComparedVerdict::slower   ? 1
                  : row->verdict == ComparedVerdict::faster ? 2
                                                            : 0;
    plot.rows.push_back(std::move(mark));
  }
  plot.description = count_of(with_ratio, "row") + "; the table has every value";
  plot.note = "Whiskers: 95 % intervals; the line is no change";
  if (!shared.empty()) plot.note += "; all with " + join(shared, ", ");
  if (with_ratio > kMostChanges)
    plot.note += "; the " + std::to_string(kMostChanges) + " most important of " +
                 std::to_string(with_ratio) + " rows";
  std::optional<Picture> picture = svg_rows(plot);
  if (picture) picture->key = {{"s1", "slower"}, {"s2", "faster"}, {"s0", "neither is shown"}};
  return picture;
}

}  // namespace assay::reporters
