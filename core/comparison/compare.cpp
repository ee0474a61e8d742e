// SPDX-License-Identifier: Apache-2.0
#include "comparison/compare.hpp"

#include "comparison/comparison_verdict.hpp"
#include "comparison/differences.hpp"
#include "comparison/draft_rows.hpp"
#include "comparison/spread.hpp"
#include "comparison/variants.hpp"
#include "statistics/change.hpp"
#include "statistics/distribution.hpp"
#include "statistics/summary.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace assay::comparison {

namespace {

constexpr double kFalseDiscoveries = 0.05;
constexpr double kOnePercent = 0.01;
// Fewer rows do not move "together".
constexpr std::size_t kFewestRowsForShift = 4;

class Comparer {
 public:
  explicit Comparer(const Question& question) : question_(question) {}

  model::Comparison compare(const std::vector<LoadedResult>& before, const std::vector<LoadedResult>& after) {
    out_.differences = differences_between(before, after);
    return compare(
        before, after,
        question_.between_runs ? SideArrangement::apart_with_known_spread : SideArrangement::apart);
  }

  model::Comparison compare(VariantSides sides) {
    out_.differences = std::move(sides.differences);
    return compare({std::move(sides.before)}, {std::move(sides.after)}, SideArrangement::in_turn);
  }

 private:
  model::Comparison compare(const std::vector<LoadedResult>& before, const std::vector<LoadedResult>& after,
                            SideArrangement arrangement) {
    out_.theta = question_.theta;
    out_.no_worse_than = question_.no_worse_than;
    out_.filters = question_.filters;
    for (const LoadedResult& each : before) out_.before.push_back(run_of(each));
    for (const LoadedResult& each : after) out_.after.push_back(run_of(each));
    drafts_ = draft_rows(before, after, arrangement);
    settle_resources();
    decide();
    reach();
    for (DraftRow& draft : drafts_) out_.rows.push_back(std::move(draft.row));
    fill_verdict(out_);
    return std::move(out_);
  }

  static model::ComparedRun run_of(const LoadedResult& reading) {
    const Json& host = reading.run.host;
    model::ComparedRun run{
        reading.source,
        reading.run.id,
        reading.run.suite,
        reading.run.started_at,
        host.value("hostname", Json()).is_string() ? host["hostname"].get<std::string>() : "",
        reading.run.mode.simulated,
        reading.run.rounds,
        {},
        reading.variant};
    for (const model::Backend& backend : reading.run.backends)
      for (const model::Device& device : backend.devices)
        run.devices.push_back(device.name + " " + device.model +
                              (device.uuid.empty() ? "" : " " + device.uuid));
    return run;
  }

  void settle_resources() {
    std::map<std::string, std::vector<DraftRow*>> by_resource;
    for (DraftRow& draft : drafts_)
      if (draft.pair) by_resource[draft.row.resource].push_back(&draft);
    for (auto& [resource, drafts] : by_resource) {
      std::vector<Pair*> pairs;
      for (DraftRow* draft : drafts) pairs.push_back(&*draft->pair);
      out_.spreads.push_back(fill_changes(resource, drafts.front()->backend, pairs, question_));
      if (drafts.size() >= kFewestRowsForShift) shift(resource, drafts);
    }
  }

  // Rows may share all of a run's error, so the shift is known no better than a row.
  void shift(const std::string& resource, const std::vector<DraftRow*>& drafts) {
    std::vector<double> shifts, errors, freedoms;
    for (const DraftRow* draft : drafts) {
      shifts.push_back(draft->pair->change.shift);
      errors.push_back(draft->pair->change.error);
      freedoms.push_back(draft->pair->change.freedom);
    }
    const statistics::Change common{statistics::hodges_lehmann(shifts), statistics::median(errors),
                                    statistics::sorted(freedoms)[freedoms.size() / 2], 0};
    const statistics::ConfidenceInterval interval = statistics::interval_of(common, 0.95);
    out_.shifts.push_back({resource, drafts.size(), std::exp(common.shift), interval.low, interval.high});
    for (DraftRow* draft : drafts)
      draft->row.beside_shift = std::exp(draft->pair->change.shift - common.shift);
  }

