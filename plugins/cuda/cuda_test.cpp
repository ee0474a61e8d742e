// SPDX-License-Identifier: Apache-2.0
#include "cuda/telemetry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
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
