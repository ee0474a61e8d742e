// SPDX-License-Identifier: Apache-2.0
#include "result/schema.hpp"

#include "result/exit_code.hpp"

#include <initializer_list>
#include <string>
#include <utility>

namespace assay::result {
namespace {

Json type(const char* name) { return {{"type", name}}; }
Json text() { return type("string"); }
Json number() { return type("number"); }
Json integer() { return type("integer"); }
Json boolean() { return type("boolean"); }
Json any() { return Json::object(); }
Json reference(const std::string& name) { return {{"$ref", "#/definitions/" + name}}; }

Json nullable(Json schema) {
  if (schema.contains("type") && schema["type"].is_string() && !schema.contains("enum")) {
    schema["type"] = Json::array({schema["type"], "null"});
    return schema;
  }
  return {{"anyOf", Json::array({std::move(schema), type("null")})}};
}

Json array_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }
Json map_of(Json values) { return {{"type", "object"}, {"additionalProperties", std::move(values)}}; }
Json one_of(std::initializer_list<const char*> values) {
  Json list = Json::array();
  for (const char* value : values) list.push_back(value);
  return {{"type", "string"}, {"enum", std::move(list)}};
}
Json described(Json schema, const char* description) {
  schema["description"] = description;
  return schema;
}

// All keys are required but those whose name ends in '?'.
Json object(std::initializer_list<std::pair<const char*, Json>> keys) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const auto& [key, schema] : keys) {
    std::string name = key;
    if (name.back() == '?')
      name.pop_back();
    else
      required.push_back(name);
    properties[name] = schema;
  }
  return {{"type", "object"}, {"required", std::move(required)}, {"properties", std::move(properties)}};
}

Json outcome() {
  Json list = Json::array();
  for (const OutcomeRow& row : outcome_table()) list.push_back(row.text());
  return {{"type", "string"}, {"enum", std::move(list)}};
}

Json status() {
  return one_of({"passed", "failed", "undecided", "no_reference", "not_judged", "not_available"});
}

Json verdict() {
  Json counts = Json::object();
  Json names = Json::array();
  for (const OutcomeRow& row : outcome_table()) {
    counts[std::string(row.text())] = {{"type", "integer"}, {"minimum", 0}};
    names.push_back(row.text());
  }
  const Json reason =
      object({{"code", described(text(), "what `assay explain` takes")},
              {"severity", one_of({"error", "failure", "invalid", "unmet", "warning", "note"})},
              {"subject", text()},
              {"text", text()},
              {"next", text()},
              {"position", reference("position")}});
  return object(
      {{"outcome", one_of({"passed", "failed", "error", "interrupted", "unmet", "nothing_ran"})},
       {"exit_code", integer()},
       {"counts", {{"type", "object"}, {"required", std::move(names)}, {"properties", std::move(counts)}}},
       {"undecided", described(integer(), "expectations and group checks")},
       {"reasons", described(array_of(reason), "most severe first")},
       {"devices?",
        described(array_of(object({{"backend", text()}, {"count", integer()}, {"text", text()}})),
                  "under `policy: {complete: true}`: how many there are, and who knows so many")}});
}

