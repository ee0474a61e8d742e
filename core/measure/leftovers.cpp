// SPDX-License-Identifier: Apache-2.0
#include "measure/leftovers.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace assay::measure {
namespace {

// Memory is given back more slowly than it is taken, at times.
constexpr double kReleaseFactor = 4;
constexpr double kReleaseShare = 0.1, kRelease_s = 1;
constexpr double kShortestAgain_s = 5e-3;
constexpr double kAtLeast_s = 1e-6;  // of samples, by a clock that may have stood still

// Each look after more samples is evidence for or against work that was left behind. Of verifications that scatter, or that others
// hold up, a quarter look so: their sum reaches kProved in at most one of 50,000 visits (Wald's bound, exp(-9 t) with
// exp(t) / 4 + 3 exp(-1.3 t) / 4 = 1), and kDisproved after two looks most often.
constexpr double kWait = 1, kNoWait = -1.3;
constexpr double kProved = 9, kDisproved = -2;
constexpr int kMostLooks = 40;

bool is_held_to_time(const Traits& traits, const VisitSettings& settings) {
  return settings.guards.leftovers && !settings.profile && traits.clock != ClockKind::simulated;
}

SamplingEnd ending_of(RegionStatus ran) {
  if (ran == RegionStatus::ok) return SamplingEnd::completed;
  return ran == RegionStatus::cancelled ? SamplingEnd::cancelled : SamplingEnd::failed;
}

// What waited has nothing to wait for a second time; a machine that is busy still is.
class Looking {
 public:
  Looking(Region& region, RankTeam& team, Clock& clock, const VisitDurations& spent)
      : region_(region), team_(team), clock_(clock), spent_(spent) {}

  // Each false: the visit ends, as ending() says.
  // Checks after samples that took so long, and once more right afterwards.
  bool look(double samples_s) { return look_once(samples_s) && look_once_more(); }
  bool look_once(double samples_s) {
    samples_s_ = samples_s;
    other_s_ = spent_.verify_s;
    return check(first_s_);
  }
  bool look_once_more() {
    double second_s = 0;
    if (!check(second_s)) return false;
    other_s_ = std::max(second_s, spent_.verify_s);
    return true;
  }
  // Whether the first took longer than before the samples, and than once more, by more than `least_s`.
  [[nodiscard]] bool waited(double least_s) const {
    return waited_in_verify(first_s_, other_s_, samples_s_, least_s);
  }
  [[nodiscard]] double left_s() const { return first_s_ - other_s_; }
  // `anybodys`: so it is on any rank.
  bool any(bool mine, bool& anybodys) {
    std::vector<double> all = {mine ? 1.0 : 0.0};
    if (!team_.slowest(all)) return stop(SamplingEnd::cancelled);
    anybodys = all.front() != 0;
    return true;
  }
  // A share of the samples, and as many more as take the shortest time.
  bool sample_again(const TakenSamples& taken, double& took_s) {
    std::vector<double> samples_s = {spent_.samples_s};
    if (!team_.slowest(samples_s)) return stop(SamplingEnd::cancelled);
    const double share = std::min(kAgainShare, kLongestAgain_s / samples_s.front());
    const double count = std::ceil(share * static_cast<double>(taken.samples));
    const double began_s = clock_.now_s();
    if (!sample(taken.iterations, count)) return false;
    if (!took(began_s, took_s)) return false;
    const double times = kShortestAgain_s / std::max(took_s, kAtLeast_s);
    if (times <= 1) return true;
    return sample(taken.iterations, std::ceil((times - 1) * count)) && took(began_s, took_s);
  }

  [[nodiscard]] SamplingEnd ending() const { return ending_; }

 private:
  // Until the last rank was through, so that no verification waits for another rank's samples.
  bool took(double began_s, double& took_s) {
    std::vector<double> slowest_s = {clock_.now_s() - began_s};
    if (!team_.slowest(slowest_s)) return stop(SamplingEnd::cancelled);
    took_s = slowest_s.front();
    return true;
  }
  bool sample(std::uint64_t iterations, double count) {
    for (double i = 0; i < count; ++i) {
      Sample unused;
      if (!team_.gate()) return stop(SamplingEnd::cancelled);
      if (const RegionStatus ran = region_.run(VisitMode::measure, iterations, {}, unused);
          ran != RegionStatus::ok)
        return stop(ending_of(ran));
    }
    return true;
  }
  bool check(double& seconds) {
    const double began_s = clock_.now_s();
    const RegionStatus ran = region_.check();
    seconds = clock_.now_s() - began_s;
    return ran == RegionStatus::ok || stop(ending_of(ran));
  }
  bool stop(SamplingEnd ending) {
    ending_ = ending;
    return false;
  }

  Region& region_;
  RankTeam& team_;
  Clock& clock_;
  const VisitDurations& spent_;
  SamplingEnd ending_ = SamplingEnd::completed;
  double first_s_ = 0, other_s_ = 0, samples_s_ = 0;
};

}  // namespace

Fault check_after_samples(Region& region, RankTeam& team, Clock& clock, const Traits& traits,
                          const VisitSettings& settings, const VisitDurations& spent,
                          const TakenSamples& taken) {
  if (!is_held_to_time(traits, settings)) return {ending_of(region.check()), {}, {}};
  Looking looking(region, team, clock, spent);
  const auto ended = [&] { return Fault{looking.ending(), {}, {}}; };
  bool is_open = false;
  if (!looking.look_once(spent.samples_s) || !looking.any(looking.waited(kSuspect_s), is_open))
    return ended();
  if (!is_open) return {};
  if (!looking.look_once_more()) return ended();
  const double left_s = looking.left_s();
  bool mine = looking.waited(kSuspect_s);
  bool was_much = looking.waited(kMuchLeft_s);
  double evidence = 0;
  for (int look = 0; look < kMostLooks; ++look) {
    if (!looking.any(mine, is_open)) return ended();
    if (!is_open) break;
    double again_s = 0;
    if (!looking.sample_again(taken, again_s) || !looking.look(again_s)) return ended();
    if (!mine) continue;
    evidence += looking.waited(kLeft_s) ? kWait : kNoWait;
    was_much = was_much && looking.waited(kMuchLeft_s);
    if (was_much && look + 1 == kLooksAgain) evidence = kProved;
    mine = evidence > kDisproved && evidence < kProved;
  }
  if (evidence < kProved) return {};
  GuardViolation violation = work_left_behind("verify", left_s, spent.samples_s);
  return {SamplingEnd::invalid, std::move(violation.code), std::move(violation.text)};
}

std::optional<GuardViolation> check_release_time(const Traits& traits, const VisitSettings& settings,
                                                 const VisitDurations& spent, double release_s) {
  const double limit_s = kReleaseFactor * spent.prepare_s + kReleaseShare * spent.samples_s + kRelease_s;
  if (!is_held_to_time(traits, settings) || release_s <= limit_s) return std::nullopt;
  return work_left_behind("release", release_s, spent.samples_s);
}

}  // namespace assay::measure
