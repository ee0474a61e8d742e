// SPDX-License-Identifier: Apache-2.0
#include "wire/segment.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace assay::wire {
namespace {

// Real processes, as in a rank set. Each leaves with what `body` gives.
std::vector<pid_t> fork_ranks(int count, const std::function<int(int)>& body) {
  std::vector<pid_t> children;
  for (int rank = 0; rank < count; ++rank) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(body(rank));
    children.push_back(child);
  }
  return children;
}

int status_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

constexpr int code(Segment::Wait wait) { return 10 + static_cast<int>(wait); }

TEST(Segment, BarrierKeepsFourRanksInStep) {
  const Segment segment = Segment::create(4);
  auto* counter = static_cast<std::atomic<int>*>(
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const auto children = fork_ranks(4, [&](int rank) {
    Segment mine = Segment::attach(::dup(segment.descriptor()));
    for (int i = 0; i < 200; ++i) {
      counter->fetch_add(1);
      if (mine.barrier(rank) != Segment::Wait::done) return 1;
      // All four have added; none has begun the next turn.
      if (counter->load() != 4 * (i + 1)) return 2;
      if (mine.barrier(rank) != Segment::Wait::done) return 3;
    }
    return 0;
  });
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
  ::munmap(counter, 4096);
}

TEST(Segment, ExchangesMoreThanTheBufferHolds) {
  const Segment segment = Segment::create(3);
  constexpr std::size_t kCount = 500'001;  // 4 MB, no multiple of a piece
  const auto children = fork_ranks(3, [&](int rank) {
    Segment mine = Segment::attach(::dup(segment.descriptor()));
    std::vector<std::uint64_t> data(kCount, static_cast<std::uint64_t>(rank));
    if (rank == 1) std::iota(data.begin(), data.end(), 5U);
    if (mine.broadcast(rank, data.data(), data.size() * sizeof data[0], 1) != Segment::Wait::done) return 1;
    for (std::size_t i = 0; i < kCount; ++i) {
      if (data[i] != i + 5) return 2;
    }
    for (auto& value : data) value = value * 3 + static_cast<std::uint64_t>(rank);
    std::vector<std::uint64_t> all(3 * kCount);
    if (mine.allgather(rank, data.data(), all.data(), kCount * sizeof data[0]) != Segment::Wait::done)
      return 3;
    for (std::size_t other = 0; other < 3; ++other) {
      for (std::size_t i = 0; i < kCount; ++i) {
        if (all[other * kCount + i] != (i + 5) * 3 + other) return 4;
      }
    }
    return 0;
  });
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
}

TEST(Segment, ARankKilledInTheBarrierEndsTheWaitOfTheOthers) {
  Segment segment = Segment::create(4);
  const auto children = fork_ranks(4, [&](int rank) {
    Segment mine = Segment::attach(::dup(segment.descriptor()));
    if (mine.barrier(rank) != Segment::Wait::done) return 1;
    if (rank == 3) ::raise(SIGKILL);
    return code(mine.barrier(rank));
  });
  EXPECT_TRUE(WIFSIGNALED(status_of(children[3])));
  segment.declare_dead(3);
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(WEXITSTATUS(status_of(children[static_cast<std::size_t>(rank)])), code(Segment::Wait::dead));
  }
  EXPECT_EQ(segment.dead_rank(), 3);
  segment.declare_dead(1);
  EXPECT_EQ(segment.dead_rank(), 3) << "the first cause is kept";
}

TEST(Segment, ACancelEndsEveryWaitAndTheNextVisitStartsAfresh) {
  Segment segment = Segment::create(3);
  auto waiting = fork_ranks(2, [&](int rank) {
    Segment mine = Segment::attach(::dup(segment.descriptor()));
    return code(mine.barrier(rank));
  });
  segment.declare_cancelled();
  for (const pid_t child : waiting) EXPECT_EQ(WEXITSTATUS(status_of(child)), code(Segment::Wait::cancelled));
  EXPECT_TRUE(segment.cancelled());
  segment.clear_cancelled();
  EXPECT_FALSE(segment.cancelled());
  const auto children = fork_ranks(3, [&](int rank) {
    Segment mine = Segment::attach(::dup(segment.descriptor()));
    for (int i = 0; i < 20; ++i) {
      if (mine.barrier(rank) != Segment::Wait::done) return 1;
    }
    return 0;
  });
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
}

