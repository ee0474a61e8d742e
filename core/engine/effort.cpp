// SPDX-License-Identifier: Apache-2.0
#include "engine/effort.hpp"

#include "base/error.hpp"
#include "comparison/compare.hpp"
#include "engine/earlier_rounds.hpp"
#include "engine/rejudge.hpp"
#include "judge/claim.hpp"
#include "judge/dependency_closure.hpp"
#include "statistics/between_runs.hpp"
#include "text/quantity_text.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace assay::engine {
namespace {

// A worker's start, preparing and verifying, where nothing tells what they take.
constexpr double kAroundARound_s = 1;
// Clocks are known to 0.05 %, and an effect is a difference of two.
constexpr double kSmallestEffect = 0.001;
constexpr std::size_t kFewestRowsForUsualRounds = 5;

CaseEffort assumed(const plan::PlannedCase& planned) {
  CaseEffort one;
  one.id = planned.id;
  one.rounds = planned.rounds;
  one.varies.of_a_round = comparison::assumed_between_runs(plan::backend_of(planned));
  one.varies.of_runs = one.varies.of_a_round;
  one.round_s = planned.measure.max_time_s + planned.measure.hold_s + kAroundARound_s;
  return one;
}

// Rows tell each other by how much rounds usually vary: three that agree by luck are not taken at their word.
void moderate(std::vector<CaseEffort>& cases) {
  std::vector<statistics::Variance> own;
  for (const CaseEffort& one : cases)
    if (one.rounds_known)
      own.push_back({one.varies.of_a_round * one.varies.of_a_round, one.varies.round_freedom});
  if (own.size() < kFewestRowsForUsualRounds) return;
  const statistics::Variance usual = statistics::usual_variance(own);
  std::size_t i = 0;
  for (CaseEffort& one : cases)
    if (one.rounds_known) one.varies.of_a_round = std::sqrt(statistics::moderated(own[i++], usual).value);
}

// best() picks on every second round, and is judged on the others.
bool chooses(const suite::Expression& expression) {
  return (expression.kind == suite::Expression::Kind::call && expression.name == "best") ||
         std::any_of(expression.operands.begin(), expression.operands.end(),
                     [](const suite::ExpressionPtr& operand) { return chooses(*operand); });
}

FindingEffort effort_of_finding(const suite::SuiteFinding& finding, const suite::Suite& suite,
                                const plan::Plan& plan) {
  FindingEffort effort;
  effort.id = finding.id.value;
  for (const std::string& id : judge::cases_of_finding(suite, plan, effort.id)) effort.cases.push_back(id);
  bool best = chooses(*finding.claim);
  for (const auto& [name, expression] : finding.let) best = best || chooses(*expression);
  if (best) effort.rounds_a_pair = 2;
  std::string problem;
  const auto claim = judge::read_claim(finding, &problem);
  if (!claim)
    effort.why_not = problem;
  else if (claim->form == judge::ClaimForm::difference)
    effort.why_not = "it is about a difference, of which no share is known before it is measured";
  else
    effort.tolerated = judge::claim_tolerance(*claim, finding.over);
  return effort;
}

// Round by round, two cases that vary independently.
double scatter_of_pair(const FindingEffort& finding, const std::map<std::string, CaseEffort*>& cases) {
  double largest = 0;
  for (const std::string& id : finding.cases)
    if (const auto found = cases.find(id); found != cases.end())
      largest = std::max(largest, found->second->varies.of_a_round);
  return std::sqrt(2.0) * largest;
}

std::map<std::string, CaseEffort*> efforts_by_id(std::vector<CaseEffort>& cases) {
  std::map<std::string, CaseEffort*> found;
  for (CaseEffort& one : cases) found[one.id] = &one;
  return found;
}

}  // namespace

double Effort::total_s() const {
  double total = 0;
  for (const CaseEffort& one : cases) total += one.rounds.value_or(0) * one.round_s;
  return total;
}

bool Effort::assumes() const {
  return std::any_of(cases.begin(), cases.end(), [](const CaseEffort& one) {
    return !one.rounds_known || !one.time_known || !one.runs_known;
  });
}

