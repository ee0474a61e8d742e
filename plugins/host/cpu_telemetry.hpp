// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace assay::plugins::host {

// Reads clock, temperature, energy, memory and stolen time from /sys and /proc. Quantities that this
// machine does not report are left out.
class CpuTelemetry {
 public:
  // `root` is "/", or a folder with a copy of /proc and /sys.
  explicit CpuTelemetry(std::string root);

  using Reading = std::function<void(const char* quantity, double value)>;
  using Reason = std::function<void(const char* reason)>;
  // Quantities: clock (Hz, mean over CPUs), temperature (°C, hottest), energy (J, counter), memory_used (B),
  // steal (share of CPU time that the hypervisor gave to others since the last read). Reasons: thermal,
  // steal.
  void read(const Reading& reading, const Reason& reason);
  // The quantities of which this machine tells nothing.
  [[nodiscard]] std::vector<std::string> lacking() const;

 private:
  struct CpuTimes {
    std::int64_t total = 0, steal = 0;
  };
  [[nodiscard]] CpuTimes cpu_times() const;
  [[nodiscard]] std::int64_t throttle_count() const;

  std::string root_;
  // A package's counter, which begins anew at its range; less what was added for that.
  struct Energy {
    std::string file;
    std::int64_t range_uj = 0, last_uj = 0, turns_uj = 0;
  };
  [[nodiscard]] double energy_j();

  std::vector<std::string> clock_files_, temperature_files_, throttle_files_;
  std::vector<Energy> energies_;
  CpuTimes last_times_;
  std::int64_t last_throttle_count_ = 0;
};

}  // namespace assay::plugins::host
