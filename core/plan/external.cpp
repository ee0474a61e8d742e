// SPDX-License-Identifier: Apache-2.0
#include "plan/external.hpp"

#include "base/quantity.hpp"
#include "base/suggest.hpp"
#include "plan/plan.hpp"
#include "plan/requirements.hpp"
#include "suite/external.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

namespace assay::plan {
namespace {

constexpr const char* kShell = "/bin/sh";

catalog::MetricKind kind_of(const Dimension& dimension) {
  if (dimension == Dimension{.time = 1}) return catalog::MetricKind::duration;
  // A frequency is a state, not work over time.
  if (dimension.time < 0 && dimension != Dimension{.time = -1}) return catalog::MetricKind::rate;
  return catalog::MetricKind::value;
}

catalog::Direction direction_of(const std::string& text, catalog::MetricKind kind) {
  if (text == "higher" || (text.empty() && kind == catalog::MetricKind::rate))
    return catalog::Direction::higher;
  if (text == "lower" || (text.empty() && kind == catalog::MetricKind::duration))
    return catalog::Direction::lower;
  return catalog::Direction::none;
}

// A time or a rate varies from run to run; a count, a status or a state is what it is.
bool is_measured(const suite::ExternalMetric& metric, catalog::MetricKind kind) {
  return metric.as.empty() ? kind != catalog::MetricKind::value : metric.as == "measured";
}

Unit unit_of(const suite::ExternalMetric& metric) {
  return parse_unit(metric.unit.value.empty() ? "1" : metric.unit.value).value_or(Unit{});
}

// Relative to the file that the case stands in, which an include may be.
std::string directory_of(const suite::External& external) {
  if (!external.directory) return {};
  const std::filesystem::path folder = std::filesystem::path(external.directory->position.file).parent_path();
  return (folder / external.directory->value).lexically_normal().string();
}

}  // namespace

std::string external_backend(const catalog::Reference& reference, const std::vector<std::string>& wanted,
                             const catalog::Catalog& catalog, const system::Inventory* inventory,
                             const Position& position, Diagnostics& diagnostics) {
  std::vector<std::string> names = wanted;
  if (!reference.backend.empty()) names = {reference.backend};
  if (names.empty()) names = {catalog::kHostBackend};
  // As for other benchmarks, one of a list that no plugin provides is passed over.
  const std::string first = names.front();
  std::erase_if(names, [&](const std::string& name) { return catalog.backend(name) == nullptr; });
  if (names.empty()) {
    std::vector<std::string> known;
    for (const catalog::Manifest& manifest : catalog.manifests())
      if (!manifest.provides_backend.empty()) known.push_back(manifest.provides_backend);
    diagnostics.error("suite.unknown-backend", position, "unknown backend '" + printable(first) + "'",
                      suggestion(first, known));
    return {};
  }
  const auto available = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
    return inventory == nullptr || is_available(*inventory, name);
  });
  return available == names.end() ? names.front() : *available;
}

catalog::Benchmark external_benchmark(const suite::SuiteCase& one, const catalog::Benchmark& base) {
  catalog::Benchmark made = base;
  made.parameters.clear();
  made.metrics.clear();
  for (const std::string& name : suite::external_parameters(one)) {
    catalog::Parameter parameter;
    parameter.name = name;
    parameter.type = catalog::ParameterType::text;  // a command's arguments are
    parameter.help = "of the command";
    made.parameters.push_back(std::move(parameter));
  }
  for (const suite::ExternalMetric& declared : one.external.metrics) {
    catalog::MetricDeclaration metric;
    const Unit unit = unit_of(declared);
    metric.name = declared.name.value;
    metric.unit = base_unit_of(declared.unit.value.empty() ? "1" : declared.unit.value);
    // Degrees and plain numbers are written in no other way.
    if (!declared.unit.value.empty() && declared.unit.value != "C" && declared.unit.value != "1") {
      metric.written_unit = declared.unit.value;
      metric.written_scale = unit.scale;
    }
    metric.kind = kind_of(unit.dimension);
    metric.direction = direction_of(declared.direction, metric.kind);
    metric.headline = true;  // who declares a metric by hand wants to see it
    metric.reported = true;
    metric.measured = is_measured(declared, metric.kind);
    made.metrics.push_back(std::move(metric));
  }
  return made;
}

Json external_definition(const suite::SuiteCase& one, const Json& parameters, const Layout& layout) {
  const suite::External& external = one.external;
  std::set<std::string> devices;
  std::size_t symbolic = 0;
  for (const auto& rank : layout.ranks) {
    for (const std::string& device : rank) {
      if (device.ends_with(":*"))
        ++symbolic;
      else
        devices.insert(device);
    }
  }
  const std::string device_count = std::to_string(std::max(symbolic, devices.size()));
  const auto value = [&](const std::string& name) -> std::optional<std::string> {
    if (name == suite::kDeviceCount) return device_count;
    const auto found = parameters.find(name);
    return found != parameters.end() && found->is_string() ? std::optional(found->get<std::string>())
                                                           : std::nullopt;
  };
  Json arguments = Json::array();
  if (external.shell) arguments = {kShell, "-c", external.shell->value};
  if (!external.shell)
    for (const auto& argument : external.command)
      arguments.push_back(suite::fill_placeholders(argument.value, value));

  Json metrics = Json::array();
  bool is_measured = false;  // the exit status is a number like others, and no verdict
  for (const suite::ExternalMetric& declared : external.metrics) {
    Json metric = {{"name", declared.name.value}, {"scale", unit_of(declared).scale}};
    if (declared.json) metric["json"] = declared.json->value;
    if (declared.pattern) metric["pattern"] = declared.pattern->value;
    if (declared.exit_status) metric["exit"] = true;
    if (!declared.take.empty()) metric["take"] = declared.take;
    is_measured = is_measured || declared.exit_status;
    metrics.push_back(std::move(metric));
  }
  Json definition = {{"arguments", std::move(arguments)}, {"metrics", std::move(metrics)}};
  if (external.directory) definition["directory"] = directory_of(external);
  definition["passed"] = !external.exit.passed.empty() ? Json(external.exit.passed)
                         : is_measured                 ? Json()
                                                       : Json::array({0});
  if (!external.exit.skipped.empty()) definition["skipped"] = external.exit.skipped;
  if (external.verify.pattern) definition["verify_pattern"] = external.verify.pattern->value;
  if (external.verify.exit) definition["verify_exit"] = *external.verify.exit;
  return definition;
}

std::vector<std::string> command_of(const PlannedCase& planned) {
  return runs_command(planned) ? planned.external.at("arguments").get<std::vector<std::string>>()
                               : std::vector<std::string>();
}

std::string folder_of_command(const PlannedCase& planned) { return planned.external.value("directory", ""); }

Json given_to_plugin(const PlannedCase& planned) {
  if (!runs_command(planned)) return planned.parameters;
  return {{"definition", planned.external.dump()}};
}

}  // namespace assay::plan
