// SPDX-License-Identifier: Apache-2.0
//
// What a plugin says of its times, held against the host's own clock. Pure functions, and one sum over a visit.
// docs/decisions/0018 says which lie each of them is for.
#pragma once

#include "measure/region.hpp"
#include "measure/visit_settings.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace assay::measure {

// Laps add up to the sample's time within this share, and a tick for each.
inline constexpr double kLapsTolerance = 0.01;

// Two readings of one clock, one of them carried as seconds in a double.
inline constexpr std::int64_t kSameMoment_ns = 1000;

// Regions hold at least this share of the calls that they were measured in; asked of the best tenth of a visit's
// samples, because a machine that is busy makes calls longer, not regions shorter. A call may take longer by
// kQueueing_s for each device operation that it queues before the region begins. Samples that are longer, or as
// long as they can be, are given kCallOverhead_s besides.
inline constexpr double kLeastShare = 0.5;
inline constexpr double kSharing = 0.1;
inline constexpr double kCallOverhead_s = 200e-6;
inline constexpr double kQueueing_s = 20e-6;

// What settle() may wait for: nothing. This share of the calls before it and this long are given.
inline constexpr double kSettleShare = 0.25;
inline constexpr double kSettle_s = 100e-6;
inline constexpr double kSettleShareOfVisit = 0.05;
inline constexpr double kSettleOfVisit_s = 0.05;

// Where a wait after the samples is suspected it is looked for so many times more, each after a share of the
// samples, but not more than so long. A busy machine holds up some of these; work that is left behind holds up all.
inline constexpr int kLooksAgain = 4;
inline constexpr double kAgainShare = 0.25;
inline constexpr double kLongestAgain_s = 2.5;

// What verify() may take longer when it is the first one after the samples.
inline constexpr double kLeftShareOfVisit = 0.05;
inline constexpr double kLeft_s = 0.1;

// One quantum on new inputs may take so many times as long as the same once more, and so much longer.
inline constexpr double kNewInputsFactor = 10;
inline constexpr double kNewInputs_s = 1e-4;

struct GuardViolation {
  std::string code;  // a row of the reasons
  std::string text;
};

// The host's clock around one call, in nanoseconds.
struct CallTimes {
  std::int64_t before_ns = 0, after_ns = 0;
};

[[nodiscard]] std::optional<GuardViolation> check_laps(const Sample& sample, std::span<const double> laps,
                                                       double tick_s);
[[nodiscard]] std::optional<GuardViolation> check_call_times(const Sample& sample, const CallTimes& call);
[[nodiscard]] std::optional<GuardViolation> check_host_time(const Sample& sample, double elapsed_s,
                                                            double tick_s);

// Whether regions account for the calls that they were measured in.
class WallShare {
 public:
  explicit WallShare(const Traits& traits) : traits_(traits) {}
  void add(const Sample& sample, std::uint64_t iterations, double elapsed_s);
  [[nodiscard]] std::optional<GuardViolation> violation(bool with_overhead) const;

 private:
  Traits traits_;
  std::uint64_t samples_ = 0, accounted_ = 0, accounted_with_overhead_ = 0;
  double region_s_ = 0, elapsed_s_ = 0;
};

// Whether a settle after calls that lasted so long waited for work that no region held.
[[nodiscard]] bool waited(double settle_s, double calls_s);
[[nodiscard]] bool waited_after_visit(double settle_s, double samples_s);
[[nodiscard]] GuardViolation work_left_behind(const char* function, double seconds, double samples_s);

// Whether the first verify after samples took longer than the same one before, or right afterwards.
[[nodiscard]] bool waited_in_verify(double first_s, double other_s, double samples_s);

[[nodiscard]] std::optional<GuardViolation> check_new_inputs_time(double new_s, double again_s);

}  // namespace assay::measure
