// SPDX-License-Identifier: Apache-2.0
#include "measure/leftovers.hpp"

#include "measure/testing/lying_region.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace assay::measure {
namespace {

// Honest; verifying or settling for the k-th time takes so long besides.
class HeldUp final : public VisitedRegion {
 public:
  explicit HeldUp(MachineClock& clock) : clock_(clock) {}
  std::function<double(int)> check_s = [](int) { return 0.0; };
  std::function<double(int)> settle_s = [](int) { return 0.0; };
  int checks = 0, settles = 0;

  RegionStatus run(VisitMode, std::uint64_t n, std::span<double>, Sample& out) override {
    const double work_s = 1e-5 * static_cast<double>(n);
    clock_.work(work_s);
    out.device_s = out.host_s = work_s;
    out.done = 16;
    return RegionStatus::ok;
  }
  RegionStatus check() override {
    clock_.work(1e-3 + check_s(checks++));
    return RegionStatus::ok;
  }
  bool can_settle() const override { return true; }
  RegionStatus settle() override {
    clock_.work(1e-6 + settle_s(settles++));
    return RegionStatus::ok;
  }

 private:
  MachineClock& clock_;
};

std::string visit(HeldUp& region, MachineClock& clock) {
  VisitSettings settings;
  settings.samples = 5000;
  settings.warmup = 0;
  settings.max_time_s = 2;
  return refusal_of(region, clock, host_traits(), settings, 1);
}

TEST(Leftovers, OneVerificationThatWasHeldUpIsNotHeldAgainstThePlugin) {
  for (int held_up = 0; held_up < 6; ++held_up) {
    MachineClock clock;
    HeldUp region(clock);
    region.check_s = [=](int check) { return check == held_up ? 5.0 : 0.0; };
    EXPECT_EQ(visit(region, clock), "") << held_up;
  }
}

TEST(Leftovers, OneSettleThatWasHeldUpIsNotHeldAgainstThePlugin) {
  for (int held_up = 0; held_up < 12; ++held_up) {
    MachineClock clock;
    HeldUp region(clock);
    region.settle_s = [=](int settle) { return settle == held_up ? 5.0 : 0.0; };
    EXPECT_EQ(visit(region, clock), "") << held_up;
  }
}

// Before the samples once; after them at first, and after each stretch of more, with one right behind each.
TEST(Leftovers, EveryVerificationAfterSamplesThatWaitsIs) {
  MachineClock clock;
  HeldUp region(clock);
  region.check_s = [](int check) { return check % 2 == 1 ? 1.0 : 0.0; };
  EXPECT_EQ(visit(region, clock), "guard.work-left-behind");
  EXPECT_EQ(region.checks, 1 + 2 * (1 + kLooksAgain));
  MachineClock another;
  HeldUp last(another);
  last.check_s = [](int check) { return check % 2 == 1 && check < 2 * kLooksAgain + 1 ? 1.0 : 0.0; };
  EXPECT_EQ(visit(last, another), "") << "the last one did not wait";
}

// Six times before the samples, once after them at first, and after each stretch of more.
TEST(Leftovers, EverySettleAfterSamplesThatWaitsIs) {
  MachineClock clock;
  HeldUp region(clock);
  region.settle_s = [](int settle) { return settle >= 6 ? 1.0 : 0.0; };
  EXPECT_EQ(visit(region, clock), "guard.work-left-behind");
  EXPECT_EQ(region.settles, 6 + 1 + kLooksAgain);
}

}  // namespace
}  // namespace assay::measure
