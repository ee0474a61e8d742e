// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.hpp"

#include <string>

namespace assay::wire {

// The text at `key` of a frame, as it came; empty where there is none.
[[nodiscard]] inline std::string text_of(const Json& frame, const char* key) {
  const auto found = frame.find(key);
  return found != frame.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace assay::wire
