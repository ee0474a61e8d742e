// SPDX-License-Identifier: Apache-2.0
#include "lib/view.hpp"

#include "lib/row_texts.hpp"
#include "lib/text.hpp"

namespace assay::reporters {
namespace {

using Readings = std::vector<std::optional<Reading>>;  // of one metric, by row

std::optional<Scale> scale_of_readings(const Readings& readings) {
  std::vector<double> values;
  Unit unit;
  for (const auto& read : readings) {
    if (!read) continue;
    unit = read->metric->unit;
    values.push_back(read->low);
    values.push_back(read->high);
  }
  return common_scale(unit, values);
}

std::string beside_heading(const Block& block, const Readings& readings) {
  if (block.over_devices) return "range";
  bool is_explained = false;
  for (const auto& read : readings) {
    if (!read) continue;
    if (bounds_beside(*read->metric)) return bounds_heading(*read->metric);
    is_explained = is_explained || !no_interval_words(*read->metric).empty();
  }
  return is_explained ? "interval" : "";
}

ValueCell cell_of(const Block& block, const Row& row, const MetricColumn& column,
                  const std::optional<Reading>& read) {
  ValueCell out;
  if (!read) {
    out.limit = limit_text(row, column.metric, column.scale);
    return out;
  }
  const Metric& metric = *read->metric;
  out.metric = &metric;
  out.scale = column.scale.value_or(scale_for(metric.unit, *metric.value));
  out.limit = limit_text(row, column.metric, out.scale);
  out.change = change_of(row, metric);
  if (metric.peak && metric.peak->share) out.share = percent(*metric.peak->share);
  if (read->count < row.members.size()) {
    out.beside = std::to_string(read->count) + " of " + std::to_string(row.members.size()) + " measured";
  } else if (read->count > 1) {
    out.beside = range(read->low, read->high, out.scale, half_width(metric));
  } else if (!block.over_devices) {
    if (const auto bounds = bounds_beside(metric)) {
      out.beside = interval(*metric.value, bounds->low, bounds->high, out.scale);
    } else {
      out.no_interval = no_interval_words(metric);
    }
  }
  if (const std::string mean = read->count > 1 ? "" : mean_beside(metric, out.scale); !mean.empty()) {
    std::string& text = out.no_interval.empty() ? out.beside : out.no_interval;
    text += (text.empty() ? "mean " : ", mean ") + mean;
  }
  return out;
}

std::string caption_of(const Block& block) {
  std::vector<std::string> words = block.constants;
  if (block.reported) words.emplace_back("reported by the command");
  if (block.verified) words.emplace_back(*block.verified ? "verified" : "not verified");
  return join(words, ", ");
}

// "small" would read as of the value beside it; it is of the end of its interval, which is nearer than the margin.
std::string open_words(DeltaVerdict verdict) {
  if (verdict == DeltaVerdict::small) return "perhaps below 2 %";
  return is_open(verdict) ? in_words(verdict) : std::string();
}

}  // namespace

ChangeCell change_of(const Row& row, const Metric& metric) {
  if (row.reference) return {"reference", std::nullopt};
  if (!metric.delta || !metric.delta->ratio) return {};
  const Delta& delta = *metric.delta;
  if (delta.verdict == DeltaVerdict::same) return {"same", delta.verdict};
  const std::optional<double> width =
      known(delta.bounds) ? std::optional(delta.bounds.half_width()) : std::nullopt;
  return {change(*delta.ratio - 1, width), delta.verdict, open_words(delta.verdict)};
}

BlockView view_of(const Block& block) {
  BlockView out{caption_of(block), {}, std::vector<std::vector<ValueCell>>(block.rows.size())};
  for (const std::string& metric : block.metrics) {
    Readings readings;
    for (const Row& row : block.rows) readings.push_back(reading(row, metric));
    const MetricColumn column{metric, scale_of_readings(readings),
                              block.over_devices ? shown_of_members(block, metric) : "",
                              beside_heading(block, readings)};
    for (std::size_t i = 0; i < block.rows.size(); ++i)
      out.rows[i].push_back(cell_of(block, block.rows[i], column, readings[i]));
    out.columns.push_back(column);
  }
  return out;
}

}  // namespace assay::reporters
