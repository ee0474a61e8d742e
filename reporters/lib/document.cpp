// SPDX-License-Identifier: Apache-2.0
#include "lib/document.hpp"

#include "lib/text.hpp"

#include <algorithm>
#include <array>

namespace assay::reporters {
namespace {

constexpr std::array<std::string_view, 10> kOutcomes{"passed",  "skipped", "not run", "cancelled", "unknown",
                                                     "invalid", "failed",  "error",   "timeout",   "crashed"};

}  // namespace

std::string Place::text() const {
  if (file.empty() || line <= 0) return file;
  std::string out = file + ":" + std::to_string(line);
  if (column > 0) out += ":" + std::to_string(column);
  return out;
}

std::string_view to_text(Outcome outcome) { return kOutcomes[static_cast<std::size_t>(outcome)]; }

std::optional<double> Metric::half_width() const {
  if (!interval) return std::nullopt;
  return interval->half_width();
}

bool is_device_axis(std::string_view name) { return name == "device" || name == "pair"; }

bool Expectation::is_about(std::string_view metric) const {
  if (!limit || text.compare(0, metric.size(), metric) != 0) return false;
  const std::string_view rest = std::string_view(text).substr(metric.size());
  const std::size_t next = rest.find_first_not_of(' ');
  return next != std::string_view::npos && (rest[next] == '<' || rest[next] == '>' || rest[next] == '=');
}

const Metric* Case::headline() const {
  const bool has_headlines =
      std::any_of(metrics.begin(), metrics.end(), [](const Metric& metric) { return metric.headline; });
  const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const Metric& metric) {
    return (has_headlines ? metric.headline : metric.name == kTime) && metric.indices.empty();
  });
  return found == metrics.end() ? nullptr : &*found;
}

bool Case::has_values() const {
  return std::any_of(metrics.begin(), metrics.end(),
                     [](const Metric& metric) { return metric.value.has_value(); });
}

bool Case::undecided() const {
  return std::any_of(expectations.begin(), expectations.end(),
                     [](const Expectation& expectation) { return expectation.status == "undecided"; });
}

const Axis* Case::axis(std::string_view wanted) const {
  const auto found =
      std::find_if(axes.begin(), axes.end(), [wanted](const Axis& axis) { return axis.name == wanted; });
  return found == axes.end() ? nullptr : &*found;
}

const Case* Document::find(std::string_view id) const {
  const auto found = std::find_if(cases.begin(), cases.end(), [id](const Case& one) { return one.id == id; });
  return found == cases.end() ? nullptr : &*found;
}

}  // namespace assay::reporters
