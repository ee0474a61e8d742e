// SPDX-License-Identifier: Apache-2.0
//
// Rates that nothing but the plugin's word bounds.
#pragma once

#include "lib/document.hpp"

#include <string>

namespace assay::reporters {

// "No peak is known for: membw@host; their work is as the plugin declares it"; "" where every case that measures rates has one for a rate.
[[nodiscard]] std::string unknown_peaks(const Document& document);

}  // namespace assay::reporters
