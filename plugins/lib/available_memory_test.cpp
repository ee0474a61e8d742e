// SPDX-License-Identifier: Apache-2.0
#include "lib/available_memory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

namespace assay::plugins {
namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

TEST(ListedNumber, IsInBytes) {
  const std::string list =
      "MemTotal:       1000 kB\nMemAvailable:    400 kB\ninactive_file 4096\nNode 1 MemFree:  7 kB\nodd: "
      "kB\n";
  EXPECT_EQ(listed_number(list, "MemAvailable:"), 400u * 1024);
  EXPECT_EQ(listed_number(list, "inactive_file"), 4096u);
  EXPECT_EQ(listed_number(list, "MemFree:"), 7u * 1024);
  EXPECT_EQ(listed_number(list, "odd:"), std::nullopt);
  EXPECT_EQ(listed_number(list, "Available:"), std::nullopt);
  EXPECT_EQ(listed_number("", "MemFree:"), std::nullopt);
}

TEST(ControlGroup, HasNoLimitWhereItSaysMax) {
  EXPECT_EQ(limit_of("1048576\n"), 1048576u);
  EXPECT_EQ(limit_of("max\n"), std::nullopt);
  EXPECT_EQ(limit_of(""), std::nullopt);
}

TEST(ControlGroup, CountsPagesOfFilesAsHeadroom) {
  EXPECT_EQ(headroom_of(100, 70, ""), 30u);
  EXPECT_EQ(headroom_of(100, 70, "anon 40\ninactive_file 20\nactive_file 5\n"), 55u);
  // The first version counts the groups within under other names.
  EXPECT_EQ(headroom_of(100, 70, "inactive_file 1\ntotal_inactive_file 20\ntotal_active_file 5\n"), 55u);
  EXPECT_EQ(headroom_of(100, 120, ""), 0u);
  EXPECT_EQ(headroom_of(100, 10, "inactive_file 20\n"), 100u);
}

constexpr const char* kFirst =
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n";
constexpr const char* kSecond = "41 31 0:38 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n";

TEST(MemoryGroups, AreFoundInBothVersions) {
  const std::string other = "33 31 0:30 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n";
  const auto first = memory_groups_of(other + kFirst, "5:cpu:/x\n4:memory:/a/b\n0::/\n");
  ASSERT_EQ(first.size(), 1u);
  EXPECT_FALSE(first[0].unified);
  EXPECT_EQ(first[0].mount, "/sys/fs/cgroup/memory");
  EXPECT_EQ(first[0].group, "a/b");

  const auto second = memory_groups_of(kSecond, "0::/user.slice/my:job\n");
  ASSERT_EQ(second.size(), 1u);
  EXPECT_TRUE(second[0].unified);
  EXPECT_EQ(second[0].group, "user.slice/my:job");

  EXPECT_EQ(memory_groups_of(std::string(kFirst) + kSecond, "4:memory:/a\n0::/c\n").size(), 2u);
  EXPECT_TRUE(memory_groups_of("", "0::/\n").empty());
}

TEST(MemoryGroups, OfAContainerAreWhatItSees) {
  const auto group = [](const std::string& root, const std::string& own) {
    return memory_groups_of("1 2 0:3 " + root + " /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
                            "0::" + own + "\n")
        .at(0)
        .group;
  };
  EXPECT_EQ(group("/", "/"), "");
  EXPECT_EQ(group("/docker/1", "/docker/1"), "");
  EXPECT_EQ(group("/docker/1", "/docker/1/inner"), "inner");
  EXPECT_EQ(group("/", "/../other"), "");  // the kernel's word for a group outside
  EXPECT_EQ(group("/docker/1", "/elsewhere"), "");
}

class AvailableMemory : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) / ("available_memory_" + std::to_string(::getpid()));
    fs::remove_all(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  void put(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  fs::path root_;
};

TEST_F(AvailableMemory, IsNotKnownWhereNothingSaysSo) { EXPECT_EQ(available_memory(root_), std::nullopt); }

TEST_F(AvailableMemory, IsTheMachinesWithoutALimit) {
  put("proc/meminfo", "MemAvailable: 400 kB\n");
  put("proc/self/mountinfo", kSecond);
  put("proc/self/cgroup", "0::/a\n");
  put("sys/fs/cgroup/a/memory.max", "max\n");
  put("sys/fs/cgroup/a/memory.current", "100\n");
  EXPECT_EQ(available_memory(root_), 400u * 1024);
}

TEST_F(AvailableMemory, IsWhatTheNarrowestGroupAboveLeaves) {
  put("proc/meminfo", "MemAvailable: 400 kB\n");
  put("proc/self/mountinfo", kSecond);
  put("proc/self/cgroup", "0::/a/b\n");
  put("sys/fs/cgroup/a/memory.max", "5000\n");
  put("sys/fs/cgroup/a/memory.current", "3000\n");
  put("sys/fs/cgroup/a/memory.stat", "inactive_file 500\n");
  put("sys/fs/cgroup/a/b/memory.max", "9000\n");
  put("sys/fs/cgroup/a/b/memory.current", "1000\n");
  EXPECT_EQ(available_memory(root_), 2500u);
  put("sys/fs/cgroup/a/b/memory.high", "1200\n");
  EXPECT_EQ(available_memory(root_), 200u);
}

TEST_F(AvailableMemory, OfTheFirstVersionIsTheSame) {
  put("proc/meminfo", "MemAvailable: 400 kB\n");
  put("proc/self/mountinfo", kFirst);
  put("proc/self/cgroup", "4:memory:/a/b\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  put("sys/fs/cgroup/memory/memory.usage_in_bytes", "70000\n");
  put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "5000\n");
  put("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "3000\n");
  put("sys/fs/cgroup/memory/a/memory.stat", "inactive_file 1\ntotal_inactive_file 500\n");
  EXPECT_EQ(available_memory(root_), 2500u);
}

TEST_F(AvailableMemory, OfANodeIsWhatIsFreeThereAndFiles) {
  EXPECT_EQ(available_on_node(1, root_), std::nullopt);
  put("sys/devices/system/node/node1/meminfo",
      "Node 1 MemTotal: 100 kB\nNode 1 MemFree: 10 kB\nNode 1 Active(file): 3 kB\nNode 1 Inactive(file): 4 "
      "kB\n");
  EXPECT_EQ(available_on_node(1, root_), 17u * 1024);
}

TEST(RequiredMemory, IsRefusedWithWhatIsNeededAndWhatIsThere) {
  EXPECT_NO_THROW(require_memory(std::numeric_limits<std::uint64_t>::max(), std::nullopt, "a buffer"));
  EXPECT_NO_THROW(require_memory(0, 0, "a buffer"));
  EXPECT_NO_THROW(require_memory(900 * kMiB, 1024 * kMiB, "a buffer"));
  // The process needs some of it for other things.
  EXPECT_THROW(require_memory(1020 * kMiB, 1024 * kMiB, "a buffer"), Skip);
  try {
    require_memory(3072 * kMiB, 1024 * kMiB, "3 buffers", " on node 1");
    FAIL() << "it does not fit";
  } catch (const Skip& skip) {
    EXPECT_STREQ(skip.what(),
                 "needs 3.0 GiB of host memory on node 1 for 3 buffers, and 976.0 MiB can be had");
  }
}

}  // namespace
}  // namespace assay::plugins
