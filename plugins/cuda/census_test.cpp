// SPDX-License-Identifier: Apache-2.0
#include "cuda/census.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace assay::plugins::cuda {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

// A machine with GPUs at 0000:10:00.0, 0000:11:00.0 and so on, all of which are known to all.
class Machine : public testing::Test {
 protected:
  Machine() : root_(testing::TempDir() + "assay_cuda_bus_" + std::to_string(getpid())) {
    fs::remove_all(root_);
    for (const char* folder : {"sys/bus/pci/devices", "sys/bus/pci/drivers/nvidia",
                               "sys/bus/pci/drivers/vfio-pci", "proc/driver/nvidia/gpus", "proc/1", "dev"})
      fs::create_directories(root_ / folder);
    write("proc/1/cgroup", "0::/init.scope\n");
    for (int i = 0; i < 4; ++i) add(i);
  }
  ~Machine() override { fs::remove_all(root_); }

  static std::string pci(int i) { return "0000:1" + std::to_string(i) + ":00.0"; }
  static std::string uuid(int i) { return "0001020" + std::to_string(i); }

  void write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void bind(const std::string& address, const std::string& driver) {
    const fs::path link = root_ / "sys/bus/pci/devices" / address / "driver";
    fs::remove(link);
    if (!driver.empty()) fs::create_symlink("../../drivers/" + driver, link);
  }
  void on_bus(const std::string& address, const char* vendor, const char* what) {
    write("sys/bus/pci/devices/" + address + "/vendor", vendor);
    write("sys/bus/pci/devices/" + address + "/class", what);
  }
  void add(int i) {
    on_bus(pci(i), "0x10de\n", "0x030200\n");
    bind(pci(i), "nvidia");
    write("proc/driver/nvidia/gpus/" + pci(i) + "/information",
          "Model: \t\t NVIDIA H200\nDevice Minor: \t " + std::to_string(i) + "\nGPU Excluded:\t No\n");
    write("dev/nvidia" + std::to_string(i), "");
    managed_.push_back({pci(i), "GPU-" + uuid(i), false, 0});
    CudaDevice& device = shown_.emplace_back();
    device.pci = "0000:1" + std::to_string(i) + ":00.0";
    device.uuid = uuid(i);
  }
  // To CUDA, and to NVML, too.
  void lose(int i, bool nvml) {
    const auto is = [&](const auto& one) { return one.pci == pci(i); };
    shown_.erase(std::remove_if(shown_.begin(), shown_.end(), is), shown_.end());
    if (nvml) managed_.erase(std::remove_if(managed_.begin(), managed_.end(), is), managed_.end());
  }
  std::string census() {
    Sources sources{read_kernel(root_.string()), managed_, shown_, visible_};
    if (!has_nvml_) sources.managed.reset();
    return compact(census_of(sources).json());
  }
  // Without the lines and blanks between its parts.
  static std::string compact(const std::string& json) {
    std::string text;
    bool leads = false;
    for (const char c : json) {
      leads = c == '\n' || (leads && c == ' ');
      const bool after_key =
          c == ' ' && text.size() > 1 && text.back() == ':' && text[text.size() - 2] == '"';
      if (!leads && !after_key) text += c;
    }
    return text;
  }
  static std::string gap(int i, const std::string& why) {
    return R"([{"device":")" + pci(i) + R"(","why":")" + why + R"("}])";
  }

  fs::path root_;
  std::vector<Nvml::Board> managed_;
  std::vector<CudaDevice> shown_;
  std::optional<std::string> visible_;
  bool has_nvml_ = true;
};

constexpr const char* kNothingWithheld = R"("withheld":[])";
constexpr const char* kNothingMissing = R"("missing":[])";

TEST_F(Machine, ThatIsWholeMissesNothing) {
  EXPECT_EQ(census(), R"({"kind":"GPU","known":[{"by":"PCI","devices":4},{"by":"driver","devices":4},)"
                      R"({"by":"NVML","devices":4},{"by":"CUDA","devices":4}],"missing":[],"withheld":[]})");
}

TEST_F(Machine, OtherDevicesOnTheBusAreNone) {
  on_bus("0000:20:00.0", "0x10de\n", "0x040300\n");  // a GPU's sound
  on_bus("0000:21:00.0", "0x10de\n", "0x068000\n");  // an NVSwitch
  on_bus("0000:22:00.0", "0x8086\n", "0x030000\n");  // another maker's
  on_bus("0000:10:00.4", "0x10de\n", "0x030200\n");  // a virtual machine's slice
  fs::create_symlink("../0000:10:00.0", root_ / "sys/bus/pci/devices/0000:10:00.4/physfn");
  EXPECT_THAT(census(), HasSubstr(R"({"by":"PCI","devices":4})"));
  EXPECT_THAT(census(), HasSubstr(kNothingMissing));
}

TEST_F(Machine, ADriverThatAnswersForAllButOneIsADifference) {
  lose(3, true);
  EXPECT_THAT(census(), HasSubstr("\"missing\":" + gap(3, "PCI and driver know it, NVML and CUDA do not")));
  EXPECT_THAT(census(), HasSubstr(kNothingWithheld));
}

TEST_F(Machine, ABoardThatOnlyTheBusShowsIsMissing) {
  lose(3, true);
  fs::remove_all(root_ / "proc/driver/nvidia/gpus" / pci(3));
  bind(pci(3), "");
  EXPECT_THAT(census(),
              HasSubstr(gap(3, "PCI knows it, driver, NVML and CUDA do not; no driver is bound to it")));
  bind(pci(3), "vfio-pci");
  EXPECT_THAT(census(), HasSubstr("it is bound to vfio-pci"));
  EXPECT_THAT(census(), HasSubstr(kNothingWithheld));
}

