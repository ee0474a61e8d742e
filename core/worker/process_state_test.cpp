// SPDX-License-Identifier: Apache-2.0
#include "worker/process_state.hpp"

#include "worker/spinning.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/mempolicy.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <clocale>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <fenv.h>
#include <functional>
#include <locale.h>
#include <mutex>
#include <new>
#include <string>
#include <thread>

namespace assay::worker {
namespace {

using ::testing::Contains;
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
  EXPECT_THAT(changes([] { signal(SIGRTMIN + 3, SIG_IGN); }, [] { signal(SIGRTMIN + 3, SIG_DFL); }),
              ElementsAre("the handler of signal " + std::to_string(SIGRTMIN + 3) + " is another"));
  EXPECT_THAT(changes([] { change_mask(SIG_BLOCK); }, [] { change_mask(SIG_UNBLOCK); }),
              ElementsAre("the signal mask is another"));
  EXPECT_THAT(changes([] { fesetround(FE_UPWARD); }, [] { fesetround(FE_TONEAREST); }),
              Contains("the rounding mode is another"));
  EXPECT_THAT(
      changes([] { uselocale(newlocale(LC_ALL_MASK, "C", nullptr)); }, [] { uselocale(LC_GLOBAL_LOCALE); }),
      ElementsAre("the case thread has a locale of its own"));
}

TEST(ProcessState, NamesEachChangeOfTheKernelsSettings) {
  const mode_t mask = ::umask(022);
  EXPECT_THAT(changes([] { ::umask(0); }, [] { ::umask(022); }), ElementsAre("the umask is 0000, not 0022"));
  ::umask(mask);
  rlimit files{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
  const rlimit fewer = {files.rlim_cur - 1, files.rlim_max};
  EXPECT_THAT(
      changes([&] { ::setrlimit(RLIMIT_NOFILE, &fewer); }, [&] { ::setrlimit(RLIMIT_NOFILE, &files); }),
      ElementsAre("the limit RLIMIT_NOFILE is another"));
  EXPECT_THAT(changes([] { ::alarm(3600); }, [] { ::alarm(0); }), ElementsAre("a timer is running"));
  const int slack_ns = ::prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
  EXPECT_THAT(changes([&] { ::prctl(PR_SET_TIMERSLACK, slack_ns + 1); },
                      [&] { ::prctl(PR_SET_TIMERSLACK, slack_ns); }),
              ElementsAre(HasSubstr("the case thread's timer slack is ")));
  EXPECT_THAT(changes([] { ::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); },
                      [] { ::prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0); }),
              ElementsAre("transparent huge pages are switched off"));
}

TEST(ProcessState, SeesWhereMemoryComesFrom) {
  const unsigned long first_node = 1;
  if (::syscall(SYS_set_mempolicy, MPOL_BIND, &first_node, 64UL) != 0) GTEST_SKIP() << "no memory policies";
  ::syscall(SYS_set_mempolicy, MPOL_DEFAULT, nullptr, 0UL);
  EXPECT_THAT(changes([&] { ::syscall(SYS_set_mempolicy, MPOL_BIND, &first_node, 64UL); },
                      [] { ::syscall(SYS_set_mempolicy, MPOL_DEFAULT, nullptr, 0UL); }),
              ElementsAre("the case thread takes memory from other NUMA nodes"));
}

// The system calls change the calling thread alone; the library's functions would change every thread.
TEST(ProcessState, SeesAnotherUserOrGroup) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may become another user";
  constexpr long kSame = -1, kOther = 65534;
  for (const long call : {SYS_setresuid, SYS_setresgid}) {
    if (::syscall(call, kSame, kOther, kSame) != 0) GTEST_SKIP() << "this root may not become another user";
    ::syscall(call, kSame, 0L, kSame);
    EXPECT_THAT(
        changes([&] { ::syscall(call, kSame, kOther, kSame); }, [&] { ::syscall(call, kSame, 0L, kSame); }),
        Contains("the user or group is another"));
  }
}

TEST(ProcessState, SeesThatMemoryIsLocked) {
  // Sanitizers make mlockall() do nothing, and leave the system call alone.
  if (::syscall(SYS_mlockall, MCL_FUTURE) != 0) GTEST_SKIP() << "memory may not be locked";
  ::syscall(SYS_munlockall);
  EXPECT_THAT(changes([] { ::syscall(SYS_mlockall, MCL_FUTURE); }, [] { ::syscall(SYS_munlockall); }),
              ElementsAre("memory is locked as soon as it is mapped"));
}

TEST(ProcessState, SeesWhatTheLanguagesLibraryWouldCall) {
  const auto terminate = std::get_terminate();
  EXPECT_THAT(changes([] { std::set_terminate([] { ::_exit(0); }); }, [&] { std::set_terminate(terminate); }),
              ElementsAre("what is called for an exception that nobody catches is another"));
  EXPECT_THAT(changes([] { std::set_new_handler([] {}); }, [] { std::set_new_handler(nullptr); }),
              ElementsAre("what 'new' calls without memory is another"));
}

