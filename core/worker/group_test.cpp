// SPDX-License-Identifier: Apache-2.0
//
// What plugins get as assay.group/1, between real processes.
#include "worker/group.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

namespace assay::worker {
namespace {

constexpr int kRanks = 4;

wire::StartVisit four_ranks() {
  wire::StartVisit start;
  for (int rank = 0; rank < kRanks; ++rank)
    start.ranks.push_back(
        {rank, 0, {{"cuda:" + std::to_string(rank), "GPU-" + std::to_string(rank), 0, rank / 2}}});
  return start;
}

// Runs the body in a process for each rank; gives what each returns, 0 for all is well.
std::vector<int> in_each_rank(const std::function<int(const assay_group_v1&)>& body) {
  wire::Segment segment = wire::Segment::create(kRanks);
  std::vector<pid_t> children;
  for (int rank = 0; rank < kRanks; ++rank) {
    const pid_t child = ::fork();
    if (child == 0) {
      wire::Segment mine = wire::Segment::attach(::dup(segment.descriptor()));
      const wire::StartVisit start = four_ranks();
      const RankPosition place{rank, kRanks, rank, 0, 1, &mine};
      const RankGroup group(start, place);
      ::_exit(body(*group.abi()));
    }
    children.push_back(child);
  }
  std::vector<int> statuses;
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    statuses.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  }
  return statuses;
}

const std::vector<int> kAllWell(kRanks, 0);

TEST(Group, TellsWhereEveryRankIsAndWhatItHas) {
  EXPECT_EQ(in_each_rank([](const assay_group_v1& group) {
              if (group.rank_count != kRanks) return 1;
              for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
                const assay_rank& of = *group.ranks[rank];
                if (of.rank != rank || of.visit_rank != rank || of.local_rank != rank || of.device_count != 1)
                  return 2;
                if (of.devices[0]->name != "cuda:" + std::to_string(rank)) return 3;
                if (of.devices[0]->numa_node != static_cast<int>(rank / 2)) return 4;
              }
              return 0;
            }),
            kAllWell);
}

TEST(Group, CarriesMessagesRoundARing) {
  EXPECT_EQ(in_each_rank([](const assay_group_v1& group) {
              const std::uint32_t next = (group.rank + 1) % kRanks,
                                  before = (group.rank + kRanks - 1) % kRanks;
              int token = 0;
              if (group.rank != 0 && group.receive(&group, before, &token, sizeof token, 0) != ASSAY_OK)
                return 1;
              ++token;
              if (group.send(&group, next, &token, sizeof token, 0) != ASSAY_OK) return 2;
              if (group.rank == 0 && group.receive(&group, before, &token, sizeof token, 0) != ASSAY_OK)
                return 3;
              return token == (group.rank == 0 ? kRanks : static_cast<int>(group.rank) + 1) ? 0 : 4;
            }),
            kAllWell);
}

TEST(Group, PartsWorkByThemselvesAndInTheOrderOfKeys) {
  EXPECT_EQ(in_each_rank([](const assay_group_v1& group) {
              const assay_group_v1* part = nullptr;
              // Odd and even ranks, each backwards.
              if (group.split(&group, group.rank % 2, kRanks - group.rank, &part) != ASSAY_OK) return 1;
              if (part->rank_count != 2 || part->rank != (group.rank < 2 ? 1U : 0U)) return 2;
              if (part->ranks[part->rank]->visit_rank != group.rank) return 3;
              std::uint32_t all[2] = {};
              if (part->allgather(part, &group.rank, all, sizeof all[0]) != ASSAY_OK) return 4;
              if (all[0] != group.rank % 2 + 2 || all[1] != group.rank % 2) return 5;
              int value = static_cast<int>(group.rank);
              if (part->broadcast(part, &value, sizeof value, 1) != ASSAY_OK) return 6;
              if (value != static_cast<int>(group.rank % 2)) return 7;
              if (part->barrier(part) != ASSAY_OK) return 8;
              const assay_group_v1* alone = nullptr;
              if (part->split(part, part->rank, 0, &alone) != ASSAY_OK || alone->rank_count != 1) return 9;
              return alone->barrier(alone) == ASSAY_OK && group.barrier(&group) == ASSAY_OK ? 0 : 10;
            }),
            kAllWell);
}

TEST(Group, RefusesRanksThatAreNotThere) {
  EXPECT_EQ(in_each_rank([](const assay_group_v1& group) {
              int value = 0;
              if (group.send(&group, kRanks, &value, sizeof value, 0) != ASSAY_E_INVALID) return 1;
              if (group.send(&group, group.rank, &value, sizeof value, 0) != ASSAY_E_INVALID) return 2;
              if (group.receive(&group, kRanks, &value, sizeof value, 0) != ASSAY_E_INVALID) return 3;
              if (group.broadcast(&group, nullptr, 4, 0) != ASSAY_E_INVALID) return 4;
              return group.receive(&group, (group.rank + 1) % kRanks, &value, sizeof value, 1) ==
                             ASSAY_E_TIMEOUT
                         ? 0
                         : 5;
            }),
            kAllWell);
}

TEST(Group, IsNotMadeOfAnotherNumberOfRanks) {
  wire::Segment segment = wire::Segment::create(3);
  const wire::StartVisit start = four_ranks();
  const RankPosition place{0, 3, 0, 0, 1, &segment};
  EXPECT_THROW(RankGroup(start, place), Error);
}

}  // namespace
}  // namespace assay::worker
