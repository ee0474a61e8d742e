// SPDX-License-Identifier: Apache-2.0
//
// Reads one JSON document with every problem in one pass. Internal to this component.
#pragma once

#include "base/diagnostics.hpp"
#include "base/json.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::catalog {

// One object of the document. Absent and null keys give the default; another type is reported with the JSON
// pointer. Texts come back printable.
class ObjectReader {
 public:
  // All three must outlive the reader. `json` need not be an object: that is reported, and everything is then
  // absent.
  ObjectReader(const Json& json, std::string pointer, const std::string& file, Diagnostics& diagnostics);

  [[nodiscard]] std::string text(std::string_view key) const;
  [[nodiscard]] std::string required_text(std::string_view key) const;
  // Lower case letters, digits and '_', beginning with a letter; with `dashes` '-' too.
  [[nodiscard]] std::string name(std::string_view key, bool dashes = false) const;
  [[nodiscard]] int integer(std::string_view key, int fallback, int least) const;
  [[nodiscard]] bool boolean(std::string_view key) const;
  [[nodiscard]] std::optional<double> number(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view key) const;
  [[nodiscard]] std::vector<ObjectReader> objects(std::string_view key) const;
  [[nodiscard]] ObjectReader object(std::string_view key) const;
  // The index of the text in `words`; 0 and a report if it is none of them.
  [[nodiscard]] std::size_t choice(std::string_view key, const std::vector<std::string>& words) const;
  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
  // nullptr if absent or null.
  [[nodiscard]] const Json* find(std::string_view key) const;
  [[nodiscard]] const Json& json() const { return *json_; }

  void error(std::string_view key, const std::string& what, std::string hint = {}) const;
  // Warns of each key that nobody asked for and that is nearly one that somebody did. To be called last.
  void warn_of_misspellings() const;

 private:
  const Json* json_;
  std::string pointer_;
  const std::string* file_;
  Diagnostics* diagnostics_;
  mutable std::vector<std::string> asked_;
};

[[nodiscard]] bool is_name(std::string_view text, bool dashes);

// The document, or nothing after reporting the line and column where it stops being JSON, or nesting beyond
// 64 levels.
[[nodiscard]] std::optional<Json> parse_document(const std::string& file, const std::string& text,
                                                 Diagnostics& diagnostics);

}  // namespace assay::catalog
