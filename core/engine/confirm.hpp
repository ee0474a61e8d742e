// SPDX-License-Identifier: Apache-2.0
//
// compare --confirm: prepares a run that measures the rows again that a comparison found slower.
// docs/decisions/0043-a-regression-is-seen-twice.md
#pragma once

#include "engine/session.hpp"
#include "model/comparison.hpp"

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace assay::engine {

// The rows to measure again, and the results that were compared.
struct ConfirmationRequest {
  std::set<std::string> ids;                   // of cases
  std::filesystem::path result;                // of the new side; its journal is beside it
  std::vector<model::Difference> differences;  // between the sides
  Json old_environment, new_environment;       // that the results recorded
};

struct PreparedConfirmation {
  std::optional<Session> session;  // none: nothing can be run
  bool in_turn = false;  // measures both sides, as variants "before" and "after"; else the new side alone
  std::string why;       // why there is no session, or why it measures the new side alone
};

// The user names the suite, because no program is started that only a result names. Throws Error "usage.confirm" if `suite` is
// not the suite that was run.
[[nodiscard]] PreparedConfirmation prepare_confirmation(Request request, const SuiteText& suite,
                                                        const ConfirmationRequest& asked);

}  // namespace assay::engine
