// SPDX-License-Identifier: Apache-2.0
#include "system/processor_use.hpp"

#include "base/testing/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace assay::system {
namespace {

// A process of nobody: its parent is gone, so it is not below this one.
pid_t start_spinning() {
  int ends[2] = {};
  if (pipe(ends) != 0) return -1;
  const pid_t between = fork();
  if (between == 0) {
    const pid_t spinning = fork();
    if (spinning == 0) {
      volatile unsigned count = 0;
      for (;;) count = count + 1;
    }
    (void)!write(ends[1], &spinning, sizeof spinning);
    _exit(0);
  }
  pid_t spinning = -1;
  (void)!read(ends[0], &spinning, sizeof spinning);
  waitpid(between, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
  return spinning;
}

double used_s(pid_t process) {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0) return -1;
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

TEST(ProcessorWatch, SeesAProcessThatIsNotOurs) {
  const ProcessorWatch watch({});
  const pid_t spinning = start_spinning();
  ASSERT_GT(spinning, 0);
  double used = 0;
  while (used >= 0 && used < 0.3) used = used_s(spinning);  // what this costs is ours
  const ProcessorUse use = watch.use();
  kill(spinning, SIGKILL);
  ASSERT_GE(used, 0.3);
  if (use.available_s == 0) GTEST_SKIP() << "/proc does not tell";
  EXPECT_GE(use.others_s, 0.2);
  EXPECT_LE(use.others_s, use.available_s + 0.1);
}

// A /proc of one's own, with a processor, this process and a child.
class Proc {
 public:
  Proc() = default;
  ~Proc() { std::filesystem::remove_all(root_); }
  Proc(const Proc&) = delete;
  Proc& operator=(const Proc&) = delete;
  void write(int busy, int idle, int stolen, int own, int child) const {
    put("stat", "cpu  9 9\ncpu0 " + std::to_string(busy) + " 0 0 " + std::to_string(idle) + " 0 0 0 " +
                    std::to_string(stolen) + " 0 0\ncpu1 99999 0 0 0 0 0 0 0 0 0\n");
    const std::string id = std::to_string(getpid());
    put(id + "/stat", id + " (a) b) S 1 1 1 0 -1 0 0 0 0 0 " + std::to_string(own) + " 0 0 0 20 0\n");
    put(id + "/task/" + id + "/children", "424242 ");
    put("424242/stat", "424242 (worker) R 1 1 1 0 -1 0 0 0 0 0 0 " + std::to_string(child) + " 0 0 20 0\n");
    put("424242/task/424242/children", "");
  }
  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

 private:
  void put(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = root_ / "proc" / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::filesystem::path root_ = make_temporary_folder("proc");
};

TEST(ProcessorWatch, BlamesNobodyForWhatThisProcessAndItsChildrenUse) {
  const Proc proc;
  proc.write(1000, 5000, 0, 10, 20);
  const ProcessorWatch watch({0}, proc.root());
  proc.write(1090, 5010, 0, 20, 100);
  EXPECT_NEAR(watch.use().available_s, 1, 1e-9);
  EXPECT_NEAR(watch.use().others_s, 0, 1e-9);
  proc.write(1090, 5010, 20, 20, 30);
  EXPECT_NEAR(watch.use().others_s, 0.7, 1e-9);
  EXPECT_NEAR(watch.use().stolen_s, 0.2, 1e-9);
}

TEST(ProcessorWatch, SaysNothingWhereNothingIsTold) {
  const Proc empty;
  EXPECT_TRUE(is_absent(ProcessorWatch({0}, empty.root()).use()));
  const Proc proc;
  proc.write(1, 1, 0, 1, 1);
  EXPECT_TRUE(is_absent(ProcessorWatch({0, 7}, proc.root()).use())) << "no such processor";
}

}  // namespace
}  // namespace assay::system