TEST(Segment, RanksThatMeetInDifferentCallsAreCancelled) {
  Segment segment = Segment::create(3);
  const auto children = fork_ranks(3, [&](int rank) {
    Segment mine = Segment::attach(::dup(segment.descriptor()));
    std::int64_t value = 7, all[3] = {};
    if (rank == 2) return code(mine.allgather(rank, &value, all, 4));
    return code(mine.allgather(rank, &value, all, 8));
  });
  for (const pid_t child : children) EXPECT_EQ(WEXITSTATUS(status_of(child)), code(Segment::Wait::cancelled));
  EXPECT_EQ(segment.disagreement(),
            "rank 2 takes part in an allgather of 4 bytes, rank 0 in an allgather of 8 bytes");
  EXPECT_TRUE(segment.intact());
  segment.clear_cancelled();
  EXPECT_EQ(segment.disagreement(), "");
}

TEST(Segment, SaysWhoWaits) {
  Segment segment = Segment::create(2);
  const auto children = fork_ranks(1, [&](int) {
    Segment mine = Segment::attach(::dup(segment.descriptor()));
    return code(mine.barrier(1));
  });
  segment.declare_cancelled();
  EXPECT_EQ(WEXITSTATUS(status_of(children[0])), code(Segment::Wait::cancelled));
  EXPECT_FALSE(segment.waits(0));
  segment.clear_cancelled();
  EXPECT_FALSE(segment.waits(1));
}

TEST(Segment, OneRankNeverWaits) {
  Segment segment = Segment::create(1);
  int value = 3;
  int all = 0;
  EXPECT_EQ(segment.barrier(0), Segment::Wait::done);
  EXPECT_EQ(segment.broadcast(0, &value, sizeof value, 0), Segment::Wait::done);
  EXPECT_EQ(segment.allgather(0, &value, &all, sizeof value), Segment::Wait::done);
  EXPECT_EQ(all, 3);
}

TEST(Segment, ProgressIsSeenByAnotherProcess) {
  const Segment segment = Segment::create(2);
  const auto children = fork_ranks(2, [&](int rank) {
    Segment mine = Segment::attach(::dup(segment.descriptor()));
    mine.set_progress(rank, 8, 100U + static_cast<unsigned>(rank));
    ::raise(SIGKILL);
    return 0;
  });
  for (const pid_t child : children) EXPECT_TRUE(WIFSIGNALED(status_of(child)));
  EXPECT_EQ(kPhaseNames[static_cast<std::size_t>(segment.progress(1).first)], "sample");
  EXPECT_EQ(segment.progress(1).second, 101U);
}

TEST(Segment, HoldsTheCrashReportOfEachRank) {
  Segment segment = Segment::create(3);
  for (int rank = 0; rank < 3; ++rank) {
    std::span<char> room = segment.crash_report(rank);
    ASSERT_EQ(room.size(), Segment::kCrashReport);
    EXPECT_EQ(room.front(), '\0');
    std::fill(room.begin(), room.end(), static_cast<char>('a' + rank));
  }
  EXPECT_TRUE(segment.intact());
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(segment.crash_report(rank).back(), 'a' + rank);
}

TEST(Segment, NoticesThatItWasOverwritten) {
  Segment segment = Segment::create(2);
  EXPECT_TRUE(segment.intact());
  segment.set_progress(1, 3, 7);
  segment.declare_cancelled();
  segment.declare_dead(1);
  EXPECT_TRUE(segment.intact());
  segment.set_progress(1, 99, 7);
  EXPECT_FALSE(segment.intact());

  Segment other = Segment::create(2);
  struct stat status {};
  ASSERT_EQ(fstat(other.descriptor(), &status), 0);
  const std::string rubbish(static_cast<std::size_t>(status.st_size), 'Z');
  ASSERT_EQ(pwrite(other.descriptor(), rubbish.data(), rubbish.size(), 0), status.st_size);
  EXPECT_FALSE(other.intact());
  EXPECT_EQ(other.rank_count(), 2);
}

TEST(Segment, AttachRefusesAnythingElse) {
  const int file = ::memfd_create("x", 0);
  ASSERT_EQ(::ftruncate(file, 8 << 20), 0);
  for (const int descriptor : {-1, ::dup(STDERR_FILENO), file}) {
    try {
      (void)Segment::attach(descriptor);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "segment.malformed");
    }
  }
}

