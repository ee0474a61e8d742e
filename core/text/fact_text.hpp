// SPDX-License-Identifier: Apache-2.0
//
// Facts of devices and hosts, whose keys end with the unit of their number: people read it beside the number.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// "memory" of "memory_bytes", "largest_clock" of "largest_clock_hz"; else the key.
[[nodiscard]] std::string fact_name(std::string_view key);

// "140 GiB", "1980 MHz", "700 W"; nothing of a key without a unit.
[[nodiscard]] std::string fact_text(std::string_view key, double value);

}  // namespace assay
