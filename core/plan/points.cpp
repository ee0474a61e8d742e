// SPDX-License-Identifier: Apache-2.0
#include "plan/points.hpp"

#include "base/suggest.hpp"
#include "model/measure_keys.hpp"
#include "plan/case_settings.hpp"
#include "plan/value.hpp"
#include "plan/variants.hpp"
#include "suite/scalar.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <optional>

namespace assay::plan {
namespace {

using Target = AxisSetting::Target;

std::optional<Target> reserved_target(const std::string& name) {
  static const std::vector<std::pair<std::string, Target>> table = {
      {"bind", Target::bind}, {"load", Target::load}, {"ranks", Target::ranks}, {"devices", Target::devices}};
  for (const auto& [word, target] : table) {
    if (word == name) return target;
  }
  const model::MeasureKey* key = model::find_measure_key(name);
  return key != nullptr && key->condition ? std::optional(Target::measure) : std::nullopt;
}

suite::DeviceChoice devices_from(const suite::Scalar& scalar) {
  using Kind = suite::DeviceChoice::Kind;
  suite::DeviceChoice devices;
  devices.position = scalar.position;
  if (scalar.kind == suite::Scalar::Kind::integer) {
    devices.kind = Kind::count;
    devices.count = static_cast<int>(scalar.integer);
  } else {
    devices.kind = scalar.text == "each" ? Kind::each : scalar.text == "all" ? Kind::all : Kind::pairs;
  }
  return devices;
}

suite::Bind bind_from(const suite::Scalar& scalar) {
  using Kind = suite::Bind::Kind;
  suite::Bind bind;
  bind.position = scalar.position;
  bind.kind = scalar.text == "inherit"  ? Kind::inherit
              : scalar.text == "local"  ? Kind::local
              : scalar.text == "remote" ? Kind::remote
                                        : Kind::none;
  return bind;
}

// {cpu: node:0, memory: node:1} as "cpu:node:0/memory:node:1"; parameters set together as "m:8192/n:4096".
std::string bundle_text(const std::vector<std::pair<std::string, std::string>>& parts) {
  std::string text;
  for (const auto& [name, value] : parts) text += (text.empty() ? "" : "/") + name + ":" + value;
  return text;
}

}  // namespace

std::vector<std::string> parameter_names(const catalog::Benchmark& benchmark) {
  std::vector<std::string> names;
  for (const catalog::Parameter& parameter : benchmark.parameters) names.push_back(parameter.name);
  return names;
}

void report_unknown_parameter(const std::string& name, const Position& position,
                              const catalog::Benchmark& benchmark, Diagnostics& diagnostics) {
  const auto names = parameter_names(benchmark);
  diagnostics.error("suite.unknown-parameter", position,
                    "'" + benchmark.name + "' has no parameter '" + printable(name) + "'",
                    suggestion(name, names, names.empty() ? "it has none" : "it has " + join(names, ", ")));
}

const std::string* key_of(const Point& point, const std::string& name) {
  for (const Choice* choice : point) {
    for (const auto& [key, value] : choice->keys) {
      if (key == name) return &value;
    }
  }
  return nullptr;
}

Points::Points(const suite::SuiteCase& one, const catalog::Benchmark& benchmark, Diagnostics& diagnostics)
    : case_(one), benchmark_(benchmark), diagnostics_(diagnostics) {
  for (const suite::SuiteAxis& written : one.matrix.axes) {
    MatrixAxis axis{written.name.value, {}};
    if (written.of_variants) {
      std::vector<Choice> variants;
      for (const suite::AxisValue& value : written.values)
        if (auto made = variant(value)) variants.push_back(std::move(*made));
      resolve_variants(one, benchmark, written, variants, diagnostics);
      for (Choice& made : variants) axis.choices.push_back(&choices_.emplace_back(std::move(made)));
      axes_.push_back(std::move(axis));
      continue;
    }
    const bool bundle = !written.values.empty() && !written.values.front().map.empty();
    const bool known = bundle || axis.name.starts_with("env.") || reserved_target(axis.name) ||
                       benchmark.parameter(axis.name) != nullptr;
    if (!known) {
      report_unknown_parameter(axis.name, written.name.position, benchmark, diagnostics);
      axes_.push_back(std::move(axis));
      continue;
    }
    const auto add = [&](const suite::AxisValue& value) {
      if (const Choice* made = choice(axis.name, value)) axis.choices.push_back(made);
    };
    for (const suite::AxisValue& value : written.values) add(value);
    if (written.range) {
      for (suite::Scalar& scalar : suite::expand(*written.range)) {
        suite::AxisValue value;
        value.scalar = std::move(scalar);
        add(value);
      }
    }
    // What the suite wrote in two ways may be one value of the parameter.
    for (std::size_t i = 1; i < axis.choices.size(); ++i) {
      const auto same = [&](const Choice* other) { return other->one_text == axis.choices[i]->one_text; };
      const auto here = axis.choices.begin() + static_cast<std::ptrdiff_t>(i);
      if (std::find_if(axis.choices.begin(), here, same) == here) continue;
      diagnostics.error("suite.duplicate", axis.choices[i]->settings.front().position,
                        "axis '" + axis.name + "' has '" + axis.choices[i]->one_text + "' twice",
                        "keep one of them");
    }
    axes_.push_back(std::move(axis));
  }
}

const Choice* Points::choice(const std::string& axis, const suite::AxisValue& value) {
  Choice made;
  if (value.map.empty()) {
    if (!add_setting(made, axis, value.scalar.position, value.scalar)) return nullptr;
  } else if (axis == "bind") {
    AxisSetting setting;
    setting.target = Target::bind;
    setting.position = value.map.front().first.position;
    setting.bind.kind = suite::Bind::Kind::explicit_nodes;
    setting.bind.position = setting.position;
    for (const auto& [key, scalar] : value.map)
      (key.value == "cpu" ? setting.bind.cpu : setting.bind.memory) = scalar.text;
    made.text = bundle_text({{"cpu", setting.bind.cpu}, {"memory", setting.bind.memory}});
    made.value = made.one_text = made.text;
    made.settings.push_back(std::move(setting));
  } else {
    bool good = true;
    Json object = Json::object();
    std::vector<std::pair<std::string, std::string>> parts, one_texts;
    for (const auto& [name, scalar] : value.map) {
      good = add_setting(made, name.value, name.position, scalar) && good;
      if (!good) continue;
      parts.emplace_back(name.value, made.text);
      one_texts.emplace_back(name.value, made.one_text);
      object[name.value] = made.value;
    }
    if (!good) return nullptr;
    made.text = bundle_text(parts);
    made.one_text = bundle_text(one_texts);
    made.value = std::move(object);
  }
  return &choices_.emplace_back(std::move(made));
}

// Its value is what it sets, in the words of people; resolve_variants() adds what it leaves as it is.
std::optional<Choice> Points::variant(const suite::AxisValue& value) {
  Choice made;
  Json object = Json::object();
  bool good = true;
  for (const auto& [name, scalar] : value.map) {
    if (!add_setting(made, name.value, name.position, scalar)) {
      good = false;
    } else {
      object[name.value] = variant_value(made.value, made.one_text);
    }
  }
  if (value.bind) {
    AxisSetting setting;
    setting.target = Target::bind;
    setting.position = value.bind->position;
    setting.bind = *value.bind;
    object["bind"] = to_text(*value.bind);
    made.settings.push_back(std::move(setting));
  }
  if (value.devices.kind != suite::DeviceChoice::Kind::unset) {
    AxisSetting setting;
    setting.target = Target::devices;
    setting.position = value.devices.position;
    setting.devices = value.devices;
    object["devices"] = to_text(value.devices);
    made.settings.push_back(std::move(setting));
  }
  if (!value.plugin.value.empty()) {
    AxisSetting setting;
    setting.target = Target::plugin;
    setting.position = value.plugin.position;
    setting.name = value.plugin.value;
    object["plugin"] = printable(value.plugin.value);
    made.settings.push_back(std::move(setting));
  }
  if (!good) return std::nullopt;
  made.text = made.one_text = value.scalar.text;
  made.value = std::move(object);
  made.keys.emplace_back(suite::kVariant, suite::value_key(value.scalar));
  return made;
}

// Leaves the setting's own text and value in the choice; a bundle puts its own in their place.
bool Points::add_setting(Choice& choice, const std::string& name, const Position& position,
                         const suite::Scalar& scalar) {
  AxisSetting setting;
  setting.position = scalar.position.known() ? scalar.position : position;
  constexpr std::string_view kEnvironment = "env.";
  if (name.starts_with(kEnvironment)) {
    setting.target = Target::environment;
    setting.name = name.substr(kEnvironment.size());
    const bool removed = scalar.kind == suite::Scalar::Kind::null;
    setting.value = removed ? Json() : Json(scalar.text);
    choice.text = choice.one_text = removed ? "~" : id_text(printable(scalar.text));
    choice.value = removed ? Json() : Json(printable(scalar.text));
  } else if (const auto target = reserved_target(name)) {
    setting.target = *target;
    setting.name = name;
    const bool number = scalar.kind == suite::Scalar::Kind::integer;
    setting.value = number ? Json(scalar.integer) : Json(scalar.text);
    if (*target == Target::bind) setting.bind = bind_from(scalar);
    if (*target == Target::devices) setting.devices = devices_from(scalar);
    choice.text = choice.one_text = number ? std::to_string(scalar.integer) : id_text(scalar.text);
    choice.value = setting.value;
  } else {
    const catalog::Parameter* parameter = benchmark_.parameter(name);
    if (parameter == nullptr) {
      report_unknown_parameter(name, position, benchmark_, diagnostics_);
      return false;
    }
    auto typed = type_value(*parameter, scalar, diagnostics_);
    if (!typed) return false;
    setting.name = name;
    setting.value = typed->value;
    setting.written = typed->written;
    choice.text = id_text(*typed);
    choice.one_text = std::move(typed->text);
    choice.value = std::move(typed->value);
  }
  choice.keys.emplace_back(name, suite::value_key(scalar));
  choice.settings.push_back(std::move(setting));
  return true;
}

bool Points::sets_parameter(const std::string& name) const {
  const auto sets = [&](const Choice& choice) {
    return std::any_of(choice.settings.begin(), choice.settings.end(), [&](const AxisSetting& setting) {
      return setting.target == Target::parameter && setting.name == name;
    });
  };
  return std::any_of(choices_.begin(), choices_.end(), sets);
}

bool Points::excluded(const Point& point) const {
  return std::any_of(
      case_.matrix.exclude.begin(), case_.matrix.exclude.end(), [&](const suite::Match& match) {
        return std::all_of(match.terms.begin(), match.terms.end(), [&](const auto& term) {
          const std::string* key = key_of(point, term.first.value);
          return key != nullptr &&
                 std::any_of(term.second.begin(), term.second.end(),
                             [&](const suite::Scalar& scalar) { return suite::value_key(scalar) == *key; });
        });
      });
}

// One point, or one for each variant.
std::vector<Point> Points::included(const suite::Match& match) {
  const auto term = [&](const std::string& name) -> const suite::Scalar* {
    for (const auto& [key, values] : match.terms) {
      if (key.value == name && !values.empty()) return &values.front();
    }
    return nullptr;
  };
  Point point;
  for (const suite::SuiteAxis& axis : case_.matrix.axes) {
    if (axis.of_variants) continue;
    suite::AxisValue value;
    if (const suite::Scalar* scalar = term(axis.name.value)) {
      value.scalar = *scalar;
    } else if (!axis.values.empty()) {
      for (const auto& [name, unused] : axis.values.front().map) {
        if (const suite::Scalar* part = term(name.value)) value.map.emplace_back(name, *part);
      }
      if (value.map.empty()) return {};  // reported with the suite
    }
    const Choice* made = choice(axis.name.value, value);
    if (made == nullptr) return {};
    point.push_back(made);
  }
  if (case_.matrix.axes.empty() || !case_.matrix.axes.back().of_variants) return {point};
  std::vector<Point> points;
  for (const Choice* variant : axes_.back().choices) {
    points.push_back(point);
    points.back().push_back(variant);
  }
  return points;
}

std::vector<Point> Points::expand(std::size_t limit) {
  std::vector<Point> points;
  double size = 1;
  for (const MatrixAxis& axis : axes_) size *= static_cast<double>(axis.choices.size());
  if (size > static_cast<double>(limit)) {
    diagnostics_.error("suite.limit", case_.id.position,
                       "case '" + case_.id.value + "' has " + shortest(size) + " points; the limit is " +
                           std::to_string(limit),
                       "shorten an axis, or split the suite");
    return points;
  }
  if (size >= 1) {
    points.reserve(static_cast<std::size_t>(size) + case_.matrix.include.size());
    std::vector<std::size_t> index(axes_.size());
    for (bool more = true; more;) {
      Point point;
      point.reserve(axes_.size());
      for (std::size_t i = 0; i < axes_.size(); ++i) point.push_back(axes_[i].choices[index[i]]);
      if (!excluded(point)) points.push_back(std::move(point));
      more = false;
      for (std::size_t i = axes_.size(); i-- > 0 && !more;) {
        more = ++index[i] < axes_[i].choices.size();
        if (!more) index[i] = 0;
      }
    }
  }
  for (const suite::Match& match : case_.matrix.include) {
    for (Point& point : included(match)) {
      const auto same = [&](const Point& other) {
        return std::equal(other.begin(), other.end(), point.begin(), point.end(),
                          [](const Choice* a, const Choice* b) { return a->one_text == b->one_text; });
      };
      if (std::any_of(points.begin(), points.end(), same)) {
        diagnostics_.error("suite.duplicate", match.position, "this point is already in the matrix",
                           "remove it");
        break;
      }
      points.push_back(std::move(point));
    }
  }
  if (points.empty() && size >= 1) {
    diagnostics_.error("suite.empty", case_.id.position,
                       "case '" + case_.id.value + "' has no point left after 'exclude'",
                       "exclude less, or remove the case");
  }
  return points;
}

}  // namespace assay::plan
