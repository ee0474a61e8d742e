// SPDX-License-Identifier: Apache-2.0
#include "lib/json_fields.hpp"

#include "lib/text.hpp"
#include "text/outcome.hpp"

#include <fmt/format.h>

#include <cmath>

namespace assay::reporters::reader {

const Json& at(const Json& json, const char* key) {
  static const Json kNull;
  if (!json.is_object()) return kNull;
  const auto found = json.find(key);
  return found == json.end() ? kNull : *found;
}

std::string text(const Json& json) {
  return json.is_string() ? printable(json.get_ref<const std::string&>()) : std::string();
}

std::string text(const Json& json, const char* key) { return text(at(json, key)); }

std::optional<double> number(const Json& json) {
  if (!json.is_number()) return std::nullopt;
  const double value = json.get<double>();
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> number(const Json& json, const char* key) { return number(at(json, key)); }

bool boolean(const Json& json, const char* key) {
  return at(json, key).is_boolean() && at(json, key).get<bool>();
}

std::string scalar(const Json& json) {
  if (json.is_string()) return text(json);
  if (json.is_number_float()) return fmt::format("{}", json.get<double>());
  return json.is_number() || json.is_boolean() ? json.dump() : std::string();
}

const Json& list(const Json& json, const char* key) {
  static const Json kEmpty = Json::array();
  const Json& found = at(json, key);
  return found.is_array() ? found : kEmpty;
}

const Json& object(const Json& json, const char* key) {
  static const Json kEmpty = Json::object();
  const Json& found = at(json, key);
  return found.is_object() ? found : kEmpty;
}

Pairs scalars(const Json& json) {
  Pairs out;
  for (const auto& [key, value] : json.items()) {
    std::string shown = scalar(value);
    if (!shown.empty()) out.emplace_back(printable(key), std::move(shown));
  }
  return out;
}

std::vector<std::string> texts(const Json& json, const char* key) {
  return each<std::string>(json, key, [](const Json& item) { return text(item); });
}

Place place(const Json& json) {
  const Json& position = at(json, "position");
  return {text(position, "file"), integer(position, "line", 0), integer(position, "column", 0)};
}

std::optional<Bounds> bounds(const Json& json) {
  const auto low = number(json, "low"), high = number(json, "high");
  if (!low || !high || *low > *high) return std::nullopt;
  return Bounds{*low, *high};
}

Unit unit(const Json& json) {
  const Unit out{one_line(text(json, "unit"))};
  const Json& written = at(json, "written");
  const std::string name = one_line(text(written, "unit"));
  const double scale = number(written, "scale").value_or(0);
  return scale > 0 ? Unit{out.base, name, scale} : out;
}

Outcome outcome(const Json& json, const char* key) {
  assay::Outcome known{};
  if (!from_text(text(json, key), known)) return Outcome::other;
  const int place = static_cast<int>(known);
  return static_cast<Outcome>(known > assay::Outcome::cancelled ? place + 1 : place);
}

}  // namespace assay::reporters::reader
