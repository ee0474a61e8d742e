// SPDX-License-Identifier: Apache-2.0
#include "process/strays.hpp"

#include "process/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

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

TEST(Strays, AreKilledIfTheyLeftTheirGroup) {
  Strays strays;
  const Process process(shell("setsid sh -c 'echo $$; exec sleep 1000' & wait $!"));
  const int daemon = std::stoi(first_line(process));
  ASSERT_EQ(kill(daemon, 0), 0);
  EXPECT_THAT(strays.end(), IsEmpty()) << "it still has its parent";
  process.signal(SIGKILL);
  pollfd death{process.death_descriptor(), POLLIN, 0};
  ASSERT_EQ(poll(&death, 1, 10'000), 1);
  EXPECT_THAT(strays.end(), ElementsAre(HasSubstr(std::to_string(daemon) + " (s")));
  // Killed, and reaped now or by a later look; another visit must not be blamed for it meanwhile.
  while (kill(daemon, 0) == 0) EXPECT_THAT(strays.end(), IsEmpty());
  EXPECT_EQ(errno, ESRCH);
}

TEST(Strays, LeavesProcessesAndEarlierChildrenAlone) {
  const pid_t earlier = sleeping_child();
  {
    Strays strays;
    const Process process(shell("exec sleep 1000"));
    EXPECT_THAT(strays.end(), IsEmpty());
    pollfd death{process.death_descriptor(), POLLIN, 0};
    EXPECT_EQ(poll(&death, 1, 0), 0);
  }
  EXPECT_EQ(waitpid(earlier, nullptr, WNOHANG), 0);
  kill(earlier, SIGKILL);
  EXPECT_EQ(waitpid(earlier, nullptr, 0), earlier);
}

TEST(Strays, AreEndedWithTheirKeeper) {
  int daemon = 0;
  {
    const Strays strays;
    const Process process(shell("setsid sh -c 'echo $$; exec sleep 1000' & exit 0"));
    daemon = std::stoi(first_line(process));
  }
  EXPECT_EQ(kill(daemon, 0), -1);
}

}  // namespace
}  // namespace assay::process
