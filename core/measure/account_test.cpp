// SPDX-License-Identifier: Apache-2.0
#include "measure/testing/lying_region.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace assay::measure {
namespace {

// Short beside its calls, so that longer samples are asked; each of the first `late` of those is held up.
class Brief final : public Region {
 public:
  Brief(MachineClock& clock, int late) : clock_(clock), late_(late) {}
  RegionStatus run(VisitMode, std::uint64_t n, std::span<double>, Sample& out) override {
    calls.push_back(n);
    const double work_s = 1e-8 * static_cast<double>(n);
    clock_.sleep(2e-6 + work_s + (n > 1 && late_-- > 0 ? 1 : 0));
    out.device_s = out.host_s = work_s;
    out.done = 16;
    return RegionStatus::ok;
  }
  RegionStatus check() override { return RegionStatus::ok; }
  std::vector<std::uint64_t> calls;

 private:
  MachineClock& clock_;
  int late_;
};

std::string visit(Brief& region, MachineClock& clock) {
  RankTeam team(nullptr);
  QuietWatch watch;
  return measure(region, team, clock, watch, host_traits(), exactly(1)).fault.code;
}

TEST(Account, OneLongerSampleIsEnough) {
  MachineClock clock;
  Brief region(clock, 0);
  EXPECT_EQ(visit(region, clock), "");
  // The sample, and one of 4 ms.
  EXPECT_EQ(region.calls, (std::vector<std::uint64_t>{1, 400'000}));
}

TEST(Account, OneOfEightIsEnough) {
  for (const int late : {1, 7, 8, 15}) {
    MachineClock clock;
    Brief region(clock, late);
    EXPECT_EQ(visit(region, clock), "") << late;
    EXPECT_EQ(region.calls.size(), static_cast<std::size_t>(late) + 2) << late;
  }
  MachineClock clock;
  Brief region(clock, 16);
  EXPECT_EQ(visit(region, clock), "guard.time-missing");
  EXPECT_EQ(region.calls.size(), 17U);
}

}  // namespace
}  // namespace assay::measure
