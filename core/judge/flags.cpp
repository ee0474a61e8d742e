// SPDX-License-Identifier: Apache-2.0
#include "judge/flags.hpp"

#include "judge/members.hpp"
#include "judge/other_runs.hpp"
#include "judge/team.hpp"
#include "result/reasons.hpp"
#include "result/throttle.hpp"
#include "statistics/stationarity.hpp"
#include "statistics/summary.hpp"
#include "text/quantity_text.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

namespace assay::judge {
namespace {

constexpr double kLaunchBoundRatio = 1.2;
constexpr double kStartSkewShare = 0.05;
constexpr std::size_t kFewestSamples = 6;
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

// A warm-up that ended at its cap is no fault by itself: on a noisy machine windows never agree, and the
// interval says how noisy it was. What matters is whether the samples that were kept still hold a transient.
void transient(const CaseResult& result, Flags& flags) {
  for (std::size_t i = 0; i < result.times.size(); ++i) {
    const std::vector<double>& samples = result.times[i].sample_s;
    const std::vector<std::string>& raised = result.finals[i]->measurement.flags;
    const bool capped = std::find(raised.begin(), raised.end(), kWarmupCapped) != raised.end();
    // Of few samples that were well warmed up nothing is said: the rule for them is blunt.
    if (samples.size() < statistics::kFewestForBatches && !capped) continue;
    if (samples.size() < statistics::kFewestForCut) {
      flags.add("not_steady", "warm-up ended at its cap, and " + std::to_string(samples.size()) +
                                  " samples are too few to tell whether a transient is among them");
      continue;
    }
    const std::size_t cut = statistics::mser5(samples).samples;
    if (cut == 0) continue;
    const std::span<const double> all(samples);
    const double change = statistics::mean(all.first(cut)) / statistics::mean(all.subspan(cut)) - 1;
    flags.add("not_steady", "the first " + std::to_string(cut) + " of " + std::to_string(samples.size()) +
                                " samples are " + percent_text(std::fabs(change)) +
                                (change > 0 ? " slower" : " faster") + " than the rest");
  }
}

void stationarity(const CaseResult& result, Flags& flags) {
  const statistics::Drift* worst = nullptr;
  std::vector<statistics::Drift> drifts;
  drifts.reserve(result.times.size());
  for (const VisitTimes& times : result.times)
    if (const auto drift = statistics::drift(times.sample_s); drift && drift->drifting) {
      drifts.push_back(*drift);
      if (!worst || std::fabs(drifts.back().relative) > std::fabs(worst->relative)) worst = &drifts.back();
    }
  if (worst)
    flags.add("drifting", std::string(worst->relative > 0 ? "slows down" : "speeds up") + " by " +
                              percent_text(std::fabs(worst->relative)) +
                              " from the first sample to the last");
  transient(result, flags);
  for (const VisitTimes& times : result.times) {
    const statistics::Modes modes = statistics::modes(times.sample_s);
    if (!modes.bimodal) continue;
    const double n = static_cast<double>(times.iterations);
    flags.add("bimodal", "two states: " + quantity_text(modes.low_centre / n, "s") + " and " +
                             quantity_text(modes.high_centre / n, "s") + " (" +
                             percent_text(modes.high_share) + " of the samples)");
  }
  const double skew = statistics::skew(result.iteration_s);
  if (std::fabs(skew) > statistics::kSkewLimit)
    flags.add("skewed", "the mean is " + percent_text(std::fabs(skew)) + (skew > 0 ? " above" : " below") +
                            " the median");
}

// What raised it in this visit, else what its code means.
std::string text_of(const result::Measurement& measurement, const std::string& code) {
  if (const auto told = measurement.told.find(code); told != measurement.told.end()) return told->second;
  const result::ReasonRow* row = result::find_reason(code);
  return row ? std::string(row->meaning) : std::string();
}

// The case's headline where its interval is that between fresh processes, which holds whatever each of them
// could tell of itself; else null.
const MetricResult* between_processes(const CaseResult& result) {
  const auto found = std::find_if(result.metrics.begin(), result.metrics.end(), [](const MetricResult& each) {
    return each.headline && each.between_process && each.interval;
  });
  return found == result.metrics.end() ? nullptr : &*found;
}

// The interval that is published is no wider than was asked for, whatever made the samples end.
bool is_precise(const CaseResult& result) {
  const MetricResult* const metric = result.headline();
  if (metric && metric->no_interval == kOneValue) return true;
  if (!metric || !metric->interval) return false;
  const double half_width = (metric->interval->high - metric->interval->low) / 2;
  return half_width <= result.planned->measure.precision * std::fabs(metric->value);
}

void from_the_loop(const CaseResult& result, Flags& flags) {
  for (const result::Visit* visit : result.finals) {
    for (const std::string& code : visit->measurement.flags) {
      if (code == kWarmupCapped) continue;
      if (code == kMaxTime && is_precise(result)) continue;
      flags.add(code, text_of(visit->measurement, code));
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
    if (result.finals[i]->measurement.clock != "device" || result.times[i].host_s.empty()) continue;
    const double ratio = statistics::sum(result.times[i].host_s) / statistics::sum(result.times[i].sample_s);
    if (ratio > kLaunchBoundRatio)
      flags.add("launch_bound",
                "the host took " + quantity_text(ratio, "1") + " times as long as the device");
  }
}

void stragglers(const CaseResult& result, const Team& team, Flags& flags) {
  // A stage that has more to do than others is the slowest by design.
  if (!result.finals.empty()) {
    const std::vector<std::string>& told = result.finals.front()->measurement.flags;
    if (std::find(told.begin(), told.end(), result::kUnlikeRanks) != told.end()) return;
  }
  const std::vector<RankTimes> found = stragglers_of(team);
  if (found.empty()) return;
  std::vector<double> medians;
  for (const RankTimes& rank : team.ranks) medians.push_back(rank.median_s);
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
void start_skew(const CaseResult& result, const Team& team, Flags& flags) {
  if (team.start_skew_s.empty()) return;
  std::vector<double> samples;
  for (const VisitTimes& times : result.times)
    samples.insert(samples.end(), times.sample_s.begin(), times.sample_s.end());
  const double skew_s = statistics::median(team.start_skew_s), sample_s = statistics::median(samples);
  if (skew_s > kStartSkewShare * sample_s)
    flags.add("start_skew", "ranks began " + quantity_text(skew_s, "s") + " apart, " +
                                percent_text(skew_s / sample_s) + " of a sample");
}

void retried(const CaseResult& result, Flags& flags) {
  for (const result::Visit* visit : result.visits) {
    if (std::find(result.finals.begin(), result.finals.end(), visit) != result.finals.end()) continue;
    const bool cooled = visit->outcome == result::Outcome::passed;  // nothing else is a reason to repeat it
    flags.add("retried", "attempt " + std::to_string(visit->attempt) + " of round " +
                             std::to_string(visit->round) + " was " +
                             (cooled ? "throttled" : std::string(result::to_text(visit->outcome))) +
                             (visit->reason.text.empty() ? "" : ": " + visit->reason.text));
  }
}

void throttled(const CaseResult& result, Flags& flags) {
  for (const result::Throttling& each :
       result::throttling(result.finals, plan::meaning_of(*result.planned))) {
    if (result::is_of_the_moment(each.meaning))
      flags.add(each.meaning,
                each.device + ": " + each.reason + " in " + percent_text(each.share) + " of the readings");
  }
}

// Processors are shared: what another run took of them nobody can say.
void beside_others(const CaseResult& result, Flags& flags) {
  const std::vector<result::OtherRun> others = other_runs(result.finals);
  if (others.empty()) return;
  std::string text = "another run of assay might use the same processors meanwhile: ";
  constexpr std::size_t kNamed = 3;
  for (std::size_t i = 0; i < std::min(others.size(), kNamed); ++i)
    text += (i == 0 ? "" : "; ") + to_text(others[i]);
  if (others.size() > kNamed) text += "; " + std::to_string(others.size() - kNamed) + " more";
  flags.add("shared_processors", text);
}

void changed_facts(const CaseResult& result, Flags& flags) {
  // By rank: ranks may differ from each other by design, a rank from itself may not.
  std::map<std::pair<std::string, int>, std::set<std::string>> seen;
  for (const result::Visit* visit : result.finals)
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
  for (const result::Visit* visit : result.finals) {
    std::map<std::string, std::map<std::string, int>> said;  // name, text → the first rank that says so
    for (const result::RankRecord& rank : visit->ranks) {
      for (const auto& [name, text] : rank.facts) said[name].emplace("'" + text + "'", rank.rank);
      for (const result::Value& value : rank.values)
        for (const MetricResult& metric : result.metrics)
          if (metric.name == value.metric && metric.indices == value.indices && !metric.reported &&
              metric.kind != "part" && metric.direction == catalog::Direction::none)
            said[metric.name + (value.indices.empty() ? "" : " at " + index_text(value.indices))].emplace(
                quantity_text(value.value, metric.shown_unit()), rank.rank);
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
    if (metric.reported && std::find(names.begin(), names.end(), metric.name) == names.end())
      names.push_back(metric.name);
  if (!names.empty())
    flags.add("reported",
              join(names, ", ") + (names.size() == 1
                                       ? " is what the command reports; Assay measured only its time"
                                       : " are what the command reports; Assay measured only its time"));
}

void few_samples(const CaseResult& result, Flags& flags) {
  std::size_t fewest = kFewestSamples;
  for (const VisitTimes& times : result.times) fewest = std::min(fewest, times.sample_s.size());
  if (fewest == kFewestSamples || between_processes(result)) return;
  flags.add("few_samples", (fewest == 1 ? "1 sample is" : std::to_string(fewest) + " samples are") +
                               " too few for an interval; six are the least");
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
  stationarity(result, flags);
  from_the_loop(result, flags);
  launch_bound(result, flags);
  const Team team = team_of(result.times);
  stragglers(result, team, flags);
  start_skew(result, team, flags);
  throttled(result, flags);
  beside_others(result, flags);
  changed_facts(result, flags);
  ranks_differ(result, flags);
  retried(result, flags);
  reported(result, flags);
  few_samples(result, flags);
  if (!result.verified) flags.add("not_verified", "the benchmark has no result that was verified");
  if (quick) flags.add("quick", "one round, few samples, short times (--quick)");
  if (!result.judged) flags.add("wrapped", "measured under --wrap: shown, not judged");
}

}  // namespace assay::judge
