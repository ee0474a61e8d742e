// SPDX-License-Identifier: Apache-2.0
//
// The backend `cuda`: NVIDIA GPUs as CUDA shows them to a process, with what the management library adds.
#include "cuda/board.hpp"
#include "cuda/census.hpp"
#include "cuda/driver.hpp"
#include "cuda/management.hpp"
#include "cuda/quantities.hpp"
#include "cuda/telemetry.hpp"

#include <assay/backend.hpp>
#include <assay/errors.hpp>
#include <assay/plugin.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

using assay::plugins::cuda::BoardFacts;
using assay::plugins::cuda::census_of;
using assay::plugins::cuda::CudaDevice;
using assay::plugins::cuda::Driver;
using assay::plugins::cuda::lacking;
using assay::plugins::cuda::Management;
using assay::plugins::cuda::Nvml;
using assay::plugins::cuda::read_kernel;
using assay::plugins::cuda::Seen;
using assay::plugins::cuda::Telemetry;
using assay::plugins::cuda::Watched;

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("NVIDIA GPUs: facts, telemetry, visibility");
    // It opens without; its devices cannot be used without.
    is.needs("libcuda.so.1", "install NVIDIA's driver");
  }
};

int numa_node_of(const std::string& pci) {
  std::ifstream file("/sys/bus/pci/devices/" + pci + "/numa_node");
  int node = -1;
  return file >> node && node >= 0 ? node : -1;
}

std::string uuid_of(const CudaDevice& device) { return (device.slice ? "MIG-" : "GPU-") + device.uuid; }

// The management library's view of the devices that CUDA shows, "cuda:0" and so on.
std::vector<Watched> find_all(const Nvml& nvml, const std::vector<CudaDevice>& devices) {
  std::vector<Watched> all;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    Watched& one = all.emplace_back();
    one.name = "cuda:" + std::to_string(i);
    one.device = one.whole = nvml.by_pci(devices[i].pci);
    if (one.whole == nullptr) continue;
    // A driver whose two identities are the same leaves slices to the management library.
    const Nvml::Handle slice = devices[i].slice || nvml.mig(one.whole).value_or(false)
                                   ? nvml.by_uuid("MIG-" + devices[i].uuid)
                                   : nullptr;
    if (devices[i].slice || slice != nullptr) one.device = slice;
    one.lacks = lacking(nvml, one);
  }
  return all;
}

class Cuda final : public assay::Backend {
 public:
  static constexpr const char* name = "cuda";
  static void describe(assay::TelemetryDescription& is) { assay::plugins::cuda::describe_telemetry(is); }

  // The driver comes first: where nothing else keeps GPUs awake, waking them is its time.
  Cuda() {
    const auto watched =
        management_.ask([devices = devices_](const Nvml& nvml) { return find_all(nvml, devices); });
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      watched_.push_back(watched ? (*watched)[i] : Watched{"cuda:" + std::to_string(i)});
      if (watched_[i].device != watched_[i].whole) devices_[i].slice = true;
    }
  }

  void inventory(assay::Inventory& found) override {
    require_devices();
    found.fact("cuda_version", driver_.version());
    const auto driver_version = management_.ask([](const Nvml& nvml) { return nvml.driver_version(); });
    if (driver_version && *driver_version) found.fact("driver", **driver_version);
    const std::vector<BoardFacts> boards = boards_or_none();
    found.census(census_of(sources()));
    if (!management_.problem().empty()) found.fact("telemetry", "none: " + management_.problem());
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      assay::InventoryDevice& device = found.device(watched_[i].name);
      tell(devices_[i], device);
      for (const std::string& quantity : watched_[i].lacks) device.lacks(quantity);
      if (boards.empty()) continue;
      for (const auto& fact : boards[i]) fact(device);
    }
  }

  void read(const std::vector<std::string>& devices, const assay::Readings& out) override {
    std::vector<Watched> wanted;
    for (const std::string& device : devices)
      if (const auto index = find(device)) wanted.push_back(watched_[*index]);
    const auto seen = management_.ask(
        [wanted, telemetry = telemetry_](Nvml& nvml) { return telemetry->read(nvml, wanted); });
    if (!seen) throw assay::Failure(management_.problem(), ASSAY_E_UNSUPPORTED);
    for (const Seen::Reading& each : seen->readings) out.reading(each.device, each.quantity, each.value);
    for (const Seen::Reason& each : seen->reasons) out.reason(each.device, each.text.c_str());
  }

  // By identity: numbers would mean something else under another CUDA_DEVICE_ORDER.
  void visibility(const std::vector<std::string>& devices, const assay::Environment& out) override {
    require_devices();
    std::string list;
    for (const std::string& device : devices) {
      const auto index = find(device);
      if (!index) {
        throw assay::Failure(
            "there is no " + device + "; CUDA shows " + std::to_string(devices_.size()) + " devices",
            ASSAY_E_INVALID);
      }
      list += (list.empty() ? "" : ",") + uuid_of(devices_[*index]);
    }
    out.set("CUDA_VISIBLE_DEVICES", list);
  }

 private:
  void require_devices() const {
    if (!driver_.problem().empty()) throw assay::Skip(driver_.problem());
    if (devices_.empty()) throw assay::Skip("the NVIDIA driver shows no GPU to this process");
  }

  std::optional<std::size_t> find(const std::string& device) const {
    for (std::size_t i = 0; i < watched_.size(); ++i)
      if (watched_[i].name == device) return i;
    return std::nullopt;
  }

  [[nodiscard]] assay::plugins::cuda::Sources sources() {
    assay::plugins::cuda::Sources sources;
    sources.kernel = read_kernel("/");
    sources.managed = management_.ask([](const Nvml& nvml) { return nvml.boards(); }).value_or(std::nullopt);
    sources.shown = devices_;
    if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) sources.visible = visible;
    return sources;
  }

  // In the order of the devices; none if the management library does not answer.
  std::vector<BoardFacts> boards_or_none() {
    const auto boards = management_.ask([watched = watched_](const Nvml& nvml) {
      std::vector<BoardFacts> all;
      for (const Watched& one : watched)
        all.push_back(one.whole != nullptr ? facts_of(nvml, one.whole, watched) : BoardFacts());
      return all;
    });
    return boards.value_or(std::vector<BoardFacts>());
  }

  static void tell(const CudaDevice& cuda, assay::InventoryDevice& device) {
    device.model(cuda.model).uuid(uuid_of(cuda)).numa_node(numa_node_of(cuda.pci));
    device.fact("architecture", "sm_" + std::to_string(cuda.major) + std::to_string(cuda.minor))
        .fact("memory_bytes", cuda.memory_bytes)
        .fact("multiprocessors", cuda.multiprocessors)
        .fact("l2_bytes", cuda.l2_bytes)
        .fact("memory_bus_bits", cuda.memory_bus_bits)
        .fact("copy_engines", cuda.copy_engines)
        .fact("pci", cuda.pci)
        .fact("slice", cuda.slice);
  }

  Driver driver_;
  std::vector<CudaDevice> devices_ = driver_.devices();
  Management management_;
  std::vector<Watched> watched_;  // of each device
  // Workers are children of the process that started this one.
  std::shared_ptr<Telemetry> telemetry_ = std::make_shared<Telemetry>("/", static_cast<unsigned>(getppid()));
};

}  // namespace

ASSAY_PLUGIN("org.assay.cuda", "0.1.0", "", Cuda, About)
