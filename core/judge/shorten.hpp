// SPDX-License-Identifier: Apache-2.0
//
// What a result leaves out when it would be larger than one can be.
#pragma once

#include "base/json.hpp"

#include <cstddef>

namespace assay::judge {

// Of a whole result. Readers and reporters take 200 MiB; the journal, which has everything, has no end.
inline constexpr std::size_t kMostResultBytes = std::size_t{192} << 20;

// Shortens one case of the document until its text has at most this many bytes, as far as that can be: first
// what only illustrates (samples, timeline, log), then what repeats (visits, telemetry), then all but the first
// of many values and checks, those that failed before others. What is judged and how stays. Flags the case
// `shortened` with what it left out; gives false if it left out nothing.
bool shorten(Json& one, std::size_t bytes);

}  // namespace assay::judge
