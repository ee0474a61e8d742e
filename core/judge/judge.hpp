// SPDX-License-Identifier: Apache-2.0
//
// From samples to statements. Every published number is computed here, once, from samples; nothing here knows
// of processes or formats.
#pragma once

#include "judge/shorten.hpp"
#include "plan/plan.hpp"
#include "result/journal.hpp"
#include "result/visit.hpp"
#include "suite/suite.hpp"
#include "system/inventory.hpp"

#include <string>
#include <utility>
#include <vector>

namespace assay::judge {

struct JudgeOptions {
  bool strict = false;
  // Widens verdict intervals when there are fewer than three rounds, unless the journal's header holds what
  // `assay doctor` measured.
  double run_to_run_allowance = 0.01;
  std::size_t most_bytes = kMostResultBytes;  // of the document; beyond it cases are shortened
};

// What a run came to.
struct Judgement {
  int exit_code = 0;                                          // the verdict's
  std::vector<std::pair<std::string, std::string>> outcomes;  // of each case: its id, "passed" or another
  std::string document;  // the text of result.json (docs/reference/result.md)
};

// Pure. `visits` may be incomplete; cases without one are not_run.
[[nodiscard]] Judgement judge(const suite::Suite& suite, const plan::Plan& plan,
                              const system::Inventory& inventory, const result::JournalHeader& header,
                              const std::vector<result::Visit>& visits, const result::JournalEnd& end,
                              const JudgeOptions& options);

}  // namespace assay::judge
