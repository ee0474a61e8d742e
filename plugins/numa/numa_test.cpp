// SPDX-License-Identifier: Apache-2.0
//
// Which nodes a machine has, what the plan makes of them, and what counts as misplaced.
#include "numa/machine.hpp"
#include "numa/placed_memory.hpp"
#include "numa/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace assay::plugins::numa {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Files as the kernel shows a machine of nodes 0 (CPUs 0-1, memory), 1 (CPU 2), 3 (memory alone) and 4 (CPU 3,
// memory); number 2 is a gap.
class OtherMachine : public ::testing::Test {
 protected:
  void SetUp() override {
    write("sys/devices/system/node/online", "0-1,3-4");
    write("sys/devices/system/node/has_memory", "0,3-4");
    write("sys/devices/system/node/node0/distance", "10 21 32 43");
    write("sys/devices/system/node/node1/distance", "21 10 33 44");
    write("sys/devices/system/node/node3/distance", "32 33 10 45");
    write("sys/devices/system/node/node4/distance", "43 44 45 10");
    for (const auto& [cpu, node] : std::vector<std::pair<int, int>>{{0, 0}, {1, 0}, {2, 1}, {3, 4}})
      fs::create_directories(root_ / ("sys/devices/system/cpu/cpu" + std::to_string(cpu)) /
                             ("node" + std::to_string(node)));
    write("proc/self/status", "Name:\tx\nMems_allowed:\t1f\nMems_allowed_list:\t0-4");
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const fs::path& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text << '\n';
  }
  Machine read(const std::vector<int>& cpus = {0, 1, 2, 3}, const std::vector<int>& bound = {}) const {
    return read_machine(cpus, bound, root_);
  }

  const fs::path root_ = fs::temp_directory_path() / ("assay-numa-" + std::to_string(::getpid()));
};

TEST_F(OtherMachine, HasTheNodesThatTheKernelNumbers) {
  const Machine machine = read();
  ASSERT_EQ(machine.cpu_nodes.size(), 3u);
  EXPECT_EQ(machine.cpu_nodes[2].number, 4);
  EXPECT_THAT(machine.cpu_nodes[0].cpus, ElementsAre(0, 1));
  EXPECT_THAT(machine.memory_nodes, ElementsAre(0, 3, 4));
  EXPECT_EQ(machine.distances.at(0).at(3), 32);  // the third column: there is no node 2
  EXPECT_EQ(nodes_text(machine), "0: CPUs 0-1, memory; 1: CPU 2; 3: memory; 4: CPU 3, memory");
  EXPECT_EQ(distances_text(machine),
            "from 0: 10, 21, 32, 43; from 1: 21, 10, 33, 44; from 3: 32, 33, 10, 45; from 4: 43, 44, 45, 10");
}

TEST_F(OtherMachine, IsWhatBindingAndTheControlGroupLeave) {
  EXPECT_THAT(read({3}, {3}).memory_nodes, ElementsAre(3));
  EXPECT_EQ(read({3}, {3}).cpu_nodes.size(), 1u);
  write("proc/self/status", "Mems_allowed_list:\t0,4");
  const Machine machine = read();
  EXPECT_THAT(machine.memory_nodes, ElementsAre(0, 4));
  EXPECT_EQ(machine.nodes_with_memory, 3u);
}

TEST_F(OtherMachine, WithoutNumaHasNodeZero) {
  fs::remove_all(root_ / "sys/devices/system/node");
  fs::remove_all(root_ / "sys/devices/system/cpu");
  const Machine machine = read({0, 1});
  ASSERT_EQ(machine.cpu_nodes.size(), 1u);
  EXPECT_THAT(machine.memory_nodes, ElementsAre(0));
  EXPECT_EQ(distances_text(machine), "unknown");
}

// "0→3": CPUs of node 0 on memory that must be on node 3; "|" between phases.
std::string text_of(const Machine& machine, const Plan& plan) {
  std::string text;
  for (const Phase& phase : plan.phases) {
    if (!text.empty()) text += " | ";
    for (const Use& use : phase) {
      if (!text.empty() && text.back() != ' ') text += ' ';
      text += std::to_string(machine.cpu_nodes[use.cpu_node].number) + ">" +
              list_of(plan.regions[use.region].expected);
    }
  }
  return text;
}

class Plans : public OtherMachine {
 protected:
  std::string plan(Placement placement, Pairs pairs = Pairs::all, bool in_turn = false) {
    return text_of(machine_, plan_of(machine_, placement, pairs, in_turn));
  }
  std::string refusal(Placement placement, Pairs pairs = Pairs::all) {
    try {
      return "is " + plan(placement, pairs);
    } catch (const Skip& skip) {
      return skip.what();
    }
  }
  Machine machine_;
  void SetUp() override {
    OtherMachine::SetUp();
    machine_ = read();
  }
};

TEST_F(Plans, BoundGoThroughPairs) {
  EXPECT_EQ(plan(Placement::bound), "0>0 | 1>0 | 4>0 | 0>3 | 1>3 | 4>3 | 0>4 | 1>4 | 4>4");
  EXPECT_EQ(plan(Placement::bound, Pairs::local), "0>0 | 4>4");
  EXPECT_EQ(plan(Placement::bound, Pairs::remote), "1>0 | 4>0 | 0>3 | 1>3 | 4>3 | 0>4 | 1>4");
}

