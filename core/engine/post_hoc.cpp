// SPDX-License-Identifier: Apache-2.0
#include "engine/post_hoc.hpp"

#include "base/error.hpp"
#include "base/hash.hpp"
#include "engine/preparation.hpp"
#include "engine/rejudge.hpp"
#include "engine/run_journal.hpp"
#include "judge/expectations.hpp"
#include "model/document_json.hpp"
#include "plan/plan.hpp"
#include "result/reasons.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace assay::engine {
namespace {

constexpr const char* kOtherWork = "suite.other-work";

// What of a case is measured: its plan.
std::map<std::string, Json> work_of(const plan::Plan& plan) {
  std::map<std::string, Json> cases;
  for (const plan::PlannedCase& planned : plan.cases) {
    Json& work = cases[planned.id] = plan::to_json(planned);
    if (!plan::runs_command(planned) || planned.benchmark == nullptr) continue;
    // A command's metrics are the case's own; those of others are their manifest's.
    for (const catalog::MetricDeclaration& metric : planned.benchmark->metrics)
      work["metrics"][metric.name] = {metric.unit,     metric.written_unit,
                                      metric.measured, static_cast<int>(metric.direction),
                                      metric.headline, static_cast<int>(metric.kind)};
  }
  return cases;
}

std::string first_difference(const Json& then, const Json& now) {
  for (const auto& [key, value] : now.items())
    if (!then.contains(key) || then[key] != value) return key;
  for (const auto& [key, value] : then.items())
    if (!now.contains(key)) return key;
  return "";
}

// Samples answer nothing that was not measured.
void refuse_other_work(const plan::Plan& then, const plan::Plan& now, const std::string& file) {
  const auto refuse = [&](const std::string& why) {
    throw Error(kOtherWork,
                "'" + printable(file) + "' cannot judge this run: " + why +
                    "; only expectations, group checks, findings and their limits may differ from the suite "
                    "that was run");
  };
  const std::map<std::string, Json> measured = work_of(then), asked = work_of(now);
  for (const auto& [id, work] : asked) {
    const auto found = measured.find(id);
    if (found == measured.end()) refuse("it has the case '" + printable(id) + "', which was not measured");
    const std::string key = first_difference(found->second, work);
    if (!key.empty()) refuse("'" + key + "' of the case '" + printable(id) + "' is not what was measured");
  }
  for (const auto& [id, work] : measured)
    if (!asked.contains(id)) refuse("the case '" + printable(id) + "' was measured, and it has none");
}

// What was asked and what it came to, but for words around it.
template <class T>
std::string essence_of(const T& asked) {
  Json json = model::to_json(asked);
  for (const char* words : {"position", "say", "why", "do", "because", "background", "expected", "notes"})
    json.erase(words);
  // Under which names is a matter of words, too.
  if (const auto asks = json.find("asks"); asks != json.end() && asks->is_object())
    for (const char* name : {"left", "right", "measured"}) asks->erase(name);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class T>
std::uint64_t mark_new(const std::vector<T>& then, std::vector<T>& now) {
  std::set<std::string> known;
  for (const T& one : then) known.insert(essence_of(one));
  std::uint64_t count = 0;
  for (T& one : now) {
    if (known.contains(essence_of(one))) continue;
    one.post_hoc = true;
    ++count;
  }
  return count;
}

// What of `then` is not asked any more.
template <class T, class Name>
void add_gone(const std::vector<T>& then, const std::vector<T>& now, const Name& name,
              std::vector<std::string>& gone) {
  std::set<std::string> asked;
  for (const T& one : now) asked.insert(essence_of(one));
  for (const T& one : then)
    if (!asked.contains(essence_of(one))) gone.push_back(name(one));
}

void add_gone(const suite::Policy& then, const suite::Policy& now, std::vector<std::string>& gone) {
  const std::tuple<const char*, bool, bool> parts[] = {{"strict", then.strict, now.strict},
                                                       {"decided", then.decided, now.decided},
                                                       {"complete", then.complete.value, now.complete.value},
                                                       {"stated", then.stated.value, now.stated.value},
                                                       {"alone", then.alone.value, now.alone.value}};
  for (const auto& [name, was, is] : parts)
    if (was && !is) gone.push_back(std::string("policy: ") + name);
}

// What fails for want of anything to compare with, and is passed over now.
void add_gone_alone(const suite::Suite& then, const suite::Suite& now, std::vector<std::string>& gone) {
  std::set<std::pair<std::string, std::string>> failing;
  const auto for_each = [](const suite::Suite& suite, const auto& visit) {
    for (const suite::SuiteCase& one : suite.cases)
      for (const suite::SuiteExpectation& each : one.expect)
        if (each.that && !judge::is_group_check(*each.that)) visit(one.id.value, each);
  };
  for_each(then, [&](const std::string& id, const suite::SuiteExpectation& each) {
    if (!each.skipped_alone) failing.emplace(id, each.text);
  });
  for_each(now, [&](const std::string& id, const suite::SuiteExpectation& each) {
    if (each.skipped_alone && failing.contains({id, each.text}))
      gone.push_back(id + ": " + each.text + ", where a row is alone");
  });
}

// A suite that asks for less may turn a failed run into a passed one, which nobody shall overlook.
void tell_gone(const std::vector<std::string>& gone, const std::string& file, model::Verdict& verdict) {
  if (gone.empty()) return;
  constexpr std::size_t kShown = 5;
  std::vector<std::string> told(gone.begin(),
                                gone.begin() + static_cast<long>(std::min(gone.size(), kShown)));
  std::string text = "not asked any more: " + join(told, "; ");
  if (gone.size() > kShown) text += "; and " + std::to_string(gone.size() - kShown) + " more";
  constexpr const char* kCode = "run.asks-less";
  verdict.reasons.insert(verdict.reasons.begin(), {kCode,
                                                   model::ReasonSeverity::warning,
                                                   printable(file),
                                                   text,
                                                   std::string(result::find_reason(kCode)->next),
                                                   {}});
}

void mark_post_hoc(const judge::Judgement& before, const suite::Suite& was, const SuiteText& edited,
                   const suite::Suite& is, judge::Judgement& judged) {
  const model::Document then = document_in(before);
  model::Document now = document_in(judged);
  std::vector<std::string> gone;
  add_gone(was.policy, is.policy, gone);
  add_gone(
      then.groups, now.groups, [](const model::Group& one) { return one.case_name + ": " + one.text; }, gone);
  add_gone(
      then.findings, now.findings, [](const model::Finding& one) { return "finding " + one.id; }, gone);
  std::uint64_t count = mark_new(then.groups, now.groups) + mark_new(then.findings, now.findings);
  std::map<std::string, const model::Case*> by_id;
  for (const model::Case& one : then.cases) by_id[one.id] = &one;
  for (model::Case& one : now.cases) {
    const auto& earlier = by_id.at(one.id)->expectations;
    add_gone(
        earlier, one.expectations, [&](const model::Expectation& each) { return one.id + ": " + each.text; },
        gone);
    count += mark_new(earlier, one.expectations);
  }
  add_gone_alone(was, is, gone);
  tell_gone(gone, edited.file, now.verdict);
  now.run.judged_by = model::JudgedBy{edited.file, sha256(edited.text), edited.text, count};
  Json json = model::to_json(now);
  model::make_printable(json);
  judged.document = json.dump(1) + "\n";
}

}  // namespace

std::optional<judge::Judgement> judge_by(const std::filesystem::path& run,
                                         const std::optional<SuiteText>& asked,
                                         const std::optional<result::NamedText>& baseline,
                                         Checked& problems) {
  const std::filesystem::path file = journal_of(run);
  result::Journal journal = result::read_journal(file);
  const SuiteText edited = asked ? *asked : SuiteText{journal.header.suite_file, journal.header.suite_text};
  return reading_header(file, [&]() -> std::optional<judge::Judgement> {
    const RecordedInputs recorded = recorded_in(journal.header);
    const Checked then = plan_recorded(recorded, journal.header, file);
    problems =
        plan_suite(recorded.catalog, &recorded.inventory, edited, read_include, journal.header.overrides,
                   recorded.options, recorded.diagnostics, journal.header.options.made_by);
    if (baseline) check_use_of_baseline(problems.suite, problems.diagnostics);
    if (problems.diagnostics.has_errors()) return std::nullopt;
    refuse_other_work(then.plan, problems.plan, edited.file);
    const judge::Judgement before = judge_run(then.suite, then.plan, recorded.inventory, journal);
    if (baseline) journal.header.options.baseline = baseline;
    judge::Judgement judged = judge_run(problems.suite, problems.plan, recorded.inventory, journal);
    mark_post_hoc(before, then.suite, edited, problems.suite, judged);
    problems.plan = {};  // its cases speak of plugins that end here
    return judged;
  });
}

}  // namespace assay::engine
