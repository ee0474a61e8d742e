// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda/nvml.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace assay::plugins::cuda {

// A GPU, or the GPU that a MIG slice is of, as the management library knows it.
struct Watched {
  std::string name;                     // "cuda:0"
  Nvml::Handle device = nullptr;        // null: the management library does not know it
  Nvml::Handle whole = nullptr;         // of a slice: its GPU; else the same as device
  std::vector<std::string> lacks = {};  // quantities that the library says the device does not have
};

// The reasons in the bits of a clock-event mask, in the words that reports print: power_cap, thermal …. An
// idle clock is not a reason.
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

// What foreign processes do with a device, from one read to the next.
class Sharing {
 public:
  // Processes that are not this run's, each with the memory that it holds, and what processes used since the
  // last read. Gives those that used the device since then: multiprocessors or memory traffic above 1 %, or more
  // memory than at the last read. The first read is what others are compared with.
  using Held = std::map<unsigned, std::optional<unsigned long long>>;
  [[nodiscard]] std::vector<unsigned> busy(const Held& foreign, const std::vector<Nvml::Use>& uses);

 private:
  std::optional<Held> before_;
};

// Reads GPUs now. Quantities and reasons are those that the manifest declares (quantities.hpp).
class Telemetry {
 public:
  // `ancestor`: processes that descend from it are this run's own.
  Telemetry(std::string root, unsigned ancestor);

  [[nodiscard]] Seen read(Nvml& nvml, const std::vector<Watched>& devices);

 private:
  void read_one(Nvml& nvml, const Watched& watched, Seen& seen);
  void look_for_others(Nvml& nvml, const Watched& watched, Seen& seen);

  std::string root_;
  unsigned ancestor_;
  std::vector<Nvml::Handle> registered_;
  std::map<Nvml::Handle, Sharing> sharing_;
  std::map<Nvml::Handle, unsigned long long> sampled_until_us_;
};

}  // namespace assay::plugins::cuda
