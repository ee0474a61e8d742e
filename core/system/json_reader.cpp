// SPDX-License-Identifier: Apache-2.0
#include "system/json_reader.hpp"

#include "base/error.hpp"
#include "system/topology.hpp"
#include "text/text.hpp"

#include <utility>

namespace assay::system {

JsonReader::JsonReader(const Json& object, std::string pointer)
    : object_(&object), pointer_(std::move(pointer)) {
  if (!object.is_object()) {
    throw Error("inventory.malformed",
                "the inventory has no object at '" + (pointer_.empty() ? "/" : pointer_) + "'");
  }
}

void JsonReader::malformed(std::string_view key, std::string_view expected) const {
  throw Error("inventory.malformed",
              "the inventory's '" + pointer_ + "/" + std::string(key) + "' is not " + std::string(expected));
}

const Json* JsonReader::find(std::string_view key) const {
  const auto found = object_->find(key);
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

std::string JsonReader::text(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return {};
  if (!value->is_string()) malformed(key, "a text");
  return printable(value->get_ref<const std::string&>());
}

std::string JsonReader::required_text(std::string_view key) const {
  std::string value = text(key);
  if (value.empty()) malformed(key, "a text that says something");
  return value;
}

std::vector<std::string> JsonReader::texts(std::string_view key) const {
  std::vector<std::string> list;
  const Json* value = find(key);
  if (value == nullptr) return list;
  if (!value->is_array()) malformed(key, "an array of texts");
  for (const Json& item : *value) {
    if (!item.is_string()) malformed(key, "an array of texts");
    list.push_back(printable(item.get_ref<const std::string&>()));
  }
  return list;
}

int JsonReader::integer(std::string_view key, int fallback) const {
  const Json* value = find(key);
  if (value == nullptr) return fallback;
  const auto found = assay::integer<int>(*value);
  if (!found) malformed(key, value->is_number_integer() ? "a whole number of 32 bits" : "a whole number");
  return *found;
}

std::uint64_t JsonReader::size(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return 0;
  const auto found = assay::integer<std::uint64_t>(*value);
  if (!found) malformed(key, "a whole number from 0");
  return *found;
}

Json JsonReader::object(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return Json::object();
  if (!value->is_object()) malformed(key, "an object");
  return *value;
}

std::vector<int> JsonReader::cpu_list(std::string_view key) const {
  const auto list = parse_cpu_list(text(key));
  if (!list) malformed(key, "an ascending list such as \"0-3,8\"");
  return *list;
}

std::vector<JsonReader> JsonReader::objects(std::string_view key) const {
  std::vector<JsonReader> readers;
  const Json* value = find(key);
  if (value == nullptr) return readers;
  if (!value->is_array()) malformed(key, "an array");
  for (std::size_t i = 0; i < value->size(); ++i) {
    readers.emplace_back((*value)[i], pointer_ + "/" + std::string(key) + "/" + std::to_string(i));
  }
  return readers;
}

}  // namespace assay::system
