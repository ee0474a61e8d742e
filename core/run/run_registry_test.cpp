// SPDX-License-Identifier: Apache-2.0
#include "run/run_registry.hpp"

#include "base/error.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

namespace assay::run {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Registry : public testing::Test {
 protected:
  Registry() : folder_(fs::path(testing::TempDir()) / ("assay_registry_" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
  }
  ~Registry() override { fs::remove_all(folder_); }

  static RunNotice notice(const std::string& suite, std::vector<int> cpus, bool alone = false) {
    return {static_cast<int>(getpid()), suite, 1.7e9, std::move(cpus), alone};
  }
  std::unique_ptr<RunRegistry> enter(const std::string& suite, std::vector<int> cpus, bool alone = false) {
    return std::make_unique<RunRegistry>(folder_, notice(suite, std::move(cpus), alone));
  }
  std::string refusal(const std::string& suite, std::vector<int> cpus, bool alone) {
    try {
      enter(suite, std::move(cpus), alone);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "run.not-alone");
      return error.what();
    }
    return "";
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

TEST_F(Registry, RunsOnTheSameProcessorsSeeEachOther) {
  const auto a = enter("first", {0, 1});
  EXPECT_THAT(a->others(), IsEmpty());
  const auto b = enter("second", {1, 2});
  ASSERT_THAT(a->others(), SizeIs(1));
  EXPECT_EQ(a->others()[0], (result::OtherRun{static_cast<int>(getpid()), "second", 1.7e9}));
  ASSERT_THAT(b->others(), SizeIs(1));
  EXPECT_EQ(b->others()[0].suite, "first");
}

TEST_F(Registry, RunsOnOtherProcessorsDoNot) {
  const auto a = enter("first", {0, 1}), b = enter("second", {2, 3}, true);
  EXPECT_THAT(a->others(), IsEmpty());
  EXPECT_THAT(b->others(), IsEmpty());
}

TEST_F(Registry, ProcessorsThatAreNotKnownMayBeAny) {
  const auto a = enter("first", {}), b = enter("second", {7});
  EXPECT_THAT(a->others(), SizeIs(1));
  EXPECT_THAT(b->others(), SizeIs(1));
}

TEST_F(Registry, ARunThatWantsToBeAloneIsRefusedBesideAnother) {
  const auto a = enter("first", {0, 1});
  EXPECT_THAT(refusal("second", {1}, true),
              HasSubstr("process " + std::to_string(getpid()) + " with suite 'first' since"));
  EXPECT_THAT(a->others(), IsEmpty());
  EXPECT_EQ(files(), 1U);
}

TEST_F(Registry, AnotherIsRefusedBesideARunThatWantsToBeAlone) {
  const auto a = enter("first", {0, 1}, true);
  EXPECT_THAT(refusal("second", {1}, false), HasSubstr("'first'"));
  EXPECT_EQ(refusal("second", {2}, false), "");
  EXPECT_EQ(files(), 1U);
}

TEST_F(Registry, ARunThatHasEndedIsNoneAndLeavesNothing) {
  const auto a = enter("first", {0});
  enter("second", {0}).reset();
  EXPECT_THAT(a->others(), IsEmpty());
  EXPECT_EQ(files(), 1U);
}

TEST_F(Registry, ARunThatWasKilledCountsForNothingAndItsFileGoes) {
  const pid_t child = fork();
  if (child == 0) {
    const RunRegistry mine(folder_, notice("killed", {0}, true));
    _exit(0);  // nothing is cleaned up
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(files(), 1U);
  const auto a = enter("second", {0}, true);
  EXPECT_THAT(a->others(), IsEmpty());
  EXPECT_EQ(files(), 1U);
}

// Anybody may put there what they like.
TEST_F(Registry, WhatIsNoNoticeIsPassedOver) {
  const auto a = enter("first", {0});
  fs::create_directory(folder_ / "run-1-1.lock");
  fs::create_symlink("/etc/passwd", folder_ / "run-2-2.lock");
  ASSERT_EQ(mkfifo((folder_ / "run-3-3.lock").c_str(), 0644), 0);
  std::vector<int> held;
  int number = 4;
  for (const char* text :
       {"", "{", "[]", "7", R"({"pid":1})",
        R"({"pid":"x","suite":1,"since_s":1,"cpus":"0","alone":true,"measures":true})",
        R"({"pid":-1,"suite":"s","since_s":1,"cpus":"0","alone":true,"measures":true})",
        R"({"pid":1,"suite":"s","since_s":1e300,"cpus":"0","alone":true,"measures":true})",
        R"({"pid":1,"suite":"s","since_s":1,"cpus":"9-1","alone":true,"measures":true})"}) {
    const fs::path path = folder_ / ("run-" + std::to_string(number++) + "-1.lock");
    std::ofstream(path) << text;
    held.push_back(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(flock(held.back(), LOCK_EX | LOCK_NB), 0);
  }
  EXPECT_THAT(a->others(), IsEmpty());
  EXPECT_EQ(refusal("second", {0}, false), "");
  for (const int file : held) close(file);
}

// A notice of more bytes is cut off, and none then; of more files those beyond are not looked at.
TEST_F(Registry, EndsAtItsLimits) {
  const auto a = enter("first", {0});
  const auto put = [&](int number, std::size_t bytes) {
    std::string text =
        R"({"pid":7,"suite":"s","since_s":1,"cpus":"0","alone":false,"measures":true,"more":")";
    text += std::string(bytes - text.size() - 2, 'x') + "\"}";
    const fs::path path = folder_ / ("run-" + std::to_string(number) + "-1.lock");
    std::ofstream(path) << text;
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    EXPECT_EQ(flock(file, LOCK_EX | LOCK_NB), 0);
    return file;
  };
  const int longest = put(1, 65536), longer = put(2, 65537);
  EXPECT_THAT(a->others(), SizeIs(1));
  close(longest);
  close(longer);
  for (int i = 0; i < 4200; ++i) std::ofstream(folder_ / ("run-" + std::to_string(i) + "-2.lock"));
  EXPECT_THAT(a->others(), IsEmpty());
  EXPECT_GT(files(), 1U);
}

TEST_F(Registry, TextOfOthersIsMadePrintable) {
  const auto a = enter("first", {0});
  const auto b = enter("a\x1b[2Jb", {0});
  ASSERT_THAT(a->others(), SizeIs(1));
  EXPECT_EQ(a->others()[0].suite.find('\x1b'), std::string::npos);
}

TEST_F(Registry, AnUnusableFolderIsReportedAndStopsOnlyExclusiveRuns) {
  std::ofstream(folder_) << "a file";
  const auto a = enter("first", {0});
  EXPECT_THAT(a->problem(), HasSubstr("cannot be taken"));
  EXPECT_THAT(a->others(), IsEmpty());
  EXPECT_THAT(refusal("second", {0}, true), HasSubstr("cannot be seen"));
  EXPECT_FALSE(RunRegistry("", notice("third", {0})).problem().empty());
}

TEST(Overlap, IsOfOneProcessorOrMore) {
  EXPECT_TRUE(overlap({0, 1}, {1, 2}));
  EXPECT_FALSE(overlap({0, 1}, {2, 3}));
  EXPECT_TRUE(overlap({}, {2}));
}

}  // namespace
}  // namespace assay::run
