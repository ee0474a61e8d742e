// SPDX-License-Identifier: Apache-2.0
//
// Whether samples end when their work does: a region that has settled has nothing left to wait for.
#include "measure/guards.hpp"
#include "measure/leader.hpp"

#include <algorithm>
#include <cmath>

namespace assay::measure {
namespace {

constexpr double kPiece_s = 0.25;      // between two looks at the time
constexpr double kMostAtOnce = 65536;  // that ranks exchange
constexpr int kSettleTries = 8;  // a busy machine may hold several up; work that was left behind holds up all

// Nor is one enough that found nothing: other programs may have held the case thread up while a queue went on. Of
// samples that are short enough so many are taken.
constexpr int kSettledOften = 3;
constexpr double kTogether_s = 1e-3;  // of samples before one settle
constexpr double kMostTogether = 50;
constexpr double kQuickCall_s = 2e-3;

}  // namespace

bool Leader::settle(double& seconds) {
  Order order{Order::Kind::settle, summary_.phase, 0, 0, 0};
  if (!team_.publish(order)) {
    sampler_.end(Ending::cancelled);
    return false;
  }
  return sampler_.settle(seconds);
}

// Before the samples, so that a queue that grows with every sample is found while it is short.
bool Leader::settles() {
  if (!sampler_.can_settle()) return true;
  const int enough = last_s_ <= kQuickCall_s ? kSettledOften : 1;
  double seconds = 0, call_s = last_s_;
  if (!settle(seconds)) return false;
  for (int waits = 0, settled = 0;;) {
    if (!waited(seconds, call_s)) {
      if (++settled == enough) return true;
    } else if (++waits > kSettleTries) {
      sampler_.object(work_left_behind("settle", seconds, call_s));
      return false;
    }
    // What one short sample leaves is less than what settle may take.
    const double fit = sample_s() > 0 ? kTogether_s / sample_s() : 1;
    const auto count = static_cast<std::uint64_t>(std::clamp(std::ceil(fit), 1.0, kMostTogether));
    const double began_s = clock_.now_s();
    if (!take(Phase::calibrate, n_, count)) return false;
    call_s = clock_.now_s() - began_s;
    if (!settle(seconds)) return false;
  }
}

// Samples as before, for so long.
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
  sampler_.object(work_left_behind("settle", left_s, samples_s));
  return false;
}

}  // namespace assay::measure