TEST(Segment, HasRoomForItsLimitOfRanks) {
  EXPECT_EQ(Segment::create(1024).rank_count(), 1024);
  EXPECT_THROW((void)Segment::create(1025), Error);
  EXPECT_THROW((void)Segment::create(0), std::invalid_argument);
}

TEST(Segment, MovesWithoutLosingTheMemory) {
  Segment first = Segment::create(2);
  first.set_progress(1, 3, 9);
  Segment second = std::move(first);
  first = std::move(second);
  EXPECT_EQ(first.progress(1), std::make_pair(3, std::uint64_t{9}));
}

TEST(Segment, CarriesMessagesOfAnySizeBetweenTwoRanks) {
  const Segment segment = Segment::create(2);
  const auto children = fork_ranks(2, [&](int rank) {
    Segment mine = Segment::attach(::dup(segment.descriptor()));
    for (const std::size_t bytes :
         {std::size_t{0}, std::size_t{1}, std::size_t{16} << 10, (std::size_t{1} << 20) + 7}) {
      std::vector<unsigned char> sent(bytes), got(bytes);
      std::iota(sent.begin(), sent.end(), static_cast<unsigned char>(bytes));
      const TransferStatus there =
          rank == 0 ? mine.send(0, 1, sent.data(), bytes, 0) : mine.receive(1, 0, got.data(), bytes, 0);
      const TransferStatus back =
          rank == 0 ? mine.receive(0, 1, got.data(), bytes, 0) : mine.send(1, 0, got.data(), bytes, 0);
      if (there != TransferStatus::done || back != TransferStatus::done) return 1;
      if (rank == 0 && got != sent) return 2;
    }
    return 0;
  });
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
}

TEST(Segment, AMessageThatNobodyTakesIsTakenBackAtItsDeadline) {
  Segment segment = Segment::create(3);
  const char first = 'a', second = 'b';
  EXPECT_EQ(segment.send(0, 1, &first, 1, 1), TransferStatus::timed_out);
  char got = 0;
  EXPECT_EQ(segment.receive(1, 0, &got, 1, 1), TransferStatus::timed_out) << "nothing is left of it";
  EXPECT_FALSE(segment.waits(0));
  const auto children = fork_ranks(3, [&](int rank) {
    Segment mine = Segment::attach(::dup(segment.descriptor()));
    char arrived = 0;
    if (rank == 0) return mine.send(0, 2, &second, 1, 0) == TransferStatus::done ? 0 : 1;
    if (rank == 2)
      return mine.receive(2, 0, &arrived, 1, 0) == TransferStatus::done && arrived == second ? 0 : 2;
    return 0;
  });
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
}

TEST(Segment, AMessageOfAnotherSizeIsRefusedOnBothSides) {
  const Segment segment = Segment::create(2);
  const auto children = fork_ranks(2, [&](int rank) {
    Segment mine = Segment::attach(::dup(segment.descriptor()));
    char data[8] = {};
    const TransferStatus passed = rank == 0 ? mine.send(0, 1, data, 8, 0) : mine.receive(1, 0, data, 4, 0);
    if (passed != TransferStatus::refused) return 1;
    // And the next one is whole.
    return (rank == 0 ? mine.send(0, 1, data, 8, 0) : mine.receive(1, 0, data, 8, 0)) == TransferStatus::done
               ? 0
               : 2;
  });
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
}

TEST(Segment, AMessageEndsWithADeathOrACancel) {
  Segment segment = Segment::create(2);
  const auto children = fork_ranks(1, [&](int) {
    Segment mine = Segment::attach(::dup(segment.descriptor()));
    char data = 0;
    return mine.receive(1, 0, &data, 1, 0) == TransferStatus::dead ? 0 : 1;
  });
  while (!segment.waits(1)) ::sched_yield();
  segment.declare_dead(0);
  EXPECT_EQ(status_of(children.front()), 0);
  EXPECT_TRUE(segment.waits(1)) << "it waited when the visit was given up";
  char data = 0;
  EXPECT_EQ(segment.send(0, 1, &data, 1, 0), TransferStatus::dead);
  Segment other = Segment::create(2);
  other.declare_cancelled();
  EXPECT_EQ(other.send(0, 1, &data, 1, 0), TransferStatus::cancelled);
}

}  // namespace
}  // namespace assay::wire
