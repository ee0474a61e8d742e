// SPDX-License-Identifier: Apache-2.0
#include "judge/document.hpp"
#include "judge/team.hpp"
#include "judge/telemetry.hpp"
#include "model/measure_options.hpp"
#include "result/reasons.hpp"
#include "result/throttle.hpp"
#include "statistics/summary.hpp"
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

// Names of the ASSAY_DONE_* bits (sdk/include/assay/abi/v1.h), by bit.
constexpr std::array<const char*, 5> kDone = {"gated", "graph", "flushed", "rotated", "hot"};

Json done_words(std::uint32_t done) {
  Json words = Json::array();
  for (std::size_t bit = 0; bit < kDone.size(); ++bit)
    if (done >> bit & 1) words.push_back(kDone[bit]);
  return words;
}

const char* to_text(catalog::Direction direction) {
  switch (direction) {
    case catalog::Direction::higher:
      return "higher";
    case catalog::Direction::lower:
      return "lower";
    case catalog::Direction::none:
      return "none";
  }
  return "none";
}

Json interval_json(const Interval& interval) {
  return {{"low", number(interval.low)}, {"high", number(interval.high)}};
}

// Why there is none; null if there is one. Of what was seen as it is nobody expects one, and there may be
// thousands of such values: the code alone says it.
Json no_interval_json(const MetricResult& metric) {
  if (metric.interval) return nullptr;
  if (metric.no_interval == kSeenAsItIs) return {{"code", metric.no_interval}};
  const result::ReasonRow* row = result::find_reason(metric.no_interval);
  return {{"code", metric.no_interval}, {"text", row ? std::string(row->meaning) : std::string()}};
}

Json metric_json(const MetricResult& metric) {
  Json json = {{"name", metric.name},
               {"unit", metric.unit},
               {"direction", to_text(metric.direction)},
               {"kind", metric.kind},
               {"headline", metric.headline},
               {"indices", metric.indices},
               {"statistic", metric.statistic},
               {"value", number(metric.value)},
               {"n", metric.n}};
  if (Json written = written_json(metric.shown_unit()); !written.is_null())
    json["written"] = std::move(written);
  json["rounds"] = Json::array();
  for (const double value : metric.rounds) json["rounds"].push_back(number(value));
  if (metric.interval)
    json["interval"] = {{"low", number(metric.interval->low)},
                        {"high", number(metric.interval->high)},
                        {"level", 0.95},
                        {"kind", metric.between_process ? "between_process" : "within_process"}};
  else
    json["interval"] = nullptr;
  json["no_interval"] = no_interval_json(metric);
  json["verdict_interval"] = interval_json(metric.verdict_interval);
  json["spread"] = nullptr;
  if (metric.spread)
    json["spread"] = {{"minimum", number(metric.spread->minimum)},
                      {"p5", number(metric.spread->p5)},
                      {"p95", number(metric.spread->p95)},
                      {"maximum", number(metric.spread->maximum)}};
  json["counting"] = metric.counting;
  json["flow"] = metric.flow;
  json["mechanism"] = metric.mechanism;
  json["peak"] = nullptr;
  if (metric.peak)
    json["peak"] = {{"value", metric.peak->value},
                    {"share", number(metric.value / metric.peak->value)},
                    {"name", metric.peak->name},
                    {"source", metric.peak->source}};
  json["delta"] = nullptr;
  if (metric.delta)
    json["delta"] = {{"reference", metric.delta->reference},
                     {"ratio", number(metric.delta->ratio)},
                     {"low", number(metric.delta->interval.low)},
                     {"high", number(metric.delta->interval.high)},
                     {"verdict", metric.delta->verdict}};
  return json;
}

Json axes_json(const plan::Case& planned) {
  Json axes = Json::array();
  for (const plan::AxisPoint& point : planned.axes)
    axes.push_back({{"name", point.name}, {"text", point.text}, {"value", point.value}});
  return axes;
}

Json units_json(const plan::Case& planned) {
  Json units = Json::object();
  if (planned.benchmark)
    for (const catalog::Parameter& parameter : planned.benchmark->parameters)
      if (!parameter.unit.empty() && parameter.unit != "1") units[parameter.name] = parameter.unit;
  return units;
}

