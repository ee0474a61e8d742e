// SPDX-License-Identifier: Apache-2.0
#include "cuda/quantities.hpp"
#include "cuda/telemetry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace assay::plugins::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StrEq;

TEST(ClockEventReasons, AreWordsAndAnIdleClockIsNone) {
  EXPECT_THAT(reason_words(0), IsEmpty());
  EXPECT_THAT(reason_words(0x1), IsEmpty());
  EXPECT_THAT(reason_words(0x4), ElementsAre(StrEq("power_cap")));
  EXPECT_THAT(reason_words(0x8 | 0x40 | 0x1), ElementsAre(StrEq("hw_slowdown"), StrEq("hw_thermal")));
  EXPECT_THAT(reason_words(0x80), ElementsAre(StrEq("hw_power_brake")));
}

TEST(Sharing, IsWorkOrGrowingMemoryOfOthers) {
  Sharing sharing;
  EXPECT_THAT(sharing.busy({{7, 500}}, {}), IsEmpty()) << "the first read is what others are compared with";
  EXPECT_THAT(sharing.busy({{7, 500}}, {}), IsEmpty());
  EXPECT_THAT(sharing.busy({{7, 500}}, {{7, 1, 1, 1}}), IsEmpty()) << "1 % is idle";
  EXPECT_THAT(sharing.busy({{7, 500}}, {{7, 2, 2, 0}}), ElementsAre(7u));
  EXPECT_THAT(sharing.busy({{7, 500}}, {{7, 3, 0, 2}}), ElementsAre(7u));
  EXPECT_THAT(sharing.busy({{7, 501}}, {}), ElementsAre(7u)) << "it took more memory";
  EXPECT_THAT(sharing.busy({{7, 400}}, {}), IsEmpty());
  EXPECT_THAT(sharing.busy({{7, 400}, {8, 1}}, {}), ElementsAre(8u)) << "it came meanwhile";
  EXPECT_THAT(sharing.busy({{7, std::nullopt}}, {}), IsEmpty()) << "what is not told says nothing";
}

TEST(Quantities, AreDeclaredOnceEachAndFatalErrorsAreFaults) {
  TelemetryDescription is;
  describe_telemetry(is);
  detail::JsonWriter json;
  json.begin_object();
  is.write(json);
  json.end_object();
  for (const Quantity& each : quantities()) {
    const std::string name = std::string("\"name\": \"") + each.name + "\"";
    EXPECT_NE(json.text().find(name), std::string::npos) << name;
    EXPECT_EQ(json.text().find(name), json.text().rfind(name)) << name;
  }
  EXPECT_NE(json.text().find("\"name\": \"xid_79\",\n      \"means\": \"fault\""), std::string::npos);
}

class ForeignProcess : public testing::Test {
 protected:
  ForeignProcess() : root_(testing::TempDir() + "assay_cuda_proc_" + std::to_string(getpid()) + "/") {
    std::filesystem::create_directories(root_);
  }
  ~ForeignProcess() override { std::filesystem::remove_all(root_); }

  void process(unsigned pid, unsigned parent, const std::string& name = "python3") {
    const std::string folder = root_ + "proc/" + std::to_string(pid);
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/stat") << pid << " (" << name << ") S " << parent << " 1 1 0 -1\n";
  }

  std::string root_;
};

TEST_F(ForeignProcess, DescendantsOfTheControllerAreNot) {
  process(1, 0);
  process(100, 1);
  process(200, 100);
  process(201, 200);
  EXPECT_FALSE(is_foreign(root_, 100, 100));
  EXPECT_FALSE(is_foreign(root_, 200, 100));
  EXPECT_FALSE(is_foreign(root_, 201, 100));
}

TEST_F(ForeignProcess, OthersAre) {
  process(1, 0);
  process(100, 1);
  process(300, 1);
  process(301, 300, "a) S 100 b");
  EXPECT_TRUE(is_foreign(root_, 300, 100));
  EXPECT_TRUE(is_foreign(root_, 301, 100));
}

TEST_F(ForeignProcess, WhatIsNotSeenFromHereIsNot) {
  process(1, 0);
  process(100, 1);
  EXPECT_FALSE(is_foreign(root_, 4711, 100));
}

// The controller may be the first process of a container.
TEST_F(ForeignProcess, ChildrenOfTheFirstProcessAreItsOwn) {
  process(1, 0);
  process(20, 1);
  EXPECT_FALSE(is_foreign(root_, 20, 1));
}

}  // namespace
}  // namespace assay::plugins::cuda
