// SPDX-License-Identifier: Apache-2.0
//
// A small run in memory: one plugin, one suite, and visits with the samples that a test wants. Tests only.
#pragma once

#include "base/diagnostics.hpp"
#include "judge/judge.hpp"
#include "statistics/testing/random.hpp"

#include <string>
#include <utility>
#include <vector>

namespace assay::judge {

struct World {
  suite::Suite suite;
  catalog::Manifest manifest;
  catalog::Manifest backend;  // declares telemetry and reasons
  plan::Plan plan;
  system::Inventory inventory;
  result::JournalHeader header;
  std::vector<result::Visit> visits;
  result::JournalEnd end;
  JudgeOptions options;

  static catalog::MetricDeclaration metric(const std::string& name, const std::string& unit,
                                           catalog::Direction direction, catalog::MetricKind kind) {
    catalog::MetricDeclaration metric;
    metric.name = name;
    metric.unit = unit;
    metric.direction = direction;
    metric.kind = kind;
    return metric;
  }

  World() {
    manifest.id = "org.example.membw";
    manifest.version = "1.2.3";
    manifest.backend = "host";
    catalog::Benchmark membw;
    membw.name = "membw";
    catalog::MetricDeclaration bandwidth =
        metric("bandwidth", "B/s", catalog::Direction::higher, catalog::MetricKind::rate);
    bandwidth.headline = true;
    bandwidth.counting = "2 arrays read, 1 written";
    bandwidth.mechanism = "CPU threads";
    bandwidth.peak = "memory_bandwidth";
    membw.metrics = {bandwidth,
                     metric("latency", "s", catalog::Direction::lower, catalog::MetricKind::duration),
                     metric("memory", "B", catalog::Direction::lower, catalog::MetricKind::value)};
    catalog::Parameter bytes;
    bytes.name = "bytes";
    bytes.unit = "B";
    membw.parameters = {bytes};
    manifest.benchmarks = {membw};

    backend.id = "org.example.host";
    backend.provides_backend = "host";
    declare("power", "W");
    declare("temperature", "C");
    declare("clock", "Hz");
    declare("energy", "J", catalog::QuantityKind::counter);
    declare("errors", "1", catalog::QuantityKind::counter, catalog::AboveZero::fails);
    declare("repairs", "1", catalog::QuantityKind::counter, catalog::AboveZero::is_told);
    declare("pending", "1", catalog::QuantityKind::gauge, catalog::AboveZero::is_told);
    backend.reasons = {{"hw_thermal", catalog::kThrottled, ""},
                       {"hw_thermal_slowdown", catalog::kThrottled, ""},
                       {"power_cap", catalog::kPowerCapped, ""},
                       {"used_by_*", catalog::kShared, "somebody else"},
                       {"xid_79", catalog::kFault, "fell off the bus"},
                       {"xid_*", catalog::kTold, ""},
                       {"idle_process", catalog::kTold, "somebody else's"}};

    suite.name = "unit";
    suite.description = "A run in memory";
    suite.file = "suites/unit.yaml";
    header.run_id = "20261121T083012Z-5f1c";
    header.started_at_s = 1795249812;  // 2026-11-21T08:30:12Z
    header.tool = {{"name", "assay"}, {"version", "0.1.0"}, {"commit", "3f9c2e1"}};
    header.command = {"assay", "run", "suites/unit.yaml"};
    header.suite_file = "suites/unit.yaml";
    header.suite_text = "version: 1\n";
    header.system = {{"hostname", "n042"}};
    header.environment = Json::object();
    header.peaks = Json::array();
    end.finished_at_s = header.started_at_s + 60;
    system::Backend host;
    host.name = "host";
    host.plugin = "org.example.host";
    for (int i = 0; i < 4; ++i) {
      system::Device device;
      device.name = "host:" + std::to_string(i);
      device.model = "Example CPU";
      device.facts = {{"peaks", {{"memory_bandwidth", {{"value", 80e9}, {"source", "datasheet"}}}}}};
      host.devices.push_back(device);
    }
    inventory.backends = {host};
  }
  World(const World&) = delete;

  void declare(const std::string& name, const std::string& unit,
               catalog::QuantityKind kind = catalog::QuantityKind::gauge,
               catalog::AboveZero above_zero = catalog::AboveZero::is_normal) {
    backend.telemetry.push_back({name, unit, kind, above_zero, ""});
  }

  static suite::ExpressionPtr parse(const std::string& text) {
    Diagnostics diagnostics;
    const suite::ExpressionPtr expression = suite::parse_expression(text, {"unit.yaml", 1, 1}, diagnostics);
    if (!expression)
      throw std::runtime_error("not an expression: " + text + ": " + diagnostics.sorted().front().text);
    return expression;
  }

