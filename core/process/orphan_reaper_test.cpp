// SPDX-License-Identifier: Apache-2.0
#include "process/orphan_reaper.hpp"

#include "process/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

namespace assay::process {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Launch shell(const std::string& script) {
  Launch launch;
  launch.arguments = {"/bin/sh", "-c", script};
  launch.environment = {"PATH=/usr/bin:/bin"};
  return launch;
}

std::string first_line(const Process& process) {
  std::string line;
  pollfd ready{process.output_descriptor(), POLLIN, 0};
  for (char letter = 0; poll(&ready, 1, 10'000) > 0 && read(ready.fd, &letter, 1) == 1 && letter != '\n';)
    line += letter;
  return line;
}

pid_t sleeping_child() {
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  return child;
}

// Killed, and reaped now or by a later look; another visit must not be blamed for it meanwhile.
void expect_reaped(OrphanReaper& reaper, int id) {
  const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, id, 0));
  pollfd death{descriptor, POLLIN, 0};
  for (int look = 0; descriptor >= 0 && poll(&death, 1, 0) == 0 && look < 100'000; ++look)
    EXPECT_THAT(reaper.end(), IsEmpty());
  if (descriptor >= 0) {
    EXPECT_EQ(poll(&death, 1, 10'000), 1);
    close(descriptor);
  }
  EXPECT_THAT(reaper.end(), IsEmpty());
  EXPECT_EQ(kill(id, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST(OrphanReaper, KillsWhatLeftItsGroup) {
  OrphanReaper reaper;
  const Process process(shell("setsid sh -c 'echo $$; exec sleep 1000' & wait $!"));
  const int daemon = std::stoi(first_line(process));
  ASSERT_EQ(kill(daemon, 0), 0);
  EXPECT_THAT(reaper.end(), IsEmpty()) << "it still has its parent";
  process.signal(SIGKILL);
  pollfd death{process.death_descriptor(), POLLIN, 0};
  ASSERT_EQ(poll(&death, 1, 10'000), 1);
  EXPECT_THAT(reaper.end(), ElementsAre(HasSubstr(std::to_string(daemon) + " (s")));
  expect_reaped(reaper, daemon);
}

TEST(OrphanReaper, LeavesProcessesAndEarlierChildrenAlone) {
  const pid_t earlier = sleeping_child();
  {
    OrphanReaper reaper;
    const Process process(shell("exec sleep 1000"));
    EXPECT_THAT(reaper.end(), IsEmpty());
    pollfd death{process.death_descriptor(), POLLIN, 0};
    EXPECT_EQ(poll(&death, 1, 0), 0);
  }
  EXPECT_EQ(waitpid(earlier, nullptr, WNOHANG), 0);
  kill(earlier, SIGKILL);
  EXPECT_EQ(waitpid(earlier, nullptr, 0), earlier);
}

// What a shell leaves that starts a daemon and then executes assay: a child, whose own child outlives it.
class SomebodyElses {
 public:
  SomebodyElses() {
    std::array<int, 2> told{}, release{};
    if (pipe(told.data()) != 0 || pipe(release.data()) != 0) std::abort();
    starter_ = fork();
    if (starter_ == 0) {
      const pid_t daemon = fork();
      if (daemon == 0) {
        setsid();
        for (;;) pause();
      }
      [[maybe_unused]] ssize_t ignored = write(told[1], &daemon, sizeof daemon);
      char go = 0;
      ignored = read(release[0], &go, 1);
      _exit(0);
    }
    if (read(told[0], &daemon_, sizeof daemon_) != sizeof daemon_) std::abort();
    release_ = release[1];
  }
  ~SomebodyElses() {
    kill(daemon_, SIGKILL);
    while (waitpid(daemon_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  SomebodyElses(const SomebodyElses&) = delete;
  SomebodyElses& operator=(const SomebodyElses&) = delete;

  [[nodiscard]] int daemon() const { return daemon_; }
  void leave_it() const {
    ASSERT_EQ(write(release_, "x", 1), 1);
    ASSERT_EQ(waitpid(starter_, nullptr, 0), starter_);
  }

 private:
  pid_t starter_ = 0, daemon_ = 0;
  int release_ = -1;
};

TEST(OrphanReaper, LeavesTheOrphansOfEarlierChildrenAlone) {
  const SomebodyElses other;
  {
    OrphanReaper reaper;
    other.leave_it();
    EXPECT_THAT(reaper.end(), IsEmpty());
    EXPECT_EQ(kill(other.daemon(), 0), 0);
  }
  EXPECT_EQ(waitpid(other.daemon(), nullptr, WNOHANG), 0) << "it came here, and lives";
}

TEST(OrphanReaper, KillsItsOrphansBesideThoseOfEarlierChildren) {
  const SomebodyElses other;
  OrphanReaper reaper;
  other.leave_it();
  const Process process(shell("setsid sh -c 'echo $$; exec sleep 1000' & wait $!"));
  const int daemon = std::stoi(first_line(process));
  process.signal(SIGKILL);
  pollfd death{process.death_descriptor(), POLLIN, 0};
  ASSERT_EQ(poll(&death, 1, 10'000), 1);
  EXPECT_THAT(reaper.end(), ElementsAre(HasSubstr(std::to_string(daemon) + " (s")));
  expect_reaped(reaper, daemon);
  EXPECT_EQ(kill(other.daemon(), 0), 0);
}

TEST(OrphanReaper, KeepsTheMarksOfOthers) {
  const auto first = marked({"A=b", "_ASSAY_STARTED_BY=7-1"});
  ASSERT_EQ(first.size(), 2U);
  EXPECT_THAT(first[1], ::testing::StartsWith("_ASSAY_STARTED_BY=7-1," + std::to_string(getpid()) + "-"));
}

TEST(OrphanReaper, KillsWhatIsLeftWhenTheKeeperEnds) {
  int daemon = 0;
  {
    const OrphanReaper reaper;
    const Process process(shell("setsid sh -c 'echo $$; exec sleep 1000' & exit 0"));
    daemon = std::stoi(first_line(process));
  }
  EXPECT_EQ(kill(daemon, 0), -1);
}

}  // namespace
}  // namespace assay::process
