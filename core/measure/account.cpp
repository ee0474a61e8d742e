// SPDX-License-Identifier: Apache-2.0
//
// Whether the times that the samples gave account for what their calls took.
#include "measure/guards.hpp"
#include "measure/leader.hpp"

#include <algorithm>
#include <utility>

namespace assay::measure {
namespace {

constexpr int kLongSamples = 8;
constexpr double kLongSample_s = 4e-3;

}  // namespace

void end_unaccounted(Sampler& sampler) {
  if (const auto& objection = sampler.unaccounted()) {
    sampler.object(*objection);
  } else {
    sampler.end(Ending::cancelled);
  }
}

bool Leader::account(Asking asking, bool& accounted) {
  Order order{Order::Kind::account, summary_.phase, 0, static_cast<std::uint64_t>(asking), 0};
  if (!team_.publish(order)) {
    sampler_.end(Ending::cancelled);
    return false;
  }
  return sampler_.account(asking != Asking::first, accounted);
}

bool Leader::begin_account() {
  bool unused = false;
  return account(Asking::first, unused);
}

// Short samples account for little of their calls where other threads have to be woken, and less on a machine
// where each call waits for other programs. That does not grow with iterations, and what a plugin leaves out does:
// so that longer samples have the last word.
bool Leader::accounts() {
  bool accounted = false;
  if (!account(Asking::first, accounted)) return false;
  for (const auto& [asking, length_s] :
       {std::pair(Asking::again, kLongSample_s), std::pair(Asking::last, kLongestSample_s)}) {
    if (accounted) return true;
    const double factor = sample_s() > 0 ? std::max(1.0, length_s / sample_s()) : 1;
    const std::uint64_t n = std::max(n_, round_down(static_cast<double>(n_) * factor));
    const double kept_s = per_iteration_s_;
    for (int i = 0; i < kLongSamples; ++i)
      if (!take(Phase::calibrate, n, 1)) return false;
    per_iteration_s_ = kept_s;
    if (!account(asking, accounted)) return false;
  }
  if (!accounted) end_unaccounted(sampler_);
  return accounted;
}

}  // namespace assay::measure
