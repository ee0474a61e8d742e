// SPDX-License-Identifier: Apache-2.0
//
// compare --confirm: from rows that were found slower to a run that takes them once more.
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

// What is to be taken once more.
struct ConfirmationRequest {
  std::set<std::string> ids;                   // of cases
  std::filesystem::path result;                // of the new side; its journal is beside it
  std::vector<model::Difference> differences;  // between the sides
  Json old_environment, new_environment;       // that the results recorded
};

struct PreparedConfirmation {
  std::optional<Session> session;  // none: nothing can be run
  bool in_turn = false;            // both sides, as the variants "before" and "after"; else the new one
  std::string why;                 // there is none, or only the new side
};

// The suite is named by the user: what a result holds is not run by itself. Throws Error "usage.confirm" if it is not the one
// that was run.
[[nodiscard]] PreparedConfirmation prepare_confirmation(Request request, const SuiteText& suite,
                                                        const ConfirmationRequest& asked);

}  // namespace assay::engine
