// SPDX-License-Identifier: Apache-2.0
#include "lib/options.hpp"

#include "lib/text.hpp"
#include "text/lookup.hpp"

#include <charconv>

namespace assay::reporters {

const std::string* OptionReader::find(const std::string& key) {
  known_.push_back(key);
  const std::string* found = nullptr;
  for (const auto& [name, value] : options_) {
    if (name == key) found = &value;
  }
  return found;
}

bool OptionReader::boolean(const std::string& key, bool fallback) {
  return choice(key, fallback ? "true" : "false", {"true", "false"}) == "true";
}

std::int64_t OptionReader::integer(const std::string& key, std::int64_t fallback, std::int64_t least,
                                   std::int64_t most) {
  const std::string* text = find(key);
  if (text == nullptr) return fallback;
  std::int64_t value = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc() || stop != end || value < least || value > most) {
    throw BadOption("option '" + key + "' is '" + printable(*text) + "', and must be a whole number from " +
                    std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

std::string OptionReader::choice(const std::string& key, const std::string& fallback,
                                 const std::vector<std::string>& values) {
  const std::string* text = find(key);
  if (text == nullptr) return fallback;
  if (!contains(values, *text)) {
    throw BadOption("option '" + key + "' is '" + printable(*text) +
                    "', and must be one of: " + join(values, ", "));
  }
  return *text;
}

std::string OptionReader::text(const std::string& key, const std::string& fallback) {
  const std::string* text = find(key);
  return text == nullptr ? fallback : printable(*text);
}

void OptionReader::finish() const {
  for (const auto& [name, value] : options_) {
    if (!contains(known_, name)) {
      throw BadOption("unknown option '" + printable(name) + "'" +
                      (known_.empty() ? "; this reporter has none" : "; one of: " + join(known_, ", ")));
    }
  }
}

}  // namespace assay::reporters
