// SPDX-License-Identifier: Apache-2.0
#include "wire/child.hpp"

#include "base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <array>

namespace assay::wire {
namespace {

using testing::EndsWith;
using testing::StartsWith;

constexpr double kLong_s = 60;

process::Launch shell(const std::string& script) {
  process::Launch launch;
  launch.arguments = {"/bin/sh", "-c", script};
  launch.environment = {"PATH=/bin:/usr/bin"};
  return launch;
}

TEST(Child, SaysHowItEnded) {
  Child well(shell("exit 0"), {}), badly(shell("exit 3"), {}), killed(shell("kill -9 $$"), {});
  for (Child* child : {&well, &badly, &killed}) child->await_end(kLong_s);
  EXPECT_TRUE(well.ended_well());
  EXPECT_FALSE(badly.ended_well());
  EXPECT_EQ(badly.end_text(), "ended with exit status 3");
  EXPECT_EQ(badly.exit_status(), 3);
  EXPECT_FALSE(killed.ended_well());
  EXPECT_EQ(killed.ending(), "signal 9 (SIGKILL)");
  EXPECT_EQ(killed.end_text(), "died of signal 9 (SIGKILL), which the system sends when memory runs out");
}

TEST(Child, HungUpIsNotEnded) {
  Child child(shell("exec 3>&-; exec sleep 1000"), {});
  while (!child.hung_up()) child.wait(kLong_s);
  EXPECT_FALSE(child.ended());
  EXPECT_FALSE(child.ended_well());
  EXPECT_EQ(child.end_text(), "closed its socket");
}

TEST(Child, ItsFirstFrameIsWhatItHasToLoad) {
  Load load;
  load.plugin_id = "org.example.faulty";
  Child child(shell("head -c 100 <&3"), load);
  child.await_end(kLong_s);
  EXPECT_THAT(child.output().text(), testing::HasSubstr("\"type\":\"load\""));
  EXPECT_THAT(child.output().text(), testing::HasSubstr("org.example.faulty"));
}

TEST(Child, InheritsTheLaunchsOwnDescriptorsAfterItsSocket) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const Descriptor read_end(ends[0]);
  Descriptor write_end(ends[1]);
  process::Launch launch = shell("echo passed >&4");
  launch.descriptors = {write_end.get()};
  Child child(std::move(launch), {});
  write_end.reset();
  char bytes[8];
  EXPECT_EQ(read(read_end.get(), bytes, sizeof bytes), 7);
}

TEST(Child, TellsTheLastLineOfManyWithoutBlockingIt) {
  Child child(shell("yes chatter | head -n 100000; echo last >&2; exit 1"), {});
  child.await_end(kLong_s);
  EXPECT_EQ(child.last_line(), "; its last line was 'last'");
  EXPECT_THAT(child.output().text(), StartsWith("[… "));
  EXPECT_THAT(child.output().text(), EndsWith("chatter\nlast\n"));
}

TEST(Child, HandsOverFramesThatCameBeforeItsEnd) {
  Child child(shell(R"(printf '\005\000\000\000{"a":\007\000\000\000{"a":1}\007\000\000\000{"a":2}' >&3)"),
              {});
  while (!child.ended()) child.wait(kLong_s);
  EXPECT_THROW((void)child.next_frame(), Error);
  Child good(shell(R"(printf '\007\000\000\000{"a":1}\007\000\000\000{"a":2}' >&3)"), {});
  while (!good.ended()) good.wait(kLong_s);
  EXPECT_EQ(good.next_frame()->at("a"), 1);
  EXPECT_EQ(good.next_frame()->at("a"), 2);
  EXPECT_FALSE(good.next_frame());
}

TEST(Child, AwaitsAnEndThroughAFloodOfFrames) {
  Child child(shell("head -c 100000000 /dev/zero >&3; exit 4"), {});  // a frame of no bytes each four
  child.await_end(kLong_s);
  EXPECT_EQ(child.exit_status(), 4);
}

TEST(Child, IsToldNothingOnceItIsGone) {
  Child child(shell("exit 0"), {});
  child.await_end(kLong_s);
  EXPECT_FALSE(child.send({{"type", "exit"}}));
}

TEST(Child, WaitsForTheFirstNewsOfMany) {
  Child silent(shell("exec sleep 1000"), {}), speaking(shell("echo here; exec sleep 1000"), {});
  while (speaking.output().empty()) wait_for(std::array{&silent, &speaking}, kLong_s);
  EXPECT_TRUE(silent.output().empty());
}

}  // namespace
}  // namespace assay::wire
