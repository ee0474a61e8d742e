// SPDX-License-Identifier: Apache-2.0
//
// Machines that this one is not: hwloc reads a tree of files in place of the kernel's.
#include "system/topology.hpp"

#include "base/file.hpp"
#include "base/testing/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace assay::system {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Cpus = std::vector<int>;

std::string mask_of(const Cpus& cpus) {
  unsigned mask = 0;
  for (const int cpu : cpus) mask |= 1U << cpu;
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%08x\n", mask);
  return text.data();
}

class OtherMachine : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("HWLOC_FSROOT", root_.c_str(), 1); }
  void TearDown() override {
    ::unsetenv("HWLOC_FSROOT");
    std::filesystem::remove_all(root_);
  }

  // As /sys/devices/system shows it; every processor is a core of its own.
  void has(const std::vector<Cpus>& packages, const std::vector<Cpus>& nodes,
           const std::vector<std::string>& distances_of_nodes = {}) {
    for (std::size_t package = 0; package < packages.size(); ++package) {
      for (const int cpu : packages[package]) {
        const std::string topology = "cpu/cpu" + std::to_string(cpu) + "/topology/";
        write(topology + "physical_package_id", std::to_string(package));
        write(topology + "core_id", std::to_string(cpu));
        write(topology + "thread_siblings", mask_of({cpu}));
        write(topology + "core_siblings", mask_of(packages[package]));
      }
    }
    const std::string all = "0-" + std::to_string(packages.back().back());
    for (const char* name : {"online", "possible", "present"}) write(std::string("cpu/") + name, all);
    write("node/online", "0-" + std::to_string(nodes.size() - 1));
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      const std::string folder = "node/node" + std::to_string(node) + '/';
      write(folder + "cpumap", mask_of(nodes[node]));
      write(folder + "cpulist", to_cpu_list(nodes[node]) + '\n');
      write(folder + "meminfo", "Node " + std::to_string(node) + " MemTotal: 1048576 kB\n");
      std::string distances;
      for (std::size_t other = 0; other < nodes.size(); ++other) distances += other == node ? "10 " : "20 ";
      write(folder + "distance", distances_of_nodes.empty() ? distances : distances_of_nodes[node]);
    }
  }

  std::vector<Cpus> cpus_of_nodes() const {
    std::vector<Cpus> list;
    for (const NumaNode& node : read_topology(root_).nodes) list.push_back(node.cpus);
    return list;
  }

 private:
  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = root_ / "sys/devices/system" / name;
    std::filesystem::create_directories(path.parent_path());
    write_file(path, text);
  }

  std::filesystem::path root_ = make_temporary_folder("topology");
};

TEST_F(OtherMachine, OneNodeAPackageHasItsCpus) {
  has({{0, 1}, {2, 3}}, {{0, 1}, {2, 3}});
  EXPECT_THAT(cpus_of_nodes(), ElementsAre(Cpus{0, 1}, Cpus{2, 3}));
}

// As servers are set up with NPS2, NPS4 or sub-NUMA clusters.
TEST_F(OtherMachine, SeveralNodesInAPackageHaveTheirOwnCpus) {
  has({{0, 1, 2, 3}, {4, 5, 6, 7}}, {{0, 1}, {2, 3}, {4, 5}, {6, 7}});
  EXPECT_THAT(cpus_of_nodes(), ElementsAre(Cpus{0, 1}, Cpus{2, 3}, Cpus{4, 5}, Cpus{6, 7}));
}

TEST_F(OtherMachine, ANodeOverTwoPackagesHasTheCpusOfBoth) {
  has({{0, 1}, {2, 3}, {4, 5}, {6, 7}}, {{0, 1, 2, 3}, {4, 5, 6, 7}});
  EXPECT_THAT(cpus_of_nodes(), ElementsAre(Cpus{0, 1, 2, 3}, Cpus{4, 5, 6, 7}));
}

// Memory of an accelerator or of an expander.
TEST_F(OtherMachine, ANodeOfMemoryAloneHasNoCpus) {
  has({{0, 1}, {2, 3}}, {{0, 1}, {2, 3}, {}});
  EXPECT_THAT(cpus_of_nodes(), ElementsAre(Cpus{0, 1}, Cpus{2, 3}, IsEmpty()));
}

// hwloc itself gives such a node the CPUs of the one that is nearest to it.
TEST_F(OtherMachine, ANodeOfMemoryAloneHasNoCpusHoweverNearOthersAre) {
  has({{0, 1}, {2, 3}}, {{0, 1}, {2, 3}, {}}, {"10 31 24", "31 10 35", "24 35 10"});
  EXPECT_THAT(cpus_of_nodes(), ElementsAre(Cpus{0, 1}, Cpus{2, 3}, IsEmpty()));
}

}  // namespace
}  // namespace assay::system
