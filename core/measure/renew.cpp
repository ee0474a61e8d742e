// SPDX-License-Identifier: Apache-2.0
#include "measure/renew.hpp"

#include "measure/time_guards.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace assay::measure {
namespace {

constexpr std::uint64_t kMostNewInputs = 3, kMostAfter = 2;
// Before anything is refused. A thread that has to be woken beside other programs makes short work slow in most of them.
constexpr std::uint64_t kTries = 16, kTriesOfShortWork = 128;
constexpr double kShortWork_s = 0.02;

// SplitMix64: every rank draws the same.
std::uint64_t draw(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15U;
  std::uint64_t bits = state;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
  return bits ^ (bits >> 31);
}

class Renewing {
 public:
  Renewing(Region& region, RankTeam& team) : region_(region), team_(team) {}

  // Each false: the visit ends, as result() says.
  bool run(std::uint64_t iterations, double& device_s) {
    Sample sample;
    if (!team_.gate()) return stop(RegionStatus::cancelled);
    if (!went(region_.run(VisitMode::measure, iterations, {}, sample))) return false;
    std::vector<double> times_s = {sample.device_s};
    if (!team_.slowest(times_s)) return stop(RegionStatus::cancelled);
    device_s = times_s.front();
    return true;
  }

  // All ranks can, or none: one that cannot stands for all.
  bool change(std::uint64_t seed) {
    const RenewalStatus renewed = region_.renew(seed);
    if (renewed == RenewalStatus::cancelled) return stop(RegionStatus::cancelled);
    if (renewed == RenewalStatus::failed) return stop(RegionStatus::failed);
    std::vector<double> cannot = {renewed == RenewalStatus::unsupported ? 1.0 : 0.0};
    if (!team_.slowest(cannot)) return stop(RegionStatus::cancelled);
    result_.offered = cannot.front() == 0;
    return result_.offered;
  }

  bool check() { return went(region_.check_new()); }
  void refuse(GuardViolation violation) {
    result_.fault = {SamplingEnd::invalid, std::move(violation.code), std::move(violation.text)};
  }
  Renewal& result() { return result_; }

 private:
  bool went(RegionStatus ran) { return ran == RegionStatus::ok || stop(ran); }
  bool stop(RegionStatus ran) {
    result_.fault.ending = ran == RegionStatus::cancelled ? SamplingEnd::cancelled : SamplingEnd::failed;
    return false;
  }

  Region& region_;
  RankTeam& team_;
  Renewal result_;
};

}  // namespace

std::vector<NewInputs> draw_new_inputs(std::uint64_t seed, double check_s, double samples_s) {
  std::uint64_t state = seed;
  std::uint64_t count = 1 + draw(state) % kMostNewInputs;
  if (check_s > 0) {
    const double fit = std::floor(kNewInputsShare * samples_s / check_s);
    count = static_cast<std::uint64_t>(std::clamp(fit, 1.0, static_cast<double>(count)));
  }
  std::vector<NewInputs> draws(count);
  for (NewInputs& one : draws) {
    one.seed = draw(state);
    one.samples_after = draw(state) % (kMostAfter + 1);
  }
  return draws;
}

Renewal measure_new_inputs(Region& region, RankTeam& team, const Traits& traits,
                           const std::vector<NewInputs>& draws, std::uint64_t iterations,
                           const GuardSet& guards) {
  Renewing renewing(region, team);
  double new_s = std::numeric_limits<double>::infinity(), again_s = new_s;
  std::optional<GuardViolation> violation;
  const auto tries = [&] { return new_s < kShortWork_s ? kTriesOfShortWork : kTries; };
  // What takes longer may have been held up: more of them tell, as many as it takes.
  for (std::size_t i = 0; i < draws.size() || (violation && i < tries()); ++i) {
    const NewInputs one = i < draws.size() ? draws[i] : NewInputs{draws.back().seed + i, 0};
    // What more iterations than a quantum leave, only an idempotent one can tell.
    const bool whole = traits.idempotent && i % 2 == 1 && i < draws.size();
    double device_s = 0, repeated_s = 0;
    if (!renewing.change(one.seed) || !renewing.run(whole ? iterations : traits.quantum, device_s) ||
        !renewing.check())
      return renewing.result();
    if (!whole) {
      if (!renewing.run(traits.quantum, repeated_s)) return renewing.result();
      new_s = std::min(new_s, device_s);
      again_s = std::min(again_s, repeated_s);
      if (guards.slow_when_new) violation = check_new_inputs_time(new_s, again_s);
    }
    for (std::uint64_t more = 0; more < one.samples_after; ++more)
      if (!renewing.run(iterations, device_s)) return renewing.result();
  }
  if (violation) renewing.refuse(std::move(*violation));
  return renewing.result();
}

}  // namespace assay::measure
