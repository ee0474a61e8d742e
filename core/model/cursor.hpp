// SPDX-License-Identifier: Apache-2.0
//
// The two things that structs are read from: a tree of JSON, and a JSON text, of which no tree is made. Of a text every string and key is as
// printable() makes it.
#pragma once

#include "base/json.hpp"
#include "text/json_cursor.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace assay::model {

class TreeCursor {
 public:
  static constexpr bool kIsTree = true;

  explicit TreeCursor(const Json& json) : json_(&json) {}

  [[nodiscard]] JsonKind kind() const;
  [[nodiscard]] bool boolean() const { return json_->get<bool>(); }
  [[nodiscard]] double number() const { return json_->get<double>(); }
  template <class T>
  [[nodiscard]] std::optional<T> integer() const {
    return assay::integer<T>(*json_);
  }
  void text(std::string& out) const { out = json_->get_ref<const std::string&>(); }
  [[nodiscard]] const Json& json() const { return *json_; }
  void pass() const {}
  [[nodiscard]] std::size_t size() const { return json_->size(); }
  template <class Take>
  void elements(Take&& take) const {
    for (const Json& each : *json_) take(TreeCursor(each));
  }
  template <class Take>
  void members(Take&& take) const {
    for (const auto& [key, value] : json_->get_ref<const Json::object_t&>()) take(TreeCursor(value), key);
  }

 private:
  const Json* json_;
};

// Throws BadJson.
class TextCursor {
 public:
  static constexpr bool kIsTree = false;

  explicit TextCursor(JsonCursor& cursor) : cursor_(&cursor) {}

  [[nodiscard]] JsonKind kind() const { return cursor_->kind(); }
  [[nodiscard]] bool boolean() const { return cursor_->boolean(); }
  [[nodiscard]] double number() const { return cursor_->number().value(); }
  template <class T>
  [[nodiscard]] std::optional<T> integer() const {
    return cursor_->number().integer<T>();
  }
  void text(std::string& out) const { cursor_->text(out); }
  [[nodiscard]] Json json() const;
  void pass() const { (void)cursor_->pass(); }
  [[nodiscard]] static std::size_t size() { return 0; }  // nobody knows before the end
  template <class Take>
  void elements(Take&& take) const {
    cursor_->elements([&](JsonCursor&) { take(*this); });
  }
  template <class Take>
  void members(Take&& take) const {
    cursor_->members([&](JsonCursor&, std::string_view key) { take(*this, key); });
  }

 private:
  JsonCursor* cursor_;
};

}  // namespace assay::model
