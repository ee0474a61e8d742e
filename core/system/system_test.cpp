// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/testing/temporary_folder.hpp"
#include "system/binding.hpp"
#include "system/host.hpp"
#include "system/inventory.hpp"
#include "system/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <random>

namespace assay::system {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

// Two sockets, then what a GH200 shows besides: GPU memory without CPUs, and an empty slice.
Topology two_sockets() {
  Topology topology;
  topology.cpus = {0, 1, 2, 3, 4, 5, 6, 7};
  topology.inherited_cpus = {0, 1};
  topology.nodes = {{0, {0, 1, 2, 3}, 64 * kGiB, {{0, 10}, {1, 21}, {2, 80}}},
                    {1, {4, 5, 6, 7}, 64 * kGiB, {{0, 21}, {1, 10}, {2, 80}}},
                    {2, {}, 96 * kGiB, {}},
                    {3, {}, 0, {}}};
  return topology;
}

TEST(CpuList, ReadsBackWhatItWrites) {
  EXPECT_EQ(to_cpu_list({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(to_cpu_list({}), "");
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    std::vector<int> cpus;
    for (int cpu = 0; cpu < 200; ++cpu) {
      if (random() % 3 == 0) cpus.push_back(cpu);
    }
    ASSERT_EQ(parse_cpu_list(to_cpu_list(cpus)), cpus);
  }
}

TEST(CpuList, RefusesWhatIsNone) {
  for (const char* text : {"a", "1-", "-1", "3-1", "1,", ",1", "2,1", "1 2", "99999999999", "1-65536"}) {
    EXPECT_FALSE(parse_cpu_list(text)) << text;
  }
}

TEST(Binding, NoneIsAllThatTheControlGroupAllows) {
  const Topology topology = two_sockets();

  const Binding binding = resolve_binding({BindKind::none, "", ""}, &topology, "cuda:0", 0);

  EXPECT_EQ(binding.cpus, topology.cpus);
  EXPECT_TRUE(binding.memory_nodes.empty());
}

TEST(Binding, NoneUndoesTheCallersMemoryPolicy) {
  Topology topology = two_sockets();
  topology.inherited_memory_nodes = {0};

  EXPECT_EQ(resolve_binding({}, &topology, "cuda:0", 0).memory_nodes, (std::vector<int>{0, 1, 2}));
}

TEST(Binding, InheritLeavesEverythingAsItIs) {
  const Topology topology = two_sockets();

  const Binding binding = resolve_binding({BindKind::inherit, "", ""}, &topology, "cuda:0", 0);

  EXPECT_TRUE(binding.cpus.empty() && binding.memory_nodes.empty() && binding.problem.empty());
}

TEST(Binding, LocalIsTheDevicesNodeAndRemoteTheFarthestUsableOne) {
  const Topology topology = two_sockets();

  const Binding local = resolve_binding({BindKind::local, "", ""}, &topology, "cuda:1", 1);
  const Binding remote = resolve_binding({BindKind::remote, "", ""}, &topology, "cuda:1", 1);

  EXPECT_EQ(local.cpus, (std::vector<int>{4, 5, 6, 7}));
  EXPECT_EQ(local.memory_nodes, std::vector<int>{1});
  EXPECT_EQ(remote.cpus, (std::vector<int>{0, 1, 2, 3}));  // not node 2, which is farther but has no CPUs
  EXPECT_EQ(remote.memory_nodes, std::vector<int>{0});
}

TEST(Binding, SaysWhyItCannotBe) {
  const Topology topology = two_sockets();
  Topology single = two_sockets();
  single.nodes.resize(1);

  EXPECT_THAT(resolve_binding({BindKind::local, "", ""}, &topology, "cuda:0", -1).problem,
              HasSubstr("'cuda:0' does not say which NUMA node it is at"));
  EXPECT_THAT(resolve_binding({BindKind::local, "", ""}, &topology, "cuda:0", 2).problem,
              HasSubstr("node:2"));
  EXPECT_THAT(resolve_binding({BindKind::remote, "", ""}, &single, "cuda:0", -1).problem,
              HasSubstr("single NUMA node"));
  EXPECT_THAT(resolve_binding({BindKind::explicit_nodes, "node:2", ""}, &topology, "", 0).problem,
              HasSubstr("no CPUs"));
  EXPECT_THAT(resolve_binding({BindKind::explicit_nodes, "", "node:3"}, &topology, "", 0).problem,
              HasSubstr("no memory"));
  EXPECT_THAT(resolve_binding({BindKind::explicit_nodes, "node:9", ""}, &topology, "", 0).problem,
              HasSubstr("no NUMA node:9"));
  EXPECT_THAT(resolve_binding({BindKind::local, "", ""}, nullptr, "cuda:0", 0).problem, HasSubstr("unknown"));
}

TEST(Binding, ExplicitNodesMayDiffer) {
  const Topology topology = two_sockets();

  const Binding binding = resolve_binding({BindKind::explicit_nodes, "node:0", "node:2"}, &topology, "", -1);

  EXPECT_EQ(binding.cpus, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(binding.memory_nodes, std::vector<int>{2});
}

TEST(Binding, OnOneUsableNodeEveryDeviceIsLocal) {
  Topology single = two_sockets();
  single.nodes.resize(1);

  EXPECT_EQ(resolve_binding({BindKind::local, "", ""}, &single, "cuda:0", -1).memory_nodes,
            std::vector<int>{0});
}

TEST(Binding, MasksHaveTheBitsOfTheirNumbers) {
  const BindingMasks masks = binding_masks({0, 63, 64, 130}, {1});

  EXPECT_EQ(masks.cpus, (std::vector<unsigned long>{(1UL << 63) | 1UL, 1UL, 4UL}));
  EXPECT_EQ(masks.memory_nodes, std::vector<unsigned long>{2UL});
}

TEST(Binding, IsInForceInAChild) {
  const Topology topology = read_topology();
  const int cpu = topology.inherited_cpus.back();
  const BindingMasks masks = binding_masks({cpu}, {});
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    cpu_set_t set;
    const bool bound = apply_binding(masks) == 0 && ::sched_getaffinity(0, sizeof set, &set) == 0 &&
                       CPU_COUNT(&set) == 1 && CPU_ISSET(static_cast<std::size_t>(cpu), &set);
    ::_exit(bound ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Binding, ReportsWhatTheKernelRefuses) {
  const BindingMasks masks = binding_masks({60000}, {});
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(apply_binding(masks) == EINVAL ? 0 : 1);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Topology, OfThisMachineHoldsTheCallersCpus) {
  const Topology topology = read_topology();

  EXPECT_FALSE(topology.inherited_cpus.empty());
  EXPECT_THAT(topology.cpus, ::testing::IsSupersetOf(topology.inherited_cpus));
  EXPECT_GE(topology.threads, topology.cores);
  EXPECT_FALSE(topology.nodes.empty());
}

TEST(Topology, LeavesTheEnvironmentAsItFoundIt) {
  ::unsetenv("HWLOC_PLUGINS_PATH");
  (void)read_topology();
  EXPECT_EQ(std::getenv("HWLOC_PLUGINS_PATH"), nullptr);

  ::setenv("HWLOC_PLUGINS_PATH", "/some/where", 1);
  (void)read_topology();
  EXPECT_STREQ(std::getenv("HWLOC_PLUGINS_PATH"), "/some/where");
  ::unsetenv("HWLOC_PLUGINS_PATH");
}

Inventory example() {
  Inventory inventory;
  inventory.backends = {
      {"host", "org.assay.host", {{"host:0", "", "Some CPU", 0, {{"peaks", Json::object()}}}}, {}, ""},
      {"cuda", "org.assay.cuda", {}, {{"driver", "580"}}, "no driver"}};
  inventory.backends[0].facts = Json::object();
  inventory.topology = two_sockets();
  return inventory;
}

TEST(Inventory, ReadsBackWhatItWrites) {
  const Json json = to_json(example());

  EXPECT_EQ(to_json(inventory_from_json(json)), json);
  EXPECT_EQ(inventory_from_json(json).find("cuda")->unavailable, "no driver");
  EXPECT_EQ(inventory_from_json(json).find_device("host:0")->model, "Some CPU");
}

TEST(Inventory, NamesThePlaceThatIsMalformed) {
  const auto problem = [](const Json& json) -> std::string {
    try {
      (void)inventory_from_json(json);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "inventory.malformed");
      return error.what();
    }
    return "nothing";
  };

  EXPECT_THAT(problem(Json::array()), HasSubstr("no object"));
  EXPECT_THAT(problem({{"inventory_version", 9}}), HasSubstr("version 9; this program reads version 1"));
  EXPECT_THAT(problem({{"backends", 1}}), HasSubstr("'/backends' is not an array"));
  EXPECT_THAT(problem({{"backends", {{{"name", 1}}}}}), HasSubstr("'/backends/0/name' is not a text"));
  EXPECT_THAT(problem({{"backends", {{{"name", "a"}, {"devices", {{{"name", "a:0"}}, {{"name", "a:0"}}}}}}}}),
              HasSubstr("'a:0' is there twice"));
  for (const char* name : {"b:0", "a", "a:", "a:x", "a:0 ", "a:-1", "a:00", "a:99999999999"})
    EXPECT_THAT(problem({{"backends", {{{"name", "a"}, {"devices", {{{"name", name}}}}}}}}),
                HasSubstr("is not 'a:' and a number"))
        << name;
  EXPECT_THAT(problem({{"topology", {{"cpus", "x"}}}}),
              HasSubstr("'/topology/cpus' is not an ascending list"));
}

TEST(Inventory, SurvivesAnyCutOrChangedByte) {
  const std::string text = to_json(example()).dump();
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string changed = text;
    changed[random() % changed.size()] = static_cast<char>(32 + random() % 95);
    const Json json = Json::parse(changed, nullptr, false);
    if (json.is_discarded()) continue;
    try {
      (void)inventory_from_json(json);
    } catch (const Error&) {
    }
  }
}

class HostFiles : public ::testing::Test {
 protected:
  void SetUp() override { root_ = make_temporary_folder("system"); }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    write_file(root_ / path, text);
  }
  std::filesystem::path root_;
};

TEST_F(HostFiles, MakeTheIdentity) {
  put("etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
  put("proc/cpuinfo", "processor\t: 0\nmodel name\t: Some  CPU @ 2GHz\nflags\t\t: fpu vme\n");
  put("proc/meminfo", "MemTotal:       1024 kB\nMemFree: 1 kB\n");
  put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  put(".dockerenv", "");

  const Json host = host_identity(two_sockets(), root_);

  EXPECT_EQ(host["os"], "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(host["cpu"], "Some  CPU @ 2GHz");
  EXPECT_EQ(host["memory_bytes"], 1048576);
  EXPECT_EQ(host["governor"], "powersave");
  EXPECT_EQ(host["container"], "docker");
  EXPECT_TRUE(host["virtualization"].is_null());
  EXPECT_EQ(host["numa_nodes"][1]["cpus"], "4-7");
}

TEST_F(HostFiles, ThatAreMissingAreNull) {
  const Json host = host_identity({}, root_);

  for (const char* key : {"os", "cpu", "memory_bytes", "governor", "container", "virtualization"}) {
    EXPECT_TRUE(host[key].is_null()) << key;
  }
}

TEST_F(HostFiles, TellTheLoadOfTheLastMinute) {
  EXPECT_EQ(load_average(root_), std::nullopt);
  put("proc/loadavg", "6.90 3.00 1.00 2/345 6789\n");
  EXPECT_EQ(load_average(root_), 6.9);
  put("proc/loadavg", "nothing\n");
  EXPECT_EQ(load_average(root_), std::nullopt);
}

}  // namespace
}  // namespace assay::system
