// SPDX-License-Identifier: Apache-2.0
//
// --failed: from an earlier result to the cases that are measured again.
#pragma once

#include "base/json.hpp"
#include "engine/surroundings.hpp"
#include "model/document.hpp"
#include "plan/plan.hpp"

#include <map>
#include <set>
#include <string>

namespace assay::engine {

// The earlier result's document; RESULT as `assay report` takes it. The seed is taken over. Throws Error
// "result.other-plan" if --seed was given and differs.
[[nodiscard]] model::Document read_earlier(Request& request);

// All cases that the earlier run planned.
[[nodiscard]] std::set<std::string> planned_in(const model::Document& document);

// The rounds that --budget or --extend chose there, by case; empty where the suite's were taken.
[[nodiscard]] std::map<std::string, int> chosen_rounds_in(const model::Document& document);

// Those that did not pass, with all that are judged together with them. `plan` is of planned_in(). Throws
// Error "result.other-plan" with the reason if suite, machine or one of these cases are not what they were,
// and "usage.failed" if everything passed.
[[nodiscard]] std::set<std::string> cases_to_retry(const model::Document& document, const suite::Suite& suite,
                                                   const plan::Plan& plan, const Json& backends,
                                                   const Json& host);

}  // namespace assay::engine
