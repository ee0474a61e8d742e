// SPDX-License-Identifier: Apache-2.0
//
// What else differs between two sides: one difference is the change under test, several leave open which of them it was.
#pragma once

#include "comparison/reading.hpp"
#include "model/comparison.hpp"

#include <span>
#include <string>
#include <vector>

namespace assay::comparison {

// Of software, settings and surroundings, as far as the devices in use and the cases of both sides go; host name, UUIDs, serial numbers and
// places on the bus are labels and no difference.
[[nodiscard]] std::vector<model::Difference> differences_between(std::span<const LoadedResult> before,
                                                                 std::span<const LoadedResult> after);

// Why these are not the same work on the same kind of device, or "".
[[nodiscard]] std::string why_other_work(const ReadCase& before, const ReadCase& after);
// "NVIDIA H200, NVIDIA H200": of the devices that a case was on.
[[nodiscard]] std::string models_of(const LoadedResult& reading, const ReadCase& one);

}  // namespace assay::comparison
