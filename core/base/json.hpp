// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_fwd.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <utility>

namespace assay {

// The integer, if the value is one and in T's range. Of a value from outside, get<T>() alone is no way to
// read it: it converts any number, and beyond T's range the behaviour is undefined.
template <class T>
[[nodiscard]] std::optional<T> integer(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto wide = value.get<std::uint64_t>();
    if (std::in_range<T>(wide)) return static_cast<T>(wide);
  } else if (value.is_number_integer()) {
    const auto wide = value.get<std::int64_t>();
    if (std::in_range<T>(wide)) return static_cast<T>(wide);
  }
  return std::nullopt;
}

// The same where the caller takes Json::type_error for what cannot be read.
template <class T>
[[nodiscard]] T integer_at(const Json& object, const char* key) {
  const Json& value = object.at(key);
  if (const auto found = integer<T>(value)) return *found;
  throw Json::type_error::create(302, std::string("'") + key + "' is not an integer of its range", &value);
}

}  // namespace assay