bool Effort::assumes_times() const {
  return std::any_of(cases.begin(), cases.end(), [](const CaseEffort& one) { return !one.time_known; });
}

void Effort::take_rounds_of_cases() {
  const auto known = efforts_by_id(cases);
  for (FindingEffort& finding : findings) {
    finding.rounds.reset();
    for (const std::string& id : finding.cases)
      if (const auto found = known.find(id); found != known.end() && found->second->rounds)
        finding.rounds = std::min(finding.rounds.value_or(*found->second->rounds), *found->second->rounds);
    if (!finding.rounds && finding.why_not.empty()) finding.why_not = "none of its cases would run";
  }
}

// Rounds that are alike by luck show no less than clocks are known to.
double shows(const CaseEffort& one, int rounds) {
  const std::size_t count = static_cast<std::size_t>(rounds);
  return std::max(kSmallestEffect,
                  std::expm1(statistics::smallest_distance_seen(one.varies.of_a_round, count)));
}

double shows(const FindingEffort& finding, int rounds) {
  const std::size_t count = static_cast<std::size_t>(rounds / finding.rounds_a_pair);
  return std::expm1(std::log1p(finding.tolerated) +
                    statistics::smallest_distance_seen(finding.scatter, count));
}

Effort effort_of(const suite::Suite& suite, const plan::Plan& plan,
                 std::span<const model::Document> earlier) {
  const EarlierRounds known(earlier);
  Effort effort;
  effort.results = earlier.size();
  for (const plan::PlannedCase& planned : plan.cases) {
    if (planned.predetermined) continue;
    CaseEffort& one = effort.cases.emplace_back(assumed(planned));
    if (const auto components = known.components_of(planned)) {
      const double prior = one.varies.of_a_round;
      one.varies = *components;
      one.rounds_known = components->round_freedom > 0;
      one.runs_known = components->of_runs.has_value();
      if (!one.rounds_known) one.varies.of_a_round = prior;
      if (!one.runs_known) one.varies.of_runs = prior;
    }
    if (const auto round_s = known.round_s_of(planned)) {
      one.round_s = *round_s;
      one.time_known = true;
    }
  }
  moderate(effort.cases);
  const auto cases = efforts_by_id(effort.cases);
  for (const suite::SuiteFinding& finding : suite.findings) {
    FindingEffort& one = effort.findings.emplace_back(effort_of_finding(finding, suite, plan));
    const auto scatter = known.scatter_of_finding(one.id);
    one.known = scatter.has_value();
    one.scatter = scatter ? *scatter : scatter_of_pair(one, cases);
  }
  effort.take_rounds_of_cases();
  return effort;
}

void set_rounds_to_see(double share, Effort& effort) {
  if (!(share >= kSmallestEffect))
    throw Error("usage.see",
                "--see cannot be less than " + percent_text(kSmallestEffect) +
                    ": clocks are known to 0.05 %, and an effect is the difference of two times");
  effort.see = share;
  for (CaseEffort& one : effort.cases) {
    const auto needed = statistics::rounds_to_see(one.varies.of_a_round, std::log1p(share));
    one.rounds = needed ? std::optional(static_cast<int>(*needed)) : std::nullopt;
  }
  const auto cases = efforts_by_id(effort.cases);
  for (FindingEffort& finding : effort.findings) {
    finding.rounds.reset();
    if (!finding.why_not.empty()) continue;
    const double beyond = std::log1p(share) - std::log1p(finding.tolerated);
    if (!(beyond > 0)) {
      finding.why_not =
          "effects up to " + percent_text(finding.tolerated) +
          " count as none in its claim; plan for a larger effect, or give the finding a smaller 'over'";
      continue;
    }
    const auto pairs = statistics::rounds_to_see(finding.scatter, beyond);
    if (pairs) finding.rounds = static_cast<int>(*pairs) * finding.rounds_a_pair;
    for (const std::string& id : finding.cases) {
      const auto found = cases.find(id);
      if (found == cases.end()) continue;
      // A case that is open by itself stays so.
      std::optional<int>& rounds = found->second->rounds;
      rounds = rounds && finding.rounds ? std::optional(std::max(*rounds, *finding.rounds)) : std::nullopt;
    }
  }
  for (CaseEffort& one : effort.cases) {
    if (!one.rounds) continue;
    const double of_mean = one.varies.of_a_round / std::sqrt(static_cast<double>(*one.rounds));
    const double of_runs = *one.varies.of_runs;
    // Not std::hypot: it needs a newer C library than the archive promises.
    one.runs_a_side = statistics::runs_a_side_for(std::sqrt(of_mean * of_mean + of_runs * of_runs), share);
  }
}

