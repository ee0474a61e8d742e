// SPDX-License-Identifier: Apache-2.0
//
// Whether samples end when their work does: a region that has settled has nothing left to wait for.
#include "measure/guards.hpp"
#include "measure/leader.hpp"

namespace assay::measure {
namespace {

constexpr int kSettleTries = 8;  // a busy machine may hold several up; work that was left behind holds up all

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
  double seconds = 0, call_s = last_s_;
  if (!settle(seconds)) return false;
  for (int attempt = 0; waited(seconds, call_s); ++attempt) {
    if (attempt == kSettleTries) {
      sampler_.object(work_left_behind("settle", seconds, call_s));
      return false;
    }
    const double began_s = clock_.now_s();
    if (!take(Phase::calibrate, n_, 1)) return false;
    call_s = clock_.now_s() - began_s;
    if (!settle(seconds)) return false;
  }
  return true;
}

// After the last sample: what is left of all of them.
bool Leader::settled() {
  if (!sampler_.can_settle()) return true;
  const double samples_s = clock_.now_s() - sampling_began_s_;
  double seconds = 0;
  if (!settle(seconds)) return false;
  if (!waited_after_visit(seconds, samples_s)) return true;
  sampler_.object(work_left_behind("settle", seconds, samples_s));
  return false;
}

}  // namespace assay::measure
