// SPDX-License-Identifier: Apache-2.0
//
// The parts of the controller that need no process.
#include "base/error.hpp"
#include "base/testing/temporary_folder.hpp"
#include "run/device_lock.hpp"
#include "run/merge.hpp"
#include "run/quarantine.hpp"
#include "run/time_estimator.hpp"
#include "run/worker_environment.hpp"
#include "text/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

namespace assay::run {
namespace {

using result::Outcome;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

TEST(WorkerEnvironment, LetsTheCaseChangeTheBaseAndVisibilityWin) {
  const std::vector<std::string> environment = worker_environment(
      {"A=1", "AB=2", "C=3", "C=4"}, {}, {{"A", "x"}, {"C", std::nullopt}, {"V", "case"}}, {{"V", "0"}});
  EXPECT_THAT(environment, UnorderedElementsAre("AB=2", "A=x", "V=0"));
}

TEST(WorkerEnvironment, PutsTheLibraryPathInFrontOfTheOldOne) {
  EXPECT_THAT(worker_environment({"LD_LIBRARY_PATH=/c"}, {"/a", "/b"}, {}, {}),
              ElementsAre("LD_LIBRARY_PATH=/a:/b:/c"));
  EXPECT_THAT(worker_environment({"LD_LIBRARY_PATH="}, {"/a"}, {}, {}), ElementsAre("LD_LIBRARY_PATH=/a"));
  EXPECT_THAT(worker_environment({}, {"/a"}, {}, {}), ElementsAre("LD_LIBRARY_PATH=/a"));
  EXPECT_THAT(worker_environment({"A=1"}, {}, {}, {}), ElementsAre("A=1"));
}

RankPart part(Outcome outcome, const std::string& code = "") {
  RankPart part;
  part.finished = true;
  part.outcome = outcome;
  part.reason.code = code;
  return part;
}

TEST(FirstCause, IsNoRankIfAllPassed) {
  EXPECT_EQ(first_cause({part(Outcome::passed), part(Outcome::passed)}, {1, 0}), -1);
}

TEST(FirstCause, IsTheEarliestErrorOfARanksOwn) {
  const std::vector<RankPart> parts = {
      part(Outcome::cancelled, "visit.cancelled"), part(Outcome::error, "rank.failed"),
      part(Outcome::crashed, "worker.signal"), part(Outcome::error, "plugin.error")};
  EXPECT_EQ(first_cause(parts, {0, 1, 2, 3}), 2);
  EXPECT_EQ(first_cause(parts, {3, 0, 1, 2}), 3);
}

TEST(FirstCause, IsACommunicationErrorOrACancelIfThereIsNothingBetter) {
  const std::vector<RankPart> parts = {part(Outcome::cancelled), part(Outcome::error, "rank.failed"),
                                       part(Outcome::passed)};
  EXPECT_EQ(first_cause(parts, {2, 0, 1}), 1);
  EXPECT_EQ(first_cause({part(Outcome::cancelled), part(Outcome::passed)}, {1, 0}), 0);
}

TEST(TimeEstimator, ExpectsWhatTheSameCaseTookSoFar) {
  plan::PlannedCase a, b;
  a.suite_case = 0;
  a.measure.max_time_s = 10;
  b.suite_case = 1;
  b.measure.max_time_s = 10;
  b.timeout_s = 4;
  TimeEstimator schedule;
  EXPECT_EQ(schedule.remaining_s(), 0);
  for (int i = 0; i < 3; ++i) schedule.add(a);
  schedule.add(b);
  EXPECT_DOUBLE_EQ(schedule.remaining_s(), 34);
  schedule.finish(a, 2);
  schedule.finish(a, 4);
  EXPECT_DOUBLE_EQ(schedule.remaining_s(), 3 + 4);
  schedule.finish(b, 1);
  schedule.finish(a, 3);
  EXPECT_DOUBLE_EQ(schedule.remaining_s(), 0);
}

TEST(TimeEstimator, TakesCommandsForAsLongAsOtherCommands) {
  plan::PlannedCase a, b;
  a.external = b.external = Json::object();
  b.suite_case = 1;
  a.measure.max_time_s = b.measure.max_time_s = a.timeout_s = b.timeout_s = 600;
  TimeEstimator schedule;
  for (int i = 0; i < 2; ++i) schedule.add(a);
  schedule.add(b);
  EXPECT_DOUBLE_EQ(schedule.remaining_s(), 0) << "and not half an hour: nobody knows";
  schedule.finish(a, 2);
  EXPECT_DOUBLE_EQ(schedule.remaining_s(), 2 + 2);
}

class LockFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = make_temporary_folder("lock");
    device_.name = "cuda:0";
    device_.uuid = "GPU-../../etc/passwd";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
  system::Device device_;
};

TEST_F(LockFolder, HoldsOneFilePerDeviceAndRemovesItAtTheEnd) {
  {
    const DeviceLocks locks(folder_ / "made", {&device_});
    EXPECT_TRUE(std::filesystem::exists(folder_ / "made" / "GPU-______etc_passwd.lock"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "made"));
  const auto shared = std::filesystem::perms::all | std::filesystem::perms::sticky_bit;
  EXPECT_EQ(std::filesystem::status(folder_ / "made").permissions(), shared) << "other users cannot lock";
}

TEST_F(LockFolder, TakesTwoNamesOfOneDeviceForOne) {
  const system::Device again = device_;
  EXPECT_NO_THROW(DeviceLocks(folder_, {&device_, &again}));
}

TEST_F(LockFolder, KeepsNoLockIfOneOfThemIsTaken) {
  system::Device other;
  other.name = "cuda:1";
  other.uuid = "GPU-1";
  const DeviceLocks held(folder_, {&other});
  EXPECT_THROW(DeviceLocks(folder_, {&device_, &other}), Error);
  EXPECT_NO_THROW(DeviceLocks(folder_, {&device_}));
}

TEST_F(LockFolder, RefusesAtOnceWhatIsNoFileInTheLocksPlace) {
  const std::filesystem::path path = folder_ / "GPU-______etc_passwd.lock";
  const auto refused = [&] {
    try {
      const DeviceLocks locks(folder_, {&device_});
      return std::string();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "device.lock-unavailable");
      return std::string(error.what());
    }
  };
  ASSERT_EQ(mkfifo(path.c_str(), 0444), 0);
  EXPECT_THAT(refused(), HasSubstr("not a file is in its place"));
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  EXPECT_THAT(refused(), HasSubstr("not a file is in its place"));
  std::filesystem::remove(path);
  std::filesystem::create_symlink(folder_ / "elsewhere", path);
  EXPECT_THAT(refused(), HasSubstr("not a file is in its place"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "elsewhere"));
}

TEST_F(LockFolder, WritesIntoNoFileThatHasAnotherNameToo) {
  std::ofstream(folder_ / "precious") << "text";
  std::filesystem::create_hard_link(folder_ / "precious", folder_ / "GPU-______etc_passwd.lock");
  { const DeviceLocks locks(folder_, {&device_}); }
  std::string kept;
  std::ifstream(folder_ / "precious") >> kept;
  EXPECT_EQ(kept, "text");
}

TEST_F(LockFolder, ShowsEverybodyWhoHoldsALock) {
  const mode_t mask = umask(077);
  const DeviceLocks locks(folder_, {&device_});
  umask(mask);
  const auto others = std::filesystem::perms::others_read;
  EXPECT_EQ(std::filesystem::status(folder_ / "GPU-______etc_passwd.lock").permissions() & others, others);
}

TEST_F(LockFolder, NamesAFolderThatCannotBeUsed) {
  try {
    const DeviceLocks locks("/proc/none", {&device_});
    FAIL() << "a lock in /proc";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "device.lock-unavailable");
    EXPECT_THAT(error.what(), HasSubstr("/proc/none"));
  }
}

}  // namespace
}  // namespace assay::run
