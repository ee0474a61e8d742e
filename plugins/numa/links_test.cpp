// SPDX-License-Identifier: Apache-2.0
#include "numa/links.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::numa {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::pair<std::size_t, std::size_t>> pairs_of(const std::vector<LinkPhase>& phases) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const LinkPhase& phase : phases) {
    for (const Link& link : phase) pairs.emplace_back(link.node, link.device);
  }
  return pairs;
}

Machine machine_of(std::vector<Node> cpu_nodes, std::vector<int> memory_nodes) {
  Machine machine;
  machine.cpu_nodes = std::move(cpu_nodes);
  machine.memory_nodes = std::move(memory_nodes);
  return machine;
}

TEST(Links, AloneEachPairOfNodeAndDeviceHasItsOwnPhase) {
  const std::vector<LinkPhase> phases = link_phases(2, 3, false);
  EXPECT_EQ(phases.size(), 6u);
  EXPECT_THAT(pairs_of(phases), ElementsAre(std::pair(0, 0), std::pair(0, 1), std::pair(0, 2),
                                            std::pair(1, 0), std::pair(1, 1), std::pair(1, 2)));
}

TEST(Links, TogetherANodeMeetsAllDevicesAtOnce) {
  const std::vector<LinkPhase> phases = link_phases(2, 3, true);
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[0].size(), 3u);
  EXPECT_EQ(pairs_of(phases), pairs_of(link_phases(2, 3, false)));
}

TEST(Links, NodesWithoutCpusOrWithoutMemoryDoNotCopy) {
  const std::vector<Node> nodes =
      copying_nodes(machine_of({{0, {0, 1}}, {2, {4, 5}}, {5, {6}}}, {0, 1, 5}), 1);
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[0].number, 0);
  EXPECT_EQ(nodes[1].number, 5);
}

std::string skipped(const Machine& machine, std::size_t threads) {
  try {
    copying_nodes(machine, threads);
  } catch (const Skip& skip) {
    return skip.what();
  }
  return "";
}

TEST(Links, WhatCannotCopySaysWhy) {
  EXPECT_THAT(skipped(machine_of({{0, {0}}}, {1}), 1), HasSubstr("both CPUs and memory"));
  EXPECT_THAT(skipped(machine_of({{0, {0, 1}}}, {0}), 3), HasSubstr("node 0 has 2"));
}

TEST(Links, TheShareOfRemoteLinksNeedsBothKindsAndKnownPlaces) {
  const std::vector<LinkRate> rates = {{{0, 0}, 50}, {{0, 1}, 40}, {{1, 0}, 30}, {{1, 1}, 50}};
  EXPECT_DOUBLE_EQ(*remote_share(rates, {0, 1}, {0, 1}), 35.0 / 50.0);
  EXPECT_DOUBLE_EQ(*remote_share(rates, {0, 1}, {0, std::nullopt}), 30.0 / 50.0);
  EXPECT_FALSE(remote_share(rates, {0, 1}, {std::nullopt, std::nullopt}));
  EXPECT_FALSE(remote_share({{{0, 0}, 50}}, {0}, {0}));
}

TEST(Links, TheNodeOfADeviceIsTheKernels) {
  const std::filesystem::path root = testing::TempDir() + "links_test_root";
  const auto write = [&](const std::string& address, const std::string& text) {
    std::filesystem::create_directories(root / "sys/bus/pci/devices" / address);
    std::ofstream(root / "sys/bus/pci/devices" / address / "numa_node") << text;
  };
  write("0000:3b:00.0", "1\n");
  write("0000:5e:00.0", "-1\n");
  EXPECT_EQ(node_of_pci_device("0000:3B:00.0", root), 1);
  EXPECT_EQ(node_of_pci_device("0000:5E:00.0", root), std::nullopt);
  EXPECT_EQ(node_of_pci_device("0000:FF:00.0", root), std::nullopt);
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace assay::plugins::numa
