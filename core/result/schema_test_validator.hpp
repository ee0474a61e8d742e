// SPDX-License-Identifier: Apache-2.0
//
// As much of JSON Schema draft-07 as document_schema() uses. Tests only.
#pragma once

#include "base/json.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace assay::result {

// Everything that is wrong, with its JSON pointer. A schema key that is not known here is a problem, too.
class SchemaValidator {
 public:
  explicit SchemaValidator(const Json& schema) : root_(schema) {}

  [[nodiscard]] std::vector<std::string> problems(const Json& document) const {
    std::vector<std::string> found;
    check(root_, document, "", found);
    return found;
  }

 private:
  static bool is(const Json& value, const std::string& type) {
    if (type == "null") return value.is_null();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    if (type == "array") return value.is_array();
    return type == "object" && value.is_object();
  }

  void check(const Json& schema, const Json& value, const std::string& at,
             std::vector<std::string>& found) const {
    for (const auto& [key, rule] : schema.items()) {
      if (key == "$ref") {
        const std::string name = rule.get<std::string>().substr(std::string("#/definitions/").size());
        check(root_.at("definitions").at(name), value, at, found);
      } else if (key == "anyOf") {
        std::vector<std::string> best;
        bool any = false;
        for (const Json& each : rule) {
          std::vector<std::string> own;
          check(each, value, at, own);
          any = any || own.empty();
          if (own.size() > best.size()) best = own;
        }
        if (!any) found.insert(found.end(), best.begin(), best.end());
      } else if (key == "type") {
        bool any = false;
        for (const Json& each : rule.is_array() ? rule : Json::array({rule})) any = any || is(value, each);
        if (!any) found.push_back(at + ": " + value.dump().substr(0, 60) + " is not " + rule.dump());
      } else if (key == "enum") {
        if (std::find(rule.begin(), rule.end(), value) == rule.end())
          found.push_back(at + ": " + value.dump() + " is none of " + rule.dump());
      } else if (key == "minimum") {
        if (value.is_number() && value < rule) found.push_back(at + ": below " + rule.dump());
      } else if (key == "required") {
        for (const Json& name : rule)
          if (value.is_object() && !value.contains(name.get<std::string>()))
            found.push_back(at + ": lacks " + name.dump());
      } else if (key == "properties") {
        for (const auto& [name, each] : rule.items())
          if (value.is_object() && value.contains(name)) check(each, value.at(name), at + "/" + name, found);
      } else if (key == "additionalProperties") {
        if (value.is_object())
          for (const auto& [name, each] : value.items()) check(rule, each, at + "/" + name, found);
      } else if (key == "items") {
        if (value.is_array())
          for (std::size_t i = 0; i < value.size(); ++i)
            check(rule, value[i], at + "/" + std::to_string(i), found);
      } else if (key != "$schema" && key != "title" && key != "description" && key != "definitions" &&
                 key != "pattern") {
        found.push_back("schema key '" + key + "' is not known to this validator");
      }
    }
  }

  Json root_;
};

// Keys of the document that the schema does not list, with their JSON pointer: what Assay writes and does not
// describe.
inline std::vector<std::string> unlisted_keys(const Json& root, const Json& schema, const Json& value,
                                              const std::string& at = {}) {
  if (schema.contains("$ref")) {
    const std::string name =
        schema.at("$ref").get<std::string>().substr(std::string("#/definitions/").size());
    return unlisted_keys(root, root.at("definitions").at(name), value, at);
  }
  if (schema.contains("anyOf"))
    return value.is_null() ? std::vector<std::string>{}
                           : unlisted_keys(root, schema.at("anyOf").at(0), value, at);
  std::vector<std::string> found;
  const auto append = [&](const std::vector<std::string>& more) {
    found.insert(found.end(), more.begin(), more.end());
  };
  if (value.is_object() && schema.contains("properties")) {
    for (const auto& [name, each] : value.items()) {
      if (schema.at("properties").contains(name))
        append(unlisted_keys(root, schema.at("properties").at(name), each, at + "/" + name));
      else
        found.push_back(at + "/" + name);
    }
  } else if (value.is_array() && schema.contains("items")) {
    for (std::size_t i = 0; i < value.size(); ++i)
      append(unlisted_keys(root, schema.at("items"), value[i], at + "/" + std::to_string(i)));
  }
  return found;
}

}  // namespace assay::result
