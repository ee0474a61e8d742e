// SPDX-License-Identifier: Apache-2.0
//
// Whether the times that the samples gave account for what their calls took.
#include "measure/leader.hpp"
#include "measure/time_guards.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace assay::measure {
namespace {

constexpr int kLongSamples = 8;
constexpr double kLongSample_s = 4e-3;

// As the best tenth of them are: others may be long because somebody else had the processor.
double short_of(std::vector<double> samples_s) {
  if (samples_s.empty()) return 0;
  const auto tenth = samples_s.begin() + static_cast<std::ptrdiff_t>(samples_s.size() / 10);
  std::nth_element(samples_s.begin(), tenth, samples_s.end());
  return *tenth;
}

}  // namespace

void end_unaccounted(Sampler& sampler) {
  if (const auto& violation = sampler.unaccounted()) {
    sampler.refuse(*violation);
  } else {
    sampler.end(SamplingEnd::cancelled);
  }
}

bool Leader::account(AccountRequest request, bool& accounted) {
  Command command{Command::Kind::account, summary_.phase, 0, static_cast<std::uint64_t>(request), 0};
  if (!team_.publish(command)) {
    sampler_.end(SamplingEnd::cancelled);
    return false;
  }
  return sampler_.account(request, accounted);
}

bool Leader::begin_account() {
  bool unused = false;
  return account(AccountRequest::first, unused);
}

// Short samples account for little of their calls where other threads have to be woken, and less on a machine
// where each call waits for other programs. That does not grow with iterations, and what a plugin leaves out does:
// so that longer samples have the last word.
bool Leader::accounts() {
  bool accounted = false;
  if (!account(AccountRequest::first, accounted)) return false;
  if (accounted) return true;
  const double kept_s = per_iteration_s_;
  double as_taken_s = short_of(series_);
  // Where the time was up after few samples, calibration may have seen a shorter one.
  if (const double least_s = least_per_iteration_s(); least_s > 0)
    as_taken_s = std::min(as_taken_s, least_s * static_cast<double>(n_));
  for (const double length_s : {kLongSample_s, kLongestSample_s}) {
    if (!accounted && length_s != kLongSample_s && !begin_account()) return false;
    const double factor = as_taken_s > 0 ? std::max(1.0, length_s / as_taken_s) : 1;
    const std::uint64_t n = std::max(n_, round_down(static_cast<double>(n_) * factor));
    // One that accounts for its call is enough, and most often the first one does.
    for (int i = 1; i <= kLongSamples && !accounted; ++i) {
      if (!take(Phase::calibrate, n, 1)) return false;
      const bool last = length_s == kLongestSample_s && i == kLongSamples;
      if (!account(last ? AccountRequest::last : AccountRequest::again, accounted)) return false;
    }
  }
  per_iteration_s_ = kept_s;
  if (!accounted) end_unaccounted(sampler_);
  return accounted;
}

}  // namespace assay::measure
