// SPDX-License-Identifier: Apache-2.0
#include "measure/loop.hpp"

#include "measure/leader.hpp"
#include "text/text.hpp"

#include <fmt/format.h>

#include <utility>

namespace assay::measure {
namespace {

const char* to_text(SamplingStop stop) {
  switch (stop) {
    case SamplingStop::none:
      return "error";
    case SamplingStop::converged:
      return "converged";
    case SamplingStop::resolution_limited:
      return "resolution_limited";
    case SamplingStop::samples:
      return "samples";
    case SamplingStop::max_samples:
      return "max_samples";
    case SamplingStop::max_time:
      return "max_time";
    case SamplingStop::held:
      return "held";
  }
  return "error";
}

// A follower's part in Leader::account.
bool account_for(Sampler& sampler, const Command& command) {
  const auto request = static_cast<AccountRequest>(command.samples);
  bool accounted = false;
  if (!sampler.account(request, accounted)) return false;
  if (accounted || request != AccountRequest::last) return true;
  end_unaccounted(sampler);
  return false;
}

// Does what rank 0 says until it says stop. False: the visit ended early on this rank.
bool follow_leader(Sampler& sampler, RankTeam& team, LoopWatch& watch, VisitSummary& summary) {
  for (;;) {
    Command command;
    if (!team.publish(command)) {
      sampler.end(SamplingEnd::cancelled);
      return false;
    }
    if (command.kind == Command::Kind::stop) return true;
    summary.phase = command.phase;
    if (command.phase == Phase::sample) summary.calibrated_n = sampler.series().iterations;
    double seconds = 0;
    if (command.kind == Command::Kind::settle) {
      if (!sampler.settle(seconds)) return false;
      continue;
    }
    if (command.kind == Command::Kind::account) {
      if (!account_for(sampler, command)) return false;
      continue;
    }
    if (command.kind == Command::Kind::check) {
      if (!sampler.check()) return false;
      continue;
    }
    if (!sampler.take(command)) return false;
    const double own_s = sampler.times().back();
    RankTeam::Overlap of_leader;
    if (!team.slowest(sampler.times()) ||
        (command.phase == Phase::calibrate && !team.overlap(sampler.last_begin_ns(), own_s, of_leader))) {
      sampler.end(SamplingEnd::cancelled);
      return false;
    }
    if (command.phase == Phase::sample) watch.look(sampler.series());
  }
}

// Rank 0's summary becomes everyone's, unless the visit ended early.
bool share_summary(bool went_well, Sampler& sampler, RankTeam& team, VisitSummary& summary) {
  if (!went_well && summary.not_proportional_n == 0) return false;
  if (team.leads()) summary.first_begin_ns = sampler.first_begin_ns();
  Command stop{Command::Kind::stop, summary.phase, 0, 0, 0};
  if ((team.leads() && !team.publish(stop)) || !team.share(&summary, sizeof summary)) {
    sampler.end(SamplingEnd::cancelled);
    return false;
  }
  return true;
}

LoopResult result_of(Sampler& sampler, const VisitSummary& summary) {
  if (sampler.fault().ending == SamplingEnd::completed && summary.not_proportional_n != 0) {
    const std::string n = std::to_string(summary.not_proportional_n);
    const std::string twice = std::to_string(2 * summary.not_proportional_n);
    const std::string ratio = fmt::format("{:.3g}", summary.n_ratio);
    sampler.end(
        SamplingEnd::invalid, "guard.time-not-proportional",
        (summary.too_fast != 0
             ? twice + " iterations took less time than any device needs to begin so many, and " + ratio +
                   " times as long as " + n
             : twice + " iterations took " + ratio + " times as long as " + n + ", where about 2 is due") +
            "; the timed region does not hold the work that it counts");
  }
  // Ranks count from rank 0's first sample, so that it shows how far apart they began.
  if (sampler.fault().ending == SamplingEnd::completed) {
    const double later_s = seconds_between(summary.first_begin_ns, sampler.first_begin_ns());
    for (double& begin_s : sampler.series().begin_s) begin_s += later_s;
  }
  LoopResult result;
  result.fault = sampler.fault();
  result.phase = summary.phase;
  result.calibrated_n = summary.calibrated_n;
  result.warmup_iterations = summary.warmup_iterations;
  result.warmup_s = summary.warmup_s;
  result.n_ratio = summary.n_ratio;
  result.pairs = {summary.pairs_n,
                  {summary.once_s, summary.once_s + summary.pairs},
                  {summary.twice_s, summary.twice_s + summary.pairs}};
  result.stop = to_text(summary.stop);
  if (result.fault.ending == SamplingEnd::cancelled) result.stop = "cancelled";
  result.done = sampler.done();
  if (summary.warmup_capped != 0) result.flags.emplace_back("warmup_capped");
  if (summary.uneven_time != 0) result.flags.emplace_back("uneven_time");
  if (summary.proportion_untested != 0) result.flags.emplace_back("proportion_untested");
  if (summary.resolution_limited != 0) result.flags.emplace_back("resolution_limited");
  if (summary.laps_omitted != 0) result.flags.emplace_back("laps_omitted");
  if (summary.stop == SamplingStop::max_samples || summary.stop == SamplingStop::max_time)
    result.flags.emplace_back(to_text(summary.stop));
  if (sampler.done_differs()) result.flags.emplace_back("done_differs");
  result.first_begin_ns = sampler.first_begin_ns();
  result.series = std::move(sampler.series());
  return result;
}

}  // namespace

LoopResult measure(Region& region, RankTeam& team, Clock& clock, LoopWatch& watch, const Traits& traits,
                   const VisitSettings& settings) {
  Sampler sampler(region, team, clock, watch, traits, settings);
  VisitSummary summary;
  std::string difference;
  if (!team.compare(traits, difference)) {
    sampler.end(SamplingEnd::cancelled);
  } else if (!difference.empty()) {
    sampler.end(SamplingEnd::error, "rank.disagree", difference + "; the traits of all ranks must be equal");
  } else if (team.leads()) {
    Leader leader(sampler, team, clock, watch, traits, settings);
    const bool went_well = leader.run();
    summary = leader.summary();
    share_summary(went_well, sampler, team, summary);
  } else {
    share_summary(follow_leader(sampler, team, watch, summary), sampler, team, summary);
  }
  return result_of(sampler, summary);
}

}  // namespace assay::measure
