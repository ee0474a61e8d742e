// SPDX-License-Identifier: Apache-2.0
//
// Whether samples end when their work does: a region that has settled has nothing left to wait for.
#include "measure/leader.hpp"
#include "measure/time_guards.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace assay::measure {
namespace {

constexpr double kPiece_s = 0.25;      // between two looks at the time
constexpr double kMostAtOnce = 65536;  // that ranks exchange
constexpr int kSettleTries = 8;  // a busy machine may hold several up; work that was left behind holds up all

// One settle() that found nothing to wait for is not enough either: other programs may have held up the case thread
// while a queue was worked off. After short samples settle() is called kSettledOften times, and calls do not count
// whose samples took longer than kHeldUp times the quickest.
constexpr int kSettledOften = 5, kMostSettles = 40;
constexpr double kHeldUp = 1.5;
constexpr double kQuickCall_s = 2e-3;
constexpr double kTogether_s = 1e-3;  // of samples before one settle
constexpr double kMostTogether = 50;

}  // namespace

bool Leader::settle(double& seconds) {
  Command command{Command::Kind::settle, summary_.phase, 0, 0, 0};
  if (!team_.publish(command)) {
    sampler_.end(SamplingEnd::cancelled);
    return false;
  }
  return sampler_.settle(seconds);
}

// Before the samples, so that a queue that grows with every sample is found while it is short.
bool Leader::settles() {
  if (!sampler_.can_settle()) return true;
  const bool is_quick = last_s_ > 0 && last_s_ <= kQuickCall_s;  // 0: nothing ran yet
  double seconds = 0;
  if (!settle(seconds)) return false;
  int waits = waited(seconds, last_s_) ? 1 : 0;
  if (waits == 0 && !is_quick) return true;
  std::vector<double> settled_s;  // what a sample took of those that left nothing
  double least_s = std::numeric_limits<double>::infinity();
  for (int look = 0; look < kMostSettles; ++look) {
    // What one short sample leaves is less than what settle may take.
    const double fit = sample_s() > 0 ? kTogether_s / sample_s() : 1;
    const double count = std::clamp(std::ceil(fit), 1.0, kMostTogether);
    const double began_s = clock_.now_s();
    if (!take(Phase::calibrate, n_, static_cast<std::uint64_t>(count))) return false;
    const double call_s = clock_.now_s() - began_s;
    if (!settle(seconds)) return false;
    least_s = std::min(least_s, call_s / count);
    if (!waited(seconds, call_s)) {
      settled_s.push_back(call_s / count);
    } else if (++waits > kSettleTries) {
      sampler_.refuse(work_left_behind("settle", seconds, call_s));
      return false;
    }
    const auto in_time = std::count_if(settled_s.begin(), settled_s.end(),
                                       [&](double took_s) { return took_s <= kHeldUp * least_s; });
    if (in_time >= (is_quick ? kSettledOften : 1)) return true;
  }
  return true;
}

// Samples as before, for this long.
bool Leader::sample_again(double seconds) {
  const double until_s = clock_.now_s() + seconds;
  for (double left_s = seconds; left_s > 0; left_s = until_s - clock_.now_s()) {
    const double fit = sample_s() > 0 ? std::min(left_s, kPiece_s) / sample_s() : 1;
    const double count = std::clamp(std::ceil(fit), 1.0, kMostAtOnce);
    if (!take(Phase::calibrate, n_, static_cast<std::uint64_t>(count))) return false;
  }
  return true;
}

// After the last sample: what is left of all of them.
bool Leader::settled() {
  if (!sampler_.can_settle()) return true;
  const double samples_s = clock_.now_s() - sampling_began_s_;
  double left_s = 0;
  if (!settle(left_s)) return false;
  if (!waited_after_visit(left_s, samples_s)) return true;
  for (int look = 0; look < kLooksAgain; ++look) {
    double seconds = 0;
    const double began_s = clock_.now_s();
    if (!sample_again(std::min(kAgainShare * samples_s, kLongestAgain_s))) return false;
    const double again_s = clock_.now_s() - began_s;
    if (!settle(seconds)) return false;
    if (!waited_after_visit(seconds, again_s)) return true;
  }
  sampler_.refuse(work_left_behind("settle", left_s, samples_s));
  return false;
}

}  // namespace assay::measure
