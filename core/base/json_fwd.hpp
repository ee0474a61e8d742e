// SPDX-License-Identifier: Apache-2.0
//
// For headers that only name it: json.hpp takes longer to compile than most of what includes it.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace assay {

// Keeps keys in the order of insertion, so that documents are stable.
using Json = nlohmann::ordered_json;

}  // namespace assay