Json run() {
  Json mode = object(
      {{"quick", boolean()},
       {"strict", boolean()},
       {"wrap", any()},
       {"resumed", boolean()},
       {"interrupted_by", described(nullable(text()), "the signal's name; null for a run that was killed")},
       {"simulated", boolean()}});
  mode["properties"]["failed_of"] =
      described(object({{"run", text()}, {"cases", integer()}}),
                "only with --failed: the run whose cases that did not pass were measured again, and how many "
                "cases that had");
  const Json device = object({{"name", text()},
                              {"uuid", text()},
                              {"model", text()},
                              {"numa_node", integer()},
                              {"facts", type("object")}});
  const Json backend = object({{"name", text()},
                               {"plugin", text()},
                               {"facts", type("object")},
                               {"unavailable", nullable(text())},
                               {"devices", array_of(device)}});
  const Json plugin =
      object({{"id", text()},
              {"version", text()},
              {"sha256?", described(text(), "of the library that was loaded")},
              {"manifest_sha256?", described(text(), "of the manifest that it was read by")}});
  return object(
      {{"id", text()},
       {"suite", text()},
       {"description", text()},
       {"suite_file", text()},
       {"suite_sha256", described(text(), "of the suite's text followed by those of its includes")},
       {"suite_text?", described(text(), "the suite's file, as it was run")},
       {"suite_includes?",
        described(array_of(object({{"file", text()}, {"text", text()}})), "the files that it includes")},
       {"started_at", nullable(text())},
       {"finished_at", nullable(text())},
       {"duration_s", nullable(number())},
       {"tool", type("object")},
       {"command", array_of(text())},
       {"seed", integer()},
       {"rounds", integer()},
       {"mode", mode},
       {"site?", described(object({{"file", text()}, {"sha256", text()}, {"text", text()}}),
                           "only with --site: what the machine was held to")},
       {"others_unseen?", described(text(), "why other runs on these processors could not be seen")},
       {"beside?",
        described(array_of(object({{"pid", integer()},
                                   {"suite", text()},
                                   {"since", nullable(text())},
                                   {"visits", described(integer(), "of this run, beside it")},
                                   {"text", text()}})),
                  "other runs of assay that measured at the same time and may use the same processors")},
       {"run_to_run?",
        described(object({{"run", text()}, {"shares", map_of(number())}}),
                  "only with --doctor: its run, and for each backend by what share of its value a "
                  "single run's interval is widened to be judged")},
       {"host", type("object")},
       {"backends", array_of(backend)},
       {"plugins", array_of(plugin)},
       {"environment", type("object")},
       {"resolved_suite", type("object")}});
}

Json written() {
  return described(object({{"unit", text()}, {"scale", number()}}),
                   "the unit that the suite wrote for a command's number, and how many base units it is");
}

Json metric() {
  const Json interval = object({{"low", nullable(number())},
                                {"high", nullable(number())},
                                {"level", number()},
                                {"kind", one_of({"within_process", "between_process"})}});
  const Json spread =
      object({{"minimum", number()}, {"p5", number()}, {"p95", number()}, {"maximum", number()}});
  const Json peak = object({{"value", number()}, {"share", number()}, {"name", text()}, {"source", text()}});
  const Json delta =
      object({{"reference", text()},
              {"ratio", number()},
              {"low", nullable(number())},
              {"high", nullable(number())},
              {"verdict", one_of({"same", "better", "worse", "different", "small", "undecided"})}});
  return object(
      {{"name", text()},
       {"unit", text()},
       {"direction", one_of({"higher", "lower", "none"})},
       {"kind", one_of({"rate", "duration", "value", "part", "derived"})},
       {"headline", boolean()},
       {"indices", array_of(integer())},
       {"statistic", one_of({"median", "mean", "work over time", "recorded", "derived", "reported"})},
       {"value", number()},
       {"n", integer()},
       {"written?", written()},
       {"rounds", array_of(number())},
       {"interval", nullable(interval)},
       {"no_interval?",
        described(nullable(object({{"code", text()}, {"text?", text()}})), "why there is none")},
       {"verdict_interval", nullable(object({{"low", nullable(number())}, {"high", nullable(number())}}))},
       {"spread", nullable(spread)},
       {"counting", text()},
       {"flow", text()},
       {"mechanism", text()},
       {"peak", nullable(peak)},
       {"delta", nullable(delta)}});
}

Json measurement() {
  return object({{"samples", integer()},
                 {"iterations_per_sample", integer()},
                 {"warmup_iterations", integer()},
                 {"warmup_s", nullable(number())},
                 {"stop", text()},
                 {"autocorrelation_time", nullable(number())},
                 {"effective_samples", nullable(number())},
                 {"clock", text()},
                 {"tick_s", nullable(number())},
                 {"done", array_of(text())}});
}

Json time() {
  return object({{"median", number()},
                 {"mean", number()},
                 {"minimum", number()},
                 {"p5", number()},
                 {"p25", number()},
                 {"p75", number()},
                 {"p95", number()},
                 {"p99", nullable(number())},
                 {"maximum", number()},
                 {"mad", number()},
                 {"stdev", number()},
                 {"first", number()}});
}