Json reason_json(const CaseResult& result) {
  if (result.reason.code.empty()) return nullptr;
  return {{"code", result.reason.code},     {"text", result.reason.text},
          {"phase", result.reason.phase},   {"rank", result.reason.rank},
          {"device", result.reason.device}, {"domain", result.reason.domain},
          {"number", result.reason.number}, {"position", position_json(result.reason_position)}};
}

Json measurement_json(const CaseResult& result) {
  if (result.finals.empty()) return nullptr;
  const result::Measurement& first = result.finals.front()->measurement;
  std::size_t samples = 0;
  std::uint32_t done = ~std::uint32_t{0};
  std::uint64_t warmup_iterations = 0;
  double warmup_s = 0;
  std::string stop = first.stop;
  for (const result::Visit* visit : result.finals) {
    if (!visit->ranks.empty())
      samples +=
          std::max(visit->ranks.front().series.device_s.size(), visit->ranks.front().series.host_s.size());
    done &= visit->measurement.done;
    warmup_iterations += visit->measurement.warmup_iterations;
    warmup_s += visit->measurement.warmup_s;
    if (visit->measurement.stop != "converged") stop = visit->measurement.stop;  // the least satisfied round
  }
  const std::uint64_t iterations = first.calibrated_n != 0 || result.finals.front()->ranks.empty()
                                       ? first.calibrated_n
                                       : result.finals.front()->ranks.front().series.iterations;
  return {{"samples", samples},
          {"iterations_per_sample", iterations},
          {"warmup_iterations", warmup_iterations},
          {"warmup_s", number(warmup_s)},
          {"stop", stop},
          {"autocorrelation_time", number(result.autocorrelation_time)},
          {"effective_samples", number(result.effective_samples)},
          {"clock", first.clock},
          {"tick_s", number(first.tick_s)},
          {"done", done_words(done)}};
}

Json time_json(const CaseResult& result) {
  if (!result.time || !result.measured) return nullptr;
  const TimeSummary& t = *result.time;
  return {{"median", number(t.median)},   {"mean", number(t.mean)},
          {"minimum", number(t.minimum)}, {"p5", number(t.p5)},
          {"p25", number(t.p25)},         {"p75", number(t.p75)},
          {"p95", number(t.p95)},         {"p99", t.p99 ? number(*t.p99) : Json()},
          {"maximum", number(t.maximum)}, {"mad", number(t.mad)},
          {"stdev", number(t.stdev)},     {"first", number(t.first)}};
}

// Phases may compare other things, each within a tolerance of its own: the one that came nearest to it is told.
double share_of_tolerance(const result::Verification& seen) {
  if (!(seen.largest_error > 0)) return 0;
  return seen.tolerance > 0 ? seen.largest_error / seen.tolerance : std::numeric_limits<double>::infinity();
}

Json verification_json(const CaseResult& result) {
  result::Verification sum;
  bool any = false;
  for (const result::Visit* visit : result.finals)
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
  if (!any) return nullptr;
  return {{"verified", result.verified && sum.wrong == 0},
          {"method", printable(sum.method)},
          {"exact", sum.exact},
          {"checked", sum.checked},
          {"wrong", sum.wrong},
          {"largest_error", number(sum.largest_error)},
          {"tolerance", number(sum.tolerance)}};
}

Json expectation_json(const ExpectationResult& each) {
  Json json = {{"text", each.expectation->text}, {"status", each.status}};
  const Relation& relation = each.relation;
  json["value"] =
      relation.is_text ? Json(relation.measured_text)
      : relation.measured.ok() && (relation.measured.estimate.interval.low != 0 ||
                                   relation.measured.estimate.interval.high != 0 || relation.limit.ok())
          ? number(relation.measured.estimate.value)
          : Json();
  json["unit"] = each.unit.base;
  if (Json written = written_json(each.unit); !written.is_null()) json["written"] = std::move(written);
  json["limit"] = relation.is_text                                ? Json(relation.limit_text)
                  : relation.measured.ok() && relation.limit.ok() ? number(relation.limit.estimate.value)
                                                                  : Json();
  json["operator"] = to_text(relation.comparison);
  json["say"] = each.expectation->say;
  json["why"] = each.why;
  json["position"] = position_json(each.expectation->position);
  return json;
}

