// SPDX-License-Identifier: Apache-2.0
#include "judge/flags.hpp"

#include "judge/fixed_cost.hpp"
#include "judge/members.hpp"
#include "judge/other_runs.hpp"
#include "judge/rank_comparison.hpp"
#include "result/reasons.hpp"
#include "result/throttle.hpp"
#include "statistics/interval.hpp"
#include "statistics/stationarity.hpp"
#include "statistics/summary.hpp"
#include "text/lookup.hpp"
#include "text/quantity_text.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>

namespace assay::judge {
namespace {

constexpr double kLaunchBoundRatio = 1.2;
constexpr double kStartSkewShare = 0.05;
constexpr const char* kMaxTime = "max_time";
constexpr const char* kWarmupCapped = "warmup_capped";  // of the loop: judged here, by what it left behind

class Flags {
 public:
  explicit Flags(std::vector<Flag>& flags) : flags_(flags) {}
  void add(const std::string& code, std::string text) {
    if (seen_.insert(code).second) flags_.push_back({code, std::move(text)});
  }

 private:
  std::vector<Flag>& flags_;
  std::set<std::string> seen_;
};

void unsteady(const CaseResult& result, Flags& flags) {
  std::vector<std::vector<double>> visits;
  for (const VisitTimes& times : result.times) visits.push_back(times.sample_s);
  const statistics::Halves found = statistics::halves(visits);
  if (!found.unsteady) return;
  const bool common = std::fabs(found.trend) > found.change / 2;
  const std::string of = found.visits == 1 ? "of its visit" : "of visits";
  flags.add("unsteady", common ? "the second half " + of + " is " + percent_text(std::fabs(found.trend)) +
                                     (found.trend > 0 ? " slower" : " faster") + " than the first"
                               : "the halves " + of + " differ by " + percent_text(found.change) +
                                     ", now one way, now the other");
}

// "the interval is 6 % either way, 3 % was asked for"; of one that is far to one side, as those of times are, both ends.
std::string width_text(const MetricResult& metric, double asked) {
  const double low = metric.interval->low / metric.value, high = metric.interval->high / metric.value;
  const double half = std::fabs(high - low) / 2;
  const auto times = [](double factor) { return quantity_text(factor, Scale{1, ""}, 2); };
  const std::string reached = half > 1 ? "reaches from " + times(std::min(low, high)) + " to " +
                                             times(std::max(low, high)) + " times the value, "
                                       : "is " + percent_text(half) + " either way, ";
  return "the interval " + reached + percent_text(asked) + " was asked for";
}

// What a verdict of this run needs, or the suite asked for, is narrower than what was reached.
void wide(const CaseResult& result, Flags& flags) {
  const MetricResult* const metric = result.headline();
  if (!metric || !metric->between_process || !metric->interval || metric->value == 0) return;
  const double half = (metric->interval->high - metric->interval->low) / 2 / std::fabs(metric->value);
  const double asked = result.planned->measure.precision;
  if (result.precision_asked && half > asked) flags.add("wide", width_text(*metric, asked));
}

void one_run(const CaseResult& result, Flags& flags) {
  const MetricResult* const metric = result.headline();
  const std::size_t rounds = result.last_attempts.size();
  if (!metric || metric->observed || metric->no_interval == kOneValue ||
      rounds >= statistics::kFewestProcessesForInterval)
    return;
  flags.add("one_run",
            (rounds == 1 ? std::string("one round says") : std::to_string(rounds) + " rounds say") +
                " nothing of what the next run would give");
}

void fixed_cost(const CaseResult& result, Flags& flags) {
  if (!result.fixed_cost || !result.fixed_cost->matters) return;
  const bool by_slope = std::any_of(result.metrics.begin(), result.metrics.end(),
                                    [](const MetricResult& metric) { return metric.statistic == "slope"; });
  flags.add("fixed_cost",
            to_text(*result.fixed_cost) + (by_slope ? "; rates are of the rest, by the slope" : ""));
}

// Delays that are few and long, or none too long: who adds times up needs the mean.
void mean_differs(const CaseResult& result, Flags& flags) {
  for (const MetricResult& metric : result.metrics)
    if (metric.mean)
      flags.add("mean_differs", "the mean of " + metric.name + " is " +
                                    quantity_text(*metric.mean, metric.shown_unit()) + ", its median " +
                                    quantity_text(metric.value, metric.shown_unit()));
}

// What raised it in this visit, else what its code means.
std::string text_of(const result::Measurement& measurement, const std::string& code) {
  if (const auto told = measurement.told.find(code); told != measurement.told.end()) return told->second;
  const result::ReasonRow* row = result::find_reason(code);
  return row ? std::string(row->meaning) : std::string();
}

// The interval that is published is no wider than was asked for, whatever made the samples end.
bool is_precise(const CaseResult& result) {
  const MetricResult* const metric = result.headline();
  if (metric && metric->no_interval == kOneValue) return true;
  if (!metric || !metric->interval) return false;
  const double half_width = (metric->interval->high - metric->interval->low) / 2;
  return half_width <= result.planned->measure.precision * std::fabs(metric->value);
}

// What stopping cost: how wide the interval is, and how wide it was to be.
std::string stopped_text(const CaseResult& result) {
  const int rounds = result.planned->rounds;
  const std::string stopped =
      "stopped after " + quantity_text(result.planned->measure.max_time_s, "s") +
      (rounds > 1 ? " a round (max_time, shared by " + std::to_string(rounds) + " rounds)" : " (max_time)");
  const MetricResult* const metric = result.headline();
  if (!metric || !metric->interval || metric->value == 0) return stopped + " before there was an interval";
  return stopped + ": " + width_text(*metric, result.planned->measure.precision);
}

void from_the_loop(const CaseResult& result, Flags& flags) {
  for (const result::Visit* visit : result.last_attempts) {
    for (const std::string& code : visit->measurement.flags) {
      if (code == kWarmupCapped) continue;
      if (code == kMaxTime && is_precise(result)) continue;
      flags.add(code, code == kMaxTime ? stopped_text(result) : text_of(visit->measurement, code));
    }
    if (visit->measurement.stop == "resolution_limited")
      flags.add("resolution_limited", "the clock's tick of " + quantity_text(visit->measurement.tick_s, "s") +
                                          " is coarser than the precision that was asked for");
    if (visit->measurement.clock == "simulated")
      flags.add("simulated", "times come from a simulated clock and say nothing of this machine");
  }
}

void launch_bound(const CaseResult& result, Flags& flags) {
  for (std::size_t i = 0; i < result.times.size(); ++i) {
    if (result.last_attempts[i]->measurement.clock != "device" || result.times[i].host_s.empty()) continue;
    const double ratio = statistics::sum(result.times[i].host_s) / statistics::sum(result.times[i].sample_s);
    if (ratio > kLaunchBoundRatio)
      flags.add("launch_bound",
                "the host took " + quantity_text(ratio, "1") + " times as long as the device");
  }
}

void stragglers(const CaseResult& result, const RankComparison& comparison, Flags& flags) {
  // A stage that has more to do than others is the slowest by design.
  if (!result.last_attempts.empty()) {
    const std::vector<std::string>& told = result.last_attempts.front()->measurement.flags;
    if (contains(told, result::kUnlikeRanks)) return;
  }
  const std::vector<RankTimes> found = stragglers_of(comparison);
  if (found.empty()) return;
  std::vector<double> medians;
  for (const RankTimes& rank : comparison.ranks) medians.push_back(rank.median_s);
  const RankTimes& worst = found.front();
  const std::size_t others = found.size() - 1;
  const bool by_lap = !result.times.empty() &&
                      result.times.front().iteration_s.size() != result.times.front().sample_s.size();
  flags.add("straggler", "rank " + std::to_string(worst.rank) + " (" +
                             (worst.devices.empty() ? std::string("no device") : worst.devices.front()) +
                             ") was the slowest in " + percent_text(worst.share_slowest) + " of the " +
                             (by_lap ? "iterations" : "samples") + ", its median " +
                             percent_text(worst.median_s / statistics::median(medians) - 1) +
                             " above the ranks' median" +
                             (others == 0 ? "" : "; " + std::to_string(others) + " more like it"));
}

// A rank that begins waits for those that begin later, and its time holds that.
void start_skew(const CaseResult& result, const RankComparison& comparison, Flags& flags) {
  if (comparison.start_skew_s.empty()) return;
  std::vector<double> samples;
  for (const VisitTimes& times : result.times)
    samples.insert(samples.end(), times.sample_s.begin(), times.sample_s.end());
  const double skew_s = statistics::median(comparison.start_skew_s), sample_s = statistics::median(samples);
  if (skew_s > kStartSkewShare * sample_s)
    flags.add("start_skew", "ranks began " + quantity_text(skew_s, "s") + " apart, " +
                                percent_text(skew_s / sample_s) + " of a sample");
}

void retried(const CaseResult& result, Flags& flags) {
  for (const result::Visit* visit : result.visits) {
    if (contains(result.last_attempts, visit)) continue;
    const bool cooled = visit->outcome == result::Outcome::passed;  // nothing else is a reason to repeat it
    flags.add("retried", "attempt " + std::to_string(visit->attempt) + " of round " +
                             std::to_string(visit->round) + " was " +
                             (cooled ? "throttled" : std::string(result::to_text(visit->outcome))) +
                             (visit->reason.text.empty() ? "" : ": " + visit->reason.text));
  }
}

void throttled(const CaseResult& result, Flags& flags) {
  for (const result::Throttling& each :
       result::throttling(result.last_attempts, plan::meaning_of(*result.planned))) {
    if (result::is_momentary(each.meaning))
      flags.add(each.meaning,
                each.device + ": " + each.reason + " in " + percent_text(each.share) + " of the readings");
  }
}

// Processors are shared: what another run took of them nobody can say.
void beside_others(const CaseResult& result, Flags& flags) {
  const std::vector<result::OtherRun> others = other_runs(result.last_attempts);
  if (others.empty()) return;
  std::string text = "another run of assay might use the same processors meanwhile: ";
  constexpr std::size_t kNamed = 3;
  for (std::size_t i = 0; i < std::min(others.size(), kNamed); ++i)
    text += (i == 0 ? "" : "; ") + to_text(others[i]);
  if (others.size() > kNamed) text += "; " + std::to_string(others.size() - kNamed) + " more";
  flags.add("shared_processors", text);
}

// Ticks of 10 ms count, so that less than half a second of processors says nothing.
void disturbed(const CaseResult& result, Flags& flags) {
  constexpr double kOthers = 0.05, kStolen = 0.01, kLeast_s = 0.5, kLeastTaken_s = 0.05;
  model::ProcessorUse use;
  for (const result::Visit* visit : result.last_attempts) {
    use.available_s += visit->processors.available_s;
    use.others_s += visit->processors.others_s;
    use.stolen_s += visit->processors.stolen_s;
  }
  if (use.available_s < kLeast_s) return;
  if (use.others_s > std::max(kOthers * use.available_s, kLeastTaken_s))
    flags.add("disturbed", "other programs had " + percent_text(use.others_s / use.available_s) +
                               " of the processors meanwhile");
  else if (use.stolen_s > std::max(kStolen * use.available_s, kLeastTaken_s))
    flags.add("disturbed", "the hypervisor gave " + percent_text(use.stolen_s / use.available_s) +
                               " of the processors to other machines meanwhile");
}

void changed_facts(const CaseResult& result, Flags& flags) {
  // By rank: ranks may differ from each other by design, a rank from itself may not.
  std::map<std::pair<std::string, int>, std::set<std::string>> seen;
  for (const result::Visit* visit : result.last_attempts)
    for (const result::RankRecord& rank : visit->ranks)
      for (const auto& [name, text] : rank.facts) seen[{name, rank.rank}].insert(text);
  for (const auto& [key, texts] : seen) {
    if (texts.size() < 2) continue;
    std::string list;
    for (const std::string& text : texts) list += (list.empty() ? "'" : ", '") + text + "'";
    flags.add("fact_changed", key.first + " was " + list);
  }
}

// What ranks of one visit say differently of the same fact or of the same recorded value.
void ranks_differ(const CaseResult& result, Flags& flags) {
  std::map<std::pair<std::string, std::vector<std::uint32_t>>, const MetricResult*> compared;
  for (const MetricResult& metric : result.metrics)
    if (!metric.reported && metric.kind != "part" && metric.direction == catalog::Direction::none)
      compared.emplace(std::pair(metric.name, metric.indices), &metric);
  for (const result::Visit* visit : result.last_attempts) {
    if (visit->ranks.size() < 2) continue;
    std::map<std::string, std::map<std::string, int>> said;  // name, text → the first rank that says so
    for (const result::RankRecord& rank : visit->ranks) {
      for (const auto& [name, text] : rank.facts) said[name].emplace("'" + text + "'", rank.rank);
      for (const result::Value& value : rank.values) {
        const auto metric = compared.find({value.metric, value.indices});
        if (metric == compared.end()) continue;
        said[value.metric + (value.indices.empty() ? "" : " at " + index_text(value.indices))].emplace(
            quantity_text(value.value, metric->second->shown_unit()), rank.rank);
      }
    }
    for (const auto& [name, texts] : said) {
      if (texts.size() < 2) continue;
      std::string list;
      for (const auto& [text, rank] : texts)
        list += (list.empty() ? "" : ", ") + text + " on rank " + std::to_string(rank);
      flags.add("ranks_differ", printable(name + " is " + list));
    }
  }
}

void reported(const CaseResult& result, Flags& flags) {
  std::vector<std::string> names;
  for (const MetricResult& metric : result.metrics)
    if (metric.reported) add_once(names, metric.name);
  if (!names.empty())
    flags.add("reported",
              join(names, ", ") + (names.size() == 1
                                       ? " is what the command reports; Assay measured only its time"
                                       : " are what the command reports; Assay measured only its time"));
}

}  // namespace

void flag_earlier_attempt(CaseResult& result) {
  if (!result.earlier) return;
  const Earlier& earlier = *result.earlier;
  Flags flags(result.flags);
  flags.add("retried", "attempt " + std::to_string(earlier.attempts) + ", in run " + earlier.run + ", was " +
                           earlier.outcome + (earlier.text.empty() ? "" : ": " + earlier.text));
}

void compute_flags(CaseResult& result, bool quick) {
  Flags flags(result.flags);
  unsteady(result, flags);
  from_the_loop(result, flags);
  fixed_cost(result, flags);
  mean_differs(result, flags);
  launch_bound(result, flags);
  const RankComparison comparison = compare_ranks(result.times);
  stragglers(result, comparison, flags);
  start_skew(result, comparison, flags);
  throttled(result, flags);
  beside_others(result, flags);
  disturbed(result, flags);
  changed_facts(result, flags);
  ranks_differ(result, flags);
  retried(result, flags);
  reported(result, flags);
  wide(result, flags);
  one_run(result, flags);
  if (!result.verified) flags.add("not_verified", "the benchmark has no result that was verified");
  if (quick) flags.add("quick", "one round, few samples, short times (--quick)");
  if (!result.judged) flags.add("wrapped", "measured under --wrap: shown, not judged");
}

}  // namespace assay::judge