// What cannot be taken back is changed in a thread of its own.
TEST(ProcessState, SeesFiltersAndPriorities) {
  std::vector<std::string> found;
  std::thread([&] {
    const ProcessState before = ProcessState::read();
    constexpr int kProcess = 1, kIdle = 3 << 13;  // as linux/ioprio.h has them
    EXPECT_EQ(::syscall(SYS_ioprio_set, kProcess, 0, kIdle), 0);
    sock_filter allow = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    const sock_fprog all = {1, &allow};
    EXPECT_EQ(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    EXPECT_EQ(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all, 0, 0), 0);
    found = ProcessState::read().changes_since(before);
  }).join();
  EXPECT_THAT(found, ::testing::IsSupersetOf({"the case thread's priority for input and output is another",
                                              "the case thread's system calls are filtered"}));
}

// What a thread may lower and not raise again is changed in one of its own.
TEST(ProcessState, SeesHowTheThreadIsScheduled) {
  std::vector<std::string> found;
  std::thread([&] {
    const ProcessState before = ProcessState::read();
    ::setpriority(PRIO_PROCESS, 0, 19);
    const sched_param parameter{};
    ::sched_setscheduler(0, SCHED_IDLE, &parameter);
    found = ProcessState::read().changes_since(before);
  }).join();
  EXPECT_THAT(found, ElementsAre(HasSubstr("the case thread's niceness is 19, not "),
                                 "the case thread's scheduling policy is another"));
}

TEST(FloatingPoint, IsPutBackAndDescribed) {
  const FloatingPoint before = FloatingPoint::read();
  fesetround(FE_DOWNWARD);
  EXPECT_THAT(FloatingPoint::read().changes_since(before), Contains("the rounding mode is another"));
  before.restore();
  EXPECT_EQ(fegetround(), FE_TONEAREST);
  EXPECT_EQ(FloatingPoint::read(), before);
}

// Sticky flags are of no interest: every division raises one.
TEST(FloatingPoint, IgnoresWhatCalculationsRaise) {
  const FloatingPoint before = FloatingPoint::read();
  feraiseexcept(FE_ALL_EXCEPT);
  EXPECT_EQ(FloatingPoint::read(), before);
  feclearexcept(FE_ALL_EXCEPT);
}

TEST(Spinning, IsWhatNeverRests) {
  EXPECT_EQ(spinning_threads(), 0U);
  std::atomic<bool> on = true;
  std::thread spinning([&] {
    while (on) {
    }
  });
  EXPECT_EQ(spinning_threads(std::chrono::milliseconds(50)), 1U);
  on = false;
  spinning.join();
  EXPECT_EQ(spinning_threads(), 0U);
}

TEST(Spinning, NapsAreNoRest) {
  std::atomic<bool> on = true;
  std::thread napping([&] {
    while (on) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
      while (std::chrono::steady_clock::now() < end) {
      }
      const timespec nap = {0, 1000};
      ::nanosleep(&nap, nullptr);
    }
  });
  EXPECT_EQ(spinning_threads(std::chrono::milliseconds(200)), 1U);
  on = false;
  napping.join();
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
  EXPECT_THAT(guard.look("a", {"cpu"}).grown, IsEmpty());
  const Crowd few(10);
  EXPECT_THAT(guard.look("a", {"cpu"}).grown, IsEmpty());
  {
    const Crowd many(60);
    EXPECT_THAT(guard.look("a", {"cpu"}).grown, ElementsAre("70 threads more than at first"));
  }
  EXPECT_THAT(guard.look("a", {"cpu"}).grown, IsEmpty());
}

TEST(ProcessGuard, CountsDescriptors) {
  ProcessGuard guard;
  EXPECT_THAT(guard.look("a", {"cpu"}).grown, IsEmpty());
  std::vector<int> copies;
  for (int i = 0; i < 65; ++i) copies.push_back(dup(STDERR_FILENO));
  EXPECT_THAT(guard.look("a", {"cpu"}).grown, ElementsAre("65 descriptors more than at first"));
  for (const int copy : copies) close(copy);
}

// Communicators over a pair of devices are made by the first case on this pair, and kept.
TEST(ProcessGuard, LetsEveryFirstVisitOfADeviceOpenIt) {
  ProcessGuard guard;
  EXPECT_THAT(guard.look("a", {"cuda:0", "cuda:1"}).grown, IsEmpty());
  std::vector<int> copies;
  for (int i = 0; i < 65; ++i) copies.push_back(dup(STDERR_FILENO));
  EXPECT_THAT(guard.look("a", {"cuda:0", "cuda:2"}).grown, IsEmpty());
  EXPECT_THAT(guard.look("a", {"cuda:0", "cuda:1"}).grown, IsEmpty());
  for (int i = 0; i < 65; ++i) copies.push_back(dup(STDERR_FILENO));
  EXPECT_THAT(guard.look("a", {"cuda:0", "cuda:2"}).grown, ElementsAre("65 descriptors more than at first"));
  for (const int copy : copies) close(copy);
}

}  // namespace
}  // namespace assay::worker
