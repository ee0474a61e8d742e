// SPDX-License-Identifier: Apache-2.0
#include "plan/variants.hpp"

#include "plan/case_settings.hpp"
#include "plan/value.hpp"
#include "suite/external.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace assay::plan {
namespace {

constexpr std::string_view kVariable = "env.";

const suite::Scalar* said_in(const std::vector<std::pair<suite::Located<std::string>, suite::Scalar>>& values,
                             std::string_view name) {
  const auto* const found = find_in(values, [&](const auto& entry) { return entry.first.value == name; });
  return found == nullptr ? nullptr : &found->second;
}

suite::Scalar scalar_of(const Json& value) {
  suite::Scalar scalar;
  using Kind = suite::Scalar::Kind;
  scalar.text = value.is_string() ? value.get<std::string>() : value.dump();
  scalar.kind = value.is_string()           ? Kind::text
                : value.is_boolean()        ? Kind::boolean
                : value.is_number_integer() ? Kind::integer
                                            : Kind::number;
  if (value.is_boolean()) scalar.boolean = value.get<bool>();
  if (value.is_number()) scalar.number = value.get<double>();
  if (value.is_number_integer()) scalar.integer = value.get<std::int64_t>();
  return scalar;
}

// Of a parameter, as the case has it; nothing if a value is missing.
std::optional<Json> parameter_of(const suite::SuiteCase& one, const catalog::Benchmark& benchmark,
                                 const std::string& name) {
  const catalog::Parameter* parameter = benchmark.parameter(name);
  const suite::Scalar* said = said_in(one.with, name);
  if (parameter == nullptr || (said == nullptr && parameter->default_value.is_null())) return std::nullopt;
  catalog::Parameter plain = *parameter;
  if (said == nullptr) plain.unit.clear();  // a default is in base units
  Diagnostics reported;                     // with the case
  const auto typed =
      type_value(said ? *parameter : plain, said ? *said : scalar_of(parameter->default_value), reported);
  if (!typed) return std::nullopt;
  if (said != nullptr || !typed->value.is_number() || parameter->unit.empty())
    return variant_value(typed->value, typed->text);
  const auto unit = parse_unit(parameter->unit);
  return Json(to_text(Quantity{typed->value.get<double>(), unit ? unit->dimension : Dimension{}, false}));
}

std::vector<std::string> parameters_of(const catalog::Benchmark& benchmark) {
  std::vector<std::string> names;
  for (const catalog::Parameter& parameter : benchmark.parameters)
    names.push_back(parameter.name + " " + parameter.unit + " " + parameter.default_value.dump());
  return names;
}

class Settler {
 public:
  Settler(const suite::SuiteCase& one, const catalog::Benchmark& benchmark, const suite::SuiteAxis& written,
          Diagnostics& diagnostics)
      : case_(one), benchmark_(benchmark), written_(written), diagnostics_(diagnostics) {}

