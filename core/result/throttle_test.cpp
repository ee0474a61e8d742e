// SPDX-License-Identifier: Apache-2.0
#include "result/throttle.hpp"

#include <gtest/gtest.h>

namespace assay::result {
namespace {

std::string meaning_of(const std::string& reason) {
  return reason == "hw_thermal"  ? "throttled"
         : reason == "power_cap" ? "power_capped"
         : reason == "xid_63"    ? "told"
                                 : "";
}

// Samples from 100 s to 102 s.
Visit visit() {
  Visit made;
  made.measurement.first_sample_at_s = 100;
  made.ranks.resize(1);
  made.ranks[0].series.begin_s = {0, 1};
  made.ranks[0].series.host_s = {1, 1};
  return made;
}

TEST(Throttle, IsOfTheMomentsAtWhichSamplesWereTaken) {
  Visit warming = visit();
  for (const double at_s : {98.0, 99.0, 100.0, 101.0, 102.0, 103.0})
    warming.telemetry.push_back({at_s, "gpu:0", "power", 700});
  for (const double at_s : {98.0, 99.0, 101.0, 103.0})
    warming.throttle.push_back({at_s, "gpu:0", "power_cap"});
  warming.throttle.push_back({99, "gpu:0", "hw_thermal"});

  const std::vector<Throttling> found = throttling({&warming}, meaning_of);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].device, "gpu:0");
  EXPECT_EQ(found[0].reason, "power_cap");
  EXPECT_DOUBLE_EQ(found[0].share, 1.0 / 3);
  EXPECT_FALSE(is_throttled(warming, meaning_of)) << "heat held it back before the samples only";

  warming.throttle.push_back({102, "gpu:0", "hw_thermal"});
  EXPECT_TRUE(is_throttled(warming, meaning_of));
}

TEST(Throttle, IsOfTheWholeVisitIfNoReadingFellIntoTheSamples) {
  Visit brief = visit();
  brief.telemetry = {{99, "gpu:0", "power", 700}, {99.5, "gpu:0", "power", 700}};
  brief.throttle = {{99.5, "gpu:0", "hw_thermal"}};
  const std::vector<Throttling> found = throttling({&brief}, meaning_of);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_DOUBLE_EQ(found[0].share, 0.5);
  EXPECT_TRUE(is_throttled(brief, meaning_of));
}

TEST(Throttle, ToldWithoutAFlagIsOfTheWholeVisit) {
  Visit warming = visit();
  for (const double at_s : {98.0, 99.0, 101.0, 102.0})
    warming.telemetry.push_back({at_s, "gpu:0", "power", 700});
  warming.throttle = {{99, "gpu:0", "xid_63"}};
  const std::vector<Throttling> found = throttling({&warming}, meaning_of);
  ASSERT_EQ(found.size(), 1u) << "an error is told once, whenever it happened";
  EXPECT_EQ(found[0].reason, "xid_63");
  EXPECT_DOUBLE_EQ(found[0].share, 0.25);
}

TEST(Throttle, CountsEachDeviceForItselfAndVisitsTogether) {
  Visit first = visit(), second = visit();
  first.telemetry = {{101, "gpu:0", "power", 700}};
  first.throttle = {{99, "gpu:1", "hw_thermal"}, {99, "gpu:0", "hw_thermal"}};
  second.measurement.first_sample_at_s = 200;
  second.throttle = {{199, "gpu:1", "hw_thermal"}, {201, "gpu:0", "power_cap"}, {201, "gpu:0", "hw_thermal"}};

  const std::vector<Throttling> found = throttling({&first, &second}, meaning_of);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].device, "gpu:1");
  EXPECT_DOUBLE_EQ(found[0].share, 1) << "never read during samples";
  EXPECT_EQ(found[1].reason, "power_cap");
  EXPECT_DOUBLE_EQ(found[1].share, 0.5);
  EXPECT_EQ(found[2].reason, "hw_thermal");
  EXPECT_DOUBLE_EQ(found[2].share, 0.5);
}

}  // namespace
}  // namespace assay::result
