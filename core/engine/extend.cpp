// SPDX-License-Identifier: Apache-2.0
#include "engine/extend.hpp"

#include "base/error.hpp"
#include "engine/rejudge.hpp"
#include "engine/run_journal.hpp"
#include "judge/dependency_closure.hpp"
#include "model/document.hpp"
#include "statistics/planning.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace assay::engine {
namespace {

using Ids = std::set<std::string>;

[[noreturn]] void refuse_to_extend(const std::string& why) { throw Error("usage.extend", why); }

bool is_open_row(const model::FindingRow& row) { return model::is_open(row.verdict); }

// A case belongs to a row unless it has another value of one of the row's axes.
bool is_in_row(const plan::PlannedCase& planned, const model::FindingRow& row) {
  return std::all_of(row.axes.begin(), row.axes.end(), [&](const auto& axis) {
    const auto* const own =
        find_in(planned.axes, [&](const plan::AxisPoint& point) { return point.name == axis.first; });
    return own == nullptr || own->text == axis.second;
  });
}

// What rounds can decide: peers and bands are about how devices differ.
bool is_open(const model::Expectation& asked, const suite::SuiteCase& written) {
  if (asked.status != model::ExpectationStatus::undecided) return false;
  return std::none_of(written.expect.begin(), written.expect.end(), [&](const suite::SuiteExpectation& each) {
    return each.text == asked.text && each.that &&
           (suite::has_share_of(*each.that, "peers") || suite::has_share_of(*each.that, "band"));
  });
}

// Those whose own expectation, group check or row is open.
Ids open_in(const model::Document& document, const suite::Suite& suite, const plan::Plan& plan) {
  Ids ids;
  std::map<std::string, const plan::PlannedCase*> by_id;
  for (const plan::PlannedCase& planned : plan.cases) by_id[planned.id] = &planned;
  for (const model::Case& one : document.cases)
    for (const model::Expectation& asked : one.expectations)
      if (is_open(asked, suite.cases.at(by_id.at(one.id)->suite_case))) ids.insert(one.id);
  for (const model::Group& group : document.groups)
    if (group.status == model::ExpectationStatus::undecided)
      for (const model::Member& member : group.members) ids.insert(member.id);
  for (const model::Finding& finding : document.findings) {
    if (std::none_of(finding.rows.begin(), finding.rows.end(), is_open_row)) continue;
    for (const std::string& id : judge::cases_of_finding(suite, plan, finding.id))
      for (const model::FindingRow& row : finding.rows)
        if (is_open_row(row) && is_in_row(*by_id.at(id), row)) ids.insert(id);
  }
  return ids;
}

// More rounds tell nothing of what could not be measured.
Ids measured_in(const model::Document& document) {
  Ids ids;
  for (const model::Case& one : document.cases)
    if ((one.outcome == Outcome::passed || one.outcome == Outcome::failed) && !one.metrics.empty())
      ids.insert(one.id);
  return ids;
}

}  // namespace

std::map<std::string, int> rounds_for_open(const suite::Suite& suite, const plan::Plan& plan,
                                           const system::Inventory& inventory,
                                           const result::Journal& journal) {
  const std::string& run = journal.header.run_id;
  if (journal.header.options.quick)
    refuse_to_extend("run " + run + " was a quick one, of one round each; run the suite without --quick");
  if (!has_every_visit(journal, plan))
    refuse_to_extend("run " + run + " is not finished; go on with it first: --resume instead of --extend");
  const model::Document document = document_in(judge_run(suite, plan, inventory, journal));
  const Ids open = open_in(document, suite, plan), measured = measured_in(document);
  std::map<std::string, int> rounds;
  const Ids chosen = judge::dependency_closure(suite, plan, open);
  for (const plan::PlannedCase& planned : plan.cases)
    if (chosen.contains(planned.id) && measured.contains(planned.id))
      rounds[planned.id] = statistics::extended_rounds(planned.rounds);
  for (const auto& [id, count] : rounds)
    if (count > result::kMostRoundsOfACase)
      refuse_to_extend(printable(id) + " would have " + std::to_string(count) + " rounds, and a case has " +
                       std::to_string(result::kMostRoundsOfACase) +
                       " at most: this machine does not tell; ask for a larger effect");
  if (rounds.empty())
    refuse_to_extend("no verdict of run " + run + " is open: there is nothing that more rounds would decide");
  return rounds;
}

}  // namespace assay::engine
