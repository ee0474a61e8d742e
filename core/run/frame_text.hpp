// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "text/text.hpp"
#include "wire/frame_text.hpp"

#include <string>

namespace assay::run {

// The text at `key` of a frame from a worker, made printable; empty where there is none.
[[nodiscard]] inline std::string text_of(const Json& frame, const char* key) {
  return printable(wire::text_of(frame, key));
}

}  // namespace assay::run
