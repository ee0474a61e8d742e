// SPDX-License-Identifier: Apache-2.0
#include "judge/document.hpp"
#include "judge/rank_comparison.hpp"
#include "judge/telemetry.hpp"
#include "model/document_case_fields.hpp"
#include "model/field_json.hpp"
#include "model/measure_keys.hpp"
#include "result/reasons.hpp"
#include "result/throttle.hpp"
#include "statistics/summary.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace assay::judge {
namespace {

constexpr std::size_t kKeptSamples = 200;

std::vector<std::string> done_words(std::uint32_t done) {
  std::vector<std::string> words;
  for (std::size_t bit = 0; bit < model::kDoneWords.size(); ++bit)
    if (done >> bit & 1) words.emplace_back(model::kDoneWords[bit]);
  return words;
}

// Why a metric has no interval. Nobody expects one of an observation, and there may be thousands of them: the code
// alone says so.
std::optional<model::NoInterval> no_interval_of(const MetricResult& metric) {
  if (metric.interval) return std::nullopt;
  const result::ReasonRow* row =
      metric.no_interval == kSeenAsItIs ? nullptr : result::find_reason(metric.no_interval);
  return model::NoInterval{metric.no_interval, row ? std::string(row->meaning) : std::string()};
}

model::Metric metric_of(const MetricResult& metric) {
  model::Metric out;
  out.name = metric.name;
  out.unit = metric.shown_unit();
  out.direction = model::kDirections[static_cast<std::size_t>(metric.direction)];
  out.kind = metric.kind;
  out.headline = metric.headline;
  out.indices.assign(metric.indices.begin(), metric.indices.end());
  out.statistic = metric.statistic;
  out.value = metric.value;
  out.n = metric.n;
  out.mean = metric.mean;
  out.rounds = metric.rounds;
  out.whole = metric.whole;
  if (metric.interval)
    out.interval = model::Interval{metric.interval->low, metric.interval->high, 0.95,
                                   metric.between_process ? "between_process" : "within_process"};
  out.no_interval = no_interval_of(metric);
  out.verdict_interval = metric.verdict_interval;
  out.spread = metric.spread;
  out.counting = metric.counting;
  out.flow = metric.flow;
  out.mechanism = metric.mechanism;
  if (const auto& peak = metric.peak)
    out.peak = model::Peak{peak->value, metric.value / peak->value, peak->name, peak->source, peak->interval};
  out.delta = metric.delta;
  return out;
}

model::Pairs<std::string> units_of(const plan::PlannedCase& planned) {
  model::Pairs<std::string> units;
  if (planned.benchmark)
    for (const catalog::Parameter& parameter : planned.benchmark->parameters)
      if (!parameter.unit.empty() && parameter.unit != "1")
        units.emplace_back(parameter.name, parameter.unit);
  return units;
}

std::optional<model::FixedCost> published_cost(const CaseResult& result) {
  if (!result.fixed_cost || !result.measured) return std::nullopt;
  const FixedCost& cost = *result.fixed_cost;
  return model::FixedCost{cost.value_s,
                          "s",
                          {cost.interval.low, cost.interval.high, 0.95,
                           cost.between_process ? "between_process" : "within_process"},
                          cost.share};
}

std::optional<model::Measurement> measurement_of(const CaseResult& result) {
  if (result.last_attempts.empty()) return std::nullopt;
  const result::Measurement& first = result.last_attempts.front()->measurement;
  std::size_t samples = 0;
  std::uint32_t done = ~std::uint32_t{0};
  std::uint64_t warmup_iterations = 0;
  double warmup_s = 0;
  std::string stop = first.stop;
  for (const result::Visit* visit : result.last_attempts) {
    if (!visit->ranks.empty())
      samples +=
          std::max(visit->ranks.front().series.device_s.size(), visit->ranks.front().series.host_s.size());
    done &= visit->measurement.done;
    warmup_iterations += visit->measurement.warmup_iterations;
    warmup_s += visit->measurement.warmup_s;
    if (visit->measurement.stop != "converged") stop = visit->measurement.stop;  // the least satisfied round
  }
  const std::uint64_t iterations = first.calibrated_n != 0 || result.last_attempts.front()->ranks.empty()
                                       ? first.calibrated_n
                                       : result.last_attempts.front()->ranks.front().series.iterations;
  return model::Measurement{samples,
                            iterations,
                            warmup_iterations,
                            warmup_s,
                            stop,
                            result.autocorrelation_time,
                            result.effective_samples,
                            first.clock,
                            first.tick_s,
                            done_words(done),
                            published_cost(result)};
}

// Phases may compare other things, each within a tolerance of its own: the one that came nearest to it is told.
double share_of_tolerance(const result::Verification& seen) {
  if (!(seen.largest_error > 0)) return 0;
  return seen.tolerance > 0 ? seen.largest_error / seen.tolerance : std::numeric_limits<double>::infinity();
}

std::optional<model::Verification> verification_of(const CaseResult& result) {
  result::Verification sum;
  bool any = false;
  for (const result::Visit* visit : result.last_attempts)
    for (const result::RankRecord& rank : visit->ranks)
      for (const result::Verification& each : rank.verifications) {
        if (!any) sum = each;
        sum.checked += any ? each.checked : 0;
        sum.wrong += any ? each.wrong : 0;
        if (std::pair(share_of_tolerance(each), each.tolerance) >
            std::pair(share_of_tolerance(sum), sum.tolerance)) {
          sum.largest_error = each.largest_error;
          sum.tolerance = each.tolerance;
        }
        sum.exact = sum.exact && each.exact;
        any = true;
      }
  if (!any) return std::nullopt;
  return model::Verification{result.verified && sum.wrong == 0,
                             printable(sum.method),
                             sum.exact,
                             sum.checked,
                             sum.wrong,
                             sum.largest_error,
                             sum.tolerance};
}

model::Expectation expectation_of(const ExpectationResult& each) {
  const Relation& relation = each.relation;
  const bool measured = relation.measured.ok(), limited = relation.limit.ok();
  const auto& interval = relation.measured.estimate.interval;
  model::Expectation out;
  out.text = each.expectation->text;
  out.status = each.status;
  if (relation.is_text) {
    out.value = relation.measured_text;
    out.limit = relation.limit_text;
  } else {
    if (measured && (interval.low != 0 || interval.high != 0 || limited))
      out.value = model::to_json(relation.measured.estimate.value);
    if (measured && limited) out.limit = model::to_json(relation.limit.estimate.value);
  }
  out.unit = each.unit;
  out.op = to_text(relation.comparison);
  out.say = each.expectation->say;
  out.why = each.why;
  out.position = each.expectation->position;
  return out;
}

Flag with_severity(Flag flag) {
  const result::ReasonRow* row = result::find_reason(flag.code);
  flag.severity = result::to_text(row ? row->severity : result::ReasonSeverity::warning);
  return flag;
}

std::vector<model::Check> checks_of(const CaseResult& result) {
  std::vector<model::Check> checks;
  for (const result::Visit* visit : result.last_attempts)
    for (const result::RankRecord& rank : visit->ranks)
      for (const result::Check& check : rank.checks) {
        model::Check one{printable(check.name), printable(check.subject), check.passed,
                         printable(check.text)};
        // The same check in every round is one line, unless a round says something else.
        add_once(checks, std::move(one));
      }
  return checks;
}

// What ranks took on average, and how far apart they began. None of a case with one rank.
std::optional<model::RankComparison> comparison_of_ranks(const RankComparison& comparison) {
  if (comparison.ranks.size() < 2) return std::nullopt;
  model::RankComparison out{comparison.mean_over_ranks_s, std::nullopt};
  if (!comparison.start_skew_s.empty())
    out.start_skew_s =
        model::StartSkew{statistics::median(comparison.start_skew_s),
                         *std::max_element(comparison.start_skew_s.begin(), comparison.start_skew_s.end())};
  return out;
}

std::optional<model::Samples> samples_of(const CaseResult& result) {
  if (result.times.empty() || !result.measured) return std::nullopt;
  const std::uint64_t iterations = result.times.front().iterations;
  const bool alike = std::all_of(result.times.begin(), result.times.end(),
                                 [&](const VisitTimes& times) { return times.iterations == iterations; });
  std::vector<double> all;
  for (const VisitTimes& times : result.times)
    for (const double sample : times.sample_s)
      all.push_back(alike ? sample : sample / static_cast<double>(times.iterations));
  model::Samples samples{alike ? iterations : 1, {}, all.size() > kKeptSamples};
  const std::size_t count = std::min(all.size(), kKeptSamples);
  for (std::size_t i = 0; i < count; ++i) samples.time_s.push_back(all[i * all.size() / count]);
  return samples;
}

std::vector<model::Visit> visits_of(const CaseResult& result) {
  std::vector<model::Visit> visits = result.earlier ? result.earlier->visits : std::vector<model::Visit>();
  const int before = result.earlier ? result.earlier->attempts : 0;
  const MetricResult* headline = result.measured ? result.headline() : nullptr;
  for (const result::Visit* visit : result.visits) {
    const auto at = std::find(result.last_attempts.begin(), result.last_attempts.end(), visit);
    const std::size_t index = static_cast<std::size_t>(at - result.last_attempts.begin());
    const bool has = headline && at != result.last_attempts.end() && index < headline->rounds.size();
    visits.push_back({visit->round, visit->attempt + before, visit->outcome, visit->duration_s,
                      has ? std::optional(headline->rounds[index]) : std::nullopt});
  }
  return visits;
}

Json diagnostics_of(const CaseResult& result) {
  if (result.unpublished.empty()) return nullptr;
  model::Unpublished out{
      result.reason.code.empty() || result.measured ? "the result was not verified" : result.reason.text, {}};
  for (const MetricResult& metric : result.unpublished)
    out.metrics.push_back(
        {metric.name, metric.unit, {metric.indices.begin(), metric.indices.end()}, metric.value, metric.n});
  return model::to_json(out);
}

model::Telemetry telemetry_of(const TelemetrySummary& each) {
  const bool is_counter = each.declared != nullptr && each.declared->kind == catalog::QuantityKind::counter;
  model::Telemetry out;
  out.device = each.device;
  out.quantity = each.quantity;
  if (each.declared != nullptr) {
    out.unit = each.declared->unit;
    out.kind = is_counter ? "counter" : "gauge";
  }
  if (each.range) {
    out.minimum = each.range->minimum;
    out.mean = each.range->mean;
    out.maximum = each.range->maximum;
  }
  if (is_counter) out.added = each.added.value_or(std::numeric_limits<double>::quiet_NaN());
  out.during = each.during_samples ? "samples" : "visit";
  return out;
}

model::Placement placement_of(const plan::Placement& placement) {
  model::Placement out;
  for (const plan::RankPlacement& rank : placement.ranks) {
    out.devices.insert(out.devices.end(), rank.devices.begin(), rank.devices.end());
    out.nodes = std::max(out.nodes, rank.node + 1);
  }
  out.ranks = static_cast<int>(placement.ranks.size());
  out.bind = placement.bind;
  out.load = placement.load;
  return out;
}

}  // namespace

