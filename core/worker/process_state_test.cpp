// SPDX-License-Identifier: Apache-2.0
#include "worker/process_state.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <clocale>
#include <condition_variable>
#include <cstdlib>
#include <fenv.h>
#include <functional>
#include <mutex>
#include <thread>

namespace assay::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Changed, looked at, put back.
std::vector<std::string> changes(const std::function<void()>& change, const std::function<void()>& undo) {
  const ProcessState before = ProcessState::read();
  change();
  std::vector<std::string> found = ProcessState::read().changes_since(before);
  undo();
  EXPECT_THAT(ProcessState::read().changes_since(before), IsEmpty());
  return found;
}

void change_mask(int how) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(how, &set, nullptr);
}

TEST(ProcessState, NamesEachChange) {
  EXPECT_THAT(changes([] { setlocale(LC_ALL, "C.UTF-8"); }, [] { setlocale(LC_ALL, "C"); }),
              ElementsAre("the locale is 'C.UTF-8', not 'C'"));
  char* directory = get_current_dir_name();
  EXPECT_THAT(changes([] { EXPECT_EQ(chdir("/proc"), 0); }, [&] { EXPECT_EQ(chdir(directory), 0); }),
              ElementsAre(HasSubstr("the working directory is '/proc', not '")));
  std::free(directory);
  EXPECT_THAT(changes([] { setenv("ASSAY_SECRET", "hidden", 1); }, [] { unsetenv("ASSAY_SECRET"); }),
              ElementsAre("the environment differs in ASSAY_SECRET"));
  EXPECT_THAT(changes([] { signal(SIGUSR2, SIG_IGN); }, [] { signal(SIGUSR2, SIG_DFL); }),
              ElementsAre("the handler of SIGUSR2 is another"));
  EXPECT_THAT(changes([] { change_mask(SIG_BLOCK); }, [] { change_mask(SIG_UNBLOCK); }),
              ElementsAre("the signal mask is another"));
  EXPECT_THAT(changes([] { fesetround(FE_UPWARD); }, [] { fesetround(FE_TONEAREST); }),
              ElementsAre("the rounding mode is another"));
}

TEST(ProcessState, SeesABindingOfTheThread) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  if (CPU_COUNT(&all) == 1) GTEST_SKIP() << "there is one CPU";
  cpu_set_t fewer = all;
  int first = 0;
  while (!CPU_ISSET(first, &all)) ++first;
  CPU_CLR(first, &fewer);
  EXPECT_THAT(changes([&] { sched_setaffinity(0, sizeof fewer, &fewer); },
                      [&] { sched_setaffinity(0, sizeof all, &all); }),
              ElementsAre(HasSubstr("the case thread is bound to")));
}

TEST(ProcessState, SeesStreamsThatAreClosedOrLeadElsewhere) {
  const int input = dup(STDIN_FILENO);
  EXPECT_THAT(changes([] { close(STDIN_FILENO); }, [&] { dup2(input, STDIN_FILENO); }),
              ElementsAre("standard input is closed"));
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_THAT(changes([&] { dup2(ends[0], STDIN_FILENO); }, [&] { dup2(input, STDIN_FILENO); }),
              ElementsAre("standard input leads elsewhere"));
  for (const int end : {ends[0], ends[1], input}) close(end);
}

TEST(ProcessState, SeesAChildThatIsLeft) {
  pid_t child = 0;
  EXPECT_THAT(changes(
                  [&] {
                    child = fork();
                    if (child == 0) _exit(0);
                  },
                  [&] { waitpid(child, nullptr, 0); }),
              ElementsAre("a child process is left"));
}

class Crowd {
 public:
  explicit Crowd(int count) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this] {
        std::unique_lock lock(mutex_);
        end_.wait(lock, [this] { return ending_; });
      });
    }
  }
  ~Crowd() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    end_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable end_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

TEST(ProcessGuard, LetsAFirstVisitStartPoolsAndLaterOnesAddLittle) {
  ProcessGuard guard;
  const Crowd pool(70);
  EXPECT_THAT(guard.look("a", {"cpu"}), IsEmpty());
  const Crowd few(10);
  EXPECT_THAT(guard.look("a", {"cpu"}), IsEmpty());
  {
    const Crowd many(60);
    EXPECT_THAT(guard.look("a", {"cpu"}), ElementsAre("70 threads more than at first"));
  }
  EXPECT_THAT(guard.look("a", {"cpu"}), IsEmpty());
}

TEST(ProcessGuard, CountsDescriptors) {
  ProcessGuard guard;
  EXPECT_THAT(guard.look("a", {"cpu"}), IsEmpty());
  std::vector<int> copies;
  for (int i = 0; i < 65; ++i) copies.push_back(dup(STDERR_FILENO));
  EXPECT_THAT(guard.look("a", {"cpu"}), ElementsAre("65 descriptors more than at first"));
  for (const int copy : copies) close(copy);
}

// Communicators over a pair of devices are made by the first case on this pair, and kept.
TEST(ProcessGuard, LetsEveryFirstVisitOfADeviceOpenIt) {
  ProcessGuard guard;
  EXPECT_THAT(guard.look("a", {"cuda:0", "cuda:1"}), IsEmpty());
  std::vector<int> copies;
  for (int i = 0; i < 65; ++i) copies.push_back(dup(STDERR_FILENO));
  EXPECT_THAT(guard.look("a", {"cuda:0", "cuda:2"}), IsEmpty());
  EXPECT_THAT(guard.look("a", {"cuda:0", "cuda:1"}), IsEmpty());
  for (int i = 0; i < 65; ++i) copies.push_back(dup(STDERR_FILENO));
  EXPECT_THAT(guard.look("a", {"cuda:0", "cuda:2"}), ElementsAre("65 descriptors more than at first"));
  for (const int copy : copies) close(copy);
}

}  // namespace
}  // namespace assay::worker
