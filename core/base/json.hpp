// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

namespace assay {

// Keeps keys in the order of insertion, so that documents are stable.
using Json = nlohmann::ordered_json;

}  // namespace assay
