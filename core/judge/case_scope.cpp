// SPDX-License-Identifier: Apache-2.0
#include "judge/case_scope.hpp"

#include "judge/bands.hpp"
#include "judge/members.hpp"
#include "judge/percentile.hpp"
#include "judge/telemetry.hpp"
#include "judge/units.hpp"
#include "statistics/summary.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

namespace assay::judge {
namespace {

// The metric that a share is of.
std::string metric_in(const suite::Expression& about) {
  for (const suite::Expression* named : suite::names(about))
    if (named->kind != suite::Expression::Kind::percent_of)
      return named->kind == suite::Expression::Kind::selector ? named->metric : named->name;
  return {};
}

// The texts of one fact, of each rank and round that gave one, and behind them who gave none; nothing if nobody did.
std::vector<Text> fact_texts(const CaseResult& result, const std::string& name) {
  std::vector<Text> texts;
  std::optional<Text> missing;
  for (const result::Visit* visit : result.last_attempts)
    for (const result::RankRecord& rank : visit->ranks) {
      const auto fact = rank.facts.find(name);
      if (fact == rank.facts.end()) {
        if (!missing) missing = Text{{}, where_of(*visit, rank, result.last_attempts.size()), true};
        continue;
      }
      std::string text = printable(fact->second);
      if (std::none_of(texts.begin(), texts.end(), [&](const Text& each) { return each.text == text; }))
        texts.push_back({std::move(text), where_of(*visit, rank, result.last_attempts.size()), false});
    }
  if (missing && !texts.empty()) texts.push_back(std::move(*missing));
  return texts;
}

}  // namespace

Dimension dimension_of(const std::string& unit) {
  const std::optional<Unit> parsed = parse_unit(unit.empty() ? "1" : unit);
  return parsed ? parsed->dimension : Dimension{};
}

std::vector<ValueEntry> members_of(const MetricResult& metric) {
  const Dimension dimension = dimension_of(metric.unit);
  if (metric.members.empty()) {
    std::string index = index_text(metric.indices);
    return {{{metric.value, metric.verdict_interval, dimension}, metric.indices, std::move(index)}};
  }
  std::vector<ValueEntry> members = metric.members;
  for (ValueEntry& member : members) member.estimate.dimension = dimension;
  return members;
}

std::string why_no_share(const suite::Expression& call, const std::vector<Estimate>& members) {
  const bool of_median = call.name == "spread";
  if (!of_median && call.name != "cv") return {};
  std::vector<double> values;
  for (const Estimate& member : members) values.push_back(member.value);
  const double middle = of_median ? statistics::median(values) : statistics::mean(values);
  if (!(middle <= 0)) return {};
  return "'" + suite::to_text(call) + "' is a share of the " + (of_median ? "median" : "mean") +
         ", which is not above zero";
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
    const Estimate range{largest(values) - smallest(values),
                         {std::max(0.0, largest(lows) - smallest(highs)), largest(highs) - smallest(lows)},
                         dimension};
    return divide(range, exact(statistics::median(values), dimension));
  }
  if (function == "cv" && members.size() == 1) return exact(0, {});
  const double n = static_cast<double>(members.size());
  const auto sum_of_shares = [&](double divisor) {
    Estimate total = divide(members.front(), exact(divisor, {}));
    for (std::size_t i = 1; i < members.size(); ++i)
      total = add(total, divide(members[i], exact(divisor, {})));
    return total;
  };
  const Estimate total = sum_of_shares(1);
  // Where the sum is too large for a number the mean is not.
  const Estimate mean = std::isfinite(total.value) ? divide(total, exact(n, {})) : sum_of_shares(n);
  if (function != "cv") return function == "mean" ? mean : total;
  // A standard deviation changes by no more than the root of the squares by which its values do.
  double squares = 0, moved = 0;
  for (const Estimate& member : members) {
    squares += std::pow(member.value - mean.value, 2);
    moved += std::pow(std::max(member.interval.high - member.value, member.value - member.interval.low), 2);
  }
  const double deviation = std::sqrt(squares / (n - 1)), most = std::sqrt(moved / (n - 1));
  return divide({deviation, {std::max(0.0, deviation - most), deviation + most}, dimension}, mean);
}

