// SPDX-License-Identifier: Apache-2.0
#include "cuda/board.hpp"

#include <map>
#include <string>
#include <utility>

namespace assay::plugins::cuda {
namespace {

class Board {
 public:
  Board(const Nvml& nvml, Nvml::Handle gpu) : nvml_(nvml), gpu_(gpu) {}

  template <class Value>
  void fact(const char* name, Value value) {
    facts_.emplace_back(
        [name, value = std::move(value)](assay::InventoryDevice& device) { device.fact(name, value); });
  }
  template <class Value>
  void maybe(const char* name, std::optional<Value> value) {
    if (value) fact(name, std::move(*value));
  }
  void text(const char* name, const char* function) { maybe(name, nvml_.text(gpu_, function)); }
  void number(const char* name, const char* function, double factor) {
    if (const auto value = nvml_.number(gpu_, function)) fact(name, factor * static_cast<double>(*value));
  }

  void settings() {
    maybe("ecc", nvml_.ecc(gpu_));
    maybe("mig", nvml_.mig(gpu_));
    if (nvml_.mig(gpu_).value_or(false)) fact("slices", nvml_.slices(gpu_));
    if (const auto mode = nvml_.number(gpu_, "nvmlDeviceGetPersistenceMode")) fact("persistence", *mode != 0);
    if (const auto mode = nvml_.number(gpu_, "nvmlDeviceGetComputeMode")) {
      fact("compute_mode", std::string(*mode == 0   ? "shared"
                                       : *mode == 3 ? "exclusive"
                                       : *mode == 2 ? "prohibited"
                                                    : "other"));
    }
  }

  // "18 to switch", "4 to cuda:1, 4 to cuda:2".
  void links(const std::vector<Watched>& known) {
    const std::vector<Nvml::Link> links = nvml_.links(gpu_);
    std::map<std::string, int> peers;
    int active = 0;
    for (const Nvml::Link& link : links) {
      if (!link.active) continue;
      ++active;
      std::string peer = link.remote.empty() ? "unknown" : link.remote;
      const Nvml::Handle other = link.remote_pci.empty() ? nullptr : nvml_.by_pci(link.remote_pci);
      for (const Watched& one : known)
        if (other != nullptr && one.whole == other) peer = one.name;
      ++peers[peer];
    }
    std::string text;
    for (const auto& [peer, count] : peers)
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " to " + peer;
    fact("nvlinks", active);
    fact("nvlinks_down", static_cast<int>(links.size()) - active);
    if (!text.empty()) fact("nvlink_peers", text);
  }

  BoardFacts take() { return std::move(facts_); }

 private:
  const Nvml& nvml_;
  Nvml::Handle gpu_;
  BoardFacts facts_;
};

}  // namespace

BoardFacts facts_of(const Nvml& nvml, Nvml::Handle gpu, const std::vector<Watched>& known) {
  Board board(nvml, gpu);
  board.text("serial", "nvmlDeviceGetSerial");
  board.text("part_number", "nvmlDeviceGetBoardPartNumber");
  board.text("vbios", "nvmlDeviceGetVbiosVersion");
  board.settings();
  board.maybe("clock_hz", nvml.clock_hz(gpu, Nvml::Clock::sm));
  board.maybe("largest_clock_hz", nvml.largest_clock_hz(gpu, Nvml::Clock::sm));
  board.maybe("application_clock_hz", nvml.application_clock_hz(gpu, Nvml::Clock::graphics));
  board.maybe("memory_clock_hz", nvml.clock_hz(gpu, Nvml::Clock::memory));
  board.maybe("largest_memory_clock_hz", nvml.largest_clock_hz(gpu, Nvml::Clock::memory));
  board.number("power_limit_w", "nvmlDeviceGetEnforcedPowerLimit", 1e-3);
  board.number("standard_power_limit_w", "nvmlDeviceGetPowerManagementDefaultLimit", 1e-3);
  board.number("pcie_generation", "nvmlDeviceGetCurrPcieLinkGeneration", 1);
  board.number("pcie_width", "nvmlDeviceGetCurrPcieLinkWidth", 1);
  board.number("largest_pcie_generation", "nvmlDeviceGetMaxPcieLinkGeneration", 1);
  board.number("largest_pcie_width", "nvmlDeviceGetMaxPcieLinkWidth", 1);
  board.links(known);
  return board.take();
}

}  // namespace assay::plugins::cuda
