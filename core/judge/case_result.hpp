// SPDX-License-Identifier: Apache-2.0
//
// A case as it was judged: what the document's builder writes down. Filled in steps by judge(), each in a
// file of its own.
#pragma once

#include "catalog/manifest.hpp"
#include "judge/earlier.hpp"
#include "judge/estimate.hpp"
#include "judge/evaluate.hpp"
#include "judge/visit_times.hpp"
#include "model/document.hpp"
#include "plan/plan.hpp"
#include "result/visit.hpp"
#include "statistics/fixed_cost.hpp"
#include "statistics/planning.hpp"
#include "suite/suite.hpp"
#include "text/lookup.hpp"
#include "text/quantity_text.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace assay::judge {

using model::Delta;
using model::DeltaVerdict;
using model::ExpectationStatus;
using model::Flag;
using model::Spread;
using model::TimeSummary;

struct Peak {
  double value = 0;    // base units, of all that the case used together
  double ceiling = 0;  // above this a rate is impossible
  std::string name;
  std::string source;
  ValueRange verdict_interval{};  // what verdicts rely on: the value, unless it was measured beside the work
  std::vector<double> rounds{};   // then: of each round
  std::optional<ValueRange> interval{};  // then: 95 %, of three rounds or more

  [[nodiscard]] bool is_beside_the_work() const { return !rounds.empty(); }
};

// How far a measurement of fewer than three rounds and fewer than six samples may lie from the truth: such a
// number is known within this factor, whatever its samples say.
inline constexpr double kPriorFactor = 2;
inline constexpr std::size_t kFewestSamplesForVerdict = 6;
inline constexpr const char* kTooFew =
    "fewer than three rounds and six samples: what was measured counts as known within a factor of 2";

// Why a metric has no interval: codes that `assay explain` knows.
inline constexpr const char* kFewSamples = "interval.few-samples";
inline constexpr const char* kNoEnd = "interval.no-end";
inline constexpr const char* kOneValue = "interval.one-value";
inline constexpr const char* kSeenAsItIs = "interval.observed";
inline constexpr const char* kOfFewRounds = "interval.derived";

struct MetricResult {
  std::string name, unit;
  std::string written_unit;  // as the suite has it, of a command's number; may be empty
  double written_scale = 1;  // base units in one of those
  catalog::Direction direction = catalog::Direction::none;
  std::string kind;  // rate, duration, value, derived
  bool headline = false;
  bool reported = false;  // a command's own number, which Assay did not measure
  bool clocked = false;   // made of times that Assay took: known no better than its clock
  bool observed = false;  // a count, a status, a state: judged value by value, not by an interval
  std::vector<std::uint32_t> indices;
  std::string statistic;  // median, mean, work over time, slope, recorded, derived, reported
  double value = 0;
  std::optional<double> mean;          // of durations whose median it differs from by more than a twentieth
  std::vector<double> whole;           // of the slope: work over the whole time, of each round
  std::size_t n = 0;                   // samples, or laps
  std::vector<double> rounds;          // the statistic of each round, in order of rounds
  std::optional<ValueRange> interval;  // 95 %
  std::string no_interval;             // the code of why there is none; empty if there is one
  bool between_process = false;        // what the interval covers
  ValueRange verdict_interval;         // what verdicts rely on
  double allowance = 0;                // the share by which it is widened on both sides
  bool too_few = false;                // it is widened by kPriorFactor instead
  std::vector<ValueEntry> members;     // what a limit has to face one by one; empty: the value itself
  std::optional<Spread> spread;
  std::string counting, flow, mechanism;
  std::optional<Peak> peak;
  std::string no_peak;  // why there is none
  std::optional<Delta> delta;

  [[nodiscard]] UnitText shown_unit() const { return {unit, written_unit, written_scale}; }
};

// What of a sample does not grow with its iterations.
struct FixedCost {
  double value_s = 0;
  ValueRange interval;  // 95 %
  bool between_process = false;
  double share = 0;                           // of a sample
  bool matters = false;                       // it is more than a twentieth, chance apart
  std::vector<statistics::FixedTime> rounds;  // where rates go by the slope: of each round
};

struct ExpectationResult {
  const suite::SuiteExpectation* expectation = nullptr;
  ExpectationStatus status = ExpectationStatus::undecided;
  Relation relation;
  UnitText unit;
  std::string why;
};

struct CaseResult {
  const plan::PlannedCase* planned = nullptr;
  std::optional<Earlier> earlier;                   // attempts in the run before, under --failed
  std::vector<const result::Visit*> visits;         // all, by round and attempt
  std::vector<const result::Visit*> last_attempts;  // the last attempt of each round
  bool laps = false;                                // durations of single iterations are known
  std::vector<double> iteration_s;                  // of all rounds, in order; if laps, one a lap
  std::vector<VisitTimes> times;                    // of last_attempts, if all of them passed

  result::Outcome outcome = result::Outcome::not_run;
  result::Reason reason;        // empty code when passed
  Position reason_position;     // where in the suite the reason comes from, if anywhere
  std::string next;             // the suite's own next step, or empty
  std::string skipped_in_part;  // which round was skipped although others were measured, or empty
  bool measured = false;        // metrics can be published
  bool judged = true;           // false under --wrap

  std::vector<MetricResult> metrics;
  std::vector<MetricResult> unpublished;           // measured, not publishable: for diagnostics
  std::map<std::string, std::string> not_derived;  // by derived quantity that has no value: why
  std::optional<TimeSummary> time;
  std::optional<FixedCost> fixed_cost;
  std::map<std::string, double> work;  // per iteration and rank, by metric
  bool precision_asked = false;        // the suite states a precision
  double allowance = 0.01;             // for run-to-run variation, as a share
  double autocorrelation_time = 1;
  double effective_samples = 0;
  std::vector<Flag> flags;
  std::map<std::string, std::set<std::string>> lacking;  // by device: quantities that it does not have
  bool verified = false;
  std::map<std::string, std::string> facts;
  std::vector<ExpectationResult> expectations;

  // Of the intervals that decide: 95 %, and more where open verdicts were given more rounds.
  [[nodiscard]] double level() const { return statistics::level_after_looks(planned->looks); }
  [[nodiscard]] const MetricResult* metric(const std::string& name) const {
    return find_in(metrics, [&](const MetricResult& each) { return each.name == name; });
  }
  // The numbers of the rounds of last_attempts.
  [[nodiscard]] std::vector<int> rounds() const {
    std::vector<int> numbers;
    for (const result::Visit* visit : last_attempts) numbers.push_back(visit->round);
    return numbers;
  }
  // The metric that tables and the visits' list show: the first headline; time is one where nothing else is.
  [[nodiscard]] const MetricResult* headline() const {
    for (const MetricResult& each : metrics)
      if (each.headline) return &each;
    return metrics.empty() ? nullptr : &metrics.front();
  }
};

}  // namespace assay::judge