Evaluated aggregate_sets(const suite::Expression& call, const std::vector<std::vector<ValueEntry>>& sets) {
  // A median, a mean and a deviation are of every value, however often it was seen.
  const bool each_time = call.name == "spread" || call.name == "cv";
  std::vector<Estimate> all, least, largest;
  for (const std::vector<ValueEntry>& set : sets) {
    std::vector<Estimate> own;
    for (const ValueEntry& member : set) {
      own.push_back(member.estimate);
      all.insert(all.end(), each_time ? member.count : 1, member.estimate);
    }
    least.push_back(aggregate("min", own));
    largest.push_back(aggregate("max", own));
  }
  std::vector<ValueEntry> members;
  if (call.name == "mean" || call.name == "sum") {
    members.push_back({aggregate(call.name, least), {}, {}});
    if (all.size() > sets.size()) members.push_back({aggregate(call.name, largest), {}, {}});
  } else {
    if (std::string why = why_no_share(call, all); !why.empty()) return Evaluated::not_judged(std::move(why));
    members.push_back({aggregate(call.name, all), {}, {}});
  }
  for (const ValueEntry& member : members)
    if (!std::isfinite(member.estimate.value))
      return Evaluated::not_judged("'" + suite::to_text(call) + "' is too large for a number");
  return Evaluated::of(std::move(members));
}

std::vector<ValueEntry> CaseScope::entries(const std::string& name) const {
  std::vector<ValueEntry> found;
  for (const MetricResult& metric : result_.metrics) {
    if (metric.name != name) continue;
    for (ValueEntry& member : members_of(metric)) found.push_back(std::move(member));
  }
  return found;
}

// Beside the row itself values are exact, and go with themselves alone.
Evaluated CaseScope::as_compared(Evaluated found, const std::string& origin) const {
  if (!exact_ || !found.ok()) return found;
  for (std::size_t i = 0; i < found.members.size(); ++i) {
    ValueEntry& member = found.members[i];
    member.estimate.interval = {member.estimate.value, member.estimate.value};
    member.origin = origin;
    member.ordinal = i;
  }
  found.estimate = found.members.front().estimate;
  return found;
}

Evaluated CaseScope::name(const std::string& name) const {
  if (std::vector<ValueEntry> found = entries(name); !found.empty()) {
    Evaluated evaluated = as_compared(Evaluated::of(std::move(found)), name);
    if (const MetricResult* metric = result_.metric(name); metric->too_few) evaluated.why = kTooFew;
    return evaluated;
  }
  for (const MetricResult& metric : result_.unpublished)
    if (metric.name == name)
      return Evaluated::not_judged("'" + name + "' was measured, but its result was not verified");

  return quantity(name);
}

Evaluated CaseScope::quantity(const std::string& name) const {
  const catalog::Manifest* backend = result_.planned->device_backend;
  const catalog::TelemetryQuantity* declared = backend == nullptr ? nullptr : backend->quantity(name);
  if (declared == nullptr) {
    const std::string* const why = find_value(result_.not_derived, name);
    return Evaluated::not_judged("'" + name + (why ? "' has no value: " + *why : "' was not recorded"));
  }
  const TelemetryReadings readings = readings_of(result_, name);
  if (!readings.absent.empty()) return Evaluated::absent(readings.absent);
  if (!readings.missing.empty() || readings.values.empty())
    return Evaluated::not_judged(readings.missing.empty() ? "'" + name + "' was not recorded"
                                                          : readings.missing);
  const Dimension dimension = dimension_of(declared->unit);
  if (telemetry_ == TelemetryValue::every) {
    std::map<double, std::size_t> counts;
    for (const double value : readings.values) ++counts[value];
    std::vector<ValueEntry> members;
    for (const auto& [value, count] : counts)
      members.push_back({exact(value, dimension), {}, {}, {}, 0, count});
    return Evaluated::of(std::move(members));
  }
  if (!readings.during_samples)
    return Evaluated::not_judged("'" + name +
                                 "' was not read while samples were taken; let them last longer");
  const TelemetryRange range = range_of(readings.values);
  return Evaluated::of({range.mean, {range.minimum, range.maximum}, dimension});
}

std::vector<Text> CaseScope::texts(const std::string& name) const {
  if (std::vector<Text> found = fact_texts(result_, name); !found.empty()) return found;
  for (const plan::AxisPoint& axis : result_.planned->axes)
    if (axis.name == name) return {{axis.text, {}, false}};
  const Json& parameters = result_.planned->parameters;
  const auto found = parameters.is_object() ? parameters.find(name) : parameters.end();
  if (found == parameters.end()) return {};
  if (found->is_string()) return {{found->get<std::string>(), {}, false}};
  if (found->is_boolean()) return {{found->get<bool>() ? "true" : "false", {}, false}};
  return {};
}

// What is compared with the reference row's is the same of it: with a percentile its percentile, with a sum its sum.
Evaluated CaseScope::of_reference(const suite::Expression& about) const {
  if (!reference_) return Evaluated::no_reference(why_no_reference_);
  if (!reference_->measured)
    return Evaluated::no_reference("the reference row " + reference_->planned->id + " has no result");
  if (reference_ == &result_) return evaluate(about, *this);  // its values are taken as exact
  const Evaluated value = evaluate(about, CaseScope(*reference_, nullptr, {}));
  if (!value.ok()) return Evaluated::no_reference("in the reference row, " + value.why);
  Evaluated named = value;
  named.why = (about.kind == suite::Expression::Kind::call ? suite::to_text(about) + " of " : "") +
              reference_->planned->id + (value.why.empty() ? "" : "; " + value.why);
  return named;
}