  void decide() {
    std::vector<DraftRow*> judged;
    std::vector<double> p;
    for (DraftRow& draft : drafts_) {
      if (!draft.pair) {
        const bool is_same = draft.row.verdict == model::ComparedVerdict::same;
        if (is_same && question_.no_worse_than && draft.row.direction != "none") draft.row.no_worse = true;
        continue;
      }
      judged.push_back(&draft);
      p.push_back(statistics::p_of_change_beyond(draft.pair->change, question_.theta));
    }
    const std::vector<bool> is_changed = statistics::discoveries(p, kFalseDiscoveries);
    for (std::size_t i = 0; i < judged.size(); ++i) decide(*judged[i], is_changed[i]);
  }

  void decide(DraftRow& draft, bool is_changed) const {
    model::ComparedRow& row = draft.row;
    const statistics::Change& change = draft.pair->change;
    const statistics::ConfidenceInterval interval = statistics::interval_of(change, 0.95);
    row.ratio = std::exp(change.shift);
    row.low = interval.low;
    row.high = interval.high;
    row.smallest_change = statistics::smallest_change_seen(change, question_.theta);
    const bool is_better = (change.shift > 0) == (row.direction == "higher");
    if (is_changed) {
      row.verdict = row.direction == "none" ? model::ComparedVerdict::different
                    : is_better             ? model::ComparedVerdict::faster
                                            : model::ComparedVerdict::slower;
    } else if (statistics::is_equivalent(change, question_.theta)) {
      row.verdict = model::ComparedVerdict::same;
    } else if ((interval.low > 1 || interval.high < 1) &&
               std::abs(change.shift) <= std::log1p(question_.theta)) {
      row.verdict = model::ComparedVerdict::small;
    } else {
      row.verdict = model::ComparedVerdict::undecided;
      tell_what_would_decide(*draft.pair, interval, row);
    }
    if (!question_.no_worse_than || row.direction == "none") return;
    const double worse = row.direction == "higher" ? -change.shift : change.shift;
    const double bound =
        worse + statistics::student_t_quantile(0.95, std::min(change.freedom, 1e6)) * change.error;
    row.no_worse = bound < std::log1p(*question_.no_worse_than);
  }

  void tell_what_would_decide(const Pair& pair, const statistics::ConfidenceInterval& interval,
                              model::ComparedRow& row) const {
    const statistics::Change& change = pair.change;
    if (interval.low > 1 + question_.theta || interval.high < 1 / (1 + question_.theta)) {
      row.why =
          "by itself it is beyond the margin; among so many rows that may be chance, which it is not if it comes out again";
      return;
    }
    if (pair.ratios.empty()) {
      const auto runs = statistics::runs_a_side_to_decide(change, question_.theta);
      row.why = runs ? std::to_string(*runs) + " runs of each side should decide it"
                     : "1000 runs of each side would not decide it";
      return;
    }
    const double distance = std::abs(std::abs(change.shift) - std::log1p(question_.theta));
    const double of_a_ratio = std::sqrt(2.0) * change.of_a_run;
    const std::size_t more = statistics::further_rounds(pair.ratios.size(), of_a_ratio, distance);
    if (more > 0) row.more_rounds = more;
    row.why =
        more > 0 ? count_of(more, "more round") + " should decide it" : "1000 rounds would not decide it";
  }

  void reach() {
    std::vector<double> smallest, of_a_run;
    for (const DraftRow& draft : drafts_) {
      if (!draft.pair) continue;
      smallest.push_back(*draft.row.smallest_change);
      of_a_run.push_back(draft.pair->change.of_a_run);
    }
    if (smallest.empty()) return;
    out_.reach.middle = statistics::median(smallest);
    out_.reach.worst = *std::max_element(smallest.begin(), smallest.end());
    if (const auto runs = statistics::runs_a_side_for(statistics::median(of_a_run), kOnePercent))
      out_.reach.runs_for_one_percent = *runs;
  }

  const Question& question_;
  std::vector<DraftRow> drafts_;
  model::Comparison out_;
};

}  // namespace

model::Comparison compare(const std::vector<LoadedResult>& before, const std::vector<LoadedResult>& after,
                          const Question& question) {
  return Comparer(question).compare(before, after);
}

model::Comparison compare_variants(const LoadedResult& result, const std::string& before,
                                   const std::string& after, const Question& question) {
  return Comparer(question).compare(sides_of_variants(result, before, after));
}

}  // namespace assay::comparison
