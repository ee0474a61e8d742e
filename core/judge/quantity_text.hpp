// SPDX-License-Identifier: Apache-2.0
//
// Numbers inside the sentences of reasons. Tables are the reporters' business.
#pragma once

#include <string>

namespace assay::judge {

// "41.2 GB/s", "18.9 us", "64 MiB", "0.0123", "85 C": three significant digits and a prefix that fits the
// unit.
[[nodiscard]] std::string quantity_text(double value, const std::string& unit);

// "5.3 %": one digit after the point, none from 100 on or for whole ones.
[[nodiscard]] std::string percent_text(double share);

}  // namespace assay::judge
