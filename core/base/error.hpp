// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace assay {

// A failure that stops an operation and has no place in the user's input: a process that does not start, a file that
// cannot be written. Caught at three places only: main, the worker's loop, the ABI thunk.
// The text says what happened, where, and what to do next.
class Error : public std::runtime_error {
 public:
  // `code` is stable and machine-readable, "file.unwritable".
  Error(std::string code, const std::string& text) : std::runtime_error(text), code_(std::move(code)) {}

  [[nodiscard]] const std::string& code() const noexcept { return code_; }

 private:
  std::string code_;
};

}  // namespace assay
