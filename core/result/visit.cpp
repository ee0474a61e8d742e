// SPDX-License-Identifier: Apache-2.0
#include "result/visit.hpp"

#include "base/error.hpp"

#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace assay::result {
namespace {

[[noreturn]] void malformed(std::string_view where, std::string_view key, std::string_view problem) {
  std::string text = "visit record: key '";
  text += where;
  text += key;
  text += "' ";
  text += problem;
  text += "; the record was written by another version or is damaged";
  throw Error("journal.malformed", text);
}

// Builds an object whose keys all differ. The library's own way makes an array of each pair first and
// compares each key with all before it, which costs several times as much, in every visit.
class Fields {
 public:
  explicit Fields(std::size_t count) : json_(Json::object()) { object().reserve(count); }
  Fields& add(const char* key, Json value) {
    object().emplace_back(key, std::move(value));
    return *this;
  }
  [[nodiscard]] Json take() { return std::move(json_); }

 private:
  Json::object_t& object() { return json_.get_ref<Json::object_t&>(); }
  Json json_;
};

// JSON has no NaN and no infinity; both travel as null and come back as NaN.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json numbers(const std::vector<double>& values) {
  Json json = Json::array();
  auto& array = json.get_ref<Json::array_t&>();
  array.reserve(values.size());
  for (const double value : values) array.push_back(number(value));
  return json;
}

// One object of the record. `where` is its path with a final dot, "ranks[].series."; empty for the record
// itself.
class Object {
 public:
  Object(const Json& json, std::string_view where) : json_(json), where_(where) {
    if (!json.is_object()) {
      throw Error("journal.malformed", "visit record: '" + std::string(where) + "' is no object");
    }
  }

  [[nodiscard]] const Json& member(std::string_view key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) malformed(where_, key, "is missing");
    return *found;
  }

  [[nodiscard]] std::string text(std::string_view key) const { return as_text(member(key), key); }

  [[nodiscard]] bool boolean(std::string_view key) const {
    const Json& value = member(key);
    if (!value.is_boolean()) malformed(where_, key, "is not true or false");
    return value.get<bool>();
  }

  [[nodiscard]] double real(std::string_view key) const { return as_real(member(key), key); }

  template <class T>
  [[nodiscard]] T integer(std::string_view key) const {
    return as_integer<T>(member(key), key);
  }

  template <class T, class Read>
  [[nodiscard]] std::vector<T> list(std::string_view key, Read read) const {
    const Json& value = member(key);
    if (!value.is_array()) malformed(where_, key, "is no array");
    std::vector<T> result;
    result.reserve(value.size());
    for (const Json& element : value) result.push_back(read(element));
    return result;
  }

  [[nodiscard]] std::vector<double> reals(std::string_view key) const {
    return list<double>(key, [&](const Json& element) { return as_real(element, key); });
  }

  [[nodiscard]] std::vector<std::string> texts(std::string_view key) const {
    return list<std::string>(key, [&](const Json& element) { return as_text(element, key); });
  }

  template <class T>
  [[nodiscard]] std::vector<T> integers(std::string_view key) const {
    return list<T>(key, [&](const Json& element) { return as_integer<T>(element, key); });
  }

  template <class T, class Read>
  [[nodiscard]] std::map<std::string, T> map(std::string_view key, Read read) const {
    const Json& value = member(key);
    if (!value.is_object()) malformed(where_, key, "is no object");
    std::map<std::string, T> result;
    for (const auto& [name, element] : value.items()) result.emplace(name, read(element));
    return result;
  }

  [[nodiscard]] std::string as_text(const Json& value, std::string_view key) const {
    if (!value.is_string()) malformed(where_, key, "is no text");
    return value.get<std::string>();
  }

  [[nodiscard]] double as_real(const Json& value, std::string_view key) const {
    if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
    if (!value.is_number()) malformed(where_, key, "is no number");
    return value.get<double>();
  }

  template <class T>
  [[nodiscard]] T as_integer(const Json& value, std::string_view key) const {
    if (const auto found = assay::integer<T>(value)) return *found;
    malformed(where_, key, "is no integer of its range");
  }

 private:
  const Json& json_;
  std::string_view where_;
};

Json to_json(const Reason& reason) {
  if (reason.code.empty()) return nullptr;
  return Fields(8)
      .add("code", reason.code)
      .add("text", reason.text)
      .add("domain", reason.domain)
      .add("number", reason.number)
      .add("phase", reason.phase)
      .add("rank", reason.rank)
      .add("device", reason.device)
      .add("parameter", reason.parameter)
      .take();
}

Reason reason_from_json(const Json& json) {
  Reason reason;
  if (json.is_null()) return reason;
  const Object object(json, "reason.");
  reason.code = object.text("code");
  reason.text = object.text("text");
  reason.domain = object.text("domain");
  reason.number = object.integer<std::int64_t>("number");
  reason.phase = object.text("phase");
  reason.rank = object.integer<int>("rank");
  reason.device = object.text("device");
  reason.parameter = object.text("parameter");
  return reason;
}

