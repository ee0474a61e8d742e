// SPDX-License-Identifier: Apache-2.0
//
// The run's verdict: outcome, exit code, and the reasons in the order in which a person should read them.
#pragma once

#include "judge/case_result.hpp"
#include "judge/findings.hpp"
#include "judge/groups.hpp"
#include "result/exit_code.hpp"
#include "result/journal.hpp"
#include "result/reasons.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace assay::judge {

struct VerdictReason {
  std::string code;
  result::ReasonSeverity severity = result::ReasonSeverity::error;
  std::string subject;
  std::string text;
  std::string next;
  Position position;
};

struct Verdict {
  std::string outcome;
  int exit_code = 0;
  std::size_t undecided = 0;
  std::vector<result::Outcome> outcomes;  // of cases, then groups
  std::vector<VerdictReason> reasons;     // most severe first; one a subject
  // Of an acceptance: how many devices each backend has, and who knows so many.
  struct Devices {
    std::string backend, text;
    std::size_t count = 0;
  };
  std::vector<Devices> devices;
};

// "SIGINT", "SIGTERM", "signal 42".
[[nodiscard]] std::string signal_name(int signal);

[[nodiscard]] Verdict make_verdict(const plan::Plan& plan, const std::vector<CaseResult>& cases,
                                   const std::vector<GroupResult>& groups,
                                   const std::vector<FindingResult>& findings, const result::JournalEnd& end,
                                   const std::string& suite_name, bool strict);

}  // namespace assay::judge
