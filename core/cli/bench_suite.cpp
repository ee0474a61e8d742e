// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_suite.hpp"

#include "base/error.hpp"
#include "base/quantity.hpp"
#include "base/suggest.hpp"
#include "check/subject.hpp"
#include "suite/external.hpp"
#include "suite/key_table.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <optional>

namespace assay::cli {
namespace {

// Those with one value.
const std::vector<std::string>& case_keys() {
  static const std::vector<std::string> keys = [] {
    using F = suite::Form;
    std::vector<std::string> found;
    for (const suite::Key* key : suite::keys_of(suite::Place::one_case))
      for (const F form : {F::devices, F::choice, F::count, F::bind, F::duration})
        if (key->form == form) found.emplace_back(key->name);
    return found;
  }();
  return keys;
}

const std::vector<std::string>& measure_keys() {
  static const std::vector<std::string> keys = suite::key_names(suite::Place::measure);
  return keys;
}

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// Quoted where YAML would read something else than the text.
std::string scalar(const std::string& text) {
  const bool plain = !text.empty() && text.find_first_of(":#,[]{}&*!|>'\"%@` \t\n") == std::string::npos &&
                     text != "~" && text != "-";
  static const std::vector<std::string> meant_otherwise = {"null", "Null", "NULL", "true", "false",
                                                           "yes",  "no",   "on",   "off"};
  if ((plain && !contains(meant_otherwise, text)) || parse_quantity(text)) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

// The value of a boolean is true or false where it is one; what is neither is refused as any text is.
std::string scalar(const std::string& text, bool is_boolean) {
  return is_boolean && (text == "true" || text == "false") ? text : scalar(text);
}

std::string list(const std::string& text, bool is_boolean = false) {
  std::string result = "[";
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t end = text.find(',', begin);
    if (end == std::string::npos) end = text.size();
    const std::string item = text.substr(begin, end - begin);
    result += (begin > 0 ? ", " : "") + (item == "~" ? item : scalar(item, is_boolean));
    begin = end + 1;
  }
  return result + "]";
}

// "8B..1GiB*4" or "1..9+2" as a range of a suite; nothing for what does not read like one.
std::optional<std::string> range(const std::string& text) {
  const std::size_t dots = text.find("..");
  const std::size_t sign = text.find_first_of("*+", dots == std::string::npos ? dots : dots + 2);
  if (sign == std::string::npos) return std::nullopt;
  const std::string from = text.substr(0, dots), to = text.substr(dots + 2, sign - dots - 2),
                    by = text.substr(sign + 1);
  if (!parse_quantity(from) || !parse_quantity(to) || !parse_quantity(by)) return std::nullopt;
  return "{from: " + from + ", to: " + to + (text[sign] == '*' ? ", factor: " : ", step: ") + by + "}";
}

// The values of an axis, if the text is one.
std::optional<std::string> axis(const std::string& text, bool is_boolean) {
  if (text.find(',') != std::string::npos) return list(text, is_boolean);
  return range(text);
}

// A word or a number of devices, or a list of their names.
std::string devices(const std::string& text) {
  const bool named = text.find_first_of(":,") != std::string::npos;
  return named ? list(text) : scalar(text);
}

std::string default_text(const catalog::Parameter& parameter) {
  const Json& value = parameter.default_value;
  if (value.is_string()) return scalar(value.get<std::string>());
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  const auto unit = parse_unit(parameter.unit.empty() ? "1" : parameter.unit);
  return to_text(Quantity{value.get<double>(), unit ? unit->dimension : Dimension{}, false});
}

std::string suite_text(const ChosenProvider& chosen, const std::string& with, const std::string& matrix,
                       const std::string& env, const std::string& measure) {
  const std::string& name = chosen.provider.benchmark->name;
  std::string text;
  const std::string host = catalog::kHostBackend;
  if (chosen.also_on_host) text += "# also on " + host + ": uses: " + name + "@" + host + "\n";
  text += "version: 1\nsuite: " + scalar(name) + "\n";
  // Where the name leaves the backend open, the plan says what else there is if this one is not.
  if (!chosen.also_on_host) text += "requires: {backend: " + chosen.provider.manifest->backend + "}\n";
  text += "\ncases:\n  - id: " + scalar(name) + "\n    uses: " + scalar(chosen.uses) + "\n";
  if (!with.empty()) text += "    with:\n" + with;
  if (!matrix.empty()) text += "    matrix:\n" + matrix;
  if (!env.empty()) text += "    env:\n" + env;
  if (!measure.empty()) text += "    measure:\n" + measure;
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

ChosenProvider choose_provider(const catalog::Catalog& catalog, const std::string& name) {
  std::vector<catalog::Provider> providers = providers_of(catalog, name);
  const std::size_t offered = providers.size();
  catalog::leave_out_fallback(providers);
  if (providers.size() > 1) {
    std::string names;
    for (const catalog::Provider& provider : providers) {
      names += (names.empty() ? "" : ", ") + provider.benchmark->name + "@" + provider.manifest->backend +
               ":" + provider.manifest->id;
    }
    throw Error("usage.benchmark", "several plugins provide '" + printable(name) + "': say which: " + names);
  }
  return {providers.front(), name, providers.size() < offered};
}

std::string bench_suite(const ChosenProvider& chosen, const std::vector<Setting>& settings) {
  const catalog::Benchmark& benchmark = *chosen.provider.benchmark;
  std::string with, matrix, measure, env, rest;
  for (const auto& [key, value] : settings) {
    const catalog::Parameter* parameter = benchmark.parameter(key);
    const bool is_boolean = parameter != nullptr && parameter->type == catalog::ParameterType::boolean;
    const std::optional<std::string> values = axis(value, is_boolean);
    const auto line = [&, &text = value](const std::string& name) {
      return "      " + name + ": " + values.value_or(scalar(text, is_boolean)) + "\n";
    };
    if (parameter != nullptr) {
      (values ? matrix : with) += line(key);
    } else if (key.starts_with("env.")) {
      (values ? matrix : env) += line(values ? key : key.substr(4));
    } else if (contains(measure_keys(), key)) {
      (values ? matrix : measure) += line(key);
    } else if (contains(case_keys(), key)) {
      rest +=
          "    " + key + ": " + (key == "devices" ? devices(value) : values.value_or(scalar(value))) + "\n";
    } else {
      std::vector<std::string> known = measure_keys();
      known.insert(known.end(), case_keys().begin(), case_keys().end());
      for (const catalog::Parameter& each : benchmark.parameters) known.push_back(each.name);
      const std::string hint = suggestion(key, known);
      // Another backend's provider of the same name may have it.
      const std::string name = printable(chosen.uses);
      throw Error("usage.parameter",
                  name + " has no parameter '" + printable(key) + "'" +
                      (hint.empty() ? "; 'assay describe " + name + "' shows them" : " (" + hint + ")"));
    }
  }
  return suite_text(chosen, with, matrix, env, measure) + rest;
}

std::string template_suite(const ChosenProvider& chosen) {
  std::string with;
  for (const catalog::Parameter& parameter : chosen.provider.benchmark->parameters) {
    catalog::Parameter shown = parameter;
    const bool is_required = parameter.default_value.is_null();
    // A suite may not name it: its cases have a command instead.
    if (is_required && chosen.provider.benchmark->name == suite::kExternal) continue;
    if (is_required) shown.default_value = check::legal_value(parameter);
    const std::string help = (is_required ? "required, so put your own value here" : "") +
                             std::string(is_required && !parameter.help.empty() ? ": " : "") + parameter.help;
    with +=
        "      " + parameter.name + ": " + default_text(shown) + (help.empty() ? "" : "  # " + help) + "\n";
  }
  return suite_text(chosen, with, "", "", "");
}

}  // namespace assay::cli
