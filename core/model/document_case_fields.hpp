// SPDX-License-Identifier: Apache-2.0
//
// Of a case: the tables of its fields, from which come its reader, its writer, its JSON Schema and its reference page.
#pragma once

#include "model/document_case.hpp"
#include "model/document_timeline_fields.hpp"
#include "model/field.hpp"

namespace assay {

constexpr auto fields_of(const Position*) {
  return model::object(model::field("file", &Position::file), model::field("line", &Position::line),
                       model::field("column", &Position::column));
}

constexpr const char* definition_of(const Position*) { return "position"; }

constexpr auto fields_of(const WrittenUnit*) {
  return model::object(model::field("unit", &WrittenUnit::unit), model::field("scale", &WrittenUnit::scale));
}

}  // namespace assay

namespace assay::model {

inline constexpr const char* kWrittenNote =
    "the unit that the suite wrote for the number or for its limit, and its size in base units";

constexpr auto fields_of(const Axis*) {
  return object(field("name", &Axis::name), field("text", &Axis::text), field("value", &Axis::value));
}

constexpr auto fields_of(const Placement*) {
  return object(field("ranks", &Placement::ranks), field("devices", &Placement::devices),
                field("bind", &Placement::bind), field("load", &Placement::load),
                field("nodes", &Placement::nodes));
}

constexpr auto fields_of(const Reason*) {
  return object(field("code", &Reason::code), field("text", &Reason::text), field("phase", &Reason::phase),
                field("rank", &Reason::rank).note("-1: not attributed to one rank"),
                field("device", &Reason::device), field("domain", &Reason::domain).or_default(),
                field("number", &Reason::number).or_default(), field("position", &Reason::position));
}

constexpr auto fields_of(const Bounds*) {
  return object(field("low", &Bounds::low).with(kOrNull), field("high", &Bounds::high).with(kOrNull));
}

constexpr auto fields_of(const Interval*) {
  return object(field("low", &Interval::low).with(kOrNull), field("high", &Interval::high).with(kOrNull),
                field("level", &Interval::level), field("kind", &Interval::kind).one_of(kIntervalKinds));
}

constexpr auto fields_of(const NoInterval*) {
  return object(field("code", &NoInterval::code), field("text", &NoInterval::text).if_any());
}

constexpr auto fields_of(const Spread*) {
  return object(field("minimum", &Spread::minimum), field("p5", &Spread::p5), field("p95", &Spread::p95),
                field("maximum", &Spread::maximum));
}

constexpr auto fields_of(const Peak*) {
  return object(field("value", &Peak::value), field("share", &Peak::share).with(kNeverNull),
                field("name", &Peak::name), field("source", &Peak::source),
                field("interval", &Peak::interval)
                    .if_any()
                    .note("at 95 %, if the case measured the peak beside its work in three rounds or more"));
}

constexpr auto fields_of(const Delta*) {
  return object(field("reference", &Delta::reference), field("ratio", &Delta::ratio).with(kNeverNull),
                field("low", &Delta::bounds, &Bounds::low).with(kOrNull),
                field("high", &Delta::bounds, &Bounds::high).with(kOrNull),
                field("verdict", &Delta::verdict).note("different only if the metric has no direction"));
}

constexpr auto fields_of(const Metric*) {
  return object(
      field("name", &Metric::name), field("unit", &Metric::unit, &UnitText::base),
      field("direction", &Metric::direction).one_of(kDirections).note("which is better"),
      field("kind", &Metric::kind).detail().one_of(kMetricKinds), field("headline", &Metric::headline),
      field("indices", &Metric::indices),
      field("statistic", &Metric::statistic)
          .one_of(kStatistics)
          .note("slope: work over the part of the time that grows with iterations"),
      field("value", &Metric::value).with(kNeverNull),
      field("n", &Metric::n).detail().note("number of samples, or of laps"),
      field("written", &Metric::unit, &UnitText::as_written).if_any().note(kWrittenNote),
      field("mean", &Metric::mean)
          .detail()
          .if_any()
          .note("of a duration, if it differs from the median by more than 5 %"),
      field("rounds", &Metric::rounds),
      field("whole", &Metric::whole)
          .if_any()
          .note("for the statistic slope: work over the total time, one value for each round"),
      field("interval", &Metric::interval).detail().note("at 95 %"),
      field("no_interval", &Metric::no_interval).detail().or_default().note("why there is none"),
      field("verdict_interval", &Metric::verdict_interval)
          .detail()
          .note("the interval that decides verdicts: with fewer than three rounds widened by the run-to-run "
                "allowance; of a case with `looks` at the level of its looks"),
      field("spread", &Metric::spread).detail(), field("counting", &Metric::counting).detail(),
      field("flow", &Metric::flow).detail(), field("mechanism", &Metric::mechanism).detail(),
      field("peak", &Metric::peak).detail(), field("delta", &Metric::delta).detail());
}

constexpr const char* definition_of(const Metric*) { return "metric"; }

constexpr auto fields_of(const FixedCost*) {
  return object(field("value", &FixedCost::value), field("unit", &FixedCost::unit),
                field("interval", &FixedCost::interval).note("at 95 %"),
                field("share", &FixedCost::share).note("as a share of a sample's time"));
}

constexpr auto fields_of(const Measurement*) {
  return object(
      field("samples", &Measurement::samples),
      field("iterations_per_sample", &Measurement::iterations_per_sample),
      field("warmup_iterations", &Measurement::warmup_iterations), field("warmup_s", &Measurement::warmup_s),
      field("stop", &Measurement::stop), field("autocorrelation_time", &Measurement::autocorrelation_time),
      field("effective_samples", &Measurement::effective_samples), field("clock", &Measurement::clock),
      field("tick_s", &Measurement::tick_s), field("done", &Measurement::done),
      field("fixed_cost", &Measurement::fixed_cost)
          .if_any()
          .note("the part of a sample's time that does not grow with its iterations: 2 T(n) - T(2n)"));
}

constexpr auto fields_of(const Percentile*) {
  return object(field("share", &Percentile::share), field("value", &Percentile::value),
                field("low", &Percentile::low),
                field("high", &Percentile::high).note("null: too little was seen beyond the value"));
}

constexpr auto fields_of(const TimeSummary*) {
  return object(field("median", &TimeSummary::median), field("mean", &TimeSummary::mean),
                field("minimum", &TimeSummary::minimum), field("p5", &TimeSummary::p5),
                field("p25", &TimeSummary::p25), field("p75", &TimeSummary::p75),
                field("p95", &TimeSummary::p95), field("p99", &TimeSummary::p99),
                field("maximum", &TimeSummary::maximum), field("mad", &TimeSummary::mad),
                field("stdev", &TimeSummary::stdev), field("first", &TimeSummary::first),
                field("tail", &TimeSummary::tail)
                    .if_any()
                    .note("p99 and p99.9 of 500 iterations or more that were timed one by one"));
}

constexpr auto fields_of(const Verification*) {
  return object(field("verified", &Verification::verified), field("method", &Verification::method),
                field("exact", &Verification::exact), field("checked", &Verification::checked),
                field("wrong", &Verification::wrong), field("largest_error", &Verification::largest_error),
                field("tolerance", &Verification::tolerance));
}

constexpr auto fields_of(const Flag*) {
  return object(field("code", &Flag::code), field("text", &Flag::text),
                field("severity", &Flag::severity)
                    .if_any()
                    .one_of(kSeverities)
                    .note("note: information only, no action is needed"));
}

constexpr auto fields_of(const Check*) {
  return object(field("name", &Check::name), field("subject", &Check::subject),
                field("passed", &Check::passed), field("text", &Check::text));
}

inline constexpr const char* kPostHocNote = "true: new or changed since the run, and judged by `assay judge`";

constexpr auto fields_of(const Expectation*) {
  return object(field("text", &Expectation::text), field("status", &Expectation::status),
                field("value", &Expectation::value).with(kScalar),
                field("unit", &Expectation::unit, &UnitText::base),
                field("written", &Expectation::unit, &UnitText::as_written).if_any().note(kWrittenNote),
                field("limit", &Expectation::limit).with(kScalar),
                field("operator", &Expectation::op).one_of(kComparisons), field("say", &Expectation::say),
                field("why", &Expectation::why), field("position", &Expectation::position),
                field("post_hoc", &Expectation::post_hoc).if_any().note(kPostHocNote));
}

constexpr auto fields_of(const Rank*) {
  return object(field("rank", &Rank::rank), field("devices", &Rank::devices),
                field("median_s", &Rank::median_s), field("share_slowest", &Rank::share_slowest));
}

constexpr auto fields_of(const StartSkew*) {
  return object(field("median", &StartSkew::median), field("maximum", &StartSkew::maximum));
}

constexpr auto fields_of(const RankComparison*) {
  return object(field("mean_over_ranks_s", &RankComparison::mean_over_ranks_s)
                    .note("mean time of an iteration over samples and ranks, as nccl-tests prints it"),
                field("start_skew_s", &RankComparison::start_skew_s)
                    .note("time from the first rank's start of a sample to the last rank's start"));
}

constexpr auto fields_of(const Telemetry*) {
  return object(field("device", &Telemetry::device), field("quantity", &Telemetry::quantity),
                field("unit", &Telemetry::unit).if_any(),
                field("kind", &Telemetry::kind).if_any().one_of(kQuantityKinds),
                field("minimum", &Telemetry::minimum).note("of a gauge's readings"),
                field("mean", &Telemetry::mean), field("maximum", &Telemetry::maximum),
                field("added", &Telemetry::added)
                    .if_any()
                    .with(kOrNull)
                    .note("increase of a counter; null if the counter was reset, or read only once"),
                field("during", &Telemetry::during).or_default().one_of(kPeriods));
}

constexpr auto fields_of(const Throttled*) {
  return object(field("device", &Throttled::device), field("reason", &Throttled::reason),
                field("share", &Throttled::share).with(kNeverNull));
}

constexpr auto fields_of(const Samples*) {
  return object(
      field("iterations", &Samples::iterations),
      field("time_s", &Samples::time_s)
          .note("time of each sample on its slowest rank; at most 200 samples are kept, evenly spaced"),
      field("thinned", &Samples::thinned));
}

constexpr auto fields_of(const Visit*) {
  return object(field("round", &Visit::round), field("attempt", &Visit::attempt),
                field("outcome", &Visit::outcome).one_of(kOutcomes), field("duration_s", &Visit::duration_s),
                field("value", &Visit::value));
}

constexpr auto fields_of(const UnpublishedMetric*) {
  return object(field("name", &UnpublishedMetric::name), field("unit", &UnpublishedMetric::unit),
                field("indices", &UnpublishedMetric::indices), field("value", &UnpublishedMetric::value),
                field("n", &UnpublishedMetric::n));
}

constexpr auto fields_of(const Unpublished*) {
  return object(field("why", &Unpublished::why), field("metrics", &Unpublished::metrics));
}

constexpr auto fields_of(const Case*) {
  return object(
      field("id", &Case::id), field("case", &Case::name).detail().note("as the suite names it"),
      field("benchmark", &Case::benchmark), field("backend", &Case::backend),
      field("plugin", &Case::plugin).detail(), field("axes", &Case::axes),
      field("comparison_key", &Case::comparison_key),
      field("reference", &Case::reference)
          .detail()
          .with(kNullIfEmpty)
          .note("id of the row that deltas refer to"),
      field("is_reference", &Case::is_reference).detail(),
      field("revision", &Case::revision).if_any().note("of the benchmark, if it is not 1"),
      field("looks", &Case::looks)
          .detail()
          .if_any()
          .note(
              "how often the case was given more rounds because a verdict was open: its intervals decide at "
              "97.5 % after the first time, at 98.75 % after the second, …"),
      field("parameters", &Case::parameters),
      field("command", &Case::command).if_any().note("of `external`: program and arguments"),
      field("units", &Case::units).detail().note("of parameters that have a unit"),
      field("written", &Case::written)
          .detail()
          .if_any()
          .note("parameters that the suite writes with a unit, as it writes them: 512kB"),
      field("defaults", &Case::defaults)
          .detail()
          .or_default()
          .note("parameters that the suite left at their defaults"),
      field("environment", &Case::environment).note("null: the variable is removed"),
      field("placement", &Case::placement), field("conditions", &Case::conditions),
      field("position", &Case::position).detail(), field("outcome", &Case::outcome).one_of(kOutcomes),
      field("reason", &Case::reason).note("null when passed"),
      field("duration_s", &Case::duration_s).detail(), field("metrics", &Case::metrics),
      field("measurement", &Case::measurement).detail(), field("time", &Case::time).detail(),
      field("verification", &Case::verification), field("flags", &Case::flags), field("facts", &Case::facts),
      field("checks", &Case::checks), field("expectations", &Case::expectations),
      field("ranks", &Case::ranks).detail(),
      field("team", &Case::team).detail().if_any().note("with several ranks"),
      field("telemetry", &Case::telemetry).detail(),
      field("telemetry_problem", &Case::telemetry_problem)
          .detail()
          .if_any()
          .note("why readings are missing or were refused"),
      field("throttle", &Case::throttle).detail(), field("samples", &Case::samples).detail(),
      field("timeline", &Case::timeline)
          .detail()
          .if_any()
          .note("of one extra iteration that is not timed; only if a timeline was asked for"),
      field("visits", &Case::visits).detail(),
      field("log", &Case::log)
          .detail()
          .note("end of the log if the case did not pass; a backtrace is last if a signal ended the worker"),
      field("diagnostics", &Case::diagnostics)
          .detail()
          .with(kObjectOrNull)
          .note("of a case that did not pass: values that it measured all the same; never in tables"),
      field("reproduce", &Case::reproduce).detail());
}

constexpr const char* definition_of(const Case*) { return "case"; }

}  // namespace assay::model
