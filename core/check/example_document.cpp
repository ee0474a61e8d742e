// SPDX-License-Identifier: Apache-2.0
#include "check/example_document.hpp"

#include "model/document.hpp"

namespace assay::check {
namespace {

model::Case example_case(const std::string& kernel) {
  model::Case example;
  example.id = "example[kernel=" + kernel + ",device=host:0]";
  example.name = example.benchmark = "example";
  example.backend = "host";
  example.plugin = "com.example.example";
  example.axes = {{"kernel", kernel, kernel}, {"device", "host:0", "host:0"}};
  example.comparison_key = "example[kernel=" + kernel + "]";
  example.parameters = {{"kernel", kernel}, {"bytes", 67108864}};
  example.units = {{"bytes", "B"}};
  example.placement = {1, {"host:0"}, "none", "alone", 1};
  example.conditions = {
      {"cache", "default"}, {"launch", "default"}, {"data", "default"}, {"thermal", "default"}, {"seed", 1}};
  example.position = {"example.yaml", 4, 5};
  example.duration_s = 1.5;
  return example;
}

model::Case passed_case() {
  model::Case passed = example_case("plain");
  passed.outcome = Outcome::passed;
  model::Metric& rate = passed.metrics.emplace_back();
  rate.name = "bandwidth";
  rate.unit = "B/s";
  rate.direction = "higher";
  rate.kind = "rate";
  rate.headline = true;
  rate.statistic = "work over time";
  rate.value = 37.9e9;
  rate.n = 60;
  rate.rounds = {37.8e9, 37.9e9, 38.0e9};
  rate.interval = model::Interval{37.7e9, 38.1e9, 0.95, "between_process"};
  rate.counting = "each byte written once";
  rate.mechanism = "one CPU thread";
  passed.measurement.emplace();
  passed.measurement->samples = 60;
  passed.measurement->iterations_per_sample = 4;
  passed.measurement->stop = "converged";
  passed.measurement->clock = "host";
  passed.verification = model::Verification{true, "closed form", true, 1000, 0, 0.0, 0.0};
  passed.visits = {{1, 1, Outcome::passed, 0.5, 37.9e9}};
  return passed;
}

model::Case failed_case() {
  model::Case failed = example_case("wide");
  failed.outcome = Outcome::failed;
  model::Reason& reason = failed.reason.emplace();
  reason.code = "verify.wrong";
  reason.text = "3 of 1000 values are wrong; <a> & \"b\" | c, µ";
  reason.phase = "verify";
  failed.visits = {{1, 1, Outcome::failed, 0.5, {}}};
  failed.log = "info: first line\nwarning: second line, with a | and a `\n";
  return failed;
}

}  // namespace

std::string example_document() {
  model::Document document;
  document.schema_version = "1.0";
  document.verdict.outcome = model::RunOutcome::failed;
  document.verdict.exit_code = 1;
  document.verdict.counts.passed = document.verdict.counts.failed = 1;
  document.run.id = "20260101T120000Z-0000";
  document.run.suite = "example";
  document.run.suite_file = "example.yaml";
  document.run.started_at = "2026-01-01T12:00:00Z";
  document.run.finished_at = "2026-01-01T12:00:03Z";
  document.run.duration_s = 3;
  document.run.tool = {{"name", "assay"}, {"version", "1.0.0"}, {"commit", ""}};
  document.run.command = {"assay", "run", "example.yaml"};
  document.run.seed = 1;
  document.run.host = {{"hostname", "example"}, {"os", "Linux"}, {"cpu", "Example CPU"}, {"cores", 2}};
  document.cases = {passed_case(), failed_case()};
  return model::to_json(document).dump();
}

}  // namespace assay::check
