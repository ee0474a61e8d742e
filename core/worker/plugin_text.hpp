// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "text/text.hpp"

#include <exception>
#include <string>

namespace assay::worker {

// A plugin's text, which may be null, made printable.
[[nodiscard]] inline std::string plugin_text(const char* text) {
  return text == nullptr ? std::string() : printable(text);
}

// In a catch (...) around a plugin's code: what the exception says of itself, or nothing.
[[nodiscard]] inline std::string exception_text() {
  try {
    throw;
  } catch (const std::exception& exception) {
    return plugin_text(exception.what());
  } catch (...) {
    return {};
  }
}

[[nodiscard]] inline std::string with_exception_text(const std::string& what) {
  const std::string text = exception_text();
  return text.empty() ? what : what + ": " + text;
}

}  // namespace assay::worker
