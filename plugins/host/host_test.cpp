// SPDX-License-Identifier: Apache-2.0
#include "host/cpu_facts.hpp"
#include "host/cpu_telemetry.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace assay::plugins::host {
namespace {

namespace fs = std::filesystem;

// A machine made of files, so that every number can be known.
class Machine : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name =
        (fs::temp_directory_path() / "assay-host-").string() + std::string(6, 'X');  // mkdtemp fills it
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name + "/";
    write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Acme 9000\nflags\t\t: fpu sse2 avx avx2\n");
    write("proc/meminfo", "MemTotal:       1000 kB\nMemAvailable:    400 kB\n");
    write("proc/stat", "cpu  100 0 0 900 0 0 0 0 0 0\n");
    write("sys/devices/system/cpu/online", "0-3\n");
    for (int cpu = 0; cpu < 4; ++cpu) {
      const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(cpu);
      write(folder + "/topology/physical_package_id", "0\n");
      write(folder + "/topology/core_id", std::to_string(cpu / 2) + "\n");
      write(folder + "/thermal_throttle/core_throttle_count", "5\n");
      write(folder + "/cpufreq/scaling_cur_freq", std::to_string(2000000 + cpu * 100000) + "\n");
    }
    for (const auto& [index, level, type, size] : {std::tuple{0, "1", "Data", "48K"},
                                                   {1, "1", "Instruction", "32K"},
                                                   {2, "2", "Unified", "2048K"},
                                                   {3, "3", "Unified", "30M"}}) {
      const std::string folder = "sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index);
      write(folder + "/level", level);
      write(folder + "/type", type);
      write(folder + "/size", size);
    }
    write("sys/class/thermal/thermal_zone0/type", "x86_pkg_temp\n");
    write("sys/class/thermal/thermal_zone0/temp", "61500\n");
    write("sys/class/powercap/intel-rapl:0/energy_uj", "2500000\n");
    write("sys/class/powercap/intel-rapl:0:0/energy_uj", "9000000\n");
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) {
    fs::create_directories(fs::path(root_ + file).parent_path());
    std::ofstream(root_ + file) << text;
  }

  std::string root_;
};

TEST_F(Machine, FactsAreWhatTheFilesSay) {
  const CpuFacts facts = read_cpu_facts(root_);

  EXPECT_EQ(facts.model, "Acme 9000");
  EXPECT_EQ(facts.vectors, "AVX2");
  EXPECT_EQ(facts.online, 4);
  EXPECT_EQ(facts.cores, 2);
  EXPECT_EQ(facts.sockets, 1);
  EXPECT_EQ(facts.l1d_bytes, 48 << 10);
  EXPECT_EQ(facts.l2_bytes, 2 << 20);
  EXPECT_EQ(facts.l3_bytes, 30 << 20);
  EXPECT_EQ(facts.memory_bytes, 1000 << 10);
}

TEST_F(Machine, TelemetryReadsAndCountsDifferences) {
  CpuTelemetry telemetry(root_);
  write("proc/stat", "cpu  150 0 0 940 0 0 0 10 0 0\n");
  write("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "6\n");
  std::map<std::string, double> readings;
  std::set<std::string> reasons;
  const auto read = [&] {
    readings.clear();
    reasons.clear();
    telemetry.read([&](const char* quantity, double value) { readings[quantity] = value; },
                   [&](const char* reason) { reasons.insert(reason); });
  };

  read();
  EXPECT_DOUBLE_EQ(readings["clock"], 2.15e9);
  EXPECT_DOUBLE_EQ(readings["temperature"], 61.5);
  EXPECT_DOUBLE_EQ(readings["energy"], 2.5);
  EXPECT_DOUBLE_EQ(readings["memory_used"], 600 * 1024);
  EXPECT_DOUBLE_EQ(readings["steal"], 0.1);
  EXPECT_EQ(reasons, (std::set<std::string>{"steal", "thermal"}));

  read();
  EXPECT_TRUE(reasons.empty());
}

TEST_F(Machine, EnergyGoesOnWhereAPackagesCounterBeginsAnew) {
  const std::string folder = "sys/class/powercap/intel-rapl:0/";
  write(folder + "max_energy_range_uj", "9000000\n");
  write(folder + "energy_uj", "8000000\n");
  CpuTelemetry telemetry(root_);
  const auto energy = [&] {
    double found = 0;
    telemetry.read(
        [&](const std::string& quantity, double value) {
          if (quantity == "energy") found = value;
        },
        [](const char*) {});
    return found;
  };
  const double before = energy();
  write(folder + "energy_uj", "500000\n");
  EXPECT_DOUBLE_EQ(energy() - before, 1.5);
}

TEST_F(Machine, ListsQuantitiesThatItLacksWithoutSysfs) {
  EXPECT_TRUE(CpuTelemetry(root_).lacking().empty());
  fs::remove_all(root_ + "sys");
  EXPECT_EQ(CpuTelemetry(root_).lacking(), (std::vector<std::string>{"clock", "temperature", "energy"}));
}

TEST_F(Machine, WhatIsNotToldIsLeftOut) {
  fs::remove_all(root_ + "sys");
  fs::remove_all(root_ + "proc");
  const CpuFacts facts = read_cpu_facts(root_);
  CpuTelemetry telemetry(root_);
  int readings = 0;
  telemetry.read([&](const char*, double) { ++readings; }, [](const char*) {});

  EXPECT_NE(facts.model, "");
  EXPECT_EQ(facts.online, 0);
  EXPECT_EQ(facts.l3_bytes, 0);
  EXPECT_EQ(readings, 0);
}

TEST(CpuLists, CountRangesAndRefuseNonsense) {
  EXPECT_EQ(count_cpus("0-3,8"), 5);
  EXPECT_EQ(count_cpus("0"), 1);
  EXPECT_EQ(count_cpus(""), 0);
  EXPECT_EQ(count_cpus("5-2"), 0);
  EXPECT_EQ(parse_cache_size("480M"), 480 << 20);
  EXPECT_EQ(parse_cache_size("x"), 0);
}

}  // namespace
}  // namespace assay::plugins::host
