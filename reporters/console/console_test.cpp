// SPDX-License-Identifier: Apache-2.0
#include "console/console.hpp"

#include <gtest/gtest.h>

#include <string>

namespace assay::reporters {
namespace {

TEST(ConsoleText, SaysThatNoCaseIsCompleteWhereARunWasInterrupted) {
  Document document;
  document.cases.resize(2);
  document.cases[0].outcome = Outcome::cancelled;
  document.cases[1].outcome = Outcome::not_run;
  document.verdict.outcome = RunOutcome::interrupted;
  document.findings.resize(2);
  for (Finding& finding : document.findings) {
    finding.verdict = FindingVerdict::undecided;
    finding.why = "a has no result (cancelled)";
  }
  const std::string text = render_console(document, {});
  EXPECT_NE(text.find("2 findings   not answered: no case is complete\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("undecided"), std::string::npos) << text;
}

TEST(ConsoleText, TellsWhatHappenedBeforeWhatToDo) {
  Document document;
  VerdictReason reason;
  reason.code = "external.start";
  reason.subject = "typo";
  reason.text = "'pyton3' is in no folder of PATH";
  reason.next = "Install the program.";
  document.verdict.reasons = {reason};
  ConsoleOptions options;
  options.style.width = 80;
  const std::string text = render_console(document, options);
  EXPECT_NE(
      text.find("\n  typo   'pyton3' is in no folder of PATH\n    → Install the program. [external.start]\n"),
      std::string::npos)
      << text;
}

}  // namespace
}  // namespace assay::reporters