Json flag_json(const Flag& flag) {
  const result::ReasonRow* row = result::find_reason(flag.code);
  const result::ReasonSeverity severity = row ? row->severity : result::ReasonSeverity::warning;
  return {{"code", flag.code}, {"text", flag.text}, {"severity", result::to_text(severity)}};
}

Json checks_json(const CaseResult& result) {
  Json checks = Json::array();
  for (const result::Visit* visit : result.finals)
    for (const result::RankRecord& rank : visit->ranks)
      for (const result::Check& check : rank.checks) {
        Json json = {{"name", printable(check.name)},
                     {"subject", printable(check.subject)},
                     {"passed", check.passed},
                     {"text", printable(check.text)}};
        // The same check in every round is one line, unless a round says something else.
        if (std::find(checks.begin(), checks.end(), json) == checks.end()) checks.push_back(std::move(json));
      }
  return checks;
}

Json ranks_json(const Team& team) {
  Json ranks = Json::array();
  for (const RankTimes& rank : team.ranks)
    ranks.push_back({{"rank", rank.rank},
                     {"devices", rank.devices},
                     {"median_s", number(rank.median_s)},
                     {"share_slowest", number(rank.share_slowest)}});
  return ranks;
}

// How ranks went together; null with one rank.
Json team_json(const Team& team) {
  if (team.ranks.size() < 2) return nullptr;
  Json skew = nullptr;
  if (!team.start_skew_s.empty()) {
    skew = {{"median", number(statistics::median(team.start_skew_s))},
            {"maximum", number(*std::max_element(team.start_skew_s.begin(), team.start_skew_s.end()))}};
  }
  return {{"mean_over_ranks_s", number(team.mean_over_ranks_s)}, {"start_skew_s", std::move(skew)}};
}

Json samples_json(const CaseResult& result) {
  if (result.times.empty() || !result.measured) return nullptr;
  const std::uint64_t iterations = result.times.front().iterations;
  const bool alike = std::all_of(result.times.begin(), result.times.end(),
                                 [&](const VisitTimes& times) { return times.iterations == iterations; });
  std::vector<double> all;
  for (const VisitTimes& times : result.times)
    for (const double sample : times.sample_s)
      all.push_back(alike ? sample : sample / static_cast<double>(times.iterations));
  Json kept = Json::array();
  const std::size_t count = std::min(all.size(), kKeptSamples);
  for (std::size_t i = 0; i < count; ++i) kept.push_back(number(all[i * all.size() / count]));
  return {
      {"iterations", alike ? iterations : 1}, {"time_s", std::move(kept)}, {"thinned", all.size() > count}};
}

Json visits_json(const CaseResult& result) {
  Json visits = result.earlier ? result.earlier->visits : Json::array();
  const int before = result.earlier ? result.earlier->attempts : 0;
  const MetricResult* headline = result.measured ? result.headline() : nullptr;
  for (const result::Visit* visit : result.visits) {
    const auto at = std::find(result.finals.begin(), result.finals.end(), visit);
    const std::size_t index = static_cast<std::size_t>(at - result.finals.begin());
    const bool has = headline && at != result.finals.end() && index < headline->rounds.size();
    visits.push_back({{"round", visit->round},
                      {"attempt", visit->attempt + before},
                      {"outcome", result::to_text(visit->outcome)},
                      {"duration_s", number(visit->duration_s)},
                      {"value", has ? number(headline->rounds[index]) : Json()}});
  }
  return visits;
}

Json diagnostics_json(const CaseResult& result) {
  const std::vector<MetricResult>& metrics = result.withheld;
  if (metrics.empty()) return nullptr;
  Json list = Json::array();
  for (const MetricResult& metric : metrics)
    list.push_back({{"name", metric.name},
                    {"unit", metric.unit},
                    {"indices", metric.indices},
                    {"value", number(metric.value)},
                    {"n", metric.n}});
  return {{"why", result.reason.code.empty() || result.measured ? "the result was not verified"
                                                                : result.reason.text},
          {"metrics", std::move(list)}};
}

Json telemetry_json(const TelemetrySummary& each) {
  Json json = {{"device", each.device}, {"quantity", each.quantity}};
  const bool is_counter = each.declared != nullptr && each.declared->kind == catalog::QuantityKind::counter;
  if (each.declared != nullptr) {
    json["unit"] = each.declared->unit;
    json["kind"] = is_counter ? "counter" : "gauge";
  }
  json["minimum"] = each.range ? number(each.range->minimum) : Json();
  json["mean"] = each.range ? number(each.range->mean) : Json();
  json["maximum"] = each.range ? number(each.range->maximum) : Json();
  if (is_counter) json["added"] = each.added ? number(*each.added) : Json();
  json["during"] = each.during_samples ? "samples" : "visit";
  return json;
}

