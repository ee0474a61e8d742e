// SPDX-License-Identifier: Apache-2.0
#include "engine/retry.hpp"

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/json_words.hpp"
#include "engine/rejudge.hpp"
#include "engine/resume.hpp"
#include "judge/dependency_closure.hpp"
#include "model/document_json.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <map>

namespace assay::engine {
namespace {

using Ids = std::set<std::string>;

[[noreturn]] void refuse_retry(const std::string& why,
                               const std::string& next = "run the suite without --failed") {
  throw Error("result.other-plan", "what did not pass there cannot be run again: " + why + "; " + next);
}

// Everything that kept the run's exit code from being 0.
Ids not_passed(const model::Document& document, const suite::Suite& suite, const plan::Plan& plan) {
  Ids ids;
  for (const model::Case& one : document.cases) {
    const bool is_open =
        one.undecided() ||
        std::any_of(one.expectations.begin(), one.expectations.end(), [](const model::Expectation& each) {
          return each.status == model::ExpectationStatus::not_available ||
                 each.status == model::ExpectationStatus::no_reference;
        });
    if (one.outcome != Outcome::passed || (document.run.mode.strict && is_open)) ids.insert(one.id);
  }
  for (const model::Group& group : document.groups) {
    // One that is skipped or was not run says no more than its members, or that --filter left some out.
    if (group.outcome != Outcome::failed) continue;
    for (const model::Member& member : group.members) ids.insert(member.id);
    // Rows that were not there have no case of their own.
    for (const model::Case& one : document.cases)
      if (group.members.empty() && one.name == group.case_name) ids.insert(one.id);
  }
  for (const model::Finding& finding : document.findings) {
    if (finding.asserted && finding.verdict != model::FindingVerdict::confirmed)
      ids.merge(judge::cases_of_finding(suite, plan, finding.id));
  }
  return ids;
}

// How a case is measured. What this machine lacked then may be there now.
std::map<std::string, Json> measured_how(const Json& resolved) {
  std::map<std::string, Json> cases;
  for (Json one : resolved.at("cases")) {
    one.erase("predetermined");
    one.erase("looks");  // of verdicts there; here nothing was looked at yet
    const auto id = value_at<std::string>(one, "id");
    cases[id] = std::move(one);
  }
  return cases;
}

std::string differing_keys(const Json& then, const Json& now) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : now.items()) {
    if (!then.contains(key) || then.at(key) != value) keys.push_back(key);
  }
  return keys.empty() ? "something" : join(keys, ", ");
}

bool has_peaks_of_its_own(const model::Run& run) {
  return std::any_of(run.command.begin(), run.command.end(), [](const std::string& word) {
    return word == "--peaks" || word.starts_with("--peaks=");
  });
}

}  // namespace

model::Document read_earlier(Request& request) {
  model::Document document = result_of(request.failed);
  if (request.seed && request.seed != document.run.seed)
    refuse_retry("it was run with --seed " + std::to_string(document.run.seed.value_or(1)) +
                 ", which is taken over if you leave it out");
  request.seed = document.run.seed;
  // What failed there for being undecided would pass without it.
  request.strict = request.strict || document.run.mode.strict;
  // Without it, what it held the machine to would be passed over.
  if (const auto& site = document.run.site; site && request.site.empty())
    refuse_retry("it was held to a site file", "give it again: --site " + site->file);
  if (const auto& held = document.run.baseline; held && !baseline_of(request.baseline))
    refuse_retry("it was held to a baseline", "give it again: --baseline " + held->file);
  // Without these, other limits would be compared with narrower intervals.
  if (document.run.run_to_run && request.doctor.empty())
    refuse_retry("it was judged by what 'assay doctor' found", "give that again: --doctor RESULT");
  if (request.peaks.empty() && has_peaks_of_its_own(document.run))
    refuse_retry("it was held to peaks of a file", "give the file again: --peaks FILE");
  return document;
}

Ids planned_in(const model::Document& document) {
  Ids ids;
  for (const model::Case& one : document.cases) ids.insert(one.id);
  return ids;
}

std::map<std::string, int> chosen_rounds_in(const model::Document& document) {
  std::map<std::string, int> rounds;
  const model::Mode& mode = document.run.mode;
  if (!mode.budget_s && mode.extended.empty()) return rounds;
  for (const Json& one : document.run.resolved_suite.at("cases"))
    rounds[one.at("id").get<std::string>()] = integer_at<int>(one, "rounds");
  return rounds;
}

Ids cases_to_retry(const model::Document& document, const suite::Suite& suite, const plan::Plan& plan,
                   const Json& backends, const Json& host) {
  const model::Run& run = document.run;
  std::string sources = suite.source;
  for (const auto& [file, text] : suite.includes) sources += text;
  if (run.suite != suite.name)
    refuse_retry("it is of the suite '" + printable(run.suite) + "', and this is '" + suite.name + "'");
  if (run.suite_sha256 != sha256(sources)) refuse_retry("the suite was changed since");
  const std::string other = why_other_machine(model::to_json(run.backends), run.host, backends, host);
  if (!other.empty()) refuse_retry(other);

  const Ids failed = not_passed(document, suite, plan);
  if (failed.empty())
    throw Error("usage.failed", "everything passed in run " + run.id +
                                    ": there is nothing to run again; leave --failed out to run all of it");
  Ids chosen = judge::dependency_closure(suite, plan, failed);
  const auto then = measured_how(run.resolved_suite);
  const auto now = measured_how(plan::to_json(plan));
  for (const std::string& id : failed) {
    if (!now.contains(id)) refuse_retry("there is no case '" + printable(id) + "' in the plan any more");
  }
  for (const std::string& id : chosen) {
    const Json& before = then.at(id);
    if (before != now.at(id)) {
      refuse_retry("'" + printable(id) + "' would be measured in another way (" +
                       differing_keys(before, now.at(id)) + ")",
                   "give the same --set and --quick as then, or run the suite without --failed");
    }
  }
  return chosen;
}

}  // namespace assay::engine
