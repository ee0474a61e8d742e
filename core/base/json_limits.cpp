// SPDX-License-Identifier: Apache-2.0
#include "base/json_limits.hpp"

#include "base/error.hpp"
#include "base/json_words.hpp"

#include <array>

namespace assay {

std::optional<JsonExcess> json_excess(std::string_view text) {
  std::array<std::size_t, kMaximumJsonDepth + 1> keys{};  // of the object open at each depth
  int depth = 0;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inside) {
      if (c == '\\') ++i;
      if (c == '"') inside = false;
      continue;
    }
    switch (c) {
      case '"':
        inside = true;
        break;
      case '[':
      case '{':
        if (++depth > kMaximumJsonDepth)
          return JsonExcess{i, "is nested deeper than " + std::to_string(kMaximumJsonDepth) + " levels"};
        keys[static_cast<std::size_t>(depth)] = 0;
        break;
      case ']':
      case '}':
        if (depth > 0) --depth;
        break;
      case ':':
        if (++keys[static_cast<std::size_t>(depth)] > kMaximumJsonKeys)
          return JsonExcess{i, "has an object of more than " + std::to_string(kMaximumJsonKeys) + " keys"};
        break;
      default:
        break;
    }
  }
  return std::nullopt;
}

Json parse_json(std::string_view text, const std::string& code, const std::string& what) {
  if (const auto excess = json_excess(text)) {
    throw Error(code, what + " " + excess->text + ", at " + place_in(text, excess->offset));
  }
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_discarded()) return json;
  const JsonFault fault = json_fault(text).value_or(JsonFault{0, "it cannot be read"});
  throw Error(code, what + " is not JSON: " + place_in(text, fault.offset) + ": " + fault.text);
}

}  // namespace assay
