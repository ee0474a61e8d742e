// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.hpp"
#include "base/text.hpp"

#include <string>

namespace assay::run {

// The text at `key` of a frame from a worker, made printable; empty where there is none.
[[nodiscard]] inline std::string text_of(const Json& frame, const char* key) {
  const auto found = frame.find(key);
  return found != frame.end() && found->is_string() ? printable(found->get_ref<const std::string&>())
                                                    : std::string();
}

}  // namespace assay::run