Json to_json(const Measurement& measurement) {
  return Fields(12)
      .add("clock", measurement.clock)
      .add("tick_s", number(measurement.tick_s))
      .add("calibrated_n", measurement.calibrated_n)
      .add("warmup_iterations", measurement.warmup_iterations)
      .add("warmup_s", number(measurement.warmup_s))
      .add("stop", measurement.stop)
      .add("done", measurement.done)
      .add("launches_per_iteration", measurement.launches_per_iteration)
      .add("flags", measurement.flags)
      .add("n_ratio", number(measurement.n_ratio))
      .add("judged", measurement.judged)
      .add("first_sample_at_s", number(measurement.first_sample_at_s))
      .take();
}

Measurement measurement_from_json(const Json& json) {
  const Object object(json, "measurement.");
  Measurement measurement;
  measurement.clock = object.text("clock");
  measurement.tick_s = object.real("tick_s");
  measurement.calibrated_n = object.integer<std::uint64_t>("calibrated_n");
  measurement.warmup_iterations = object.integer<std::uint64_t>("warmup_iterations");
  measurement.warmup_s = object.real("warmup_s");
  measurement.stop = object.text("stop");
  measurement.done = object.integer<std::uint32_t>("done");
  measurement.launches_per_iteration = object.integer<std::uint32_t>("launches_per_iteration");
  measurement.flags = object.texts("flags");
  measurement.n_ratio = object.real("n_ratio");
  measurement.judged = object.boolean("judged");
  // Journals of 0.1.0's first weeks do not have it.
  if (json.contains("first_sample_at_s")) measurement.first_sample_at_s = object.real("first_sample_at_s");
  return measurement;
}

template <class T>
Json array(const std::vector<T>& elements, Json (*one)(const T&)) {
  Json json = Json::array();
  for (const T& element : elements) json.push_back(one(element));
  return json;
}

Json to_json(const Value& value) {
  return Fields(3)
      .add("metric", value.metric)
      .add("indices", value.indices)
      .add("value", number(value.value))
      .take();
}

Value value_from_json(const Json& json) {
  const Object object(json, "ranks[].values[].");
  return {object.text("metric"), object.integers<std::uint32_t>("indices"), object.real("value")};
}

Json to_json(const Check& check) {
  return Json{
      {"name", check.name}, {"subject", check.subject}, {"passed", check.passed}, {"text", check.text}};
}

Check check_from_json(const Json& json) {
  const Object object(json, "ranks[].checks[].");
  return {object.text("name"), object.text("subject"), object.boolean("passed"), object.text("text")};
}

Json to_json(const Span& span) {
  return Json{{"track", span.track},
              {"name", span.name},
              {"begin_ns", span.begin_ns},
              {"end_ns", span.end_ns},
              {"iteration", span.iteration}};
}

Span span_from_json(const Json& json) {
  const Object object(json, "ranks[].spans[].");
  return {object.text("track"), object.text("name"), object.integer<std::int64_t>("begin_ns"),
          object.integer<std::int64_t>("end_ns"), object.integer<std::uint64_t>("iteration")};
}

Json to_json(const Verification& verification) {
  return Fields(7)
      .add("phase", verification.phase)
      .add("method", verification.method)
      .add("exact", verification.exact)
      .add("checked", verification.checked)
      .add("wrong", verification.wrong)
      .add("largest_error", number(verification.largest_error))
      .add("tolerance", number(verification.tolerance))
      .take();
}

Verification verification_from_json(const Json& json) {
  const Object object(json, "ranks[].verifications[].");
  Verification verification;
  verification.phase = object.text("phase");
  verification.method = object.text("method");
  verification.exact = object.boolean("exact");
  verification.checked = object.integer<std::uint64_t>("checked");
  verification.wrong = object.integer<std::uint64_t>("wrong");
  verification.largest_error = object.real("largest_error");
  verification.tolerance = object.real("tolerance");
  return verification;
}

Json to_json(const RankRecord& record) {
  return Fields(9)
      .add("rank", record.rank)
      .add("devices", record.devices)
      .add("series", to_json(record.series))
      .add("values", array<Value>(record.values, to_json))
      .add("facts", record.facts)
      .add("checks", array<Check>(record.checks, to_json))
      .add("spans", array<Span>(record.spans, to_json))
      .add("verifications", array<Verification>(record.verifications, to_json))
      .add("log", record.log)
      .take();
}

RankRecord rank_record_from_json(const Json& json) {
  const Object object(json, "ranks[].");
  RankRecord record;
  record.rank = object.integer<int>("rank");
  record.devices = object.texts("devices");
  record.series = series_from_json(object.member("series"));
  record.values = object.list<Value>("values", value_from_json);
  record.facts =
      object.map<std::string>("facts", [&](const Json& text) { return object.as_text(text, "facts"); });
  record.checks = object.list<Check>("checks", check_from_json);
  record.spans = object.list<Span>("spans", span_from_json);
  record.verifications = object.list<Verification>("verifications", verification_from_json);
  record.log = object.text("log");
  return record;
}

