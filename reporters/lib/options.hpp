// SPDX-License-Identifier: Apache-2.0
//
// A reporter's options as the host hands them over: text for text, already checked against the manifest by
// the host and checked here again, because other hosts may not.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace assay::reporters {

using OptionList = std::vector<std::pair<std::string, std::string>>;

// An unknown key or impossible value; what() names it and what is possible.
class BadOption : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Reads options by key; the last of several wins. finish() refuses keys that nobody asked for.
class OptionReader {
 public:
  explicit OptionReader(const OptionList& options) : options_(options) {}

  [[nodiscard]] bool boolean(const std::string& key, bool fallback);
  [[nodiscard]] std::int64_t integer(const std::string& key, std::int64_t fallback, std::int64_t least,
                                     std::int64_t most);
  [[nodiscard]] std::string choice(const std::string& key, const std::string& fallback,
                                   const std::vector<std::string>& values);
  [[nodiscard]] std::string text(const std::string& key, const std::string& fallback);
  void finish() const;

 private:
  const std::string* find(const std::string& key);

  const OptionList& options_;
  std::vector<std::string> known_;
};

}  // namespace assay::reporters