  void settle(std::vector<Choice>& variants) {
    std::set<std::string> names;
    for (const Choice& variant : variants)
      for (const auto& [name, value] : variant.value.items()) names.insert(name);
    for (Choice& variant : variants) {
      // In one order, so that equal ones are equal.
      const Json own = std::exchange(variant.value, Json::object());
      for (const std::string& name : names) {
        if (own.contains(name)) {
          variant.value[name] = own.at(name);
        } else {
          take_over(name, variant);
        }
      }
    }
    for (std::size_t i = 1; i < variants.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (variants[i].value == variants[j].value) report_same(variants[j], variants[i]);
  }

 private:
  [[nodiscard]] Position position_of(const Choice& variant) const {
    for (const suite::AxisValue& value : written_.values)
      if (value.scalar.text == variant.text) return value.scalar.position;
    return written_.name.position;
  }

  void take_over(const std::string& name, Choice& variant) {
    if (name.starts_with(kVariable)) {
      if (const suite::Scalar* said = said_in(case_.env, name.substr(kVariable.size())))
        variant.value[name] = said->kind == suite::Scalar::Kind::null ? Json() : Json(printable(said->text));
    } else if (name == "bind") {
      variant.value[name] = to_text(case_.bind.value_or(suite::Bind{}));
    } else if (name == "devices") {
      if (const std::string text = to_text(case_.devices); !text.empty()) variant.value[name] = text;
    } else if (name == "plugin") {
      // The one that provides it anyway.
    } else if (auto value = parameter_of(case_, benchmark_, name)) {
      variant.value[name] = std::move(*value);
    } else if (said_in(case_.with, name) == nullptr) {
      diagnostics_.error("suite.parameter", position_of(variant),
                         "variant '" + variant.text + "' has no value for '" + name + "', which another has",
                         "write one here, or under 'with' of the case");
    }
  }

  void report_same(const Choice& first, const Choice& second) {
    diagnostics_.error("suite.duplicate", position_of(second),
                       "variant '" + second.text + "' is the same as '" + first.text + "'",
                       first.value.empty() ? "say in one of them what differs: with, env, bind or devices"
                                           : "what it says is what the other, or the case, says already");
  }

  const suite::SuiteCase& case_;
  const catalog::Benchmark& benchmark_;
  const suite::SuiteAxis& written_;
  Diagnostics& diagnostics_;
};

}  // namespace

void resolve_variants(const suite::SuiteCase& one, const catalog::Benchmark& benchmark,
                      const suite::SuiteAxis& written, std::vector<Choice>& variants,
                      Diagnostics& diagnostics) {
  Settler(one, benchmark, written, diagnostics).settle(variants);
}

std::string plugin_of_variants(const suite::SuiteCase& one, const catalog::Catalog& catalog) {
  const auto names_one = [](const suite::AxisValue& value) { return !value.plugin.value.empty(); };
  for (const suite::SuiteAxis& axis : one.matrix.axes) {
    if (!axis.of_variants || !std::all_of(axis.values.begin(), axis.values.end(), names_one)) continue;
    const catalog::Manifest* first = catalog.plugin(axis.values.front().plugin.value);
    if (first != nullptr) return first->id;
  }
  return "";
}

std::optional<catalog::Provider> provider_of_variant(const suite::Located<std::string>& named,
                                                     const suite::SuiteCase& one,
                                                     const catalog::Provider& usual,
                                                     const catalog::Catalog& catalog,
                                                     Diagnostics& diagnostics) {
  const auto refuse = [&](const std::string& what, const std::string& hint) {
    diagnostics.error("suite.unknown-plugin", named.position, what, hint);
    return std::nullopt;
  };
  if (suite::runs_command(one)) return refuse("a command has no plugin to choose", "remove 'plugin'");
  const catalog::Manifest* manifest = catalog.plugin(named.value);
  if (manifest == nullptr)
    return refuse("there is no plugin '" + printable(named.value) + "'",
                  "write its identifier, or name its file with --plugin, too, in the same words");
  const catalog::Benchmark* benchmark = manifest->benchmark(usual.benchmark->name);
  if (benchmark == nullptr || manifest->backend != usual.manifest->backend)
    return refuse("plugin '" + manifest->id + "' does not provide '" + usual.benchmark->name + "' on " +
                      usual.manifest->backend,
                  "name one that does");
  if (parameters_of(*benchmark) != parameters_of(*usual.benchmark))
    return refuse(
        "'" + benchmark->name + "' of '" + printable(named.value) + "' has other parameters or defaults",
        "it is other work: measure it in a case of its own");
  return catalog::Provider{manifest, benchmark};
}

Json variant_value(const Json& value, const std::string& text) {
  if (value.is_null()) return {};
  return value.is_string() ? printable(value.get<std::string>()) : text;
}

std::string to_text(const suite::DeviceChoice& devices) {
  using Kind = suite::DeviceChoice::Kind;
  switch (devices.kind) {
    case Kind::unset:
      return "";
    case Kind::each:
      return "each";
    case Kind::all:
      return "all";
    case Kind::pairs:
      return "pairs";
    case Kind::count:
      return std::to_string(devices.count);
    case Kind::list:
      break;
  }
  std::string text;
  for (const auto& device : devices.list) text += (text.empty() ? "" : "+") + device.value;
  return text;
}

}  // namespace assay::plan
