// SPDX-License-Identifier: Apache-2.0
//
// Writes JSON text: just enough for manifests and inventories, so that plugins need no JSON library.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace assay::detail {

// Begin and end calls must pair; inside an object every value follows a key. Indented by two spaces.
class JsonWriter {
 public:
  const std::string& text() const { return text_; }

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }

  JsonWriter& key(std::string_view name) {
    separate();
    append_text(name);
    text_ += ": ";
    after_key_ = true;
    return *this;
  }

  JsonWriter& value(std::string_view text) {
    separate();
    append_text(text);
    return *this;
  }
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }

  template <class Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
  JsonWriter& value(Number number) {
    if constexpr (std::is_same_v<Number, bool>) {
      return raw(number ? "true" : "false");
    } else {
      if constexpr (std::is_floating_point_v<Number>) {
        if (!std::isfinite(number)) throw std::invalid_argument("a number in JSON must be finite");
      }
      char buffer[64];
      const auto end = std::to_chars(buffer, buffer + sizeof(buffer), number).ptr;
      return raw(std::string_view(buffer, static_cast<std::size_t>(end - buffer)));
    }
  }

  // Text that is JSON already.
  JsonWriter& raw(std::string_view json) {
    separate();
    text_ += json;
    return *this;
  }

  template <class Value>
  JsonWriter& member(std::string_view name, const Value& member_value) {
    return key(name).value(member_value);
  }

 private:
  JsonWriter& open(char bracket) {
    separate();
    text_ += bracket;
    ++depth_;
    first_ = true;
    return *this;
  }

  JsonWriter& close(char bracket) {
    --depth_;
    if (!first_) new_line();
    text_ += bracket;
    first_ = false;
    return *this;
  }

  void separate() {
    if (after_key_) {
      after_key_ = false;
      return;
    }
    if (depth_ == 0) return;
    if (!first_) text_ += ',';
    first_ = false;
    new_line();
  }

  void new_line() { text_.append(1, '\n').append(2 * static_cast<std::size_t>(depth_), ' '); }

  void append_text(std::string_view text) {
    text_ += '"';
    for (const char c : text) {
      if (c == '"' || c == '\\') {
        text_.append(1, '\\').append(1, c);
      } else if (c == '\n') {
        text_ += "\\n";
      } else if (static_cast<unsigned char>(c) < 0x20) {
        char buffer[8];
        std::snprintf(buffer, sizeof(buffer), "\\u%04x", static_cast<unsigned>(c));
        text_ += buffer;
      } else {
        text_ += c;
      }
    }
    text_ += '"';
  }

  std::string text_;
  int depth_ = 0;
  bool first_ = true;
  bool after_key_ = false;
};

}  // namespace assay::detail