Json expectation() {
  return object({{"text", text()},
                 {"status", status()},
                 {"value", Json{{"type", Json::array({"number", "string", "null"})}}},
                 {"unit", text()},
                 {"written?", written()},
                 {"limit", Json{{"type", Json::array({"number", "string", "null"})}}},
                 {"operator", one_of({"<", "<=", ">", ">=", "==", "!="})},
                 {"say", text()},
                 {"why", text()},
                 {"position", reference("position")}});
}

Json one_case() {
  const Json axis = object({{"name", text()}, {"text", text()}, {"value", any()}});
  const Json placement = object({{"ranks", integer()},
                                 {"devices", array_of(text())},
                                 {"bind", text()},
                                 {"load", text()},
                                 {"nodes", integer()}});
  const Json reason = object({{"code", text()},
                              {"text", text()},
                              {"phase", text()},
                              {"rank", described(integer(), "-1: not one rank's")},
                              {"device", text()},
                              {"domain?", text()},
                              {"number?", integer()},
                              {"position", reference("position")}});
  const Json verification = object({{"verified", boolean()},
                                    {"method", text()},
                                    {"exact", boolean()},
                                    {"checked", integer()},
                                    {"wrong", integer()},
                                    {"largest_error", nullable(number())},
                                    {"tolerance", nullable(number())}});
  const Json check = object({{"name", text()}, {"subject", text()}, {"passed", boolean()}, {"text", text()}});
  const Json rank = object({{"rank", integer()},
                            {"devices", array_of(text())},
                            {"median_s", nullable(number())},
                            {"share_slowest", nullable(number())}});
  const Json team = object(
      {{"mean_over_ranks_s",
        described(nullable(number()), "of an iteration, over samples and ranks: what nccl-tests prints")},
       {"start_skew_s",
        described(nullable(object({{"median", nullable(number())}, {"maximum", nullable(number())}})),
                  "from the first rank's begin of a sample to the last one's")}});
  const Json telemetry =
      object({{"device", text()},
              {"quantity", text()},
              {"unit?", text()},
              {"kind?", one_of({"gauge", "counter"})},
              {"minimum", described(nullable(number()), "of a gauge's readings")},
              {"mean", nullable(number())},
              {"maximum", nullable(number())},
              {"added?", described(nullable(number()), "to a counter; null: it was reset, or read once")},
              {"during?", one_of({"samples", "visit"})}});
  const Json throttle = object({{"device", text()}, {"reason", text()}, {"share", number()}});
  const Json samples =
      object({{"iterations", integer()}, {"time_s", array_of(number())}, {"thinned", boolean()}});
  const Json span = object({{"name", text()},
                            {"begin_s", number()},
                            {"end_s", number()},
                            {"iteration?", described(integer(), "of the sample, where it has several")}});
  const Json track = object({{"rank", integer()}, {"name", text()}, {"spans", array_of(span)}});
  const Json timeline = object({{"round", integer()},
                                {"left_out", described(integer(), "later spans than those listed")},
                                {"tracks", array_of(track)}});
  const Json visit = object({{"round", integer()},
                             {"attempt", integer()},
                             {"outcome", outcome()},
                             {"duration_s", nullable(number())},
                             {"value", nullable(number())}});
  return object(
      {{"id", text()},
       {"case", text()},
       {"benchmark", text()},
       {"backend", text()},
       {"plugin", text()},
       {"axes", array_of(axis)},
       {"comparison_key", text()},
       {"reference", nullable(text())},
       {"is_reference", boolean()},
       {"parameters", type("object")},
       {"command?", described(array_of(text()), "of `external`: program and arguments")},
       {"units", map_of(text())},
       {"defaults?", described(array_of(text()), "parameters that the suite left at their defaults")},
       {"environment", map_of(nullable(text()))},
       {"placement", placement},
       {"conditions", type("object")},
       {"position", reference("position")},
       {"outcome", outcome()},
       {"reason", nullable(reason)},
       {"duration_s", nullable(number())},
       {"metrics", array_of(reference("metric"))},
       {"measurement", nullable(measurement())},
       {"time", nullable(time())},
       {"verification", nullable(verification)},
       {"flags", array_of(object(
                     {{"code", text()},
                      {"text", text()},
                      {"severity?", one_of({"error", "failure", "invalid", "unmet", "warning", "note"})}}))},
       {"facts", map_of(text())},
       {"checks", array_of(check)},
       {"expectations", array_of(expectation())},
       {"ranks", array_of(rank)},
       {"team?", team},
       {"telemetry", array_of(telemetry)},
       {"telemetry_problem?", described(text(), "why readings are missing or were refused")},
       {"throttle", array_of(throttle)},
       {"samples", nullable(samples)},
       {"timeline?", described(timeline, "of one extra iteration that is not timed, if it was asked for")},
       {"visits", array_of(visit)},
       {"log", text()},
       {"diagnostics", nullable(type("object"))},
       {"reproduce", text()}});
}

