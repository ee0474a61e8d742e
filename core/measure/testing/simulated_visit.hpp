// SPDX-License-Identifier: Apache-2.0
//
// For tests: a whole visit as a worker makes it, of a region on a simulated machine.
#pragma once

#include "measure/leftovers.hpp"
#include "measure/loop.hpp"
#include "measure/renew.hpp"
#include "measure/testing/busy_machine.hpp"
#include "measure/testing/simulated_region.hpp"

#include <cstdint>
#include <string>

namespace assay::measure {

class VisitedRegion : public Region {
 public:
  virtual void prepare() {}
  virtual void release() {}
};

inline Traits host_traits() {
  Traits traits;
  traits.clock = ClockKind::host;
  traits.tick_s = 1e-9;
  traits.idempotent = true;
  return traits;
}

// Why it is not published: a reason's code, "stale" where a result did not follow its inputs; or "".
inline std::string refusal_of(VisitedRegion& region, MachineClock& clock, const Traits& traits,
                              const VisitSettings& settings, std::uint64_t seed, std::string* why = nullptr) {
  RankTeam team(nullptr);
  QuietWatch watch;
  VisitDurations spent;
  const auto refused = [&](const Fault& fault) {
    if (why != nullptr) *why = fault.text;
    return fault.ending == SamplingEnd::failed ? "stale" : fault.code;
  };
  const auto timed = [&](auto&& step) {
    const double began_s = clock.now_s();
    step();
    return clock.now_s() - began_s;
  };
  spent.prepare_s = timed([&] { region.prepare(); });
  spent.verify_s = timed([&] { (void)region.check(); });
  LoopResult result;
  spent.samples_s = timed([&] { result = measure(region, team, clock, watch, traits, settings); });
  if (result.fault.ending != SamplingEnd::completed) return refused(result.fault);
  if (const Fault fault = check_after_samples(region, team, clock, traits, settings, spent,
                                              {result.series.iterations, result.series.device_s.size()});
      fault.ending != SamplingEnd::completed)
    return refused(fault);
  if (settings.guards.new_inputs) {
    const auto draws = draw_new_inputs(seed, spent.verify_s, spent.samples_s);
    const Renewal renewal =
        measure_new_inputs(region, team, traits, draws, result.series.iterations, settings.guards);
    if (renewal.fault.ending != SamplingEnd::completed) return refused(renewal.fault);
  }
  const double release_s = timed([&] { region.release(); });
  const auto violation = check_release_time(traits, settings, spent, release_s);
  return violation ? violation->code : "";
}

}  // namespace assay::measure
