// SPDX-License-Identifier: Apache-2.0
#include "lib/charts.hpp"
#include "lib/numbers.hpp"
#include "lib/svg.hpp"
#include "lib/text.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace assay::reporters {
namespace {

constexpr std::size_t kMostRoofs = 12;

std::optional<double> plain_value_of(const Case& one, std::string_view name) {
  for (const Metric& metric : one.metrics)
    if (metric.name == name && metric.indices.empty() && metric.value) return *metric.value;
  return std::nullopt;
}

struct Placed {
  double compute = 0, memory = 0;  // the highest that a case of it recorded
  PlotSeries series;
};

}  // namespace

std::optional<Picture> roofline_chart(const Block& block) {
  std::map<std::string, Placed> found;
  std::vector<std::string> order;
  double least = 0, most = 0;
  std::vector<double> rates;
  for (const Row& row : block.rows) {
    const auto read = reading(row, "throughput");
    if (!read || read->metric->unit.base != "FLOP/s" || !(*read->metric->value > 0)) continue;
    const auto compute = plain_value_of(*read->source, "compute_roof"),
               memory = plain_value_of(*read->source, "memory_roof"),
               intensity = plain_value_of(*read->source, "operational_intensity");
    if (!compute || !memory || !intensity || !(*compute > 0 && *memory > 0 && *intensity > 0)) continue;
    // What is on an axis of its own already, the intensity, tells no series.
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < row.labels.size(); ++i)
      if (block.axes[i] != "intensity" && !block.numbers[i]) labels.push_back(row.labels[i]);
    const std::string name = join(labels, ", ");
    if (found.find(name) == found.end()) order.push_back(name);
    Placed& placed = found[name];
    placed.compute = std::max(placed.compute, *compute);
    placed.memory = std::max(placed.memory, *memory);
    PlotPoint point{*intensity, *read->metric->value, std::nullopt,
                    join(row.labels, ", ") + (row.labels.empty() ? "" : ": ") +
                        quantity(*read->metric->value, read->metric->unit, half_width(*read->metric)) +
                        " at " + quantity(*intensity, Scale{1, "FLOP/B"})};
    if (read->metric->interval) point.bounds = {read->metric->interval->low, read->metric->interval->high};
    placed.series.points.push_back(std::move(point));
    rates.push_back(*read->metric->value);
    rates.push_back(*compute);
    least = least > 0 ? std::min(least, *intensity) : *intensity;
    most = std::max(most, *intensity);
  }
  if (rates.empty() || order.size() > kMostRoofs) return std::nullopt;
  const Scale scale = scale_for(Unit("FLOP/s"), *std::max_element(rates.begin(), rates.end()));
  Plot plot;
  plot.title = block.name + ": throughput under its roofs";
  plot.x_name = "operations a byte, FLOP/B";
  plot.y_name = "throughput" + (scale.unit.empty() ? std::string() : ", " + scale.unit);
  plot.log_x = plot.log_y = true;
  plot.note = "Dotted: the most that memory (left) or computing (right) allows";
  std::vector<std::string> words;
  for (const std::string& name : order) {
    Placed& placed = found[name];
    const double ridge = placed.compute / placed.memory, left = std::min(least, ridge) / 2,
                 right = std::max(most, ridge) * 2;
    placed.series.name = name.empty() ? block.name : name;
    placed.series.roof = {{left, left * placed.memory / scale.factor},
                          {ridge, placed.compute / scale.factor},
                          {right, placed.compute / scale.factor}};
    for (PlotPoint& point : placed.series.points) {
      point.y /= scale.factor;
      if (point.bounds)
        point.bounds = {point.bounds->first / scale.factor, point.bounds->second / scale.factor};
    }
    std::stable_sort(placed.series.points.begin(), placed.series.points.end(),
                     [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
    words.push_back(
        (name.empty() ? "" : name + ": ") + "roofs of " + quantity(placed.compute, Unit("FLOP/s")) + " and " +
        quantity(placed.memory, Unit("B/s")) + " that meet at " + quantity(ridge, Scale{1, "FLOP/B"}) + ", " +
        count_of(placed.series.points.size(), "point"));
    plot.series.push_back(std::move(placed.series));
  }
  plot.lines = block.axes.size() == 1 && block.numbers.front();
  plot.description = join(words, "; ");
  return svg_plot(plot);
}

}  // namespace assay::reporters
