// SPDX-License-Identifier: Apache-2.0
//
// The backend `cuda`: NVIDIA GPUs as CUDA shows them to a process, with what the management library adds.
#include "cuda/driver.hpp"
#include "cuda/nvml.hpp"
#include "cuda/telemetry.hpp"

#include <assay/backend.hpp>
#include <assay/errors.hpp>
#include <assay/plugin.hpp>

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace {

using assay::plugins::cuda::CudaDevice;
using assay::plugins::cuda::Driver;
using assay::plugins::cuda::Nvml;
using assay::plugins::cuda::Telemetry;
using assay::plugins::cuda::Watched;

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("NVIDIA GPUs: facts, telemetry, visibility");
  }
};

int numa_node_of(const std::string& pci) {
  std::ifstream file("/sys/bus/pci/devices/" + pci + "/numa_node");
  int node = -1;
  return file >> node && node >= 0 ? node : -1;
}

class Cuda final : public assay::Backend {
 public:
  static constexpr const char* name = "cuda";

  Cuda() {
    const std::vector<CudaDevice> seen = driver_.devices();
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const CudaDevice& device = seen[i];
      Known one;
      one.cuda = device;
      one.watched.name = "cuda:" + std::to_string(i);
      one.watched.whole = nvml_.by_pci(device.pci);
      // CUDA gives a slice's identity as it gives a GPU's; only the management library tells them apart.
      one.uuid = "GPU-" + device.uuid;
      one.watched.device = one.watched.whole;
      if (one.watched.whole != nullptr && nvml_.mig(one.watched.whole).value_or(false)) {
        if (const Nvml::Handle slice = nvml_.by_uuid("MIG-" + device.uuid)) {
          one.uuid = "MIG-" + device.uuid;
          one.watched.device = slice;
          one.slice = true;
        }
      }
      known_.push_back(one);
    }
  }

  void inventory(assay::Inventory& found) override {
    require_devices();
    found.fact("cuda_version", driver_.version());
    if (const auto version = nvml_.driver_version()) found.fact("driver", *version);
    if (!nvml_.problem().empty()) found.fact("telemetry", "none: " + nvml_.problem());
    for (const Known& one : known_) describe(one, found.device(one.watched.name));
  }

  void read(const std::vector<std::string>& devices, const assay::Readings& out) override {
    if (!nvml_.problem().empty()) throw assay::Failure(nvml_.problem(), ASSAY_E_UNSUPPORTED);
    std::vector<Watched> watched;
    for (const std::string& device : devices)
      if (const Known* one = find(device)) watched.push_back(one->watched);
    telemetry_.read(
        watched,
        [&](const std::string& device, const char* quantity, double value) {
          out.reading(device, quantity, value);
        },
        [&](const std::string& device, const char* reason) { out.reason(device, reason); });
  }

  // By identity: numbers would mean something else under another CUDA_DEVICE_ORDER.
  void visibility(const std::vector<std::string>& devices, const assay::Environment& out) override {
    require_devices();
    std::string list;
    for (const std::string& device : devices) {
      const Known* one = find(device);
      if (one == nullptr) {
        throw assay::Failure(
            "there is no " + device + "; CUDA shows " + std::to_string(known_.size()) + " devices",
            ASSAY_E_INVALID);
      }
      list += (list.empty() ? "" : ",") + one->uuid;
    }
    out.set("CUDA_VISIBLE_DEVICES", list);
  }

 private:
  struct Known {
    CudaDevice cuda;
    std::string uuid;
    Watched watched;
    bool slice = false;
  };

  void require_devices() const {
    if (!driver_.problem().empty()) throw assay::Skip(driver_.problem());
    if (known_.empty()) throw assay::Skip("the NVIDIA driver shows no GPU to this process");
  }

  const Known* find(const std::string& device) const {
    const auto found = std::find_if(known_.begin(), known_.end(),
                                    [&](const Known& one) { return one.watched.name == device; });
    return found == known_.end() ? nullptr : &*found;
  }

  void describe(const Known& one, assay::InventoryDevice& device) const {
    const CudaDevice& cuda = one.cuda;
    device.model(cuda.model).uuid(one.uuid).numa_node(numa_node_of(cuda.pci));
    device.fact("architecture", "sm_" + std::to_string(cuda.major) + std::to_string(cuda.minor))
        .fact("memory_bytes", cuda.memory_bytes)
        .fact("multiprocessors", cuda.multiprocessors)
        .fact("l2_bytes", cuda.l2_bytes)
        .fact("memory_bus_bits", cuda.memory_bus_bits)
        .fact("copy_engines", cuda.copy_engines)
        .fact("pci", cuda.pci)
        .fact("slice", one.slice);
    if (one.watched.whole != nullptr) describe_board(one.watched.whole, device);
  }

  void describe_board(Nvml::Handle gpu, assay::InventoryDevice& device) const {
    const auto text = [&](const char* fact, const char* function) {
      if (const auto value = nvml_.text(gpu, function)) device.fact(fact, *value);
    };
    const auto number = [&](const char* fact, const char* function, double factor) {
      if (const auto value = nvml_.number(gpu, function))
        device.fact(fact, factor * static_cast<double>(*value));
    };
    const auto give = [&](const char* fact, const auto& value) {
      if (value) device.fact(fact, *value);
    };
    text("serial", "nvmlDeviceGetSerial");
    text("part_number", "nvmlDeviceGetBoardPartNumber");
    text("vbios", "nvmlDeviceGetVbiosVersion");
    give("ecc", nvml_.ecc(gpu));
    give("mig", nvml_.mig(gpu));
    if (const auto mode = nvml_.number(gpu, "nvmlDeviceGetPersistenceMode"))
      device.fact("persistence", *mode != 0);
    if (const auto mode = nvml_.number(gpu, "nvmlDeviceGetComputeMode"))
      device.fact("compute_mode", *mode == 0   ? "shared"
                                  : *mode == 3 ? "exclusive"
                                  : *mode == 2 ? "prohibited"
                                               : "other");
    give("clock_hz", nvml_.clock_hz(gpu, Nvml::Clock::sm));
    give("largest_clock_hz", nvml_.largest_clock_hz(gpu, Nvml::Clock::sm));
    give("application_clock_hz", nvml_.application_clock_hz(gpu, Nvml::Clock::graphics));
    give("memory_clock_hz", nvml_.clock_hz(gpu, Nvml::Clock::memory));
    give("largest_memory_clock_hz", nvml_.largest_clock_hz(gpu, Nvml::Clock::memory));
    number("power_limit_w", "nvmlDeviceGetEnforcedPowerLimit", 1e-3);
    number("standard_power_limit_w", "nvmlDeviceGetPowerManagementDefaultLimit", 1e-3);
    number("pcie_generation", "nvmlDeviceGetCurrPcieLinkGeneration", 1);
    number("pcie_width", "nvmlDeviceGetCurrPcieLinkWidth", 1);
    number("largest_pcie_generation", "nvmlDeviceGetMaxPcieLinkGeneration", 1);
    number("largest_pcie_width", "nvmlDeviceGetMaxPcieLinkWidth", 1);
    describe_links(gpu, device);
  }

  // "18 to switch", "4 to cuda:1, 4 to cuda:2".
  void describe_links(Nvml::Handle gpu, assay::InventoryDevice& device) const {
    const std::vector<Nvml::Link> links = nvml_.links(gpu);
    std::map<std::string, int> peers;
    int active = 0;
    for (const Nvml::Link& link : links) {
      if (!link.active) continue;
      ++active;
      std::string peer = link.remote.empty() ? "unknown" : link.remote;
      const Nvml::Handle other = link.remote_pci.empty() ? nullptr : nvml_.by_pci(link.remote_pci);
      for (const Known& one : known_)
        if (other != nullptr && one.watched.whole == other) peer = one.watched.name;
      ++peers[peer];
    }
    std::string text;
    for (const auto& [peer, count] : peers)
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " to " + peer;
    device.fact("nvlinks", active).fact("nvlinks_down", static_cast<int>(links.size()) - active);
    if (!text.empty()) device.fact("nvlink_peers", text);
  }

  Driver driver_;
  Nvml nvml_;
  std::vector<Known> known_;
  // Workers are children of the process that started this one.
  Telemetry telemetry_{nvml_, "/", static_cast<unsigned>(getppid())};
};

}  // namespace

ASSAY_PLUGIN("org.assay.cuda", "0.1.0", "", Cuda, About)
