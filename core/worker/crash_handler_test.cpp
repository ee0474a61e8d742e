// SPDX-License-Identifier: Apache-2.0
#include "worker/crash_handler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>

namespace assay::worker {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

volatile int depth = 0;
int overflow(volatile char* above) {
  volatile char room[1024];
  room[0] = above[0];
  depth = depth + 1;
  return depth < 0 ? 0 : overflow(room) + room[0];
}

struct ChildEnd {
  int status = 0;
  std::string words, errors;
};

// What a child says that dies in this way.
ChildEnd dies(const std::function<void()>& how, std::size_t bytes = 4096) {
  char* shared = bytes == 0 ? nullptr
                            : static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                                      MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  int errors[2];
  EXPECT_EQ(pipe(errors), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(errors[1], STDERR_FILENO);
    close(errors[0]);
    close(errors[1]);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    // As in a worker, which no test framework and no sanitizer has prepared.
    for (const int number : {SIGSEGV, SIGABRT, SIGTERM, SIGBUS}) signal(number, SIG_DFL);
    install_crash_handler({shared, bytes});
    how();
    _exit(0);
  }
  close(errors[1]);
  ChildEnd death;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(errors[0], buffer, sizeof buffer)) > 0;)
    death.errors.append(buffer, static_cast<std::size_t>(got));
  close(errors[0]);
  waitpid(child, &death.status, 0);
  if (shared != nullptr) {
    death.words = shared;
    munmap(shared, bytes);
  }
  return death;
}

TEST(CrashHandler, NameSignalAddressAndFramesAndLetTheSignalEndTheProcess) {
  // Not a null pointer, which a sanitizer would notice first.
  const ChildEnd death = dies([] {
    *static_cast<volatile char*>(mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) = 1;
  });
  EXPECT_EQ(WTERMSIG(death.status), SIGSEGV);
  EXPECT_THAT(death.words, ContainsRegex("^backtrace of signal 11 .SIGSEGV. at address 0x[0-9a-f]*000:\n"
                                         "  assay_worker_test.0x"));
  EXPECT_THAT(death.errors, IsEmpty());
}

TEST(CrashHandler, TellAnAbortAndASignalFromOutside) {
  const ChildEnd aborted = dies([] { std::abort(); });
  EXPECT_EQ(WTERMSIG(aborted.status), SIGABRT);
  EXPECT_THAT(aborted.words, AllOf(StartsWith("backtrace of signal 6 (SIGABRT):\n"), HasSubstr(" abort\n"),
                                   ContainsRegex("assay_worker_test.0x")));
  const ChildEnd terminated = dies([] { kill(getpid(), SIGTERM); });
  EXPECT_EQ(WTERMSIG(terminated.status), SIGTERM);
  EXPECT_THAT(terminated.words, StartsWith("backtrace of signal 15 (SIGTERM):\n"));
}

TEST(CrashHandler, SurviveAnOverflowOfTheStackAndCountRecursionOnce) {
  const ChildEnd death = dies([] {
    volatile char first = '0';
    depth = overflow(&first);
  });
  EXPECT_EQ(WTERMSIG(death.status), SIGSEGV);
  EXPECT_THAT(death.words, AllOf(HasSubstr(" times)"), HasSubstr("and more")));
}

TEST(CrashHandler, KnowThePlaceAfterAJumpToNowhere) {
  static void (*volatile nowhere)() = nullptr;
  const ChildEnd death = dies([] { nowhere(); });
  EXPECT_EQ(WTERMSIG(death.status), SIGSEGV);
  EXPECT_THAT(death.words, HasSubstr("0x0"));
}

TEST(CrashHandler, FitIntoTheirRoom) {
  const ChildEnd death = dies([] { std::abort(); }, 64);
  EXPECT_EQ(WTERMSIG(death.status), SIGABRT);
  EXPECT_EQ(death.words.size(), 63u);
}

TEST(CrashHandler, GoToStandardErrorInOneLineIfThereIsNoRoom) {
  const ChildEnd death = dies([] { std::abort(); }, 0);
  EXPECT_EQ(WTERMSIG(death.status), SIGABRT);
  EXPECT_THAT(death.errors, StartsWith("\nbacktrace of signal 6 (SIGABRT): "));
  EXPECT_EQ(std::count(death.errors.begin(), death.errors.end(), '\n'), 2);
}

TEST(CrashHandler, OfAChildThatThePluginForkedAreNotThoseOfTheWorker) {
  const ChildEnd death = dies([] {
    const pid_t child = fork();
    if (child == 0) std::abort();
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status)) _exit(1);
  });
  EXPECT_EQ(death.status, 0);
  EXPECT_THAT(death.words, IsEmpty());
}

TEST(CrashHandler, LeaveAHandlerThatIsThereAlone) {
  // The handler that counts is set before; install_crash_handler is called again over it.
  const ChildEnd death = dies([] {
    signal(SIGTERM, [](int) { _exit(7); });
    install_crash_handler({});
    raise(SIGTERM);
  });
  EXPECT_EQ(WEXITSTATUS(death.status), 7);
}

}  // namespace
}  // namespace assay::worker
