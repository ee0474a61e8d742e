// SPDX-License-Identifier: Apache-2.0
//
// One case of a document. Internal to the reading of documents.
#pragma once

#include "lib/json_fields.hpp"

namespace assay::reporters::reader {

[[nodiscard]] Case read_case(const Json& json);

}  // namespace assay::reporters::reader