Json to_json(const Effort& effort) {
  const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(); };
  Json json = {{"see", or_null(effort.see)},
               {"budget_s", or_null(effort.budget_s)},
               {"level", statistics::level_after_looks(0)},
               {"power", statistics::kPower},
               {"results", effort.results},
               {"total_s", effort.total_s()},
               {"cases", Json::array()},
               {"findings", Json::array()}};
  for (const CaseEffort& one : effort.cases) {
    Json entry = {{"id", one.id},
                  {"rounds", or_null(one.rounds)},
                  {"shows", one.rounds && *one.rounds > 1 ? Json(shows(one, *one.rounds)) : Json()},
                  {"round_s", one.round_s},
                  {"round_s_known", one.time_known},
                  {"rounds_vary_by", one.varies.of_a_round},
                  {"rounds_known", one.rounds_known},
                  {"of_that_samples", one.varies.of_samples},
                  {"runs_differ_by", *one.varies.of_runs},
                  {"runs_known", one.runs_known}};
    if (effort.see) entry["runs_a_side"] = or_null(one.runs_a_side);
    json["cases"].push_back(std::move(entry));
  }
  for (const FindingEffort& finding : effort.findings)
    json["findings"].push_back({{"id", finding.id},
                                {"rounds", or_null(finding.rounds)},
                                {"ratio_varies_by", finding.scatter},
                                {"ratio_known", finding.known},
                                {"tolerated", finding.tolerated},
                                {"why_not", finding.why_not}});
  return json;
}

Effort effort_of(const Request& request, const Prepared& prepared, std::optional<double> see) {
  std::vector<model::Document> earlier;
  std::map<std::string, std::string> runs;  // by id, as they were named
  for (const std::string& result : request.earlier) {
    earlier.push_back(result_of(result));
    const model::Run& run = earlier.back().run;
    if (run.mode.quick)
      throw Error("usage.earlier", "'" + printable(result) +
                                       "' is of a quick run, whose rounds are shorter than those that are "
                                       "planned; name a result of a whole run");
    if (run.mode.simulated || (run.mode.wrap && !run.mode.wrap->empty()))
      throw Error("usage.earlier",
                  "'" + printable(result) + "' is " +
                      (run.mode.simulated ? "simulated" : "of a run under --wrap") +
                      ", which does not say how this machine's rounds vary; name a measured one");
    if (const auto [known, is_new] = runs.emplace(run.id, result); !is_new)
      throw Error("usage.earlier", "'" + printable(known->second) + "' and '" + printable(result) +
                                       "' are the same run, which does not say how runs vary; name two runs");
    const auto is_planned = [&](const model::Case& one) {
      return std::any_of(prepared.plan.cases.begin(), prepared.plan.cases.end(),
                         [&](const plan::PlannedCase& planned) { return planned.id == one.id; });
    };
    if (!std::any_of(earlier.back().cases.begin(), earlier.back().cases.end(), is_planned))
      throw Error(
          "usage.earlier",
          "'" + printable(result) + "' has none of the cases that are planned; name results of this suite");
  }
  Effort effort = effort_of(prepared.suite, prepared.plan, earlier);
  if (see) set_rounds_to_see(*see, effort);
  if (request.budget_s) set_rounds_within(*request.budget_s, prepared.suite, prepared.plan, effort);
  return effort;
}

}  // namespace assay::engine