// Readings come ten times a second from every device, so they are rows: [at_s, device, quantity, value].
Json to_json(const Reading& reading) {
  return Json::array({number(reading.at_s), reading.device, reading.quantity, number(reading.value)});
}

Reading reading_from_json(const Json& json) {
  if (!json.is_array() || json.size() != 4) malformed("", "telemetry[]", "is no row of four");
  const Json object_json = Json::object();
  const Object object(object_json, "");
  return {object.as_real(json[0], "telemetry[][0]"), object.as_text(json[1], "telemetry[][1]"),
          object.as_text(json[2], "telemetry[][2]"), object.as_real(json[3], "telemetry[][3]")};
}

Json to_json(const ThrottleReason& throttle) {
  return Json::array({number(throttle.at_s), throttle.device, throttle.reason});
}

ThrottleReason throttle_from_json(const Json& json) {
  if (!json.is_array() || json.size() != 3) malformed("", "throttle[]", "is no row of three");
  const Json object_json = Json::object();
  const Object object(object_json, "");
  return {object.as_real(json[0], "throttle[][0]"), object.as_text(json[1], "throttle[][1]"),
          object.as_text(json[2], "throttle[][2]")};
}

Json to_json(const OtherRun& run) { return Json::array({run.pid, run.suite, number(run.since_s)}); }

OtherRun other_run_from_json(const Json& json) {
  if (!json.is_array() || json.size() != 3) malformed("", "beside[]", "is no row of three");
  const Json object_json = Json::object();
  const Object object(object_json, "");
  return {object.as_integer<int>(json[0], "beside[][0]"), object.as_text(json[1], "beside[][1]"),
          object.as_real(json[2], "beside[][2]")};
}

}  // namespace

Json to_json(const Series& series) {
  return Fields(5)
      .add("iterations", series.iterations)
      .add("device_s", numbers(series.device_s))
      .add("host_s", numbers(series.host_s))
      .add("begin_s", numbers(series.begin_s))
      .add("laps_s", numbers(series.laps_s))
      .take();
}

Series series_from_json(const Json& json) {
  const Object object(json, "series.");
  Series series;
  series.iterations = object.integer<std::uint64_t>("iterations");
  series.device_s = object.reals("device_s");
  series.host_s = object.reals("host_s");
  series.begin_s = object.reals("begin_s");
  series.laps_s = object.reals("laps_s");
  return series;
}

Json to_json(const Visit& visit) {
  Fields work(visit.work.size());
  for (const auto& [metric, amount] : visit.work) work.add(metric.c_str(), number(amount));
  Fields fields(14);
  fields.add("case", visit.case_id)
      .add("round", visit.round)
      .add("attempt", visit.attempt)
      .add("outcome", to_text(visit.outcome))
      .add("reason", to_json(visit.reason))
      .add("started_at_s", number(visit.started_at_s))
      .add("duration_s", number(visit.duration_s))
      .add("measurement", to_json(visit.measurement))
      .add("work", work.take())
      .add("ranks", array<RankRecord>(visit.ranks, to_json))
      .add("telemetry", array<Reading>(visit.telemetry, to_json))
      .add("throttle", array<ThrottleReason>(visit.throttle, to_json))
      .add("notes", visit.notes);
  // Rare, and unknown to journals of before.
  if (!visit.beside.empty()) fields.add("beside", array<OtherRun>(visit.beside, to_json));
  if (!visit.telemetry_problem.empty()) fields.add("telemetry_problem", visit.telemetry_problem);
  return fields.take();
}

Visit visit_from_json(const Json& json) {
  const Object object(json, "");
  Visit visit;
  visit.case_id = object.text("case");
  visit.round = object.integer<int>("round");
  visit.attempt = object.integer<int>("attempt");
  const auto outcome = parse_outcome(object.text("outcome"));
  if (!outcome) malformed("", "outcome", "names no outcome");
  visit.outcome = *outcome;
  visit.reason = reason_from_json(object.member("reason"));
  visit.started_at_s = object.real("started_at_s");
  visit.duration_s = object.real("duration_s");
  visit.measurement = measurement_from_json(object.member("measurement"));
  visit.work = object.map<double>("work", [&](const Json& amount) { return object.as_real(amount, "work"); });
  visit.ranks = object.list<RankRecord>("ranks", rank_record_from_json);
  visit.telemetry = object.list<Reading>("telemetry", reading_from_json);
  visit.throttle = object.list<ThrottleReason>("throttle", throttle_from_json);
  visit.notes = object.texts("notes");
  if (json.contains("beside")) visit.beside = object.list<OtherRun>("beside", other_run_from_json);
  if (json.contains("telemetry_problem")) visit.telemetry_problem = object.text("telemetry_problem");
  return visit;
}

bool is_during_samples(const Visit& visit, double at_s) {
  const double first_s = visit.measurement.first_sample_at_s;
  if (first_s == 0 || visit.ranks.empty()) return false;
  const Series& series = visit.ranks.front().series;
  if (series.begin_s.empty() || series.host_s.empty()) return false;
  return at_s >= first_s && at_s <= first_s + series.begin_s.back() + series.host_s.back();
}

}  // namespace assay::result
