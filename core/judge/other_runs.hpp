// SPDX-License-Identifier: Apache-2.0
//
// The other runs of assay that measured on the same processors meanwhile.
#pragma once

#include "model/document.hpp"
#include "result/visit.hpp"

#include <string>
#include <vector>

namespace assay::judge {

// Of these visits, each once.
[[nodiscard]] std::vector<result::OtherRun> other_runs(const std::vector<const result::Visit*>& visits);

// "process 4711 with suite 'quick' since 2026-11-21T08:30:12Z".
[[nodiscard]] std::string to_text(const result::OtherRun& run);

// With the number of visits beside each; empty if there was none.
[[nodiscard]] std::vector<model::OtherRun> other_runs_beside(const std::vector<result::Visit>& visits);

}  // namespace assay::judge