Json placement_json(const plan::Placement& placement) {
  std::vector<std::string> devices;
  int nodes = 0;
  for (const plan::RankPlacement& rank : placement.ranks) {
    devices.insert(devices.end(), rank.devices.begin(), rank.devices.end());
    nodes = std::max(nodes, rank.node + 1);
  }
  return {{"ranks", placement.ranks.size()},
          {"devices", devices},
          {"bind", placement.bind},
          {"load", placement.load},
          {"nodes", nodes}};
}

}  // namespace

Json case_json(const CaseResult& result, const std::string& suite_case, const std::string& reproduce) {
  const plan::Case& planned = *result.planned;
  Json json;
  json["id"] = planned.id;
  json["case"] = suite_case;
  json["benchmark"] = planned.benchmark ? planned.benchmark->name : "";
  json["backend"] = plan::backend_of(planned);
  json["plugin"] = planned.manifest ? planned.manifest->id : "";
  json["axes"] = axes_json(planned);
  json["comparison_key"] = planned.comparison_key;
  json["reference"] = planned.reference.empty() ? Json() : Json(planned.reference);
  json["is_reference"] = !planned.reference.empty() && planned.reference == planned.id;
  json["parameters"] = planned.parameters.is_null() ? Json::object() : planned.parameters;
  if (!planned.external.is_null()) json["command"] = planned.external.at("arguments");
  json["units"] = units_json(planned);
  json["defaults"] = Json::array();
  for (const auto& [name, value] : json["parameters"].items())
    if (!planned.parameter_positions.contains(name)) json["defaults"].push_back(name);
  json["environment"] = Json::object();
  for (const auto& [name, value] : planned.environment)
    json["environment"][name] = value ? Json(*value) : Json();
  json["placement"] = placement_json(planned.placement);
  json["conditions"] = model::conditions_to_json(planned.measure);
  json["position"] = position_json(planned.position);
  json["outcome"] = result::to_text(result.outcome);
  json["reason"] = reason_json(result);
  double duration = 0;
  for (const result::Visit* visit : result.visits) duration += visit->duration_s;
  json["duration_s"] = number(duration);
  json["metrics"] = Json::array();
  if (result.measured)
    for (const MetricResult& metric : result.metrics) json["metrics"].push_back(metric_json(metric));
  json["measurement"] = measurement_json(result);
  json["time"] = time_json(result);
  json["verification"] = verification_json(result);
  json["flags"] = Json::array();
  for (const Flag& flag : result.flags) json["flags"].push_back(flag_json(flag));
  json["facts"] = Json::object();
  for (const auto& [name, text] : result.facts) json["facts"][name] = text;
  json["checks"] = checks_json(result);
  json["expectations"] = Json::array();
  for (const ExpectationResult& each : result.expectations)
    json["expectations"].push_back(expectation_json(each));
  const Team team = team_of(result.times);
  json["ranks"] = ranks_json(team);
  if (Json together = team_json(team); !together.is_null()) json["team"] = std::move(together);
  json["telemetry"] = Json::array();
  for (const TelemetrySummary& each : telemetry(result)) json["telemetry"].push_back(telemetry_json(each));
  for (const result::Visit* visit : result.finals)
    if (!visit->telemetry_problem.empty() && !json.contains("telemetry_problem"))
      json["telemetry_problem"] = printable(visit->telemetry_problem);
  json["throttle"] = Json::array();
  for (const result::Throttling& each : result::throttling(result.finals, plan::meaning_of(planned)))
    json["throttle"].push_back(
        {{"device", each.device}, {"reason", each.reason}, {"share", number(each.share)}});
  json["samples"] = samples_json(result);
  if (Json timeline = timeline_json(result); !timeline.is_null()) json["timeline"] = std::move(timeline);
  json["visits"] = visits_json(result);
  json["log"] = log_of(result);
  json["diagnostics"] = diagnostics_json(result);
  json["reproduce"] = reproduce;
  return json;
}

}  // namespace assay::judge
