// SPDX-License-Identifier: Apache-2.0
#include "system/peaks.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/quantity.hpp"
#include "text/text.hpp"
#include "yaml/node.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace assay::system {
namespace {

using yaml::Node;

constexpr const char* kInvalidPeaks = "peaks.invalid";

constexpr std::size_t kMostBytes = std::size_t{4} << 20;  // in one file

class PeaksParser {
 public:
  explicit PeaksParser(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  Json parse(const Node& document) {
    Json entries = Json::array();
    if (!yaml::is_file_of(document, "peaks", {"version", "devices"}, kInvalidPeaks, diagnostics_))
      return entries;
    const Node* devices = document.find("devices");
    if (devices == nullptr || devices->kind != Node::Kind::list) {
      error(devices, document, "'devices' is not a list of entries");
      return entries;
    }
    for (const auto& device : devices->items) entry(*device, entries);
    return entries;
  }

 private:
  void entry(const Node& node, Json& entries) {
    if (!yaml::is_map_of(node, "an entry", {"name", "source", "match", "peaks"}, kInvalidPeaks, diagnostics_))
      return;
    Json result = {{"name", text(node, "name")}, {"source", text(node, "source")}};
    result["match"] = match(node);
    result["peaks"] = peaks(node);
    entries.push_back(std::move(result));
  }

  std::string text(const Node& node, const char* key) {
    const Node* value = node.find(key);
    if (value != nullptr && value->kind == Node::Kind::scalar && !value->text.empty())
      return printable(value->text);
    error(value, node, "an entry needs '" + std::string(key) + "' with a text");
    return {};
  }

  // The map under the key. If it is missing, empty or not a map, reports `problem` and returns nullptr.
  const Node* map_in(const Node& parent, const char* key, const std::string& problem) {
    const Node* node = parent.find(key);
    if (node != nullptr && !node->entries.empty()) return node;
    error(node, parent, problem);
    return nullptr;
  }

  Json match(const Node& parent) {
    Json result = Json::object();
    const Node* node =
        map_in(parent, "match", "an entry needs 'match' with the facts that a device must have");
    if (node == nullptr) return result;
    for (const auto& [name, value] : node->entries) {
      const std::string key = printable(name->text);
      if (value->kind == Node::Kind::scalar) {
        result[key] = scalar(*value);
      } else if (value->kind != Node::Kind::map) {
        error(*value, "'" + key + "' is neither a value nor a range {min, max}");
      } else if (yaml::is_map_of(*value, "a range", {"min", "max"}, kInvalidPeaks, diagnostics_)) {
        Json range = Json::object();
        for (const auto& [bound, limit] : value->entries) {
          const auto quantity = quantity_in(*limit);
          if (!quantity) {
            error(*limit, "'" + printable(bound->text) + "' is not a quantity");
            continue;
          }
          range[bound->text] = quantity->value;
        }
        result[key] = std::move(range);
      }
    }
    return result;
  }

  static std::optional<Quantity> quantity_in(const Node& node) {
    return node.kind == Node::Kind::scalar ? parse_quantity(node.text) : std::nullopt;
  }

  // Quoted scalars stay texts, so that "9.0" is not the number 9.
  static Json scalar(const Node& node) {
    if (!node.quoted && (node.text == "true" || node.text == "false")) return node.text == "true";
    const auto quantity = node.quoted ? std::nullopt : parse_quantity(node.text);
    return quantity ? Json(quantity->value) : Json(printable(node.text));
  }

  Json peaks(const Node& parent) {
    Json result = Json::object();
    const Node* node = map_in(parent, "peaks", "an entry needs 'peaks' with a quantity for each name");
    if (node == nullptr) return result;
    for (const auto& [key, value] : node->entries) {
      const std::string name = printable(key->text);
      if (value->kind == Node::Kind::scalar) {
        result[name] = peak(name, *value);
        continue;
      }
      if (value->kind != Node::Kind::map) {
        error(*value, "peak '" + name + "' is neither a quantity nor a map from data types to quantities");
        continue;
      }
      Json table = Json::object();
      for (const auto& [dtype, row] : value->entries) table[printable(dtype->text)] = peak(name, *row);
      result[name] = {{"by_dtype", std::move(table)}};
    }
    return result;
  }

  Json peak(const std::string& name, const Node& node) {
    const auto quantity = quantity_in(node);
    if (!quantity || quantity->dimension.none()) {
      error(node, "peak '" + name + "' is not a quantity with a unit", "write for example 4800 GB/s");
      return {};
    }
    if (quantity->value <= 0) {
      error(node, "peak '" + name + "' is not above zero", "leave out what is unknown");
      return {};
    }
    return {{"value", quantity->value}, {"unit", base_unit(quantity->dimension)}};
  }

  void error(const Node& node, std::string text, std::string hint = {}) {
    diagnostics_.error(kInvalidPeaks, node.position, std::move(text), std::move(hint));
  }
  // Reports at the node or, if it is missing, at its parent.
  void error(const Node* node, const Node& parent, std::string text, std::string hint = {}) {
    error(node != nullptr ? *node : parent, std::move(text), std::move(hint));
  }

  Diagnostics& diagnostics_;
};

bool matches(const Json& expected, const Json& actual) {
  if (expected.is_object()) {
    if (!actual.is_number()) return false;
    const double value = actual.get<double>();
    const auto low = expected.find("min"), high = expected.find("max");
    return (low == expected.end() || value >= low->get<double>()) &&
           (high == expected.end() || value <= high->get<double>());
  }
  return expected == actual;
}

bool matches(const Json& entry, const Device& device) {
  for (const auto& [key, expected] : entry.at("match").items()) {
    if (key == "model") {
      if (!matches(expected, Json(device.model))) return false;
      continue;
    }
    const auto fact = device.facts.find(key);
    if (fact == device.facts.end() || !matches(expected, *fact)) return false;
  }
  return true;
}

// Why an entry {value, unit, source} cannot be a peak of metrics in `unit`; empty if it can. "" stands for any unit.
std::string why_no_peak(const std::string& name, const Json& entry, const std::string& unit) {
  const std::string what = "peak '" + printable(name) + "' ";
  if (!entry.is_object()) return what + "is not an object with 'value', 'unit' and 'source'";
  const auto number = entry.find("value");
  if (number == entry.end() || !number->is_number()) return what + "has no number as its 'value'";
  const double value = number->get<double>();
  if (!std::isfinite(value) || value <= 0)
    return what + "is " + shortest(value) + ", which is not above zero";
  const auto given = entry.find("unit");
  if (given == entry.end() || (given->is_string() && given->get_ref<const std::string&>().empty())) return {};
  const auto parsed = given->is_string() ? parse_unit(given->get_ref<const std::string&>()) : std::nullopt;
  const std::string text =
      given->is_string() ? printable(given->get_ref<const std::string&>()) : given->dump();
  if (!parsed) return what + "has the unit '" + text + "', which is not a known unit";
  if (parsed->scale != 1) return what + "is in '" + text + "', which is not a base unit";
  const auto wanted = unit.empty() ? std::nullopt : parse_unit(unit);
  if (wanted && !(wanted->dimension == parsed->dimension))
    return what + "is in '" + text + "', but the metric that it limits is in '" + unit + "'";
  return {};
}

// The peak's entry for a data type; nullptr if there is none.
const Json* entry_for(const Json& peaks, const std::string& name, const std::string& dtype) {
  const auto found = peaks.find(name);
  if (found == peaks.end()) return nullptr;
  if (!found->is_object()) return &*found;
  const auto table = found->find("by_dtype");
  if (table == found->end() || !table->is_object()) return &*found;
  const auto row = table->find(dtype);
  return row == table->end() ? nullptr : &*row;
}

std::optional<DevicePeak> peak_from(const Json& peaks, const std::string& name, const std::string& dtype,
                                    const std::string& source, const std::string& unit,
                                    std::string* refused) {
  const Json* entry = entry_for(peaks, name, dtype);
  if (entry == nullptr) return std::nullopt;
  std::string why = why_no_peak(name, *entry, unit);
  if (!why.empty()) {
    if (refused != nullptr) *refused = std::move(why);
    return std::nullopt;
  }
  const auto text = [&](const char* key, const std::string& fallback) {
    const auto found = entry->find(key);
    return found != entry->end() && found->is_string() ? printable(found->get_ref<const std::string&>())
                                                       : fallback;
  };
  return DevicePeak{name, entry->at("value").get<double>(), text("unit", ""), text("source", source)};
}

}  // namespace

Json parse_peaks(const std::string& file, const std::string& text, Diagnostics& diagnostics) {
  auto source = std::make_shared<yaml::Source>(yaml::Source{file, text, 0, "peaks", kMostBytes});
  const yaml::NodePtr root = yaml::read_yaml(source, diagnostics);
  return root ? PeaksParser(diagnostics).parse(*root) : Json::array();
}

Json read_peaks(const std::filesystem::path& folder, Diagnostics& diagnostics) {
  std::vector<std::filesystem::path> files;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  Json entries = Json::array();
  for (const std::filesystem::path& file : files) {
    try {
      for (Json& entry : parse_peaks(file.string(), read_file(file, kMostBytes), diagnostics)) {
        entries.push_back(std::move(entry));
      }
    } catch (const Error& problem) {
      diagnostics.error("peaks.unreadable", {file.string()}, problem.what());
    }
  }
  return entries;
}

std::optional<DevicePeak> find_peak(const Json& tables, const Device& device, const std::string& name,
                                    const std::string& dtype, const std::string& unit, std::string* refused) {
  if (const auto measured = device.facts.find("peaks");
      measured != device.facts.end() && measured->is_object()) {
    if (auto peak = peak_from(*measured, name, dtype, "measured", unit, refused)) return peak;
  }
  for (const Json& entry : tables) {
    if (!matches(entry, device)) continue;
    return peak_from(entry.at("peaks"), name, dtype, entry.value("source", ""), unit, nullptr);
  }
  return std::nullopt;
}

std::vector<std::string> wrong_peaks(const Json& peaks,
                                     const std::function<std::string(const std::string&)>& unit_of) {
  if (!peaks.is_object()) return {"'peaks' is not an object"};
  std::vector<std::string> wrong;
  for (const auto& [name, given] : peaks.items()) {
    const auto look_at = [&, &name = name](const Json& entry) {
      if (std::string why = why_no_peak(name, entry, unit_of(name)); !why.empty())
        wrong.push_back(std::move(why));
    };
    const auto table = given.is_object() ? given.find("by_dtype") : given.end();
    if (given.is_object() && table != given.end() && table->is_object()) {
      for (const Json& entry : *table) look_at(entry);
    } else {
      look_at(given);
    }
  }
  return wrong;
}

}  // namespace assay::system
