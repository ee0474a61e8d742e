// SPDX-License-Identifier: Apache-2.0
#include "external/definition.hpp"

#include <assay/errors.hpp>

#include <nlohmann/json.hpp>

namespace assay::plugins::external {
namespace {

using Json = nlohmann::json;

template <typename T>
std::optional<T> optional(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return std::nullopt;
  return found->get<T>();
}

Take take_from(const std::string& text) {
  if (text == "first") return Take::first;
  if (text == "last") return Take::last;
  return text == "all" ? Take::all : Take::only;
}

}  // namespace

Definition parse_definition(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    Definition definition;
    definition.arguments = json.at("arguments").get<std::vector<std::string>>();
    if (definition.arguments.empty()) throw BadParameter("definition", "it names no program");
    definition.directory = json.value("directory", "");
    definition.passed = optional<std::vector<int>>(json, "passed");
    definition.skipped = json.value("skipped", std::vector<int>());
    definition.verify_pattern = optional<std::string>(json, "verify_pattern");
    definition.verify_exit = optional<int>(json, "verify_exit");
    for (const Json& entry : json.at("metrics")) {
      Metric metric;
      metric.name = entry.at("name").get<std::string>();
      metric.scale = entry.at("scale").get<double>();
      metric.json = optional<std::string>(entry, "json");
      metric.pattern = optional<std::string>(entry, "pattern");
      metric.take = take_from(entry.value("take", ""));
      definition.metrics.push_back(std::move(metric));
    }
    return definition;
  } catch (const Json::exception&) {
    throw BadParameter("definition",
                       "a suite describes a command with 'command' and 'metrics', not with parameters");
  }
}

}  // namespace assay::plugins::external
