// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_suite.hpp"

#include "base/error.hpp"
#include "base/quantity.hpp"
#include "base/suggest.hpp"
#include "check/subject.hpp"
#include "suite/external.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <iterator>

namespace assay::cli {
namespace {

std::string default_text(const catalog::Parameter& parameter) {
  const Json& value = parameter.default_value;
  if (value.is_string()) return yaml_scalar(value.get<std::string>());
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  const auto unit = parse_unit(parameter.unit.empty() ? "1" : parameter.unit);
  return to_text(Quantity{value.get<double>(), unit ? unit->dimension : Dimension{}, false});
}

std::string suite_text(const ChosenProvider& chosen, const CaseText& of_case) {
  const std::string& name = chosen.provider.benchmark->name;
  std::string text;
  const std::string& backend = chosen.provider.manifest->backend;
  if (!chosen.also_on.empty())
    text += "# also on " + chosen.also_on + ": uses: " + name + "@" + chosen.also_on + "\n";
  text += "version: 1\nsuite: " + yaml_scalar(name) + "\n";
  // Where the name means this backend anyhow, the plan says that the host would do if this one is not there.
  if (chosen.also_on != catalog::kHostBackend) text += "requires: {backend: " + backend + "}\n";
  text += "\ncases:\n  - id: " + yaml_scalar(name) + "\n    uses: " + yaml_scalar(chosen.uses) + "\n";
  return text + of_case.text();
}

// A question for each value of the axis that has a reference, if it is one axis with its values listed: is it faster than that?
std::string findings(const catalog::Benchmark& benchmark, const std::vector<SettingText>& settings) {
  const auto value_of = [&](const std::string& key) {
    const auto found = std::find_if(settings.begin(), settings.end(),
                                    [&](const SettingText& each) { return each.first == key; });
    return found == settings.end() ? std::string() : found->second;
  };
  const auto metric = std::find_if(benchmark.metrics.begin(), benchmark.metrics.end(),
                                   [](const catalog::MetricDeclaration& each) { return each.headline; });
  if (metric == benchmark.metrics.end() || metric->direction == catalog::Direction::none) return "";
  const std::string reference = value_of("reference");
  const std::string axis = reference.substr(0, reference.find('='));
  const bool lower = metric->direction == catalog::Direction::lower;
  const std::string word =
      metric->kind == catalog::MetricKind::rate || metric->unit == "s" ? "faster" : "better";
  const auto row = [&](const std::string& point) {
    return benchmark.name + "[" + point + "]." + metric->name;
  };
  // A number says nothing without its axis.
  const auto name = [&](const std::string& point) {
    const std::string value = point.substr(axis.size() + 1);
    return parse_quantity(value) ? point : value;
  };
  std::string text;
  for (const std::string& value : listed_values(value_of(axis))) {
    const std::string point = axis + "=" + value;
    if (point == reference) continue;
    text += (text.empty() ? "\nfindings:\n" : "") +
            finding_text(id_from(point, "axis"), "Is " + point + " " + word + " than " + reference + "?",
                         {name(point), row(point)}, lower ? "<" : ">", {name(reference), row(reference)});
  }
  return text;
}

}  // namespace

std::vector<catalog::Provider> providers_of(const catalog::Catalog& catalog, const std::string& name) {
  const catalog::Reference reference = catalog::parse_reference(name);
  std::vector<catalog::Provider> providers;
  std::vector<std::string> backends, all;
  for (const catalog::Manifest& manifest : catalog.manifests()) {
    for (const catalog::Benchmark& each : manifest.benchmarks)
      all.push_back(each.name + "@" + manifest.backend);
    const catalog::Benchmark* benchmark = manifest.benchmark(reference.benchmark);
    if (benchmark == nullptr) continue;
    backends.push_back(reference.benchmark + "@" + manifest.backend);
    if (!reference.backend.empty() && reference.backend != manifest.backend) continue;
    if (!reference.plugin.empty() && reference.plugin != manifest.id) continue;
    providers.push_back({&manifest, benchmark});
  }
  if (providers.empty()) {
    std::string hint = suggestion(name, backends.empty() ? all : backends);
    if (hint.empty() || reference.backend.empty())
      hint = suggestion(reference.benchmark, catalog.benchmark_names());
    throw Error("usage.benchmark", "there is no benchmark '" + printable(name) + "'" +
                                       (hint.empty() ? "; 'assay list' shows them" : " (" + hint + ")"));
  }
  return providers;
}

ChosenProvider choose_provider(const catalog::Catalog& catalog, const std::string& name,
                               const HasDevices& has_devices) {
  const std::vector<catalog::Provider> all = providers_of(catalog, name);
  std::vector<catalog::Provider> providers;
  const auto has_other_backend = [&](const catalog::Provider& each) {
    return each.manifest->backend != all.front().manifest->backend;
  };
  // Devices are looked for only where that can decide: it starts a process for each backend.
  if (std::any_of(all.begin(), all.end(), has_other_backend))
    std::copy_if(all.begin(), all.end(), std::back_inserter(providers),
                 [&](const catalog::Provider& each) { return has_devices(each.manifest->backend); });
  if (providers.empty()) providers = all;
  catalog::leave_out_fallback(providers);
  if (providers.size() > 1) {
    std::string names;
    for (const catalog::Provider& provider : providers) {
      names += (names.empty() ? "" : ", ") + provider.benchmark->name + "@" + provider.manifest->backend +
               ":" + provider.manifest->id;
    }
    throw Error("usage.benchmark", "several plugins provide '" + printable(name) + "': say which: " + names);
  }
  ChosenProvider chosen{providers.front(), name};
  for (const catalog::Provider& each : all)
    if (each.manifest->backend != chosen.provider.manifest->backend) chosen.also_on = each.manifest->backend;
  return chosen;
}

std::string bench_suite(const ChosenProvider& chosen, const std::vector<SettingText>& settings) {
  const catalog::Benchmark& benchmark = *chosen.provider.benchmark;
  CaseText text;
  for (const SettingText& setting : settings) {
    const std::string& key = setting.first;
    const catalog::Parameter* parameter = benchmark.parameter(key);
    if (parameter != nullptr) {
      text.add_parameter(setting, parameter->type == catalog::ParameterType::boolean);
    } else if (!text.add_key(setting)) {
      refuse_key_of_suites(key);
      std::vector<std::string> known = setting_keys();
      for (const catalog::Parameter& each : benchmark.parameters) known.push_back(each.name);
      const std::string hint = suggestion(key, known);
      // Another backend's provider of the same name may have it.
      const std::string name = printable(chosen.uses);
      throw Error("usage.parameter",
                  name + " has no parameter '" + printable(key) + "'" +
                      (hint.empty() ? "; 'assay describe " + name + "' shows them" : " (" + hint + ")"));
    }
  }
  return suite_text(chosen, text) + findings(benchmark, settings);
}

std::string template_suite(const ChosenProvider& chosen) {
  CaseText text;
  for (const catalog::Parameter& parameter : chosen.provider.benchmark->parameters) {
    catalog::Parameter shown = parameter;
    const bool is_required = parameter.default_value.is_null();
    // A suite may not name it: its cases have a command instead.
    if (is_required && suite::is_of_commands(chosen.provider.benchmark->name)) continue;
    if (is_required) shown.default_value = check::legal_value(parameter);
    const std::string help = (is_required ? "required, so put your own value here" : "") +
                             std::string(is_required && !parameter.help.empty() ? ": " : "") + parameter.help;
    text.with +=
        "      " + parameter.name + ": " + default_text(shown) + (help.empty() ? "" : "  # " + help) + "\n";
  }
  return suite_text(chosen, text);
}

}  // namespace assay::cli
