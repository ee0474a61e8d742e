// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/visit_in_flight.hpp"

#include <string>
#include <vector>

namespace assay::run {

// The reason of a visit whose ranks did not do the same work. It is attributed to no rank.
inline constexpr const char* kDisagree = "rank.disagree";

// Adds samples that came later to those that came before.
void keep_interim(result::Series& kept, const result::Series& later);

// The rank whose end is the reason for the others', or -1 if all passed. `order`: ranks as they finished. A
// death or an error of a rank's own comes before an error of communication, which is what the others see of
// it, and before a cancel.
[[nodiscard]] int first_cause(const std::vector<RankPart>& parts, const std::vector<int>& order);

// One visit of all ranks: outcome and reason of the cause, records in the order of ranks. The loop runs in
// rank 0, so what it found out is taken from there; `done` holds what all ranks did, flags what any of them
// raised. `outputs`: what each rank's process wrote. Ranks that all passed and declare different work are an
// error, because nobody knows which of them is right; unless all say that they are unlike, and the visit's work is
// then their mean.
[[nodiscard]] result::Visit merge(std::vector<RankPart>& parts, const std::vector<std::string>& outputs,
                                  int cause);

}  // namespace assay::run
