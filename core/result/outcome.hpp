// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/vocabulary.hpp"

namespace assay::result {

using assay::from_text;
using assay::Outcome;
using assay::to_text;

}  // namespace assay::result
