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
  // Checks after samples that took so long. `waited`: that took longer than before them, and than once more right
  // afterwards. `suspected`: so it seems on any rank, and all of them look again.
  bool look(double samples_s, bool& suspected, bool& waited) {
    double first_s = 0, second_s = 0;
    waited = false;
    if (!check(first_s)) return false;
    const bool suspects = waited_in_verify(first_s, spent_.verify_s, samples_s);
    if (!any(suspects, suspected) || !suspected) return ending_ == SamplingEnd::completed;
    if (!check(second_s)) return false;
    waited = suspects && waited_in_verify(first_s, second_s, samples_s);
    left_s_ = first_s - second_s;
    return any(waited, suspected);
  }
  // A share of the samples.
  bool sample_again(const TakenSamples& taken, double& took_s) {
    std::vector<double> samples_s = {spent_.samples_s};
    if (!team_.slowest(samples_s)) return stop(SamplingEnd::cancelled);
    const double share = std::min(kAgainShare, kLongestAgain_s / samples_s.front());
    const auto count = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(taken.samples)));
    const double began_s = clock_.now_s();
    for (std::uint64_t i = 0; i < count; ++i) {
      Sample unused;
      if (!team_.gate()) return stop(SamplingEnd::cancelled);
      if (const RegionStatus ran = region_.run(VisitMode::measure, taken.iterations, {}, unused);
          ran != RegionStatus::ok)
        return stop(ending_of(ran));
    }
    took_s = clock_.now_s() - began_s;
    return true;
  }

  [[nodiscard]] SamplingEnd ending() const { return ending_; }
  [[nodiscard]] double left_s() const { return left_s_; }

 private:
  bool check(double& seconds) {
    const double began_s = clock_.now_s();
    const RegionStatus ran = region_.check();
    seconds = clock_.now_s() - began_s;
    return ran == RegionStatus::ok || stop(ending_of(ran));
  }
  bool any(bool mine, bool& anybodys) {
    std::vector<double> all = {mine ? 1.0 : 0.0};
    if (!team_.slowest(all)) return stop(SamplingEnd::cancelled);
    anybodys = all.front() != 0;
    return true;
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
  double left_s_ = 0;
};

}  // namespace

Fault check_after_samples(Region& region, RankTeam& team, Clock& clock, const Traits& traits,
                          const VisitSettings& settings, const VisitDurations& spent,
                          const TakenSamples& taken) {
  if (!is_held_to_time(traits, settings)) return {ending_of(region.check()), {}, {}};
  Looking looking(region, team, clock, spent);
  bool suspected = false, waited = false;
  if (!looking.look(spent.samples_s, suspected, waited)) return {looking.ending(), {}, {}};
  const double left_s = looking.left_s();
  for (int look = 0; look < kLooksAgain && suspected; ++look) {
    double again_s = 0;
    bool waited_again = false;
    if (!looking.sample_again(taken, again_s) || !looking.look(again_s, suspected, waited_again))
      return {looking.ending(), {}, {}};
    waited = waited && waited_again;
  }
  if (!waited) return {};
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
