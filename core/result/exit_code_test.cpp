// SPDX-License-Identifier: Apache-2.0
#include "result/exit_code.hpp"

#include "base/file.hpp"
#include "text/testing/folders.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <stdexcept>

namespace assay::result {
namespace {

using O = Outcome;

ExitInputs of(std::vector<Outcome> outcomes) {
  ExitInputs inputs;
  inputs.outcomes = std::move(outcomes);
  return inputs;
}

TEST(Outcome, EveryNameReadsBack) {
  EXPECT_EQ(outcome_table().size(), 9u);
  for (const OutcomeRow& row : outcome_table()) {
    Outcome outcome{};
    EXPECT_TRUE(from_text(row.text(), outcome));
    EXPECT_EQ(outcome, row.outcome);
  }
  Outcome outcome{};
  EXPECT_FALSE(from_text("PASSED", outcome));
  EXPECT_FALSE(from_text("", outcome));
}

JunitElement junit_of(Outcome outcome) {
  for (const OutcomeRow& row : outcome_table())
    if (row.outcome == outcome) return row.junit;
  throw std::logic_error("the table lacks an outcome");
}

TEST(Outcome, JunitElementsFollowTheDesign) {
  for (const O outcome : {O::failed, O::invalid}) EXPECT_EQ(junit_of(outcome), JunitElement::failure);
  for (const O outcome : {O::error, O::crashed, O::timeout, O::not_run, O::cancelled})
    EXPECT_EQ(junit_of(outcome), JunitElement::error);
  EXPECT_EQ(junit_of(O::skipped), JunitElement::skipped);
  EXPECT_EQ(junit_of(O::passed), JunitElement::none);
}

TEST(ExitCode, ColumnsOfTheTableAreWhatTheFunctionSays) {
  for (const OutcomeRow& row : outcome_table()) {
    ExitInputs inputs = of({O::passed, row.outcome});
    EXPECT_EQ(exit_code(inputs), row.exit_code) << row.text();
    inputs.strict = true;
    EXPECT_EQ(exit_code(inputs), row.strict_exit_code) << row.text();
  }
}

TEST(ExitCode, FollowsTheTable) {
  struct ExitTableRow {
    const char* name;
    ExitInputs inputs;
    int code;
    const char* outcome;
  };
  std::vector<ExitTableRow> rows = {
      {"all passed", of({O::passed, O::passed}), 0, "passed"},
      {"a skip beside a pass", of({O::passed, O::skipped}), 0, "passed"},
      {"an error wins over a failure", of({O::failed, O::crashed}), 5, "error"},
      {"an invalid case fails", of({O::passed, O::invalid}), 1, "failed"},
      {"nothing planned", of({}), 6, "nothing_ran"},
      {"all skipped", of({O::skipped, O::skipped}), 6, "nothing_ran"},
      {"never started", of({O::not_run, O::not_run}), 6, "nothing_ran"},
      {"a hole", of({O::passed, O::not_run}), 5, "error"},
  };
  ExitTableRow row{"Ctrl-C wins over everything", of({O::failed, O::crashed}), 130, "interrupted"};
  row.inputs.interrupted_by = 2;
  rows.push_back(row);
  row = {"SIGTERM", of({O::passed}), 143, "interrupted"};
  row.inputs.interrupted_by = 15;
  rows.push_back(row);
  row = {"undecided without strict", of({O::passed}), 0, "passed"};
  row.inputs.undecided = true;
  rows.push_back(row);
  row = {"undecided under strict", of({O::passed}), 1, "failed"};
  row.inputs.undecided = row.inputs.strict = true;
  rows.push_back(row);
  row = {"skipped under strict", of({O::passed, O::skipped}), 6, "unmet"};
  row.inputs.strict = true;
  rows.push_back(row);
  row = {"a limit left out", of({O::passed}), 0, "passed"};
  row.inputs.limit_left_out = true;
  rows.push_back(row);
  row = {"a limit left out under strict", of({O::passed}), 6, "unmet"};
  row.inputs.limit_left_out = row.inputs.strict = true;
  rows.push_back(row);
  row = {"an asserted finding", of({O::passed}), 1, "failed"};
  row.inputs.asserted_finding_not_confirmed = true;
  rows.push_back(row);
  row = {"requirements unmet", of({O::not_run}), 6, "unmet"};
  row.inputs.requires_unmet = true;
  rows.push_back(row);
  row.name = "requirements unmet, and a finding is asserted";
  row.inputs.asserted_finding_not_confirmed = true;
  rows.push_back(row);
  row.name = "requirements unmet, and no row is where a limit is asked of it";
  row.inputs.outcomes.push_back(O::failed);
  rows.push_back(row);
  row = {"nothing ran, and a finding is asserted", of({O::skipped}), 6, "nothing_ran"};
  row.inputs.asserted_finding_not_confirmed = true;
  rows.push_back(row);
  for (const ExitTableRow& each : rows) {
    EXPECT_EQ(exit_code(each.inputs), each.code) << each.name;
    EXPECT_EQ(to_text(run_outcome(each.inputs)), each.outcome) << each.name;
  }
}

TEST(ExitCode, IsNeverGreenWhenAnythingWentWrong) {
  std::mt19937 random(7);
  const std::set<int> known = {0, 1, 5, 6, 130, 143};
  for (int trial = 0; trial < 5000; ++trial) {
    ExitInputs inputs;
    const std::size_t count = random() % 5;
    bool all_good = false;
    bool bad = false;
    for (std::size_t i = 0; i < count; ++i) {
      const O outcome = outcome_table()[random() % 9].outcome;
      inputs.outcomes.push_back(outcome);
      all_good = all_good || outcome == O::passed;
      bad = bad || (outcome != O::passed && outcome != O::skipped);
    }
    inputs.strict = random() % 2;
    inputs.undecided = random() % 2;
    inputs.requires_unmet = random() % 4 == 0;
    inputs.interrupted_by = random() % 8 == 0 ? 15 : 0;
    const int code = exit_code(inputs);
    EXPECT_TRUE(known.count(code)) << code;
    if (code == 0) {
      EXPECT_TRUE(all_good);
      EXPECT_FALSE(bad || inputs.requires_unmet || inputs.interrupted_by);
      EXPECT_EQ(to_text(run_outcome(inputs)), "passed");
    } else {
      EXPECT_NE(to_text(run_outcome(inputs)), "passed");
    }
  }
}

TEST(ExitCode, ThePageIsMadeFromTheTable) {
  EXPECT_EQ(read_file(source_folder() / "docs/reference/outcomes.md"), outcomes_markdown())
      << "write the function's text to the file";
}

TEST(ExitCode, ARunOfWhichNothingWasJudgedIsNotGreen) {
  ExitInputs inputs;
  inputs.outcomes = {Outcome::passed};
  inputs.nothing_judged = true;
  EXPECT_EQ(exit_code(inputs), 6);
  EXPECT_EQ(to_text(run_outcome(inputs)), "unmet");
  inputs.outcomes.push_back(Outcome::failed);
  EXPECT_EQ(exit_code(inputs), 1);
}

}  // namespace
}  // namespace assay::result