TEST_F(Plans, BoundPagesAreTouchedAtHomeWhereThereAreThreads) {
  const Plan bound = plan_of(machine_, Placement::bound, Pairs::all, false);
  ASSERT_EQ(bound.regions.size(), 3u);
  EXPECT_EQ(bound.regions[2].toucher, 2u);                     // of node 4, by node 4's
  EXPECT_THAT(bound.regions[1].policy_nodes, ElementsAre(3));  // of node 3, which has none, by a policy
}

TEST_F(Plans, MigratedPagesBeginElsewhere) {
  const Plan migrated = plan_of(machine_, Placement::migrated, Pairs::all, false);
  ASSERT_EQ(migrated.regions.size(), 3u);
  for (const Region& region : migrated.regions) {
    ASSERT_TRUE(region.moved_to);
    EXPECT_THAT(region.expected, ElementsAre(*region.moved_to));
    EXPECT_NE(region.policy_nodes.front(), *region.moved_to);
  }
}

TEST_F(Plans, ProgramsRunOnAllNodesAtOnce) {
  EXPECT_EQ(plan(Placement::first_touch), "0>0 1>0, 3-4 4>4");  // of node 1, which has no memory, anywhere
  EXPECT_EQ(plan(Placement::interleaved), "0>0, 3-4 1>0, 3-4 4>0, 3-4");
  EXPECT_EQ(plan(Placement::misplaced), "0>0 1>0 4>0");
  EXPECT_EQ(plan(Placement::misplaced, Pairs::all, true), "0>0 | 1>0 | 4>0");
  EXPECT_EQ(plan_of(machine_, Placement::misplaced, Pairs::all, true).regions[2].toucher, 0u);
  machine_.memory_nodes = {3, 4};  // the first node that has both
  EXPECT_EQ(plan(Placement::misplaced), "0>4 1>4 4>4");
}

TEST_F(Plans, OneNodeLeavesWhatNeedsNoOther) {
  machine_.cpu_nodes.resize(1);
  machine_.memory_nodes = {0};
  EXPECT_EQ(plan(Placement::bound), "0>0");
  EXPECT_EQ(plan(Placement::first_touch), "0>0");
  EXPECT_THAT(refusal(Placement::bound, Pairs::remote), HasSubstr("nothing is remote: only node 0"));
  EXPECT_THAT(refusal(Placement::interleaved), HasSubstr("only node 0 has memory"));
  EXPECT_THAT(refusal(Placement::migrated), HasSubstr("only node 0 has memory"));
  EXPECT_THAT(refusal(Placement::misplaced), HasSubstr("all CPUs that this process may use are on node 0"));
}

TEST_F(Plans, ANodeOfCpusOrOfMemoryAloneHasNothingLocal) {
  machine_ = read({2});
  EXPECT_THAT(refusal(Placement::bound, Pairs::local), HasSubstr("nothing is local"));
  machine_ = read({2, 3}, {3});
  EXPECT_EQ(plan(Placement::bound), "1>3 | 4>3");
  EXPECT_THAT(refusal(Placement::misplaced), HasSubstr("nothing is local"));
  machine_.memory_nodes.clear();
  EXPECT_THAT(refusal(Placement::bound), HasSubstr("no NUMA node has memory"));
}

PageCount pages(const std::map<int, std::uint64_t>& by_node) {
  PageCount count;
  for (const auto& [node, number] : by_node) {
    count.pages += number;
    if (node >= 0) count.by_node[node] = number;
  }
  return count;
}

TEST(MisplacedPages, AreMoreThanOneInAHundred) {
  Region region;
  region.expected = {1};
  EXPECT_EQ(misplaced_of(pages({{1, 1000}}), region, 1).pages, 0u);
  EXPECT_EQ(misplaced_of(pages({{1, 990}, {0, 10}}), region, 1).pages, 0u);
  const Misplaced wrong = misplaced_of(pages({{1, 989}, {0, 6}, {3, 5}}), region, 1);
  EXPECT_EQ(wrong.pages, 11u);
  EXPECT_EQ(wrong.where, "11 of 1000 pages for node 1 lie on nodes 0, 3");
  EXPECT_EQ(misplaced_of(pages({{-1, 20}, {1, 980}}), region, 1).where,
            "20 of 1000 pages for node 1 are nowhere");
}

TEST(MisplacedPages, AreInterleavedPagesThatLieUnevenly) {
  Region region;
  region.policy = Region::Policy::interleave;
  region.expected = {0, 2};
  EXPECT_EQ(misplaced_of(pages({{0, 500}, {2, 500}}), region, 1).pages, 0u);
  EXPECT_EQ(misplaced_of(pages({{0, 512}, {2, 488}}), region, 1).pages, 0u);
  EXPECT_EQ(misplaced_of(pages({{0, 550}, {2, 450}}), region, 1).where,
            "of 1000 interleaved pages 550 lie on node 0");
  EXPECT_EQ(misplaced_of(pages({{0, 1000}}), region, 1).pages, 500u);
  EXPECT_EQ(misplaced_of(pages({{0, 1000}}), region, 512).pages,
            0u);  // two huge pages, of which one is alone
  EXPECT_THAT(misplaced_of(pages({{0, 500}, {1, 500}}), region, 1).where, HasSubstr("lie on node 1"));
}

}  // namespace
}  // namespace assay::plugins::numa
