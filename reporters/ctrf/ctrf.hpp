// SPDX-License-Identifier: Apache-2.0
//
// The result in the Common Test Report Format (ctrf.io), version 0.0.0 of its specification.
#pragma once

#include "lib/document.hpp"

#include <string>

namespace assay::reporters {

[[nodiscard]] std::string render_ctrf(const Document& document);

}  // namespace assay::reporters
