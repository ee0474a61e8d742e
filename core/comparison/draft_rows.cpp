// SPDX-License-Identifier: Apache-2.0
#include "comparison/draft_rows.hpp"

#include "comparison/differences.hpp"
#include "comparison/joined_cases.hpp"
#include "model/document.hpp"
#include "statistics/interval.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <span>
#include <utility>

namespace assay::comparison {

namespace {

using Metrics = std::vector<const model::Metric*>;

std::string name_of(const model::Metric& metric) {
  std::string name = metric.name;
  for (const std::uint64_t index : metric.indices) name += "[" + std::to_string(index) + "]";
  return name;
}

// The headlines; time, where a case has none.
Metrics headlines_of(const model::Case& one) {
  Metrics out;
  for (const model::Metric& metric : one.metrics)
    if (metric.headline) out.push_back(&metric);
  for (const model::Metric& metric : one.metrics)
    if (out.empty() && metric.name == model::kTime) out.push_back(&metric);
  return out;
}

const model::Metric* find(const CaseInResult& seen, const std::string& name) {
  const model::Metric* const found =
      find_in(seen.one->metrics, [&](const model::Metric& metric) { return name_of(metric) == name; });
  return found != nullptr && found->value ? found : nullptr;
}

bool has_passed(const CaseInResult& seen) { return seen.one->outcome == Outcome::passed; }

// The runs of a side that have a value of it.
struct SideOfRow {
  Metrics metrics;
  std::uint64_t rounds = 0;
  std::string why;         // there is none
  std::string why_failed;  // in some run it did not pass, and was not skipped; empty: in none
};

bool was_disturbed(std::span<const CaseInResult> seen) {
  return std::any_of(seen.begin(), seen.end(), [](const CaseInResult& each) {
    return std::any_of(each.one->flags.begin(), each.one->flags.end(), [](const model::Flag& flag) {
      return flag.code == "disturbed" || flag.code == "throttled";
    });
  });
}

SideOfRow side_of(std::span<const CaseInResult> seen, const std::string& name, const std::string& side) {
  SideOfRow out;
  if (seen.empty()) out.why = "the " + side + " side does not have it";
  for (const CaseInResult& each : seen) {
    const model::Metric* metric = has_passed(each) ? find(each, name) : nullptr;
    if (metric != nullptr) {
      out.metrics.push_back(metric);
      out.rounds += std::max<std::size_t>(1, metric->rounds.size());
    } else if (!has_passed(each)) {
      out.why = "it ended as '" + std::string(to_text(each.one->outcome)) + "' on the " + side + " side" +
                (each.one->reason ? " (" + each.one->reason->code + ")" : "");
      const bool has_failed = each.one->outcome != Outcome::skipped &&
                              each.one->outcome != Outcome::not_run &&
                              each.one->outcome != Outcome::cancelled;
      if (has_failed && out.why_failed.empty())
        out.why_failed = out.why + (seen.size() > 1 ? ", in '" + each.reading->source + "'" : "");
    } else {
      out.why = "the " + side + " side has no value of " + name;
    }
  }
  if (!out.metrics.empty()) out.why.clear();
  return out;
}

// Rates of one side may be by the slope and of the other not, where what is fixed takes about a twentieth of a sample: then all are
// compared with each other as work over the whole time.
void take_the_same_statistic(SideOfRow& before, SideOfRow& after, std::deque<model::Metric>& copies) {
  const auto is_slope = [](const model::Metric* metric) {
    return metric->statistic == "slope" && !metric->whole.empty();
  };
  std::size_t slopes = 0;
  for (const SideOfRow* side : {&before, &after})
    slopes += static_cast<std::size_t>(std::count_if(side->metrics.begin(), side->metrics.end(), is_slope));
  if (slopes == before.metrics.size() + after.metrics.size()) return;
  for (SideOfRow* side : {&before, &after}) {
    for (const model::Metric*& metric : side->metrics) {
      if (!is_slope(metric)) continue;
      model::Metric& copy = copies.emplace_back(*metric);
      copy.statistic = "work over time";
      copy.rounds = copy.whole;
      copy.value = statistics::geometric_mean(copy.whole);
      metric = &copy;
    }
  }
}

double value_of(const Metrics& metrics) {
  if (metrics.size() == 1) return *metrics.front()->value;
  std::vector<double> values;
  for (const model::Metric* metric : metrics) values.push_back(*metric->value);
  const bool is_positive = std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
  return is_positive ? statistics::geometric_mean(values) : values.front();
}

// ln of the rounds, a run at a time; empty if one is not positive.
std::vector<std::vector<double>> logs_of(const Metrics& metrics) {
  std::vector<std::vector<double>> runs;
  for (const model::Metric* metric : metrics) {
    std::vector<double> logs = metric->rounds.empty() ? std::vector<double>{*metric->value} : metric->rounds;
    for (double& value : logs) {
      if (!(value > 0 && std::isfinite(value))) return {};
      value = std::log(value);
    }
    runs.push_back(std::move(logs));
  }
  return runs;
}

std::vector<double> rounds_of(const Metrics& metrics) {
  std::vector<double> all;
  for (const model::Metric* metric : metrics) {
    if (metric->rounds.empty()) all.push_back(*metric->value);
    all.insert(all.end(), metric->rounds.begin(), metric->rounds.end());
  }
  return all;
}

// Zeros have no ratio to anything. Why the new side is worse all the same; "" where they do not show that.
std::string why_worse_beside_zeros(const std::string& direction, const Metrics& before,
                                   const Metrics& after) {
  std::vector<double> old_rounds = rounds_of(before), new_rounds = rounds_of(after);
  std::sort(old_rounds.begin(), old_rounds.end());
  std::sort(new_rounds.begin(), new_rounds.end());
  if (old_rounds.front() < 0 || new_rounds.front() < 0) return "";
  if (direction == "higher" && old_rounds.front() > 0 && new_rounds.front() == 0)
    return new_rounds.back() == 0 ? "it came to nothing on the new side"
                                  : "it came to nothing in a round of the new side";
  if (direction != "lower" || old_rounds.front() > 0) return "";
  if (old_rounds.back() == 0 && new_rounds.back() > 0)
    return "it was 0 on the old side, and is not on the new one";
  if (new_rounds.front() > old_rounds.back())
    return "every round of the new side is above all of the old side";
  return "";
}

bool is_zero_throughout(const Metrics& metrics) {
  const std::vector<double> rounds = rounds_of(metrics);
  return std::all_of(rounds.begin(), rounds.end(), [](double value) { return value == 0; });
}

std::string why_other_metric(const model::Metric& before, const model::Metric& after) {
  if (before.unit.base != after.unit.base)
    return "its unit differs: " + before.unit.base + ", then " + after.unit.base;
  if (before.direction != after.direction) return "which is better differs";
  if (before.statistic != after.statistic)
    return "it is another statistic: " + before.statistic + ", then " + after.statistic;
  return "";
}

// Every result that has the case is compared with the first.
std::string why_other_case(const JoinedCase& joined, SideArrangement arrangement) {
  if (arrangement == SideArrangement::in_turn || joined.before.empty() || joined.after.empty()) return "";
  const CaseInResult& first = joined.before.front();
  if (first.reading->run.mode.simulated && joined.after.front().reading->run.mode.simulated)
    return "both sides are simulated, and such times say nothing of a machine";
  for (const auto* side : {&joined.before, &joined.after}) {
    for (const CaseInResult& each : *side) {
      if (!each.reading->run.mode.wrap.value_or("").empty())
        return "it was measured under --wrap, whose tool is in all times";
      if (each.reading->run.mode.simulated != first.reading->run.mode.simulated)
        return "one side is simulated, and the other was measured";
      if (std::string why = why_other_work(*first.one, *each.one); !why.empty()) return why;
      const std::string before = models_of(*first.reading, *first.one),
                        after = models_of(*each.reading, *each.one);
      if (before != after) return "the devices are not alike: " + before + ", then " + after;
    }
  }
  return "";
}

// ln of the new side's rounds over the old side's. Empty, and `why` says why, if they are not pairs.
std::vector<double> ratios_of(const std::vector<double>& before, const std::vector<double>& after,
                              std::string& why) {
  if (before.size() != after.size()) {
    why = "one side has " + std::to_string(before.size()) + " rounds, and the other " +
          std::to_string(after.size()) + ", so that they are not pairs";
    return {};
  }
  if (before.size() < statistics::kFewestProcessesForInterval) {
    why = "it takes three rounds to tell by how much rounds differ (processes: 3)";
    return {};
  }
  std::vector<double> ratios(before.size());
  for (std::size_t i = 0; i < before.size(); ++i) ratios[i] = after[i] - before[i];
  return ratios;
}

DraftRow draft_of(const JoinedCase& joined, const std::string& why_not, const std::string& name,
                  SideArrangement arrangement) {
  const CaseInResult& known = (joined.before.empty() ? joined.after : joined.before).front();
  SideOfRow before = side_of(joined.before, name, "old"), after = side_of(joined.after, name, "new");
  std::deque<model::Metric> copies;
  take_the_same_statistic(before, after, copies);
  const model::Metric* metric = nullptr;
  for (const SideOfRow* side : {&before, &after})
    if (metric == nullptr && !side->metrics.empty()) metric = side->metrics.front();
  DraftRow draft;
  model::ComparedRow& row = draft.row;
  draft.backend = known.one->backend;
  row.id = known.one->id;
  row.metric = name;
  row.direction = metric == nullptr ? "none" : metric->direction;
  if (row.direction != "higher" && row.direction != "lower") row.direction = "none";
  if (metric != nullptr) row.unit = metric->unit;
  row.resource = draft.backend + " " + row.unit.base;
  row.before_rounds = before.rounds;
  row.after_rounds = after.rounds;
  if (arrangement == SideArrangement::apart) {
    if (was_disturbed(joined.before)) row.disturbed.emplace_back("old");
    if (was_disturbed(joined.after)) row.disturbed.emplace_back("new");
  }
  if (!before.metrics.empty()) row.before = value_of(before.metrics);
  if (!after.metrics.empty()) row.after = value_of(after.metrics);
  row.why = !before.why.empty() ? before.why : !after.why.empty() ? after.why : why_not;
  for (const SideOfRow* side : {&before, &after})
    for (const model::Metric* each : side->metrics)
      if (metric != nullptr && row.why.empty()) row.why = why_other_metric(*metric, *each);
  // Other runs of the new side that passed do not make up for one that did not.
  if (before.why.empty() && before.why_failed.empty() && !after.why_failed.empty() && why_not.empty()) {
    row.verdict = model::ComparedVerdict::failed;
    row.why = after.why_failed;
  }
  if (!row.why.empty()) return draft;
  const auto old_logs = logs_of(before.metrics), new_logs = logs_of(after.metrics);
  if (old_logs.empty() || new_logs.empty()) {
    row.why = why_worse_beside_zeros(row.direction, before.metrics, after.metrics);
    if (!row.why.empty()) {
      row.verdict = model::ComparedVerdict::failed;
    } else if (is_zero_throughout(before.metrics) && is_zero_throughout(after.metrics)) {
      row.verdict = model::ComparedVerdict::same;
      row.why = "it was 0 in every round of both sides";
    } else {
      row.why = "a value is not positive, so that no ratio means anything";
    }
    return draft;
  }
  Pair pair{statistics::side_mean(old_logs), statistics::side_mean(new_logs), {}, {}};
  if (arrangement == SideArrangement::in_turn) {
    pair.ratios = ratios_of(old_logs.front(), new_logs.front(), row.why);
    if (row.why.empty()) draft.pair = std::move(pair);
    return draft;
  }
  const bool has_history = pair.before.runs + pair.after.runs > 2;
  if (!has_history && arrangement == SideArrangement::apart &&
      std::min(pair.before.within_freedom, pair.after.within_freedom) < 1) {
    row.why =
        "one round tells nothing of how much rounds differ: measure three (processes: 3), or give several "
        "results of each side";
    return draft;
  }
  draft.pair = std::move(pair);
  return draft;
}

std::vector<std::string> names_of(const JoinedCase& joined) {
  std::vector<std::string> names;
  for (const auto* side : {&joined.before, &joined.after}) {
    for (const CaseInResult& each : *side)
      for (const model::Metric* metric : headlines_of(*each.one)) add_once(names, name_of(*metric));
  }
  // A case that has no value on any side is told all the same.
  if (names.empty()) names.emplace_back(model::kTime);
  return names;
}

}  // namespace

std::vector<DraftRow> draft_rows(const std::vector<LoadedResult>& before,
                                 const std::vector<LoadedResult>& after, SideArrangement arrangement) {
  std::vector<DraftRow> drafts;
  for (const JoinedCase& joined : join_cases(before, after)) {
    const std::string why_not = why_other_case(joined, arrangement);
    for (const std::string& name : names_of(joined))
      drafts.push_back(draft_of(joined, why_not, name, arrangement));
  }
  return drafts;
}

}  // namespace assay::comparison
