// SPDX-License-Identifier: Apache-2.0
#include "judge/bands.hpp"

#include "judge/case_scope.hpp"
#include "judge/peers.hpp"
#include "model/measure_keys.hpp"
#include "statistics/band.hpp"
#include "text/quantity_text.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <cmath>

namespace assay::judge {
namespace {

constexpr const char* kNoBaselineGiven = "no baseline was given: run, or judge, with --baseline FILE";

std::string digest_of(const plan::PlannedCase& planned) {
  Json parameters = planned.parameters.is_null() ? Json(Json::object()) : planned.parameters;
  return baseline::work_of(planned.benchmark ? planned.benchmark->name : "", plan::backend_of(planned),
                           planned.benchmark ? static_cast<std::uint64_t>(planned.benchmark->revision) : 1,
                           std::move(parameters), model::conditions_to_json(planned.measure),
                           plan::command_of(planned), static_cast<int>(planned.placement.ranks.size()),
                           planned.placement.load, planned.placement.bind, planned.environment);
}

}  // namespace

Bands::Bands(const std::optional<result::NamedText>& file, const std::vector<CaseResult>& cases,
             const suite::Suite& suite, const system::Inventory& inventory, const Json& host)
    : inventory_(inventory), host_(host) {
  if (file) baseline_ = baseline::from_yaml(file->file, file->text);
  comparisons_ = static_cast<double>(count_asking(cases, suite, "band"));
}

// Empty if the band is of such devices.
std::string Bands::why_other_device(const baseline::Band& band, const CaseResult& row) const {
  const std::string models = models_of(row, inventory_);
  if (models != band.model) return "the baseline is of " + band.model + ", and this is " + models;
  const std::vector<std::string> devices = plan::devices_of(*row.planned);
  for (const std::string& name : devices) {
    const system::Device* device = inventory_.find_device(name);
    if (device == nullptr || !band.power_limit_w) continue;
    const auto limit = device->facts.find("power_limit_w");
    if (limit == device->facts.end() || !limit->is_number() || limit->get<double>() != *band.power_limit_w)
      return "the baseline is of a power limit of " + quantity_text(*band.power_limit_w, "W") + ", and " +
             name + " has " +
             (limit == device->facts.end() ? std::string("none that is known") : limit->dump() + " W");
  }
  const system::Backend* backend = inventory_.find(plan::backend_of(*row.planned));
  const std::string driver = backend ? backend->facts.value("driver", "") : "";
  if (!band.oldest_driver.empty() && (driver.empty() || baseline::is_older(driver, band.oldest_driver) ||
                                      baseline::is_older(band.newest_driver, driver)))
    return "the baseline is of drivers from " + band.oldest_driver + " to " + band.newest_driver +
           ", and this is " + (driver.empty() ? "unknown" : driver);
  if (band.device.empty()) return {};
  const system::Device* first = devices.empty() ? nullptr : inventory_.find_device(devices.front());
  const std::string host = host_.value("hostname", ""), uuid = first ? first->uuid : "";
  const std::string own = first == nullptr ? host : !uuid.empty() ? uuid : host + " " + first->name;
  return own == band.device
             ? ""
             : "the baseline is of runs on '" + band.device + "' alone, and this is '" + own + "'";
}

Bands::Found Bands::find(const CaseResult& row, const MetricResult& metric) const {
  if (!baseline_) return {nullptr, kNoBaselineGiven};
  std::string other_device, otherwise;
  const baseline::BandRow* found = nullptr;
  const std::string work = digest_of(*row.planned);
  for (const baseline::Band& band : baseline_->bands) {
    const std::string why = why_other_device(band, row);
    if (other_device.empty()) other_device = why;
    if (!why.empty()) continue;
    for (const baseline::BandRow& each : band.rows) {
      if (each.row != row.planned->comparison_key || each.metric != metric.name || each.unit != metric.unit)
        continue;
      if (each.work == work) {
        if (found != nullptr)
          return {nullptr,
                  "the baseline has the row '" + each.row +
                      "' in two bands that are of such devices, so it may be either",
                  true};
        found = &each;
        continue;
      }
      otherwise = "the baseline's row '" + each.row +
                  "' was measured otherwise: its parameters, conditions, environment or ranks differ";
    }
    if (otherwise.empty())
      otherwise = "the baseline has no row '" + row.planned->comparison_key + "' with '" + metric.name +
                  "' of such devices";
  }
  if (found != nullptr) return {found, {}};
  return {nullptr, otherwise.empty() ? other_device : otherwise};
}

Evaluated Bands::Found::none() const {
  return is_either ? Evaluated::not_judged(why_none) : Evaluated::no_reference(why_none);
}

Evaluated Bands::mean_of(const CaseResult& row, const MetricResult& metric) const {
  const Found found = find(row, metric);
  if (found.row == nullptr) return found.none();
  Evaluated mean = Evaluated::of(exact(found.row->mean, dimension_of(metric.unit)));
  mean.why = "baseline of " + std::to_string(found.row->count);
  return mean;
}

Relation Bands::compare(const suite::Expression& relation, const CaseResult& row) const {
  Relation result = unjudged_relation(relation, "it is not of the form 'metric within band'");
  const suite::Expression& name = *relation.operands[0];
  if (name.kind != suite::Expression::Kind::name) return result;
  result.measured = CaseScope(row, nullptr, {}).name(name.name);
  if (!result.measured.ok()) return result;
  const MetricResult* const metric = row.metric(name.name);
  if (metric == nullptr || metric->observed || !metric->indices.empty() || !(metric->value > 0)) {
    result.measured = Evaluated::not_judged("'" + name.name + "' is not one measured value above zero");
    return result;
  }
  const Found found = find(row, *metric);
  if (found.row == nullptr) {
    result.limit = found.none();
    return result;
  }
  const bool both = metric->direction == catalog::Direction::none;
  const double shift = std::log(metric->value / found.row->mean);
  const bool is_least = metric->direction == catalog::Direction::higher || (both && shift < 0);
  const double reach =
      statistics::band_factor(found.row->count, kFalseAlarms / std::max(1.0, comparisons_) / (both ? 2 : 1)) *
      found.row->deviation_percent / 100;
  const Dimension dimension = dimension_of(metric->unit);
  result.comparison = is_least ? ComparisonOperator::greater_equal : ComparisonOperator::less_equal;
  result.measured = Evaluated::of({metric->value, metric->verdict_interval, dimension});
  result.limit = Evaluated::of(exact(found.row->mean * std::exp(is_least ? -reach : reach), dimension));
  result.limit.why = "band of " + std::to_string(found.row->count) + " that were healthy";
  result.truth = metric->too_few                        ? Truth::undecided
                 : (is_least ? -shift : shift) <= reach ? Truth::yes
                                                        : Truth::no;
  if (result.truth == Truth::yes) return result;
  result.told = device_label(row) + ": " + metric->name + " " + distance_text(shift) + " the mean of " +
                std::to_string(found.row->count) + " that were healthy (" +
                pair_text(*metric, found.row->mean) + "), band " + distance_text(is_least ? -reach : reach) +
                (metric->too_few ? std::string("; ") + kTooFew : "");
  return result;
}

}  // namespace assay::judge