Evaluated CaseScope::base_of_percent(const std::string& base, const suite::Expression* about) const {
  if (!suite::is_share_target(base)) return name(base);
  if (about == nullptr) return Evaluated::no_reference("the comparison names no metric that has a " + base);
  if (base == "reference") return of_reference(*about);
  const std::string relative_to = metric_in(*about);
  if (base == "baseline") {
    if (suite::is_percentile(*about))
      return Evaluated::no_reference("a baseline has the mean of '" + relative_to + "', and no " +
                                     about->name);
    const MetricResult* metric = result_.metric(relative_to);
    return bands_ && metric
               ? bands_->mean_of(result_, *metric)
               : Evaluated::no_reference("no baseline can be taken for '" + relative_to + "' here");
  }
  if (base == "peers" || base == "band")
    return Evaluated::no_reference(base + " is for an expectation of a metric alone");
  const MetricResult* metric = result_.metric(relative_to);
  if (!metric) {
    const Evaluated why = name(relative_to);
    return why.ok() ? Evaluated::no_reference("'" + relative_to + "' has no peak") : why;
  }
  if (!metric->peak)
    return Evaluated::no_reference(metric->no_peak.empty() ? "no peak is known for '" + relative_to + "'"
                                                           : metric->no_peak);
  Evaluated peak =
      Evaluated::of({metric->peak->value, metric->peak->verdict_interval, dimension_of(metric->unit)});
  peak.why = metric->peak->source;
  return peak;
}

// Something that was measured is in it, and nothing of which there are several values: no array, no readings.
bool CaseScope::is_one_measured_value(const suite::Expression& operand, const Evaluated& found) const {
  if (found.members.size() != 1 || !found.members.front().indices.empty()) return false;
  bool measured = false;
  for (const suite::Expression* named : suite::names(operand)) {
    const MetricResult* metric = result_.metric(named->name);
    if (metric == nullptr && declaration_of(result_, named->name) != nullptr) return false;
    measured = measured || (metric != nullptr && !metric->observed);
  }
  return measured;
}

Evaluated CaseScope::call(const suite::Expression& call) const {
  if (call.operands.empty()) return Evaluated::not_judged(call.name + "() names nothing");
  const suite::Expression& operand = *call.operands.front();
  if (!call.axis.empty())
    return Evaluated::not_judged("'" + suite::to_text(call) + "' goes over several cases");
  const std::string origin = suite::to_text(call);
  if (suite::is_percentile(call))
    return as_compared(percentile(result_, operand.name, std::stod("0." + call.name.substr(1))),  // p99, p999
                       origin);
  // Of an array each entry is a member; of readings each reading, and they have no indices over which they could be added.
  if (call.name == "sum")
    for (const suite::Expression* named : suite::names(operand))
      if (result_.metric(named->name) == nullptr && declaration_of(result_, named->name) != nullptr)
        return Evaluated::not_judged("'" + named->name + "' has no indices to be added over");
  // A derived metric takes a reading's mean, and the largest of readings is not that.
  CaseScope each = *this;
  if (call.name != "mean") each.telemetry_ = TelemetryValue::every;
  Evaluated found = evaluate(operand, each);
  if (!found.ok()) return found;
  std::map<std::vector<std::uint32_t>, std::vector<ValueEntry>> by_index;
  for (const ValueEntry& member : found.members) by_index[member.indices].push_back(member);
  if ((call.name == "spread" || call.name == "cv") && found.members.size() == 1)
    return Evaluated::not_judged("nothing to compare: '" + suite::to_text(operand) + "' has one value");
  if (call.name != "sum" && is_one_measured_value(operand, found))
    return Evaluated::not_judged(call.name + "() goes over several values, and '" + suite::to_text(operand) +
                                 "' has one");
  std::vector<std::vector<ValueEntry>> sets;
  for (auto& [indices, members] : by_index) sets.push_back(std::move(members));
  Evaluated result = aggregate_sets(call, sets);
  if (result.ok()) result.why = found.why;
  return as_compared(std::move(result), origin);
}

Evaluated CaseScope::selector(const suite::Expression& selector) const {
  return Evaluated::not_judged("'" + suite::to_text(selector) + "' can be used in findings only");
}

UnitText CaseScope::unit_of(const suite::Expression& expression, const Dimension& dimension) const {
  return judge::unit_of(expression, dimension, result_);
}

}  // namespace assay::judge
