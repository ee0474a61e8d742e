// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA's management library. What a version of it, a driver or a container does not tell is no value;
// nothing here throws.
#pragma once

#include "cuda/library.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::plugins::cuda {

class Nvml {
 public:
  using Handle = void*;
  template <class Value>
  using Maybe = std::optional<Value>;

  enum class Clock : int { graphics = 0, sm = 1, memory = 2 };

  Nvml();
  Nvml(const Nvml&) = delete;  // owns the library's state
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml();

  // Why it cannot be asked; empty if it can.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] Maybe<std::string> driver_version() const;

  struct Board {
    std::string pci, uuid;   // "0000:19:00.0", "GPU-…"
    bool mig = false;        // cut into slices, or to be
    std::size_t slices = 0;  // that there are
  };
  // All boards that this process may use; no value if the library cannot count them.
  [[nodiscard]] Maybe<std::vector<Board>> boards() const;

  // That a GPU in MIG mode is cut into.
  [[nodiscard]] std::size_t slices(Handle device) const;

  // A whole GPU by "0000:19:00.0".
  [[nodiscard]] Handle by_pci(const std::string& pci) const;
  // A GPU or MIG slice by its full identity, "GPU-…" or "MIG-…".
  [[nodiscard]] Handle by_uuid(const std::string& uuid) const;

  // Functions of the forms f(device, char*, length) and f(device, unsigned*).
  [[nodiscard]] Maybe<std::string> text(Handle device, const char* function) const;
  [[nodiscard]] Maybe<unsigned> number(Handle device, const char* function) const;

  [[nodiscard]] Maybe<double> clock_hz(Handle device, Clock which) const;
  [[nodiscard]] Maybe<double> largest_clock_hz(Handle device, Clock which) const;
  // The clock that was set for applications, if it is not the default.
  [[nodiscard]] Maybe<double> application_clock_hz(Handle device, Clock which) const;
  [[nodiscard]] Maybe<double> temperature_c(Handle device) const;
  // Now; of an older driver the mean over the last second.
  [[nodiscard]] Maybe<double> power_w(Handle device) const;
  [[nodiscard]] Maybe<double> energy_j(Handle device) const;
  [[nodiscard]] Maybe<double> memory_used_bytes(Handle device) const;
  // Bits of nvmlClocksEventReason….
  [[nodiscard]] Maybe<unsigned long long> clock_event_reasons(Handle device) const;
  [[nodiscard]] Maybe<bool> ecc(Handle device) const;
  [[nodiscard]] Maybe<bool> mig(Handle device) const;
  // Since the driver was loaded.
  [[nodiscard]] Maybe<double> ecc_errors(Handle device, bool corrected) const;
  [[nodiscard]] Maybe<std::vector<unsigned>> compute_processes(Handle device) const;
  [[nodiscard]] bool is_lost(Handle device) const;

  struct Link {
    bool active = false;
    std::string remote_pci;  // "" if unknown
    std::string remote;      // "GPU", "switch", "CPU" or ""
  };
  // NVLinks in order; those that the GPU does not have are left out.
  [[nodiscard]] std::vector<Link> links(Handle device) const;

  // Errors that the driver logged since it was last asked (XID numbers), of devices that were given to
  // watch().
  void watch(Handle device);
  struct Event {
    Handle device;
    unsigned long long xid;
  };
  [[nodiscard]] std::vector<Event> new_events();

 private:
  template <class... Arguments>
  int call(const char* name, Arguments... arguments) const;

  Library library_{"libnvidia-ml.so.1"};
  std::string problem_;
  void* events_ = nullptr;
};

}  // namespace assay::plugins::cuda
