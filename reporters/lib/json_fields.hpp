// SPDX-License-Identifier: Apache-2.0
//
// Values of a document's JSON by key, clean. What is missing or of another type is its default, so that
// nothing here throws. Internal to the reading of documents.
#pragma once

#include "lib/document.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::reporters::reader {

using Json = nlohmann::ordered_json;
using Pairs = std::vector<std::pair<std::string, std::string>>;

[[nodiscard]] const Json& at(const Json& json, const char* key);
[[nodiscard]] std::string text(const Json& json);
[[nodiscard]] std::string text(const Json& json, const char* key);
[[nodiscard]] std::optional<double> number(const Json& json);
[[nodiscard]] std::optional<double> number(const Json& json, const char* key);

template <typename Integer>
Integer integer(const Json& json, const char* key, Integer fallback) {
  const auto value = number(json, key);
  if (!value || *value < static_cast<double>(std::numeric_limits<Integer>::lowest()) ||
      *value >= static_cast<double>(std::numeric_limits<Integer>::max())) {
    return fallback;
  }
  return static_cast<Integer>(*value);
}

[[nodiscard]] bool boolean(const Json& json, const char* key);
// A scalar as it was written; "" for null, objects and arrays.
[[nodiscard]] std::string scalar(const Json& json);
[[nodiscard]] const Json& list(const Json& json, const char* key);
[[nodiscard]] const Json& object(const Json& json, const char* key);

template <typename T, typename Read>
std::vector<T> each(const Json& json, const char* key, Read read) {
  std::vector<T> out;
  for (const Json& item : list(json, key)) out.push_back(read(item));
  return out;
}

[[nodiscard]] Pairs scalars(const Json& json);
[[nodiscard]] std::vector<std::string> texts(const Json& json, const char* key);
[[nodiscard]] Place place(const Json& json);
[[nodiscard]] std::optional<Bounds> bounds(const Json& json);
// Of an object with "unit" and, where the suite wrote another, "written".
[[nodiscard]] Unit unit(const Json& json);
[[nodiscard]] Outcome outcome(const Json& json, const char* key);

}  // namespace assay::reporters::reader
