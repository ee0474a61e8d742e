// SPDX-License-Identifier: Apache-2.0
//
// Reads the inventory's JSON with messages that name the place. Internal to this component.
#pragma once

#include "base/json.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::system {

// One object and its JSON pointer. Absent and null keys give the default; a value of another type throws
// Error "inventory.malformed".
class JsonReader {
 public:
  // The object must outlive the reader.
  JsonReader(const Json& object, std::string pointer);

  [[nodiscard]] std::string text(std::string_view key) const;
  [[nodiscard]] std::string required_text(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view key) const;
  [[nodiscard]] int integer(std::string_view key, int fallback) const;
  [[nodiscard]] std::uint64_t size(std::string_view key) const;
  [[nodiscard]] Json object(std::string_view key) const;
  [[nodiscard]] std::vector<int> cpu_list(std::string_view key) const;
  [[nodiscard]] std::vector<JsonReader> objects(std::string_view key) const;
  [[nodiscard]] const Json* find(std::string_view key) const;

  [[noreturn]] void malformed(std::string_view key, std::string_view expected) const;

 private:
  const Json* object_;
  std::string pointer_;
};

}  // namespace assay::system
