// SPDX-License-Identifier: Apache-2.0
#include "catalog/manifest_reader.hpp"

#include "base/json_limits.hpp"
#include "base/json_words.hpp"
#include "base/suggest.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace assay::catalog {
namespace {

const Json& empty_object() {
  static const Json empty = Json::object();
  return empty;
}

Position position_of(const std::string& file, std::string_view text, std::size_t byte) {
  Position at{file, 1, 1};
  for (std::size_t i = 0; i < std::min(byte, text.size()); ++i) {
    if (text[i] == '\n') {
      ++at.line;
      at.column = 1;
    } else {
      ++at.column;
    }
  }
  return at;
}

// Remembers in `twice` the first key that an object has a second time.
Json::parser_callback_t keys_told_apart(std::string& twice) {
  return [&twice, open = std::vector<std::set<std::string>>()](int, Json::parse_event_t event,
                                                               Json& value) mutable {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end && !open.empty()) open.pop_back();
    if (event == Json::parse_event_t::key && !open.empty()) {
      const auto& key = value.get_ref<const std::string&>();
      if (!open.back().insert(key).second && twice.empty()) twice = key;
    }
    return true;
  };
}

}  // namespace

bool is_name(std::string_view text, bool dashes) {
  const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto rest = [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '_' || (dashes && c == '-');
  };
  return !text.empty() && text.size() <= 64 && letter(text.front()) &&
         std::all_of(text.begin(), text.end(), rest);
}

std::optional<Json> parse_document(const std::string& file, const std::string& text,
                                   Diagnostics& diagnostics) {
  if (const auto excess = json_excess(text)) {
    diagnostics.error("manifest.syntax", position_of(file, text, excess->offset),
                      "this JSON " + excess->text);
    return std::nullopt;
  }
  std::string twice;
  Json document = Json::parse(text, keys_told_apart(twice), false);
  if (document.is_discarded()) {
    const JsonFault fault = json_fault(text).value_or(JsonFault{0, "it cannot be read"});
    diagnostics.error("manifest.syntax", position_of(file, text, fault.offset),
                      "not valid JSON: " + fault.text);
    return std::nullopt;
  }
  if (twice.empty()) return document;
  // Which of two is meant nobody can say, and the program that reads it next may take the other.
  diagnostics.error("manifest.syntax", {file}, "'" + printable(twice) + "' stands twice in one object",
                    "leave one of them out; assay-describe adds 'library' and 'abi' by itself");
  return std::nullopt;
}

ObjectReader::ObjectReader(const Json& json, std::string pointer, const std::string& file,
                           Diagnostics& diagnostics)
    : json_(&json), pointer_(std::move(pointer)), file_(&file), diagnostics_(&diagnostics) {
  if (!json.is_object()) {
    diagnostics.error("manifest.type", {file},
                      "'" + (pointer_.empty() ? "/" : pointer_) + "' is not an object");
    json_ = &empty_object();
  }
}

const Json* ObjectReader::find(std::string_view key) const {
  if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.emplace_back(key);
  const auto found = json_->find(key);
  return found == json_->end() || found->is_null() ? nullptr : &*found;
}

void ObjectReader::error(std::string_view key, const std::string& what, std::string hint) const {
  diagnostics_->error("manifest.type", {*file_}, "'" + pointer_ + "/" + std::string(key) + "' " + what,
                      std::move(hint));
}

// Keys of a later version are none of these, and are ignored without a word.
void ObjectReader::warn_of_misspellings() const {
  for (const auto& item : json_->items()) {
    const std::string key = printable(item.key());
    if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
    const std::string meant = nearest(key, asked_);
    if (meant.empty()) continue;
    diagnostics_->warning("manifest.key", {*file_},
                          "'" + pointer_ + "/" + key + "' is not a key of a manifest and is ignored",
                          "did you mean '" + meant + "'?");
  }
}

std::string ObjectReader::text(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return {};
  if (!value->is_string()) {
    error(key, "is not a text");
    return {};
  }
  return printable(value->get_ref<const std::string&>());
}

std::string ObjectReader::required_text(std::string_view key) const {
  if (!has(key)) error(key, "is missing");
  std::string value = text(key);
  if (has(key) && value.empty() && find(key)->is_string()) error(key, "is empty");
  return value;
}

std::string ObjectReader::name(std::string_view key, bool dashes) const {
  std::string value = required_text(key);
  if (!value.empty() && !is_name(value, dashes)) {
    error(key, "is '" + value + "', which is not a name",
          std::string("lower-case letters, digits and '_'") + (dashes ? " and '-'" : "") +
              ", beginning with a letter");
  }
  return value;
}

int ObjectReader::integer(std::string_view key, int fallback, int least) const {
  const Json* value = find(key);
  if (value == nullptr) return fallback;
  const auto found = assay::integer<int>(*value);
  if (!found || *found < least) {
    error(key, "is not a whole number from " + std::to_string(least));
    return fallback;
  }
  return *found;
}

bool ObjectReader::boolean(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return false;
  if (!value->is_boolean()) error(key, "is neither true nor false");
  return value->is_boolean() && value->get<bool>();
}

std::optional<double> ObjectReader::number(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number()) {
    error(key, "is not a number");
    return std::nullopt;
  }
  return value->get<double>();
}

std::vector<std::string> ObjectReader::texts(std::string_view key) const {
  std::vector<std::string> list;
  const Json* value = find(key);
  if (value == nullptr) return list;
  if (!value->is_array()) {
    error(key, "is not an array of texts");
    return list;
  }
  for (const Json& item : *value) {
    if (!item.is_string()) {
      error(key, "is not an array of texts");
      return list;
    }
    std::string text = printable(item.get_ref<const std::string&>());
    if (std::find(list.begin(), list.end(), text) != list.end()) error(key, "has '" + text + "' twice");
    list.push_back(std::move(text));
  }
  return list;
}

std::vector<ObjectReader> ObjectReader::objects(std::string_view key) const {
  std::vector<ObjectReader> list;
  const Json* value = find(key);
  if (value == nullptr) return list;
  if (!value->is_array()) {
    error(key, "is not an array");
    return list;
  }
  for (std::size_t i = 0; i < value->size(); ++i) {
    list.emplace_back((*value)[i], pointer_ + "/" + std::string(key) + "/" + std::to_string(i), *file_,
                      *diagnostics_);
  }
  return list;
}

ObjectReader ObjectReader::object(std::string_view key) const {
  const Json* value = find(key);
  return {value == nullptr ? empty_object() : *value, pointer_ + "/" + std::string(key), *file_,
          *diagnostics_};
}

std::size_t ObjectReader::choice(std::string_view key, const std::vector<std::string>& words) const {
  const std::string word = required_text(key);
  const auto found = std::find(words.begin(), words.end(), word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  if (!word.empty())
    error(key, "is '" + word + "', not one of: " + join(words, ", "), suggestion(word, words));
  return 0;
}

}  // namespace assay::catalog