TEST_F(Machine, ABoardThatCudaAloneLacksIsMissing) {
  lose(1, false);
  EXPECT_THAT(census(), HasSubstr(gap(1, "PCI, driver and NVML know it, CUDA does not")));
}

TEST_F(Machine, ABoardThatOnlyCudaShowsIsADifferenceToo) {
  fs::remove_all(root_ / "sys/bus/pci/devices" / pci(0));
  EXPECT_THAT(census(), HasSubstr(gap(0, "driver, NVML and CUDA know it, PCI does not")));
}

TEST_F(Machine, WhoCannotSayIsNotAsked) {
  fs::remove_all(root_ / "sys");
  fs::remove_all(root_ / "proc");
  has_nvml_ = false;
  EXPECT_EQ(census(), R"({"kind":"GPU","known":[{"by":"CUDA","devices":4}],"missing":[],"withheld":[]})");
}

TEST_F(Machine, ABoardInMigModeIsMissing) {
  managed_[2].mig = true;
  managed_[2].slices = 2;
  shown_[2].slice = true;
  EXPECT_THAT(census(), HasSubstr(gap(2, "it is in MIG mode, cut into 2 slices, of which CUDA shows 1")));
  EXPECT_THAT(census(), HasSubstr(R"({"by":"CUDA","devices":3})"));
  shown_.erase(shown_.begin() + 2);  // no slice was made
  managed_[2].slices = 0;
  EXPECT_THAT(census(), HasSubstr(gap(2, "it is in MIG mode, cut into 0 slices, of which CUDA shows 0")));
}

TEST_F(Machine, AVariableThatLeavesBoardsOutIsToldApart) {
  lose(2, false);
  lose(3, false);
  visible_ = "0,1";
  EXPECT_THAT(
      census(),
      HasSubstr(R"("withheld":[{"device":"0000:12:00.0","why":"CUDA_VISIBLE_DEVICES leaves it out"})"));
  EXPECT_THAT(census(), HasSubstr(kNothingMissing));
  visible_ = "GPU-00010200,GPU-0001020";  // by their first digits
  EXPECT_THAT(census(), HasSubstr("CUDA_VISIBLE_DEVICES asks for it"));
  visible_ = "GPU-00010200, GPU-00010201";
  EXPECT_THAT(census(), HasSubstr(kNothingMissing));
}

TEST_F(Machine, AVariableThatAsksForMoreThanThereIsExplainsNothing) {
  lose(3, false);
  for (const char* all : {"0,1,2,3", "GPU-00010200,GPU-00010201,GPU-00010202,GPU-00010203"}) {
    visible_ = all;
    EXPECT_THAT(census(),
                HasSubstr("PCI, driver and NVML know it, CUDA does not; CUDA_VISIBLE_DEVICES asks for"));
    EXPECT_THAT(census(), HasSubstr(kNothingWithheld)) << all;
  }
}

TEST_F(Machine, AVariableDoesNotExplainWhatTheDriverLacks) {
  lose(3, true);
  visible_ = "0,1,2";
  EXPECT_THAT(census(), HasSubstr(gap(3, "PCI and driver know it, NVML and CUDA do not")));
}

TEST_F(Machine, ASliceThatSomebodyAskedForIsWithheld) {
  managed_[0].mig = true;
  shown_.resize(1);
  shown_[0].slice = true;
  visible_ = "MIG-00010200";
  EXPECT_THAT(census(), HasSubstr(kNothingMissing));
}

TEST_F(Machine, AContainerThatWasGivenSomeIsToldApart) {
  lose(3, true);
  write(".dockerenv", "");
  EXPECT_THAT(census(), HasSubstr("\"missing\":" + gap(3, "PCI and driver know it, NVML and CUDA do not")))
      << "its node is there: it was given";
  fs::remove(root_ / "dev/nvidia3");
  EXPECT_THAT(census(),
              HasSubstr("\"withheld\":" + gap(3, "this container was not given it: it has no /dev/nvidia3")));
  fs::remove(root_ / ".dockerenv");
  EXPECT_THAT(census(), HasSubstr(kNothingWithheld)) << "no container has taken the node away";
}

TEST_F(Machine, AContainerWhoseDriverListsSomeIsToldApart) {
  lose(3, true);
  fs::remove_all(root_ / "proc/driver/nvidia/gpus" / pci(3));
  fs::remove(root_ / "dev/nvidia3");
  write("proc/self/mountinfo", "36 35 0:40 / /proc/driver/nvidia rw - tmpfs tmpfs rw\n");
  EXPECT_THAT(census(), HasSubstr("\"withheld\":" +
                                  gap(3, "this container was not given it: its driver lists 3 of 4")));
  bind(pci(3), "");
  EXPECT_THAT(census(), HasSubstr(kNothingWithheld)) << "nobody has it";
}

TEST_F(Machine, ANodeThatMayNotBeOpenedIsToldApart) {
  if (geteuid() == 0) GTEST_SKIP() << "the superuser may open it";
  lose(3, true);
  fs::permissions(root_ / "dev/nvidia3", fs::perms::none);
  EXPECT_THAT(census(), HasSubstr("this process may not open /dev/nvidia3"));
  EXPECT_THAT(census(), HasSubstr(kNothingMissing));
}

TEST(PciAddress, IsOneWhoeverWritesIt) {
  EXPECT_EQ(pci_address("00000000:1A:00.0"), "0000:1a:00.0");
  EXPECT_EQ(pci_address("0000:1a:00.0"), "0000:1a:00.0");
  EXPECT_EQ(pci_address("0001234A:1a:00.0"), "0001234a:1a:00.0");
  EXPECT_EQ(pci_address(""), "");
}

}  // namespace
}  // namespace assay::plugins::cuda
