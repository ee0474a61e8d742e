// SPDX-License-Identifier: Apache-2.0
//
// The parts of a result that a comparison needs.
#pragma once

#include "model/document.hpp"

#include <string>
#include <string_view>

namespace assay::comparison {

// Without the resolved suite, and without what is of use to reports only.
struct LoadedResult : model::Document {
  std::string source;   // as it was named
  std::string variant;  // of which it is one side; "": it is whole
};

// Reads a result document. Throws Error "result.malformed" if it is cut off or not a result, "result.version" if its version is another one.
[[nodiscard]] LoadedResult read_result(std::string_view document, const std::string& source);

}  // namespace assay::comparison