model::Case case_of(const CaseResult& result, const std::string& suite_case, const std::string& reproduce) {
  const plan::PlannedCase& planned = *result.planned;
  model::Case out;
  out.id = planned.id;
  out.name = suite_case;
  out.benchmark = planned.benchmark ? planned.benchmark->name : "";
  out.backend = plan::backend_of(planned);
  out.plugin = planned.manifest ? planned.manifest->id : "";
  out.axes = planned.axes;
  out.comparison_key = planned.comparison_key;
  out.reference = planned.reference;
  out.is_reference = !planned.reference.empty() && planned.reference == planned.id;
  if (planned.looks > 0) out.looks = static_cast<std::uint64_t>(planned.looks);
  if (planned.benchmark && planned.benchmark->revision > 1)
    out.revision = static_cast<std::uint64_t>(planned.benchmark->revision);
  if (!planned.parameters.is_null()) out.parameters = planned.parameters;
  out.command = plan::command_of(planned);
  out.units = units_of(planned);
  out.written.assign(planned.written.begin(), planned.written.end());
  for (const auto& [name, value] : out.parameters.items())
    if (!planned.parameter_positions.contains(name)) out.defaults.push_back(name);
  out.environment.assign(planned.environment.begin(), planned.environment.end());
  out.placement = placement_of(planned.placement);
  out.conditions = model::conditions_to_json(planned.measure);
  out.position = planned.position;
  out.outcome = result.outcome;
  if (const auto& reason = result.reason; !reason.code.empty())
    out.reason = model::Reason{reason.code,   reason.text,   reason.phase,  reason.rank,
                               reason.device, reason.domain, reason.number, result.reason_position};
  out.duration_s = 0;
  for (const result::Visit* visit : result.visits) *out.duration_s += visit->duration_s;
  if (result.measured) {
    for (const MetricResult& metric : result.metrics) out.metrics.push_back(metric_of(metric));
    out.time = result.time;
  }
  out.measurement = measurement_of(result);
  out.verification = verification_of(result);
  for (const Flag& flag : result.flags) out.flags.push_back(with_severity(flag));
  out.facts.assign(result.facts.begin(), result.facts.end());
  out.checks = checks_of(result);
  for (const ExpectationResult& each : result.expectations) out.expectations.push_back(expectation_of(each));
  const RankComparison comparison = compare_ranks(result.times);
  for (const RankTimes& rank : comparison.ranks)
    out.ranks.push_back({rank.rank, rank.devices, rank.median_s, rank.share_slowest});
  out.team = comparison_of_ranks(comparison);
  for (const TelemetrySummary& each : telemetry(result)) out.telemetry.push_back(telemetry_of(each));
  for (const result::Visit* visit : result.last_attempts)
    if (out.telemetry_problem.empty()) out.telemetry_problem = printable(visit->telemetry_problem);
  for (const result::Throttling& each : result::throttling(result.last_attempts, plan::meaning_of(planned)))
    out.throttle.push_back({each.device, each.reason, each.share});
  out.samples = samples_of(result);
  out.timeline = timeline_of(result);
  out.visits = visits_of(result);
  out.log = log_of(result);
  out.diagnostics = diagnostics_of(result);
  out.reproduce = reproduce;
  return out;
}

}  // namespace assay::judge
