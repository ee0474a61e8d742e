// SPDX-License-Identifier: Apache-2.0
#include "lib/charts.hpp"
#include "lib/numbers.hpp"
#include "lib/svg.hpp"
#include "lib/text.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace assay::reporters {
namespace {

std::optional<Picture> rounds_of(const Metric& metric) {
  const Scale scale = scale_for(metric.unit, *metric.value);
  Plot plot;
  plot.title = metric.name + " of each round";
  plot.x_name = "round";
  plot.y_name = metric.name + (scale.unit.empty() ? "" : ", " + scale.unit);
  PlotSeries series;
  for (std::size_t i = 0; i < metric.rounds.size(); ++i)
    series.points.push_back({static_cast<double>(i + 1), metric.rounds[i] / scale.factor, std::nullopt,
                             "round " + std::to_string(i + 1) + ": " + quantity(metric.rounds[i], scale)});
  plot.series.push_back(std::move(series));
  return svg_plot(plot);
}

}  // namespace

std::vector<Picture> sample_charts(const Case& one) {
  std::vector<Picture> out;
  const auto add = [&](std::optional<Picture> picture) {
    if (picture) out.push_back(std::move(*picture));
  };
  const Metric* metric = one.has_values() ? one.headline() : nullptr;
  if (metric != nullptr && metric->value && metric->rounds.size() > 1) add(rounds_of(*metric));
  if (!one.samples || one.samples->time_s.size() < 3) return out;
  std::vector<double> times = one.samples->time_s;
  // As the metric beside it: of one iteration.
  const std::uint64_t iterations = std::max<std::uint64_t>(1, one.samples->iterations);
  for (double& time : times) time /= static_cast<double>(iterations);
  const Scale scale = scale_for("s", *std::max_element(times.begin(), times.end()));
  const std::string name = (iterations > 1 ? "time of an iteration, " : "time, ") + scale.unit;
  Plot plot;
  plot.title = "Time of each sample in its order";
  plot.description = count_of(times.size(), "sample");
  std::vector<std::string> notes;
  if (iterations > 1) notes.push_back("each of " + std::to_string(iterations) + " iterations");
  if (one.samples->thinned) notes.emplace_back("evenly spaced ones of all");
  plot.note = capitalised(join(notes, "; "));
  plot.x_name = "sample";
  plot.y_name = name;
  plot.lines = false;
  PlotSeries series;
  std::vector<double> scaled;
  for (std::size_t i = 0; i < times.size(); ++i) {
    scaled.push_back(times[i] / scale.factor);
    series.points.push_back({static_cast<double>(i + 1), scaled.back()});
  }
  plot.series.push_back(std::move(series));
  add(svg_plot(plot));
  add(svg_histogram("How often samples took so long", name, scaled));
  return out;
}

}  // namespace assay::reporters
