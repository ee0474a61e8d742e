// SPDX-License-Identifier: Apache-2.0
#include "judge/case_scope.hpp"

#include "judge/percentile.hpp"
#include "judge/telemetry.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace assay::judge {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Telemetry has no declaration; its names say what it is.
Dimension telemetry_dimension(const std::string& quantity) {
  if (contains(quantity, "temperature")) return dimension_of("C");
  if (contains(quantity, "clock") || contains(quantity, "frequency")) return dimension_of("Hz");
  if (contains(quantity, "power")) return dimension_of("W");
  if (contains(quantity, "energy")) return dimension_of("J");
  if (contains(quantity, "memory")) return dimension_of("B");
  return {};
}

const Estimate& worst(const std::vector<Estimate>& estimates, Lean lean) {
  const auto smaller = [](const Estimate& a, const Estimate& b) { return a.value < b.value; };
  return lean == Lean::high ? *std::max_element(estimates.begin(), estimates.end(), smaller)
                            : *std::min_element(estimates.begin(), estimates.end(), smaller);
}

std::vector<Estimate> entries(const CaseResult& result, const std::string& name) {
  std::vector<Estimate> found;
  for (const MetricResult& metric : result.metrics)
    if (metric.name == name) found.push_back(estimate_of(metric));
  return found;
}

Evaluated fold(const std::string& function, const std::string& name, const std::vector<Estimate>& members) {
  if (members.empty()) return Evaluated::not_judged("'" + name + "' has no value");
  return Evaluated::of(aggregate(function, members));
}

}  // namespace

Dimension dimension_of(const std::string& unit) {
  const std::optional<Unit> parsed = parse_unit(unit.empty() ? "1" : unit);
  return parsed ? parsed->dimension : Dimension{};
}

Estimate estimate_of(const MetricResult& metric) {
  return {metric.value, metric.verdict_interval, dimension_of(metric.unit)};
}

Estimate aggregate(const std::string& function, const std::vector<Estimate>& members) {
  std::vector<double> values, lows, highs;
  for (const Estimate& member : members) {
    values.push_back(member.value);
    lows.push_back(member.interval.low);
    highs.push_back(member.interval.high);
  }
  const auto smallest = [](const std::vector<double>& list) {
    return *std::min_element(list.begin(), list.end());
  };
  const auto largest = [](const std::vector<double>& list) {
    return *std::max_element(list.begin(), list.end());
  };
  const Dimension dimension = members.front().dimension;
  if (function == "min") return {smallest(values), {smallest(lows), smallest(highs)}, dimension};
  if (function == "max") return {largest(values), {largest(lows), largest(highs)}, dimension};
  if (function == "spread") {
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    const double median = values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    const Estimate range{values.back() - values.front(),
                         {std::max(0.0, largest(lows) - smallest(highs)), largest(highs) - smallest(lows)},
                         dimension};
    // One member, or members known exactly and equal, have no spread whatever the interval of each.
    if (members.size() == 1) return exact(0, {});
    return divide(range, exact(median, dimension));
  }
  Estimate total = members.front();
  for (std::size_t i = 1; i < members.size(); ++i) total = add(total, members[i]);
  return function == "mean" ? divide(total, exact(static_cast<double>(members.size()), {})) : total;
}

Evaluated CaseScope::name(const std::string& name, Lean lean) const {
  if (const std::vector<Estimate> found = entries(result_, name); !found.empty())
    return Evaluated::of(worst(found, lean));
  for (const MetricResult& metric : result_.withheld)
    if (metric.name == name)
      return Evaluated::not_judged("'" + name + "' was measured, but its result was not verified");

  return quantity(name, lean);
}

Evaluated CaseScope::quantity(const std::string& name, Lean lean) const {
  const TelemetryReadings readings = readings_of(result_, name);
  if (readings.values.empty()) return Evaluated::not_judged("'" + name + "' was not recorded");
  const Dimension dimension = telemetry_dimension(name);
  if (telemetry_ == Telemetry::worst) {
    std::vector<Estimate> all;
    for (const double value : readings.values) all.push_back(exact(value, dimension));
    return Evaluated::of(worst(all, lean));
  }
  if (!readings.during_samples)
    return Evaluated::not_judged("'" + name +
                                 "' was not read while samples were taken; let them last longer");
  const TelemetryRange range = range_of(readings.values);
  return Evaluated::of({range.mean, {range.minimum, range.maximum}, dimension});
}

std::optional<std::string> CaseScope::text(const std::string& name) const {
  if (const auto fact = result_.facts.find(name); fact != result_.facts.end()) return fact->second;
  for (const plan::AxisPoint& axis : result_.planned->axes)
    if (axis.name == name) return axis.text;
  const Json& parameters = result_.planned->parameters;
  if (parameters.is_object())
    if (const auto found = parameters.find(name); found != parameters.end() && found->is_string())
      return found->get<std::string>();
  return std::nullopt;
}

Evaluated CaseScope::base_of_percent(const std::string& base, const std::string& relative_to,
                                     Lean lean) const {
  if (base == "baseline") return Evaluated::no_reference("no baseline was given");
  if (base == "peak") {
    const MetricResult* metric = result_.metric(relative_to);
    if (!metric) {
      const Evaluated why = name(relative_to, lean);
      return why.ok() ? Evaluated::no_reference("'" + relative_to + "' has no peak") : why;
    }
    if (!metric->peak)
      return Evaluated::no_reference(metric->no_peak.empty() ? "no peak is known for '" + relative_to + "'"
                                                             : metric->no_peak);
    Evaluated peak = Evaluated::of(exact(metric->peak->value, dimension_of(metric->unit)));
    peak.why = metric->peak->source;
    return peak;
  }
  if (base == "reference") {
    if (!reference_) return Evaluated::no_reference(why_no_reference_);
    if (!reference_->measured)
      return Evaluated::no_reference("the reference row " + reference_->planned->id + " has no result");
    if (reference_ == &result_) {
      // Compared with itself, a row is equal to itself: no interval arithmetic between a value and its own
      // copy.
      return name(relative_to, lean);
    }
    const Evaluated value = CaseScope(*reference_, nullptr, {}).name(relative_to, lean);
    if (!value.ok()) return Evaluated::no_reference("in the reference row, " + value.why);
    Evaluated named = value;
    named.why = reference_->planned->id;
    return named;
  }
  return name(base, lean);
}

Evaluated CaseScope::call(const suite::Expression& call, Lean lean) const {
  if (call.operands.empty()) return Evaluated::not_judged(call.name + "() names nothing");
  const std::string& metric = call.operands.front()->name;
  if (!call.axis.empty())
    return Evaluated::not_judged("'" + suite::to_text(call) + "' goes over several cases");
  if (call.name.size() > 1 && call.name[0] == 'p' && call.name[1] >= '0' && call.name[1] <= '9')
    return percentile(result_, metric, std::stod(call.name.substr(1)) / 100);
  if (call.name == "best") return name(metric, lean);
  return fold(call.name, metric, entries(result_, metric));
}

Evaluated CaseScope::selector(const suite::Expression& selector) const {
  return Evaluated::not_judged("'" + suite::to_text(selector) + "' can be used in findings only");
}

}  // namespace assay::judge
