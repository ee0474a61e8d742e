// SPDX-License-Identifier: Apache-2.0
#include "cli/visit_line.hpp"

#include "cli/progress.hpp"
#include "judge/visit_times.hpp"
#include "statistics/summary.hpp"
#include "text/quantity_text.hpp"
#include "text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace assay::cli {
namespace {

UnitText unit_of(const catalog::MetricDeclaration& metric) {
  return {metric.unit.empty() ? "1" : metric.unit, metric.written_unit, metric.written_scale};
}

// Numbers that the plugin or the command gave itself: of several samples the middle, of several ranks the worst, and of a table
// both ends.
std::string given_value(const catalog::MetricDeclaration& metric, const result::Visit& visit) {
  std::vector<double> values;
  bool is_table = false;
  for (const result::RankRecord& rank : visit.ranks)
    for (const result::Value& value : rank.values) {
      if (value.metric != metric.name) continue;
      if (!std::isfinite(value.value)) return {};
      values.push_back(value.value);
      is_table = is_table || !value.indices.empty();
    }
  if (values.empty()) return {};
  const UnitText unit = unit_of(metric);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (is_table && *least != *most) return quantity_text(*least, unit) + " … " + quantity_text(*most, unit);
  if (metric.reported) return quantity_text(statistics::median(values), unit);
  return quantity_text(metric.direction == catalog::Direction::higher ? *least : *most, unit);
}

// A rate or a duration by the clock; nothing where the benchmark has other work than this metric counts.
std::optional<double> clocked_value(const catalog::MetricDeclaration& metric, const result::Visit& visit,
                                    const judge::VisitTimes& times) {
  const auto found = visit.work.find(metric.name);
  const bool is_known = found != visit.work.end() && found->second > 0;
  if (metric.kind == catalog::MetricKind::duration && (is_known || visit.work.empty()))
    return statistics::median(times.iteration_s) / (is_known ? found->second : 1);
  if (metric.kind != catalog::MetricKind::rate || !is_known) return std::nullopt;
  const double samples = static_cast<double>(times.iterations * times.sample_s.size());
  return found->second * static_cast<double>(visit.ranks.size()) * samples / statistics::sum(times.sample_s);
}

// The id in this many columns at most. Its middle goes: the name and the device, at its ends, tell most.
std::string shortened_id(const std::string& id, std::size_t width) {
  if (display_width(id) <= width) return id;
  const std::size_t rest = width > 1 ? width - 1 : 0;
  std::string left, right;
  for (std::size_t at = 0; at < id.size();) {
    const std::string character = id.substr(at, decode(id, at).length);
    if (display_width(left + character) > (rest + 1) / 2) break;
    left += character;
    at += character.size();
  }
  for (std::size_t at = left.size(); at < id.size(); at += decode(id, at).length) {
    right = id.substr(at);
    if (display_width(right) <= rest / 2) break;
    right.clear();
  }
  return left + "…" + right;
}

}  // namespace

std::string value_of_visit(const plan::PlannedCase& planned, const result::Visit& visit) {
  if (visit.outcome != result::Outcome::passed) return {};
  const judge::VisitTimes times = judge::reduce(visit);
  if (!times.problem.empty()) return {};
  if (planned.benchmark != nullptr) {
    for (const catalog::MetricDeclaration& metric : planned.benchmark->metrics) {
      if (!metric.headline) continue;
      if (metric.reported || metric.kind == catalog::MetricKind::value) {
        if (std::string text = given_value(metric, visit); !text.empty()) return text;
      } else if (const auto value = clocked_value(metric, visit, times); value && std::isfinite(*value)) {
        return quantity_text(*value, unit_of(metric));
      }
    }
  }
  return quantity_text(statistics::median(times.iteration_s), "s");
}

std::string visit_line(const run::RunProgress& progress, int width) {
  const result::Visit& visit = *progress.visit;
  std::string what = progress.current == nullptr ? "" : value_of_visit(*progress.current, visit);
  if (what.empty()) {
    const bool passed = visit.outcome == result::Outcome::passed;
    what =
        fmt::format("{}  {:.2f} s", passed ? "measured" : result::to_text(visit.outcome), visit.duration_s);
  }
  const std::string count = fmt::format("{}/{}  ", progress.done, progress.total);
  if (width > 0) {
    const std::size_t taken = count.size() + 2 + display_width(what);
    constexpr std::size_t kShortest = 8;  // of an id that can be distinguished from others
    const std::size_t room =
        std::max(kShortest, static_cast<std::size_t>(width) - std::min<std::size_t>(taken, width));
    return count + shortened_id(visit.case_id, room) + "  " + what;
  }
  const bool is_last = progress.done >= progress.total;
  const std::string left = is_last || progress.expected_remaining_s < 0.5
                               ? ""
                               : "  " + duration_text(progress.expected_remaining_s) + " left";
  return count + visit.case_id + "  " + what + left;
}

}  // namespace assay::cli