  // A case of the suite with its expectations; gives its index.
  std::size_t suite_case(const std::string& id, const std::vector<std::string>& expectations = {}) {
    suite::SuiteCase written;
    written.id.value = id;
    int line = 10;
    for (const std::string& text : expectations) {
      suite::SuiteExpectation expectation;
      expectation.text = text;
      expectation.that = parse(text);
      expectation.position = {"unit.yaml", ++line, 9};
      written.expect.push_back(expectation);
    }
    suite.cases.push_back(written);
    return suite.cases.size() - 1;
  }

  using Axes = std::vector<std::pair<std::string, std::string>>;
  // A planned case; gives its id, "membw[kernel=triad,device=host:0]". An axis `device` places it, `env.X`
  // sets or (~) removes X, others are parameters.
  std::string planned(std::size_t suite_case, const Axes& axes, int rounds = 1) {
    plan::PlannedCase planned;
    planned.suite_case = suite_case;
    planned.manifest = &manifest;
    planned.device_backend = &backend;
    planned.benchmark = &manifest.benchmarks.front();
    planned.rounds = rounds;
    planned.parameters = {{"bytes", 268435456}};
    planned.position = {"unit.yaml", 5, 3};
    std::string device = "host:0";
    std::string points, key;
    for (const auto& [name, text] : axes) {
      planned.axes.push_back({name, text, text == "~" ? Json() : Json(text)});
      points += (points.empty() ? "" : ",") + name + "=" + text;
      if (name == "device") {
        device = text;
        continue;
      }
      key += (key.empty() ? "" : ",") + name + "=" + text;
      if (name.rfind("env.", 0) == 0)
        planned.environment.emplace_back(
            name.substr(4), text == "~" ? std::optional<std::string>() : std::optional<std::string>(text));
      else
        planned.parameters[name] = text;
    }
    const std::string& id = suite.cases[suite_case].id.value;
    planned.id = id + (points.empty() ? "" : "[" + points + "]");
    planned.comparison_key = id + (key.empty() ? "" : "[" + key + "]");
    planned.placement.ranks = {{0, {device}, {}, {}}};
    for (std::size_t i = 0; i < suite.cases[suite_case].expect.size(); ++i) planned.expectations.push_back(i);
    plan.cases.push_back(planned);
    plan.rounds = std::max(plan.rounds, rounds);
    return planned.id;
  }

  plan::PlannedCase& case_of(const std::string& id) {
    for (plan::PlannedCase& each : plan.cases)
      if (each.id == id) return each;
    throw std::runtime_error("no case " + id);
  }

  // A passed and verified visit: `seconds` are the samples, of one iteration each, by the host's clock; the
  // rate's work is 1 GB an iteration.
  result::Visit& visit(const std::string& id, std::vector<double> seconds, int round = 1) {
    result::Visit visit;
    visit.case_id = id;
    visit.round = round;
    visit.outcome = result::Outcome::passed;
    visit.started_at_s = header.started_at_s + 1;
    visit.duration_s = 1.5;
    visit.measurement.clock = "host";
    visit.measurement.tick_s = 2e-8;
    visit.measurement.calibrated_n = 1;
    visit.measurement.stop = "converged";
    visit.measurement.done = 16;
    visit.work = {{"bandwidth", 1e9}};
    result::RankRecord rank;
    rank.devices = case_of(id).placement.ranks.front().devices;
    rank.series.iterations = 1;
    rank.series.host_s = seconds;
    rank.series.device_s = seconds;
    rank.verifications = {{"before", "closed form", true, 1000, 0, 0, 0}};
    visit.ranks = {rank};
    visits.push_back(visit);
    return visits.back();
  }

  // n samples around a value, with a relative standard deviation.
  static std::vector<double> around(double value, std::size_t n = 50, double deviation = 0.001,
                                    std::uint64_t seed = 1) {
    statistics::Random random(seed);
    std::vector<double> samples;
    for (std::size_t i = 0; i < n; ++i) samples.push_back(value * (1 + deviation * random.normal()));
    return samples;
  }

  [[nodiscard]] Json document() const {
    return Json::parse(judge(suite, plan, inventory, header, visits, end, options).document);
  }
  // The only case, or the case of an id.
  [[nodiscard]] Json judged(const std::string& id = {}) const {
    const Json whole = document();
    for (const Json& each : whole.at("cases"))
      if (id.empty() || each.at("id") == id) return each;
    throw std::runtime_error("no case " + id);
  }
};

inline Json metric_of(const Json& judged, const std::string& name) {
  for (const Json& metric : judged.at("metrics"))
    if (metric.at("name") == name) return metric;
  return nullptr;
}

}  // namespace assay::judge
