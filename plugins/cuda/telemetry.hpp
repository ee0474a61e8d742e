// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda/nvml.hpp"

#include <string>
#include <vector>

namespace assay::plugins::cuda {

// A GPU, or the GPU that a MIG slice is of, as the management library knows it.
struct Watched {
  std::string name;               // "cuda:0"
  Nvml::Handle device = nullptr;  // null: the management library does not know it
  Nvml::Handle whole = nullptr;   // of a slice: its GPU; else the same as device
};

// The reasons in the bits of a clock-event mask, in the words that reports print: power_cap, thermal …. An
// idle clock is no reason.
[[nodiscard]] std::vector<const char*> reason_words(unsigned long long bits);

// Whether `pid` runs on this machine and does not descend from `ancestor`. Processes that are not seen from
// here (another container's) are not foreign: their number says nothing. `root` is "/", or a folder with a
// copy of /proc.
[[nodiscard]] bool is_foreign(const std::string& root, unsigned pid, unsigned ancestor);

// What one read of several GPUs gave.
struct Seen {
  struct Reading {
    std::string device;
    const char* quantity;
    double value;
  };
  struct Reason {
    std::string device, text;
  };
  std::vector<Reading> readings;
  std::vector<Reason> reasons;
};

// Reads GPUs now. Quantities: power (W), energy (J, a counter), temperature (°C), clock (Hz, of the SMs),
// memory_clock (Hz), memory_used (B), ecc_corrected and ecc_uncorrected (errors since the driver was loaded).
class Telemetry {
 public:
  // `ancestor`: processes that descend from it are this run's own.
  Telemetry(std::string root, unsigned ancestor);

  [[nodiscard]] Seen read(Nvml& nvml, const std::vector<Watched>& devices);

 private:
  void read_one(Nvml& nvml, const Watched& watched, Seen& seen) const;

  std::string root_;
  unsigned ancestor_;
  std::vector<Nvml::Handle> registered_;
};

}  // namespace assay::plugins::cuda
