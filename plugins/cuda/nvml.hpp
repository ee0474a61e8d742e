// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA's management library. What a version of it, a driver or a container does not tell is not a value;
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
  struct RemappedRows {
    unsigned corrected = 0, uncorrected = 0;  // rows that were remapped after such errors
    bool pending = false, failed = false;     // waits for a reset; could not be done
  };
  [[nodiscard]] Maybe<RemappedRows> remapped_rows(Handle device) const;
  [[nodiscard]] Maybe<double> pcie_replays(Handle device) const;
  // Errors of all links together, since they came up.
  enum class LinkError { crc, replay, recovery };
  [[nodiscard]] Maybe<double> link_errors(Handle device, LinkError which) const;
  // Whether what was asked last is something that the library or the device does not have, which stays so.
  [[nodiscard]] bool last_is_unsupported() const;

  struct Process {
    unsigned pid = 0;
    std::optional<unsigned long long> memory_bytes;  // none: not told
  };
  [[nodiscard]] Maybe<std::vector<Process>> compute_processes(Handle device) const;
  struct Use {
    unsigned pid = 0;
    unsigned long long at_us = 0;                 // unix time
    unsigned sm_percent = 0, memory_percent = 0;  // of the time since the sample before
  };
  // What processes used since then (unix time); none where nothing was sampled.
  [[nodiscard]] Maybe<std::vector<Use>> uses_since(Handle device, unsigned long long since_us) const;
  [[nodiscard]] bool is_lost(Handle device) const;

  struct Link {
    bool active = false;
    std::string remote_pci;  // "" if unknown
    std::string remote;      // "GPU", "switch", "CPU" or ""
  };
  // NVLinks in order; those that the GPU does not have are left out.
  enum class Detail { states, peers };
  [[nodiscard]] std::vector<Link> links(Handle device, Detail detail = Detail::peers) const;

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

  mutable int last_ = 0;  // status of the last call
  Library library_{"libnvidia-ml.so.1"};
  std::string problem_;
  void* events_ = nullptr;
};

}  // namespace assay::plugins::cuda
