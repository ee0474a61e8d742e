// SPDX-License-Identifier: Apache-2.0
//
// What differs between two sides. A single difference is the change under test; with several it is open which of them counts.
#pragma once

#include "comparison/reading.hpp"
#include "model/comparison.hpp"

#include <span>
#include <string>
#include <vector>

namespace assay::comparison {

// Differences of software, settings and environment that concern the devices in use and the cases of both sides. Host name, UUIDs, serial
// numbers and places on the bus are labels and do not count.
[[nodiscard]] std::vector<model::Difference> differences_between(std::span<const LoadedResult> before,
                                                                 std::span<const LoadedResult> after);

// Why these are not the same work on the same kind of device, or "".
[[nodiscard]] std::string why_other_work(const model::Case& before, const model::Case& after);
// The models of a case's devices: "NVIDIA H200, NVIDIA H200".
[[nodiscard]] std::string models_of(const LoadedResult& reading, const model::Case& one);

}  // namespace assay::comparison
