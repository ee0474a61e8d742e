// SPDX-License-Identifier: Apache-2.0
#include "judge/peers.hpp"

#include "judge/case_scope.hpp"
#include "statistics/band.hpp"
#include "text/quantity_text.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace assay::judge {
namespace {

using suite::Expression;

// None for what is not METRIC against a share.
std::optional<Peers::Limit> limit_of(const Expression& relation, ComparisonOperator comparison) {
  if (relation.operands.size() != 2) return std::nullopt;
  const Expression *name = relation.operands[0].get(), *share = relation.operands[1].get();
  if (share->kind != Expression::Kind::percent_of) std::swap(name, share);
  if (name->kind != Expression::Kind::name || share->kind != Expression::Kind::percent_of)
    return std::nullopt;
  return Peers::Limit{name->name, share->quantity.value, comparison};
}

}  // namespace

std::string distance_text(double shift) {
  return percent_text(std::fabs(std::expm1(shift))) + (shift < 0 ? " below" : " above");
}

std::string pair_text(const MetricResult& metric, double other) {
  const Scale scale = scale_for(metric.shown_unit(), metric.value);
  return quantity_text(metric.value, scale) + " against " + quantity_text(other, scale);
}

std::size_t count_asking(const std::vector<CaseResult>& cases, const suite::Suite& suite,
                         const std::string& target) {
  std::size_t count = 0;
  for (const CaseResult& each : cases) {
    if (each.planned->suite_case >= suite.cases.size()) continue;
    const auto& expect = suite.cases[each.planned->suite_case].expect;
    for (const std::size_t i : each.planned->expectations)
      count += expect[i].that && suite::has_share_of(*expect[i].that, target);
  }
  return count;
}

std::string device_label(const CaseResult& result) {
  for (const plan::AxisPoint& point : result.planned->axes)
    if (point.name == "device") return point.text;
  return join(plan::devices_of(*result.planned), ", ");
}

std::string models_of(const CaseResult& result, const system::Inventory& inventory) {
  std::set<std::string> models;
  for (const std::string& name : plan::devices_of(*result.planned)) {
    const system::Device* device = inventory.find_device(name);
    models.insert(device ? device->model : name);
  }
  return join({models.begin(), models.end()}, ", ");
}

Peers::Peers(const std::vector<CaseResult>& cases, const suite::Suite& suite,
             const system::Inventory& inventory)
    : inventory_(inventory), comparisons_(static_cast<double>(count_asking(cases, suite, "peers"))) {
  if (comparisons_ == 0) return;
  // Also those that no limit is for: they are peers all the same.
  for (const CaseResult& each : cases)
    alike_[each.planned->comparison_key + "\n" + models_of(each, inventory)].push_back(&each);
}

Peers::ValuesOfPeers Peers::others_of(const CaseResult& row, const MetricResult& metric) const {
  const std::string models = models_of(row, inventory_);
  ValuesOfPeers others;
  const auto found = alike_.find(row.planned->comparison_key + "\n" + models);
  std::size_t rows = 0;
  if (found != alike_.end()) {
    for (const CaseResult* other : found->second) {
      rows += other != &row;
      if (other == &row || !other->measured) continue;
      for (const MetricResult& theirs : other->metrics)
        if (theirs.name == metric.name && theirs.indices == metric.indices && theirs.value > 0)
          others.logarithms.push_back(std::log(theirs.value));
    }
  }
  if (others.logarithms.size() >= statistics::kFewestPeers) return others;
  const std::string known = std::to_string(others.logarithms.size());
  others.why_none = "a comparison with peers takes " + std::to_string(statistics::kFewestPeers) +
                    " others of the same model (" + models + "), and there " + (rows == 1 ? "is " : "are ") +
                    (rows == 0 ? "none" : std::to_string(rows)) +
                    (rows == others.logarithms.size() ? "" : ", of which " + known + " have a result");
  return others;
}

Relation Peers::compare_one(const MetricResult& metric, const Limit& limit, const CaseResult& row) const {
  Relation result;
  result.comparison = limit.comparison;
  const Dimension dimension = dimension_of(metric.unit);
  result.measured = Evaluated::of({metric.value, metric.verdict_interval, dimension});
  if (metric.observed || !(metric.value > 0)) {
    result.measured = Evaluated::not_judged("'" + metric.name + "' is " +
                                            (metric.observed ? "observed, not measured" : "not above zero") +
                                            ": it cannot be compared with peers");
    return result;
  }
  const ValuesOfPeers others = others_of(row, metric);
  if (!others.why_none.empty()) {
    result.limit = Evaluated::no_reference(others.why_none);
    result.is_without_peers = true;
    return result;
  }
  const statistics::Chance chance =
      statistics::among_peers(others.logarithms, kFalseAlarms / std::max(1.0, comparisons_));
  const double middle = std::exp(chance.middle), shift = std::log(metric.value) - chance.middle;
  const std::string of = "the median of the other " + std::to_string(others.logarithms.size());
  result.limit = Evaluated::of(multiply(exact(limit.share, {}), exact(middle, dimension)));
  result.limit.why = percent_text(limit.share) + " of " + of;
  result.truth = judge::compare(exact(metric.value, dimension), limit.comparison, result.limit.estimate);
  const bool is_chance = (limit.is_least() ? -shift : shift) <= chance.reach;
  if (metric.too_few || (result.truth == Truth::no && is_chance)) result.truth = Truth::undecided;
  if (result.truth == Truth::yes) return result;
  result.told = device_label(row) + ": " + metric.name + " " + distance_text(shift) + " " + of + " (" +
                pair_text(metric, middle) + "), limit " + distance_text(std::log(limit.share));
  if (metric.too_few)
    result.told += std::string("; ") + kTooFew;
  else if (result.truth == Truth::undecided)
    result.told += "; these scatter so that " + percent_text(std::expm1(chance.reach)) +
                   " may be chance: more devices, or a baseline, would tell";
  return result;
}

Relation Peers::compare(const Expression& relation, const CaseResult& row) const {
  Relation worst = unjudged_relation(relation, "it is not of the form 'metric >= 97% of peers'");
  const std::optional<Limit> limit = limit_of(relation, worst.comparison);
  if (!limit) return worst;
  worst.measured = CaseScope(row, nullptr, {}).name(limit->metric);
  if (!worst.measured.ok()) return worst;
  // Of telemetry there is a value, and no metric.
  worst.measured = Evaluated::not_judged("'" + limit->metric + "' is not a metric");
  const auto distance = [&](const Relation& each) {
    const double ratio = each.measured.estimate.value / each.limit.estimate.value;
    return limit->is_least() ? 1 / ratio : ratio;
  };
  bool is_first = true;
  for (const MetricResult& metric : row.metrics) {
    if (metric.name != limit->metric) continue;
    Relation one = compare_one(metric, *limit, row);
    if (!one.measured.ok() || !one.limit.ok()) return one;
    const int change = is_first ? 1 : rank_of(one.truth) - rank_of(worst.truth);
    if (change > 0 || (change == 0 && distance(one) > distance(worst))) worst = std::move(one);
    is_first = false;
  }
  return worst;
}

}  // namespace assay::judge
