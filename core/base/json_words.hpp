// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with JSON from outside, in our own words: the library's are for programmers, and change.
#pragma once

#include "base/json.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace assay {

struct JsonFault {
  std::size_t offset = 0;  // at most the text's size
  std::string text;        // "'x' cannot stand there"
};

// Where and why a text is not JSON; nothing if it is.
[[nodiscard]] std::optional<JsonFault> json_fault(std::string_view text);

// "line 3, column 7", both from 1; columns count bytes.
[[nodiscard]] std::string place_in(std::string_view text, std::size_t offset);

// What a document lacks whose reader got this exception: "'seed' is missing", "'seed' is of a wrong type (string)".
[[nodiscard]] std::string in_words(const Json::exception& exception);

// A member of an object. Throws Json::exception, which in_words() understands, if there is none of that type.
template <class T>
[[nodiscard]] T value_at(const Json& object, const char* key) {
  const Json& value = object.at(key);
  try {
    return value.get<T>();
  } catch (const Json::type_error&) {
    throw Json::type_error::create(
        302, "'" + std::string(key) + "' is of a wrong type (" + value.type_name() + ")", &value);
  }
}

}  // namespace assay
