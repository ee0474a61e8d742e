// SPDX-License-Identifier: Apache-2.0
#include "result/visit.hpp"

#include "model/field_json.hpp"
#include "model/processor_use_fields.hpp"

namespace assay::result {

using model::field;

static bool is_absent(const Reason& reason) { return reason.code.empty(); }

static constexpr auto fields_of(const Reason*) {
  return model::object(field("code", &Reason::code), field("text", &Reason::text),
                       field("domain", &Reason::domain), field("number", &Reason::number),
                       field("phase", &Reason::phase), field("rank", &Reason::rank),
                       field("device", &Reason::device), field("parameter", &Reason::parameter));
}

static constexpr auto fields_of(const Series*) {
  return model::object(field("iterations", &Series::iterations), field("device_s", &Series::device_s),
                       field("host_s", &Series::host_s), field("begin_s", &Series::begin_s),
                       field("laps_s", &Series::laps_s));
}

static constexpr auto fields_of(const Value*) {
  return model::object(field("metric", &Value::metric), field("indices", &Value::indices),
                       field("value", &Value::value));
}

static constexpr auto fields_of(const Check*) {
  return model::object(field("name", &Check::name), field("subject", &Check::subject),
                       field("passed", &Check::passed), field("text", &Check::text));
}

static constexpr auto fields_of(const Span*) {
  return model::object(field("track", &Span::track), field("name", &Span::name),
                       field("begin_ns", &Span::begin_ns), field("end_ns", &Span::end_ns),
                       field("iteration", &Span::iteration));
}

static constexpr auto fields_of(const Verification*) {
  return model::object(field("phase", &Verification::phase), field("method", &Verification::method),
                       field("exact", &Verification::exact), field("checked", &Verification::checked),
                       field("wrong", &Verification::wrong),
                       field("largest_error", &Verification::largest_error),
                       field("tolerance", &Verification::tolerance));
}

static constexpr auto fields_of(const RankRecord*) {
  return model::object(field("rank", &RankRecord::rank), field("devices", &RankRecord::devices),
                       field("series", &RankRecord::series), field("values", &RankRecord::values),
                       field("facts", &RankRecord::facts), field("checks", &RankRecord::checks),
                       field("spans", &RankRecord::spans), field("verifications", &RankRecord::verifications),
                       field("log", &RankRecord::log));
}

static constexpr auto fields_of(const Measurement*) {
  return model::object(
      field("clock", &Measurement::clock), field("tick_s", &Measurement::tick_s),
      field("calibrated_n", &Measurement::calibrated_n),
      field("warmup_iterations", &Measurement::warmup_iterations), field("warmup_s", &Measurement::warmup_s),
      field("stop", &Measurement::stop), field("done", &Measurement::done),
      field("launches_per_iteration", &Measurement::launches_per_iteration),
      field("flags", &Measurement::flags), field("told", &Measurement::told).if_any(),
      field("n_ratio", &Measurement::n_ratio), field("once_s", &Measurement::once_s).if_any(),
      field("twice_s", &Measurement::twice_s).if_any(), field("judged", &Measurement::judged),
      // Journals of 0.1.0's first weeks do not have it.
      field("first_sample_at_s", &Measurement::first_sample_at_s).or_default());
}

// Readings come ten times a second from every device, so they are rows.
static constexpr auto fields_of(const Reading*) {
  return model::row(field("at_s", &Reading::at_s), field("device", &Reading::device),
                    field("quantity", &Reading::quantity), field("value", &Reading::value));
}

static constexpr auto fields_of(const ThrottleReason*) {
  return model::row(field("at_s", &ThrottleReason::at_s), field("device", &ThrottleReason::device),
                    field("reason", &ThrottleReason::reason));
}

static constexpr auto fields_of(const OtherRun*) {
  return model::row(field("pid", &OtherRun::pid), field("suite", &OtherRun::suite),
                    field("since_s", &OtherRun::since_s));
}

static constexpr auto fields_of(const Visit*) {
  return model::object(field("case", &Visit::case_id), field("round", &Visit::round),
                       field("attempt", &Visit::attempt), field("outcome", &Visit::outcome),
                       field("reason", &Visit::reason), field("started_at_s", &Visit::started_at_s),
                       field("duration_s", &Visit::duration_s), field("measurement", &Visit::measurement),
                       field("work", &Visit::work), field("ranks", &Visit::ranks),
                       field("telemetry", &Visit::telemetry), field("throttle", &Visit::throttle),
                       field("notes", &Visit::notes), field("processors", &Visit::processors).if_any(),
                       field("beside", &Visit::beside).if_any(),
                       field("telemetry_problem", &Visit::telemetry_problem).if_any());
}

namespace {

model::DocumentSource record() {
  return {"journal.malformed", "visit record", "it was written by another version or is damaged"};
}

}  // namespace

Json to_json(const Series& series) { return model::to_json(series); }
Series series_from_json(const Json& json) { return model::from_json<Series>(json, record()); }
Json to_json(const Visit& visit) { return model::to_json(visit); }
Visit visit_from_json(const Json& json) { return model::from_json<Visit>(json, record()); }

void Visit::raise(const std::string& flag, std::string why) {
  measurement.flags.push_back(flag);
  measurement.told.emplace(flag, why);
  notes.push_back(std::move(why));
}

bool is_during_samples(const Visit& visit, double at_s) {
  const double first_s = visit.measurement.first_sample_at_s;
  if (first_s == 0 || visit.ranks.empty()) return false;
  const Series& series = visit.ranks.front().series;
  if (series.begin_s.empty() || series.host_s.empty()) return false;
  return at_s >= first_s && at_s <= first_s + series.begin_s.back() + series.host_s.back();
}

}  // namespace assay::result
