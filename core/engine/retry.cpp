// SPDX-License-Identifier: Apache-2.0
#include "engine/retry.hpp"

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/json_words.hpp"
#include "engine/rejudge.hpp"
#include "engine/resume.hpp"
#include "judge/relatives.hpp"
#include "text/text.hpp"

#include <map>

namespace assay::engine {
namespace {

using Ids = std::set<std::string>;

[[noreturn]] void refuse_retry(const std::string& why,
                               const std::string& next = "run the suite without --failed") {
  throw Error("result.other-plan", "what did not pass there cannot be run again: " + why + "; " + next);
}

std::string text_of(const Json& json, const char* key) { return value_at<std::string>(json, key); }

bool did_not_pass(const Json& entry) { return text_of(entry, "outcome") != "passed"; }

bool has_undecided(const Json& one) {
  for (const Json& expectation : one.at("expectations")) {
    if (text_of(expectation, "status") == "undecided") return true;
  }
  return false;
}

// Everything that kept the run's exit code from being 0.
Ids not_passed(const Json& document, const suite::Suite& suite, const plan::Plan& plan) {
  const bool strict = value_at<bool>(document.at("run").at("mode"), "strict");
  Ids ids;
  for (const Json& one : document.at("cases")) {
    if (did_not_pass(one) || (strict && has_undecided(one))) ids.insert(text_of(one, "id"));
  }
  for (const Json& group : document.at("groups")) {
    // One that is skipped or was not run says no more than its members, or that --filter left some out.
    if (text_of(group, "outcome") != "failed") continue;
    for (const Json& member : group.at("members")) ids.insert(text_of(member, "id"));
  }
  for (const Json& finding : document.at("findings")) {
    if (!value_at<bool>(finding, "assert") || text_of(finding, "verdict") == "confirmed") continue;
    ids.merge(judge::cases_of_finding(suite, plan, text_of(finding, "id")));
  }
  return ids;
}

// How a case is measured. What this machine lacked then may be there now.
std::map<std::string, Json> measured_how(const Json& resolved) {
  std::map<std::string, Json> cases;
  for (Json one : resolved.at("cases")) {
    one.erase("settled");
    const std::string id = text_of(one, "id");
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

}  // namespace

Json read_earlier(Request& request) {
  Json document = Json::parse(document_of(request.failed));
  const auto seed = integer_at<std::uint64_t>(document.at("run"), "seed");
  if (request.seed && *request.seed != seed)
    refuse_retry("it was run with --seed " + std::to_string(seed) +
                 ", which is taken over if you leave it out");
  request.seed = seed;
  // Without it, what it held the machine to would be passed over.
  if (const auto site = document.at("run").find("site");
      site != document.at("run").end() && request.site.empty())
    refuse_retry("it was held to a site file",
                 "give it again: --site " + site->at("file").get<std::string>());
  return document;
}

Ids planned_in(const Json& document) {
  Ids ids;
  for (const Json& one : document.at("cases")) ids.insert(text_of(one, "id"));
  return ids;
}

Ids cases_to_retry(const Json& document, const suite::Suite& suite, const plan::Plan& plan,
                   const Json& backends, const Json& host) {
  const Json& run = document.at("run");
  std::string sources = suite.source;
  for (const auto& [file, text] : suite.includes) sources += text;
  if (text_of(run, "suite") != suite.name)
    refuse_retry("it is of the suite '" + printable(text_of(run, "suite")) + "', and this is '" + suite.name +
                 "'");
  if (text_of(run, "suite_sha256") != sha256(sources)) refuse_retry("the suite was changed since");
  const std::string other = why_other_machine(run.at("backends"), run.at("host"), backends, host);
  if (!other.empty()) refuse_retry(other);

  const Ids failed = not_passed(document, suite, plan);
  if (failed.empty())
    throw Error("usage.failed", "everything passed in run " + text_of(run, "id") +
                                    ": there is nothing to run again; leave --failed out to run all of it");
  Ids chosen = judge::with_relatives(suite, plan, failed);
  const auto then = measured_how(run.at("resolved_suite"));
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
