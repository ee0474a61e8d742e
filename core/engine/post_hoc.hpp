// SPDX-License-Identifier: Apache-2.0
//
// A run judged by another suite than it was run by: new expectations, group checks, findings and limits on what was measured.
#pragma once

#include "base/diagnostics.hpp"
#include "engine/preparation.hpp"
#include "judge/judge.hpp"

#include <filesystem>
#include <optional>

namespace assay::engine {

// Judges a run, by its journal or its folder, by the edited suite, or by its own, and by a baseline that it did not have. What was not asked when it was measured, or was asked in other words, is
// marked `post_hoc` in the document. Nothing if the suite is not valid: `problems` has why. Throws Error "suite.other-work" if the suite
// would measure anything else than was measured, "result.no-journal" for a result without its journal, and as judge_journal() does.
[[nodiscard]] std::optional<judge::Judgement> judge_by(const std::filesystem::path& run,
                                                       const std::optional<SuiteText>& edited,
                                                       const std::optional<result::NamedText>& baseline,
                                                       Checked& problems);

}  // namespace assay::engine
