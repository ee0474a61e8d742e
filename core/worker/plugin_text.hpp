// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "text/text.hpp"

#include <string>

namespace assay::worker {

// A plugin's text, which may be null, made printable.
[[nodiscard]] inline std::string plugin_text(const char* text) {
  return text == nullptr ? std::string() : printable(text);
}

}  // namespace assay::worker
