// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.hpp"
#include "text/json_cursor.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace assay {

// A limit for JSON from outside, like kMaximumJsonDepth, because a key is searched among all keys of its object.
inline constexpr std::size_t kMaximumJsonKeys = 1024;  // of one object

// Where and how a text goes beyond these limits; nothing if it does not, whether it is JSON or not.
struct JsonExcess {
  std::size_t offset = 0;
  std::string text;  // "is nested deeper than 64 levels"
};
[[nodiscard]] std::optional<JsonExcess> json_excess(std::string_view text);

// The value. Throws Error with the code given if the text is not JSON or goes beyond the limits; `what` is how
// the message names it: "'x.json'".
[[nodiscard]] Json parse_json(std::string_view text, const std::string& code, const std::string& what);

}  // namespace assay
