// SPDX-License-Identifier: Apache-2.0
//
// What collective@cuda decides without a GPU.
#include "collective/nccl_facts.hpp"
#include "collective/nccl_limits.hpp"
#include "collective/operation.hpp"
#include "collective/pieces.hpp"

#include <assay/nccl/file_settings.hpp>
#include <assay/nccl/watched.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::collective {
namespace {

constexpr Operation kOperations[] = {Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter,
                                     Operation::broadcast,  Operation::reduce,     Operation::all_to_all,
                                     Operation::gather,     Operation::scatter,    Operation::send_recv};

TEST(Pieces, HavePlaceForEveryRanksBuffersAndAreAlikeWhereTheyHaveToBe) {
  for (const Operation operation : kOperations) {
    for (const std::uint32_t ranks : {2U, 3U, 8U}) {
      for (const bool in_place : {false, true}) {
        if (in_place && !can_be_in_place(operation)) continue;
        SCOPED_TRACE("operation " + std::to_string(static_cast<int>(operation)) +
                     (in_place ? " in place" : ""));
        const Counts counts = counts_of(operation, 4096, 4, ranks);
        const std::uint32_t root = has_root(operation) ? ranks - 1 : 0;
        // Without a rank: whatever one asks, it is told the same.
        const Pieces alike = alike_pieces_of(operation, counts, ranks, root, in_place);
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
          const Layout mine = layout_of(operation, counts, rank, root, in_place, 0);
          for (const Pieces& pieces : {pieces_of(mine, in_place), alike}) {
            EXPECT_EQ(pieces.one, in_place);
            if (in_place) {
              EXPECT_GE(pieces.first, mine.receive + mine.receive_count);
              EXPECT_GE(pieces.first, mine.send + mine.send_count);
              EXPECT_EQ(pieces.second, 0U);
            } else {
              EXPECT_GE(pieces.first, mine.send_count);
              EXPECT_GE(pieces.second, mine.receive_count);
            }
          }
        }
        EXPECT_LE(alike.first + alike.second, 2 * counts.whole);
      }
    }
  }
}

TEST(Nvls, NamesTheVariableOrTheGpusThatDecide) {
  EXPECT_EQ(nvls_state("", "", 8, true), "on, where NCCL chooses it: the GPUs can multicast");
  EXPECT_EQ(nvls_state("2", "", 8, true), "on, where NCCL chooses it: the GPUs can multicast");
  EXPECT_EQ(nvls_state("", "", 8, false), "off: the GPUs cannot multicast");
  EXPECT_EQ(nvls_state("0", "", 8, true), "off: NCCL_NVLS_ENABLE=0");
  EXPECT_EQ(nvls_state("0x0", "", 8, true), "off: NCCL_NVLS_ENABLE=0x0");
  EXPECT_EQ(nvls_state("1", "", 8, false), "on, where NCCL can: NCCL_NVLS_ENABLE=1");
  EXPECT_EQ(nvls_state("1", "", 1, true), "off: one GPU");
  EXPECT_EQ(nvls_state("no", "", 8, true), "on, where NCCL chooses it: the GPUs can multicast")
      << "what is not a number is NCCL's default";
}

TEST(Nvls, IsOffWhereTheAlgorithmsLeaveItOut) {
  EXPECT_EQ(nvls_state("", "Ring,Tree", 8, true), "off: NCCL_ALGO=Ring,Tree");
  EXPECT_EQ(nvls_state("1", "^nvls", 8, true), "off: NCCL_ALGO=^nvls");
  for (const char* allowed : {"NVLS", "ring,nvls", "^Tree", "allreduce:nvls;broadcast:ring"})
    EXPECT_EQ(nvls_state("", allowed, 8, true).rfind("on", 0), 0U) << allowed;
}

TEST(Settings, OfTheEnvironmentCountBeforeThoseOfFilesAndThoseInTheirOrder) {
  const std::string first = testing::TempDir() + "assay_nccl_first.conf",
                    second = testing::TempDir() + "assay_nccl_second.conf";
  std::ofstream(first) << "# NCCL_ALGO=Tree\nNCCL_NVLS_ENABLE_NOT=1\n";
  std::ofstream(second) << "NCCL_NVLS_ENABLE=0\nNCCL_ALGO=Ring\n";
  const std::vector<std::string> files = {first, second};
  EXPECT_EQ(nccl_setting("NCCL_NVLS_ENABLE", nullptr, files), "0");
  EXPECT_EQ(nccl_setting("NCCL_NVLS_ENABLE", "1", files), "1");
  EXPECT_EQ(nccl_setting("NCCL_ALGO", nullptr, files), "Ring");
  EXPECT_EQ(nccl_setting("NCCL_PROTO", nullptr, files), "");
}

