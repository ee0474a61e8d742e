// SPDX-License-Identifier: Apache-2.0
#include "process/process.hpp"

#include "base/error.hpp"
#include "process/tail_buffer.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <random>

namespace assay::process {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(TailBuffer, KeepsAllUpToItsLimit) {
  TailBuffer buffer(8);
  EXPECT_TRUE(buffer.empty());
  buffer.append("1234");
  buffer.append("5678");
  EXPECT_EQ(buffer.text(), "12345678");
  buffer.clear();
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.text(), "");
}

TEST(TailBuffer, CutsAtALineAndSaysHowMuchItLeftOut) {
  TailBuffer buffer(12);
  buffer.append("first\nsecond\nthird\n");
  EXPECT_EQ(buffer.text(), "[… 13 bytes left out]\nthird\n");
}

TEST(TailBuffer, KeepsTheSameEndHoweverItIsFed) {
  std::mt19937 random(3);
  for (int attempt = 0; attempt < 200; ++attempt) {
    std::string whole;
    TailBuffer buffer(50);
    const auto pieces = random() % 40;
    for (unsigned i = 0; i < pieces; ++i) {
      std::string piece;
      for (auto n = random() % 120; n > 0; --n)
        piece += random() % 20 == 0 ? '\n' : static_cast<char>('a' + random() % 26);
      buffer.append(piece);
      whole += piece;
    }
    std::string kept = buffer.text();
    if (kept.find(" bytes left out]\n") != std::string::npos) kept.erase(0, kept.find('\n') + 1);
    EXPECT_THAT(whole, EndsWith(kept));
    EXPECT_EQ(kept.empty(), whole.empty());
    EXPECT_LE(kept.size(), 50u);
  }
}

TEST(SignalText, NamesTheSignal) {
  EXPECT_EQ(signal_text(9), "signal 9 (SIGKILL)");
  EXPECT_EQ(signal_text(200), "signal 200");
}

void wait_for(Process& process) {
  pollfd death{process.death_descriptor(), POLLIN, 0};
  ASSERT_EQ(poll(&death, 1, 60'000), 1);
  ASSERT_TRUE(process.reap());
}

std::string output_of(const Process& process) {
  std::string text(100, '\0');
  text.resize(static_cast<std::size_t>(read(process.output_descriptor(), text.data(), text.size())));
  return text;
}

TEST(Process, ReadsTheInputThatItIsGivenOrNothing) {
  Launch launch;
  launch.arguments = {"/bin/sh", "-c", "cat; echo end"};
  launch.environment = {"PATH=/bin:/usr/bin"};
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const Descriptor read_end(ends[0]);
  Descriptor write_end(ends[1]);
  ASSERT_EQ(write(write_end.get(), "given ", 6), 6);
  write_end.reset();
  Process without(launch);
  launch.input = read_end.get();
  Process with(launch);
  wait_for(without);
  wait_for(with);
  EXPECT_EQ(output_of(without), "end\n");
  EXPECT_EQ(output_of(with), "given end\n");
}

TEST(Process, PutsOutputAndErrorsIntoOnePipeInTheirOrder) {
  Launch launch;
  launch.arguments = {"/bin/sh", "-c", "echo one; echo two >&2; echo three; exit 3"};
  Process process(launch);
  wait_for(process);
  EXPECT_EQ(WEXITSTATUS(process.status()), 3);
  EXPECT_EQ(output_of(process), "one\ntwo\nthree\n");
}

TEST(Process, TakesItsWholeGroupAlong) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const Descriptor read_end(ends[0]);
  {
    Descriptor write_end(ends[1]);
    Launch launch;
    launch.arguments = {"/bin/sh", "-c", "sleep 1000 & echo started >&3; exec sleep 1000"};
    launch.environment = {"PATH=/bin:/usr/bin"};
    launch.descriptors = {write_end.get()};
    const Process process(launch);
    write_end.reset();
    char started[8];
    ASSERT_EQ(read(read_end.get(), started, sizeof started), 8);
  }
  // Whoever of them lived on would hold the other end open.
  pollfd end{read_end.get(), POLLIN, 0};
  EXPECT_EQ(poll(&end, 1, 60'000), 1);
  char byte = 0;
  EXPECT_EQ(read(read_end.get(), &byte, 1), 0);
}

TEST(Process, SaysWhatCannotBeExecuted) {
  Launch launch;
  launch.arguments = {"/nowhere/program"};
  try {
    const Process process(launch);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "worker.start");
    EXPECT_THAT(error.what(), HasSubstr("'/nowhere/program' cannot be executed: No such file"));
  }
}

}  // namespace
}  // namespace assay::process
