// SPDX-License-Identifier: Apache-2.0
#include "judge/judge.hpp"

#include "judge/deltas.hpp"
#include "judge/device_health.hpp"
#include "judge/diagnoses.hpp"
#include "judge/document.hpp"
#include "judge/document_text.hpp"
#include "judge/energy.hpp"
#include "judge/expectations.hpp"
#include "judge/flags.hpp"
#include "judge/metrics.hpp"
#include "judge/outcome_of_case.hpp"
#include "judge/peers.hpp"
#include "judge/reproduce.hpp"
#include "judge/scaling.hpp"
#include "judge/shorten.hpp"
#include "judge/tables.hpp"
#include "judge/trend.hpp"
#include "model/document_json.hpp"
#include "result/reasons.hpp"
#include "system/census.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>

namespace assay::judge {
namespace {

using result::Outcome;
using VisitsByCase = std::unordered_map<std::string, std::vector<const result::Visit*>>;

// Rates of a result that was not verified are measured, but not published. What a command reports is not
// Assay's figure to withhold; it is published as the command's.
void withhold_rates(CaseResult& result) {
  std::vector<MetricResult> kept;
  for (MetricResult& metric : result.metrics)
    (metric.kind == "rate" && !metric.reported ? result.unpublished : kept).push_back(std::move(metric));
  result.metrics = std::move(kept);
}

void withhold_all(CaseResult& result) {
  result.measured = false;
  for (MetricResult& metric : result.metrics) result.unpublished.push_back(std::move(metric));
  result.metrics.clear();
}

bool asks_for_precision(const suite::Suite& suite, const plan::PlannedCase& planned) {
  return planned.suite_case < suite.cases.size() &&
         suite.cases[planned.suite_case].measure.where(&model::MeasureOptions::precision) != nullptr;
}

void flag_wide(CaseResult& result, const std::string& what) {
  if (model::find_flag(result.flags, "wide") == nullptr)
    result.flags.push_back({"wide", "the interval leaves " + what + " open"});
}

// An interval that leaves a limit open is too wide for it, whatever was asked for.
void flag_open_limits(CaseResult& result) {
  const auto* const open = find_in(result.expectations, [](const ExpectationResult& each) {
    return each.status == ExpectationStatus::undecided && !each.relation.is_text;
  });
  if (open != nullptr) flag_wide(result, open->expectation->text);
}

// So is one that leaves a claim open.
void flag_open_claims(const std::vector<FindingResult>& findings,
                      const std::unordered_map<std::string, std::size_t>& index_of,
                      std::vector<CaseResult>& cases) {
  for (const FindingResult& finding : findings) {
    if (!model::is_open(finding.verdict)) continue;
    for (const FindingRow& row : finding.rows)
      for (const CaseResult* each : row.too_wide)
        flag_wide(cases[index_of.at(each->planned->id)], finding.finding->claim_text);
  }
}

// Results of the case's own samples.
CaseResult measure_samples(CaseResult result, const suite::Suite& suite, const system::Inventory& inventory,
                           const Json& peaks, double allowance, bool quick, std::vector<Guard>& guards) {
  if (result.outcome != Outcome::passed) {
    measure_failed_visit(result);
    if (result.reason.code.rfind("guard.", 0) == 0)
      guards.push_back({result.reason.code, "invalid", result.planned->id, result.reason.text});
    return result;
  }
  result.allowance = allowance;
  result.precision_asked = asks_for_precision(suite, *result.planned);
  result.measured = true;
  compute_metrics(result, inventory, peaks);
  if (!result.reason.code.empty()) {
    withhold_all(result);
    return result;
  }
  apply_verification(result);
  if (!result.verified && result.reason.code.empty()) refuse_unverified(result);
  if (!result.verified) withhold_rates(result);
  compute_flags(result, quick);
  const std::vector<Guard> fired = check_guards(result);
  if (!fired.empty() && result.reason.code.empty()) {
    result.outcome = Outcome::invalid;
    result.reason.code = fired.front().code;
    result.reason.text = fired.front().text;
  }
  guards.insert(guards.end(), fired.begin(), fired.end());
  if (!result.reason.code.empty()) {
    withhold_all(result);
    return result;
  }
  add_energy(result);
  compute_derived(result, suite.derive);
  apply_checks(result);
  apply_throttle(result);
  return result;
}

// Everything that a case's own samples and its devices say, before anything is compared.
CaseResult measure_case(CaseResult collected, const suite::Suite& suite, const system::Inventory& inventory,
                        const Json& peaks, double allowance, bool quick, std::vector<Guard>& guards) {
  find_lacking(collected, inventory);
  CaseResult result =
      measure_samples(std::move(collected), suite, inventory, peaks, allowance, quick, guards);
  flag_devices(result);
  blame_devices(result, inventory);
  if (result.outcome == Outcome::invalid && result.measured) withhold_all(result);
  return result;
}

// The kind of work of a case, as `assay doctor` names it; "" for work that the doctor does not do.
std::string kind_of_work(const plan::PlannedCase& planned) {
  if (plan::runs_command(planned)) return "command";
  if (!planned.benchmark) return "";
  for (const catalog::MetricDeclaration& metric : planned.benchmark->metrics) {
    if (!metric.headline || metric.kind != catalog::MetricKind::rate) continue;
    if (metric.unit == "FLOP/s") return "compute";
    if (metric.unit == "B/s")
      return metric.peak.find("link") == std::string::npos ? "memory" : "communication";
  }
  return "";
}

// The variation that `assay doctor` measured of such work on the case's backend; else the largest variation of any work on that
// backend; else the default.
double allowance_of(const plan::PlannedCase& planned, const result::JournalHeader& header,
                    const JudgeOptions& options) {
  const Json& measured = header.options.run_to_run;
  if (measured.is_null()) return options.run_to_run_allowance;
  const std::string backend = plan::backend_of(planned);
  const Json& shares = measured.at("shares");
  return shares.value(backend + "/" + kind_of_work(planned),
                      shares.value(backend, options.run_to_run_allowance));
}

struct ReferenceRow {
  const CaseResult* row = nullptr;
  std::string why;
};

ReferenceRow reference_of(const plan::PlannedCase& planned, const std::vector<CaseResult>& cases,
                          const std::unordered_map<std::string, std::size_t>& index_of) {
  if (!planned.has_reference_key) return {nullptr, "the case names no reference row"};
  if (planned.reference.empty()) return {nullptr, "the reference row is not in the plan"};
  const auto found = index_of.find(planned.reference);
  if (found == index_of.end())
    return {nullptr, "the reference row " + planned.reference + " is not in the plan"};
  return {&cases[found->second], {}};
}

std::vector<model::CountedDevices> devices_of(const plan::Plan& plan, const system::Inventory& inventory) {
  std::vector<model::CountedDevices> all;
  for (const std::string& name : plan.complete) {
    const system::Backend* backend = inventory.find(name);
    const auto census = backend != nullptr ? system::census_of(*backend) : std::nullopt;
    if (!census) continue;
    const std::size_t count = backend->devices.size();
    all.push_back({name, count, system::to_text(*census, count)});
  }
  return all;
}

VerdictReason shortened_reason(const std::string& suite, std::size_t most_bytes) {
  VerdictReason reason;
  reason.code = "run.shortened";
  const result::ReasonRow* row = result::find_reason(reason.code);
  if (row != nullptr) {
    reason.severity = row->severity;
    reason.next = row->next;
  }
  reason.subject = suite;
  reason.text = "the result would have more than " + std::to_string(most_bytes) +
                " bytes: cases that take more than their share are shortened, and each says what it lacks";
  return reason;
}

}  // namespace

Judgement judge(const suite::Suite& suite, const plan::Plan& plan, const system::Inventory& inventory,
                const result::JournalHeader& header, const std::vector<result::Visit>& visits,
                const result::JournalEnd& end, const JudgeOptions& options) {
  VisitsByCase by_case;
  for (const result::Visit& visit : visits) by_case[visit.case_id].push_back(&visit);
  const bool quick = header.options.quick;
  const bool strict = options.strict || suite.policy.strict;
  const bool decided = strict || suite.policy.decided;

  std::vector<Guard> guards;
  std::vector<CaseResult> cases;
  cases.reserve(plan.cases.size());
  std::unordered_map<std::string, std::size_t> index_of;
  for (const plan::PlannedCase& planned : plan.cases) {
    index_of.emplace(planned.id, cases.size());
    cases.push_back(measure_case(collect(planned, by_case[planned.id], plan, end), suite, inventory,
                                 header.peaks, allowance_of(planned, header, options), quick, guards));
    cases.back().earlier = earlier_of(header.earlier, planned.id);
    flag_earlier_attempt(cases.back());
    cases.back().metrics.shrink_to_fit();  // of every case at once
  }
  flag_shrinking_totals(cases);
  const Peers peers(cases, suite, inventory);
  const Bands bands(header.options.baseline, cases, suite, inventory, header.system);
  for (CaseResult& each : cases) {
    const ReferenceRow reference = reference_of(*each.planned, cases, index_of);
    if (each.planned->suite_case < suite.cases.size())
      judge_expectations(each, suite.cases[each.planned->suite_case], reference.row, reference.why,
                         {peers, bands}, decided);
    flag_open_limits(each);
    refuse_skipped_in_part(each);
    if (reference.row) compute_deltas(each, *reference.row);
  }
  std::vector<GroupResult> groups = judge_groups(suite, cases, plan.left_out, decided);
  for (GroupResult& each : unmatched_expectations(suite, plan.unmatched)) groups.push_back(std::move(each));
  const std::vector<FindingResult> findings =
      judge_findings(suite, cases, plan.left_out, quick, !header.earlier.is_null());
  flag_open_claims(findings, index_of, cases);
  const std::vector<model::Table> tables = make_tables(suite, cases);
  Verdict verdict = make_verdict(plan, cases, groups, findings, end, suite.name, strict);

  verdict.devices = devices_of(plan, inventory);
  const std::vector<model::Diagnosis> diagnoses = diagnose(header.rules, cases, header.environment);

  // Everything but the cases is written whole; the cases share the remaining room.
  const auto write = [&](const std::function<void(DocumentText&)>& write_cases) {
    DocumentText document;
    document.add("schema_version", "1.0");
    document.add("verdict", model::to_json(verdict));
    document.begin_object("run");
    model::Run about = run_of(suite, plan, inventory, header, visits, end, strict);
    about.trend = trend_of(cases);
    Json run = model::to_json(about);
    run.erase("resolved_suite");
    document.add_members(run);
    document.begin_object("resolved_suite");
    document.add_members(plan::frame_to_json(plan));
    document.begin_list("cases");
    for (const plan::PlannedCase& planned : plan.cases) document.element(plan::to_json(planned));
    document.end();
    document.end();
    document.end();
    document.begin_list("cases");
    write_cases(document);
    document.end();
    document.begin_list("groups");
    for (const GroupResult& group : groups) document.element(model::to_json(group_of(group)));
    document.end();
    document.begin_list("findings");
    for (const FindingResult& finding : findings) document.element(model::to_json(finding_of(finding)));
    document.end();
    document.begin_list("guards");
    for (const Guard& guard : guards) document.element(model::to_json(guard));
    document.end();
    if (!tables.empty()) {
      document.begin_list("tables");
      for (const model::Table& table : tables) document.element(model::to_json(table));
      document.end();
    }
    if (!diagnoses.empty()) {
      document.begin_list("diagnoses");
      for (const model::Diagnosis& each : diagnoses) document.element(model::to_json(each));
      document.end();
    }
    return document.take();
  };
  const auto held_against = [](const CaseResult& each) {
    const bool has_reference =
        std::any_of(each.expectations.begin(), each.expectations.end(), [](const ExpectationResult& one) {
          return one.expectation->that && suite::has_share_of(*one.expectation->that, "reference");
        });
    return has_reference && each.planned->reference != each.planned->id ? each.planned->reference : "";
  };
  const auto json_of = [&](const CaseResult& each) {
    const std::size_t written = each.planned->suite_case;
    return model::to_json(
        case_of(each, written < suite.cases.size() ? suite.cases[written].id.value : "",
                reproduce_command(header, each.planned->id, plan.seed, held_against(each))));
  };
  std::vector<std::pair<std::string, std::string>> outcomes;
  for (const CaseResult& each : cases) outcomes.emplace_back(each.planned->id, result::to_text(each.outcome));
  bool fits = true;
  std::string text = write([&](DocumentText& document) {
    for (const CaseResult& each : cases) {
      fits = fits && document.size() <= options.most_bytes;
      if (fits) document.element(json_of(each));
    }
  });
  if (fits && text.size() <= options.most_bytes)
    return {verdict.exit_code, std::move(outcomes), std::move(text)};
  text.clear();
  text.shrink_to_fit();
  verdict.reasons.push_back(shortened_reason(suite.name, options.most_bytes));
  const std::size_t frame = write([](DocumentText&) {}).size();
  const std::size_t room = options.most_bytes - std::min(options.most_bytes, frame);
  const std::size_t share = room / std::max<std::size_t>(1, cases.size());
  text = write([&](DocumentText& document) {
    for (const CaseResult& each : cases) {
      Json one = json_of(each);
      shorten(one, share);
      document.element(std::move(one));
    }
  });
  return {verdict.exit_code, std::move(outcomes), std::move(text)};
}

}  // namespace assay::judge