TEST(FileSettings, AreInTheEnvironmentDuringVisitsAndNotBetweenThem) {
  nccl::FileSettings::Variables found;
  setenv("NCCL_DEBUG", "WARN", 1);
  {
    const nccl::FileSettings first(found);
    setenv("NCCL_PROTO", "Simple", 0);  // as NCCL does when it reads the file
  }
  EXPECT_EQ(getenv("NCCL_PROTO"), nullptr);
  EXPECT_STREQ(getenv("NCCL_DEBUG"), "WARN");
  {
    const nccl::FileSettings second(found);
    EXPECT_STREQ(getenv("NCCL_PROTO"), "Simple");
  }
  EXPECT_EQ(getenv("NCCL_PROTO"), nullptr);
  unsetenv("NCCL_DEBUG");
}

TEST(NcclLimits, ReducingFp8TakesItsUnitsAndOlderLibrariesTakeThemToMoveIt) {
  for (const DeviceType type : {DeviceType::fp8_e4m3, DeviceType::fp8_e5m2}) {
    for (const Operation operation : kOperations) {
      const bool own = operation == Operation::all_gather || operation == Operation::broadcast;
      EXPECT_EQ(needs_fp8_units(operation, type, 22703), reduces(operation) || own);
      EXPECT_EQ(needs_fp8_units(operation, type, 22803), reduces(operation));
    }
  }
  EXPECT_FALSE(needs_fp8_units(Operation::all_reduce, DeviceType::fp16, 22703));
}

TEST(NcclSettings, AreThoseOfTheFilesThatTheVersionReads) {
  using Paths = std::vector<std::string>;
  const std::string system = "/etc/nccl.conf";
  EXPECT_EQ(nccl_settings_paths(22809, "", "/home/a"), (Paths{"/home/a/.nccl.conf", system}));
  EXPECT_EQ(nccl_settings_paths(22809, "/b.conf", "/home/a"), (Paths{"/b.conf", system}));
  EXPECT_EQ(nccl_settings_paths(22304, "/b.conf", "/home/a"), (Paths{"/b.conf", system}));
  EXPECT_EQ(nccl_settings_paths(22203, "/b.conf", "/home/a"), (Paths{"/home/a/.nccl.conf", system}));
  EXPECT_EQ(nccl_settings_paths(22809, "", ""), (Paths{system}));
}

TEST(NcclSettings, AreToldInTheOrderInWhichTheyCount) {
  const std::string folder = testing::TempDir();
  const std::string first = folder + "/nccl_test_first.conf", second = folder + "/nccl_test_second.conf";
  std::ofstream(first) << "# a remark\nNCCL_ALGO=Ring\n\nNCCL_PROTO=LL\n";
  std::ofstream(second) << "NCCL_ALGO=Tree\n";
  EXPECT_EQ(settings_in({first, folder + "/nccl_test_none.conf", second}),
            "NCCL_ALGO=Ring; NCCL_PROTO=LL (" + first + "), NCCL_ALGO=Tree (" + second + ")");
  EXPECT_EQ(settings_in({folder + "/nccl_test_none.conf"}), "none");
}

TEST(Watched, ReturnsWhatTheCallReturns) {
  const auto seen = nccl::detail::watched([] { return std::string("seven"); }, [] { return false; });
  ASSERT_TRUE(seen);
  EXPECT_EQ(*seen, "seven");
}

TEST(Watched, LeavesACallThatDoesNotReturnAndWhatItUsesLivesOn) {
  struct Used {
    std::promise<void> begun, ended;
    std::shared_future<void> go_on;
  };
  std::promise<void> go_on;
  auto used = std::make_shared<Used>();
  used->go_on = go_on.get_future().share();
  std::future<void> begun = used->begun.get_future(), ended = used->ended.get_future();
  const std::weak_ptr<Used> life = used;
  int looks = 0;
  const auto seen = nccl::detail::watched(
      [used = std::move(used)] {
        used->begun.set_value();
        used->go_on.wait();
        used->ended.set_value();
        return 7;
      },
      [&] {
        if (++looks == 1) begun.wait();
        return looks > 2;
      });
  EXPECT_FALSE(seen);
  EXPECT_EQ(looks, 3);
  EXPECT_FALSE(life.expired());
  go_on.set_value();
  ended.wait();
}

}  // namespace
}  // namespace assay::plugins::collective
