// SPDX-License-Identifier: Apache-2.0
#include "lib/charts.hpp"

#include "lib/axis_text.hpp"
#include "lib/numbers.hpp"
#include "lib/row_texts.hpp"
#include "lib/svg.hpp"
#include "lib/svg_rows.hpp"
#include "lib/text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace assay::reporters {
namespace {

constexpr std::size_t kMostCurves = 12, kLeastPoints = 3;
constexpr std::size_t kLeastBars = 3, kMostBars = 24;
constexpr std::size_t kMostMatrices = 6;  // pictures of one block
constexpr double kWideSpan = 20;          // from this ratio of its ends on an axis is logarithmic

std::optional<double> number_of(const Case& one, const std::string& axis) {
  const Axis* found = one.axis(axis);
  if (found == nullptr) found = one.axis("env." + axis);
  return found != nullptr && found->value.is_number() ? std::optional(found->value.get<double>())
                                                      : std::nullopt;
}

struct Value {
  const Row* row = nullptr;
  Reading read;
  std::optional<std::pair<double, double>> bounds;  // of the members, else the interval
  std::optional<double> asked;
};

// What the rows have of the block's first metric, in the unit of the first of them.
std::vector<Value> values_of(const Block& block) {
  std::vector<Value> out;
  for (const Row& row : block.rows) {
    const auto read = reading(row, block.metrics.front());
    if (!read || !read->metric->value || !std::isfinite(*read->metric->value)) continue;
    if (!out.empty() && !(read->metric->unit == out.front().read.metric->unit)) continue;
    Value& value = out.emplace_back(Value{&row, *read, std::nullopt, std::nullopt});
    if (read->count > 1) {
      value.bounds = {read->low, read->high};
    } else if (const auto beside = bounds_beside(*read->metric)) {
      value.bounds = {beside->low, beside->high};
    }
    const Expectation* const limit = limit_on(row, block.metrics.front());
    if (limit != nullptr && limit->unit.base == read->metric->unit.base)
      value.asked = limit->limit.get<double>();
  }
  return out;
}

Scale scale_of_values(const std::vector<Value>& values) {
  std::vector<double> numbers;
  for (const Value& value : values) numbers.push_back(*value.read.metric->value);
  const Unit& unit = values.front().read.metric->unit;
  return common_scale(unit, numbers)
      .value_or(scale_for(unit, *std::max_element(numbers.begin(), numbers.end())));
}

void bring_to(Value& value, double factor) {
  if (value.bounds) value.bounds = {value.bounds->first / factor, value.bounds->second / factor};
  if (value.asked) *value.asked /= factor;
}

std::string name_with(const std::string& metric, const Scale& scale) {
  return metric + (scale.unit.empty() ? "" : ", " + scale.unit);
}

// One that failed by another limit is as good as this metric is asked to be.
bool is_short(const Row& row, const std::string& metric) {
  if (row.outcome() != Outcome::failed) return row.outcome() != Outcome::passed;
  const Expectation* const limit = limit_on(row, metric);
  return limit != nullptr && limit->status == ExpectationStatus::failed;
}

// What whiskers and dashes are.
std::string note_of(const Block& block, const std::vector<Value>& values) {
  std::vector<std::string> parts;
  const auto bounded =
      std::find_if(values.begin(), values.end(), [](const Value& value) { return value.bounds.has_value(); });
  if (bounded != values.end()) {
    parts.push_back(bounded->read.count > 1 ? shown_of_members(block, block.metrics.front()) +
                                                  ", whiskers from the lowest to the highest"
                                            : "whiskers: " + bounds_heading(*bounded->read.metric));
  }
  if (std::any_of(values.begin(), values.end(), [](const Value& value) { return value.asked.has_value(); }))
    parts.emplace_back("dashed: what the suite asks for");
  return capitalised(join(parts, "; "));
}

std::string value_text(const Value& value, const Scale& scale) {
  return quantity(*value.read.metric->value, scale, half_width(*value.read.metric));
}

// One limit of all is a line across.
std::optional<double> common_limit(const std::vector<Value>& values) {
  for (const Value& value : values)
    if (!value.asked || *value.asked != *values.front().asked) return std::nullopt;
  return values.front().asked;
}

std::optional<Picture> curves(const Block& block, std::size_t along) {
  std::vector<Value> values = values_of(block);
  std::erase_if(values, [&](const Value& value) {
    return !number_of(*value.read.source, block.axes[along]).has_value();
  });
  if (values.size() < kLeastPoints) return std::nullopt;
  const Scale scale = scale_of_values(values);
  std::map<std::string, PlotSeries> found;
  std::vector<std::string> order;
  std::set<double> xs;
  double low = 0, high = 0;
  for (Value& value : values) {
    bring_to(value, scale.factor);
    std::vector<std::string> others;
    for (std::size_t i = 0; i < value.row->labels.size(); ++i)
      if (i != along) others.push_back(with_axis(block.axes[i], value.row->labels[i]));
    const std::string name = join(others, ", ");
    if (found.find(name) == found.end()) order.push_back(name);
    const double x = *number_of(*value.read.source, block.axes[along]),
                 y = *value.read.metric->value / scale.factor;
    const std::string& label = value.row->labels[along];
    found[name].points.push_back({x, y, value.bounds,
                                  (name.empty() ? "" : name + ", ") + label + ": " + value_text(value, scale),
                                  label});
    low = xs.empty() ? y : std::min(low, y);
    high = xs.empty() ? y : std::max(high, y);
    xs.insert(x);
  }
  if (xs.size() < kLeastPoints || order.size() > kMostCurves) return std::nullopt;
  Plot plot;
  plot.title = block.name + ": " + block.metrics.front() + " over " + block.axes[along];
  plot.description = count_of(order.size(), "curve") + " of " + count_of(xs.size(), "point") + " from " +
                     quantity(low, Scale{1, scale.unit}) + " to " + quantity(high, Scale{1, scale.unit}) +
                     "; the table has every value";
  plot.asked = common_limit(values);
  if (!plot.asked)
    for (Value& value : values) value.asked.reset();
  plot.note = note_of(block, values);
  plot.x_name = block.axes[along];
  plot.y_name = name_with(block.metrics.front(), scale);
  plot.log_x = *xs.begin() > 0 && *xs.rbegin() > kWideSpan * *xs.begin();
  plot.log_y = low > 0 && high > kWideSpan * low;
  for (const std::string& name : order) {
    PlotSeries& series = found[name];
    series.name = name;
    std::stable_sort(series.points.begin(), series.points.end(),
                     [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
    plot.series.push_back(std::move(series));
  }
  return svg_plot(plot);
}

std::optional<Picture> bars(const Block& block) {
  std::vector<Value> values = values_of(block);
  if (block.axes.empty() || values.size() < kLeastBars || values.size() > kMostBars) return std::nullopt;
  const Scale scale = scale_of_values(values);
  RowPlot plot;
  plot.title = block.name + ": " + block.metrics.front();
  plot.note = note_of(block, values);
  plot.name = name_with(block.metrics.front(), scale);
  std::vector<std::string> words;
  for (Value& value : values) {
    bring_to(value, scale.factor);
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < value.row->labels.size(); ++i)
      labels.push_back(with_axis(block.axes[i], value.row->labels[i]));
    const std::string label = join(labels, ", "), text = value_text(value, scale);
    RowMark mark{label,
                 quantity(*value.read.metric->value, Scale{scale.factor, ""}, half_width(*value.read.metric)),
                 *value.read.metric->value / scale.factor,
                 value.bounds,
                 {},
                 label + ": " + text};
    if (value.asked) mark.asked.push_back(*value.asked);
    if (is_short(*value.row, block.metrics.front())) mark.colour = 1;
    plot.rows.push_back(std::move(mark));
    words.push_back(label + " " + text);
  }
  plot.description = join(words, ", ");
  return svg_rows(plot);
}

}  // namespace

std::vector<Picture> block_charts(const Block& block) {
  std::vector<Picture> out;
  const auto add = [&](std::optional<Picture> picture) {
    if (picture) out.push_back(std::move(*picture));
  };
  if (!block.metrics.empty()) {
    add(roofline_chart(block));
    for (std::size_t i = 0; i < block.axes.size() && out.empty(); ++i)
      if (block.numbers[i]) add(curves(block, i));
    if (out.empty()) add(bars(block));
  }
  std::size_t matrices = 0;
  for (const Matrix& matrix : matrices_of(block)) {
    if (matrices++ == kMostMatrices) break;
    std::optional<Picture> picture = matrix_chart(matrix);
    if (picture) picture->title = block.name + ": " + picture->title;
    add(std::move(picture));
  }
  return out;
}

}  // namespace assay::reporters
