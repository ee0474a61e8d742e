// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.hpp"

namespace assay::result {

// JSON Schema (draft-07) of the result document that docs/reference/result.md describes. Every key that Assay
// writes is listed; those that readers may rely on are required; unknown ones are allowed. The same text is
// docs/reference/result.schema.json. Stable order.
[[nodiscard]] Json document_schema();

// The same of the comparison document that docs/reference/comparison.md describes.
[[nodiscard]] Json comparison_schema();

}  // namespace assay::result