Json group() {
  const Json member = object({{"id", text()},
                              {"label", text()},
                              {"value", nullable(number())},
                              {"unit", text()},
                              {"written?", written()}});
  return object({{"id", text()},
                 {"case", text()},
                 {"text", text()},
                 {"status", status()},
                 {"outcome", outcome()},
                 {"where", map_of(text())},
                 {"value", nullable(number())},
                 {"unit", text()},
                 {"written?", written()},
                 {"limit", nullable(number())},
                 {"operator", one_of({"<", "<=", ">", ">=", "==", "!="})},
                 {"over", text()},
                 {"say", text()},
                 {"why", text()},
                 {"members", array_of(member)},
                 {"position", reference("position")}});
}

Json finding() {
  const Json operand =
      object({{"id", text()},
              {"metric?", described(text(), "that is read of the case, or the joined names of several")},
              {"value", nullable(number())},
              {"unit", nullable(text())},
              {"written?", written()}});
  const Json asks = object({{"operator", one_of({"<", "<=", ">", ">=", "==", "!="})},
                            {"factor", described(number(), "left / right is held against this")},
                            {"tolerance", described(number(),
                                                    "within this share: theta, or 0 where the claim has a "
                                                    "factor or a quantity and does not ask for sameness")}});
  const Json verdicts = one_of({"confirmed", "refuted", "mixed", "small", "undecided", "not_comparable"});
  const Json row =
      object({{"label", text()},
              {"axes", map_of(text())},
              {"verdict", verdicts},
              {"effect", described(nullable(number()), "left / right - 1, without factors of the claim")},
              {"low", nullable(number())},
              {"high", nullable(number())},
              {"n", described(integer(), "rounds judged")},
              {"more_rounds?",
               described(integer(), "that should decide an open row; left out where 1000 would not")},
              {"left", operand},
              {"right", operand},
              {"why?", text()}});
  return object({{"id", text()},
                 {"question", text()},
                 {"claim", text()},
                 {"verdict", verdicts},
                 {"theta", number()},
                 {"asks?", nullable(asks)},
                 {"assert?", described(boolean(), "any verdict but confirmed fails the run")},
                 {"why", text()},
                 {"rows", array_of(row)},
                 {"say", text()},
                 {"do", text()},
                 {"position", reference("position")}});
}

}  // namespace

Json document_schema() {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "Assay result document"},
                 {"description", "docs/reference/result.md. Numbers are in base units; null is unknown."}};
  const Json guard =
      object({{"code", text()}, {"severity", one_of({"invalid"})}, {"subject", text()}, {"text", text()}});
  schema.update(object({{"schema_version", Json{{"type", "string"}, {"pattern", "^1\\."}}},
                        {"verdict", verdict()},
                        {"run", run()},
                        {"cases", array_of(reference("case"))},
                        {"groups", array_of(group())},
                        {"findings", array_of(finding())},
                        {"guards", array_of(guard)}}));
  schema["definitions"] = {
      {"position", nullable(object({{"file", text()}, {"line", integer()}, {"column", integer()}}))},
      {"metric", metric()},
      {"case", one_case()}};
  return schema;
}

}  // namespace assay::result
