// SPDX-License-Identifier: Apache-2.0
#include "measure/renew.hpp"

#include "measure/testing/simulated_region.hpp"

#include <gtest/gtest.h>

namespace assay::measure {
namespace {

// The work on new inputs takes longer in the first `slow` of them.
class SlowWhenNew final : public SimulatedRegion {
 public:
  SlowWhenNew(std::uint64_t slow, double new_s) : slow_(slow), new_s_(new_s) {}
  RegionStatus run(VisitMode, std::uint64_t, std::span<double>, Sample& out) override {
    out.device_s = out.host_s = is_new_ && changes <= slow_ ? new_s_ : 1.4e-6;
    is_new_ = false;
    return RegionStatus::ok;
  }
  RenewalStatus renew(std::uint64_t) override {
    ++changes;
    is_new_ = true;
    return RenewalStatus::ok;
  }
  std::uint64_t changes = 0;

 private:
  std::uint64_t slow_;
  double new_s_;
  bool is_new_ = false;
};

std::string refusal_of(SlowWhenNew& region) {
  RankTeam team(nullptr);
  return measure_new_inputs(region, team, simulated_traits(), {{1, 0}, {2, 0}}, 1).fault.code;
}

// Seen beside four programs on two processors: 17 times in a row, of work whose threads had to be woken.
TEST(NewInputs, OneThatIsQuickIsEnough) {
  for (const std::uint64_t slow : {0, 1, 17, 60}) {
    SlowWhenNew region(slow, 4e-4);
    EXPECT_EQ(refusal_of(region), "") << slow;
  }
}

TEST(NewInputs, ThatAreAllSlowAreRefused) {
  SlowWhenNew short_work(1000, 4e-4), long_work(1000, 1);
  EXPECT_EQ(refusal_of(short_work), "guard.slow-when-new");
  EXPECT_EQ(refusal_of(long_work), "guard.slow-when-new");
  EXPECT_EQ(long_work.changes, 16U) << "each of them takes time";
}

}  // namespace
}  // namespace assay::measure
