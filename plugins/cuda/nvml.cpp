// SPDX-License-Identifier: Apache-2.0
#include "cuda/nvml.hpp"

#include "cuda/bus.hpp"

#include <algorithm>
#include <array>

namespace assay::plugins::cuda {
namespace {

// Of nvml.h; they are part of the library's stable binary interface.
constexpr int kFunctionNotFound = 13;  // NVML_ERROR_FUNCTION_NOT_FOUND
constexpr int kNotSupported = 3;
constexpr int kNothingSampled = 6;
constexpr int kInsufficientSize = 7;
constexpr int kGpuIsLost = 15;
constexpr int kTemperatureGpu = 0;
constexpr int kCorrected = 0, kUncorrected = 1, kVolatile = 0;
constexpr unsigned long long kXidEvent = 8;
constexpr unsigned kPowerNow = 186;  // NVML_FI_DEV_POWER_INSTANT
constexpr int kTypeDouble = 0;
constexpr int kTypeWide = 3;  // NVML_VALUE_TYPE_UNSIGNED_LONG_LONG
// NVML_FI_DEV_NVLINK_…_ERROR_COUNT_TOTAL: flits and data with a bad sum, replays, recoveries.
constexpr unsigned kCrcFlits = 38, kCrcData = 45, kReplays = 52, kRecoveries = 59;
// nvmlNvLinkErrorCounter_t, of one link.
constexpr int kLinkReplay = 0, kLinkRecovery = 1, kLinkCrcFlit = 2, kLinkCrcData = 3;
constexpr unsigned long long kNotAvailable = ~0ULL;
constexpr unsigned kMostLinks = 18;
constexpr unsigned kMostBoards = 1024, kMostSlices = 64;
constexpr std::size_t kMostEvents = 64;
constexpr int kUnknownProcessCountRetries = 3;

struct Memory {
  unsigned long long total, free, used;
};

struct ProcessInfo {
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance, compute_instance;
};

struct UtilizationSample {
  unsigned pid;
  unsigned long long at_us;
  unsigned sm, memory, encoder, decoder;
};
static_assert(sizeof(UtilizationSample) == 32);

struct PciInfo {
  std::array<char, 16> legacy_id;
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  std::array<char, 32> id;
};

struct FieldValue {
  unsigned field, scope;
  long long timestamp, latency;
  int type, code;
  union {
    double real;
    unsigned whole;  // the lower half of the wider ones, too
    unsigned long long wide;
  } value;
};
static_assert(sizeof(FieldValue) == 40);

struct EventData {
  void* device;
  unsigned long long type, data;
  unsigned gpu_instance, compute_instance;
};

}  // namespace

template <class... Arguments>
int Nvml::call(const char* name, Arguments... arguments) const {
  return last_ = library_.call(kFunctionNotFound, name, arguments...);
}

bool Nvml::last_is_unsupported() const { return last_ == kNotSupported || last_ == kFunctionNotFound; }

Nvml::Nvml() {
  if (!library_.is_open()) {
    problem_ = library_.problem();
    return;
  }
  const int code = call("nvmlInit_v2");
  if (code != 0) problem_ = "NVML does not start (nvmlInit_v2 gave " + std::to_string(code) + ")";
}

Nvml::~Nvml() {
  if (!problem_.empty()) return;
  if (events_ != nullptr) call("nvmlEventSetFree", events_);
  call("nvmlShutdown");
}

Nvml::Maybe<std::string> Nvml::driver_version() const {
  std::array<char, 128> version{};
  if (!problem_.empty() || call("nvmlSystemGetDriverVersion", version.data(), unsigned{version.size()}) != 0)
    return {};
  return version.data();
}

Nvml::Maybe<std::vector<Nvml::Board>> Nvml::boards() const {
  unsigned count = 0;
  if (!problem_.empty() || call("nvmlDeviceGetCount_v2", &count) != 0) return {};
  std::vector<Board> found;
  for (unsigned i = 0; i < std::min(count, kMostBoards); ++i) {
    Handle device = nullptr;
    PciInfo pci{};
    // Of one that is lost, or that this process may not use, there is no more than its number.
    if (call("nvmlDeviceGetHandleByIndex_v2", i, &device) != 0) continue;
    if (call("nvmlDeviceGetPciInfo_v3", device, &pci) != 0) return {};
    Board& board = found.emplace_back();
    board.pci = pci_address(pci.id.data());
    board.uuid = text(device, "nvmlDeviceGetUUID").value_or("");
    board.mig = mig(device).value_or(false);
    if (board.mig) board.slices = slices(device);
  }
  return found;
}

std::size_t Nvml::slices(Handle device) const {
  const unsigned most = number(device, "nvmlDeviceGetMaxMigDeviceCount").value_or(0);
  std::size_t count = 0;
  for (unsigned k = 0; k < std::min(most, kMostSlices); ++k) {
    Handle slice = nullptr;
    count += call("nvmlDeviceGetMigDeviceHandleByIndex", device, k, &slice) == 0 ? 1 : 0;
  }
  return count;
}

Nvml::Handle Nvml::by_pci(const std::string& pci) const {
  Handle device = nullptr;
  return problem_.empty() && call("nvmlDeviceGetHandleByPciBusId_v2", pci.c_str(), &device) == 0 ? device
                                                                                                 : nullptr;
}

Nvml::Handle Nvml::by_uuid(const std::string& uuid) const {
  Handle device = nullptr;
  return problem_.empty() && call("nvmlDeviceGetHandleByUUID", uuid.c_str(), &device) == 0 ? device : nullptr;
}

Nvml::Maybe<std::string> Nvml::text(Handle device, const char* function) const {
  std::array<char, 128> value{};
  if (call(function, device, value.data(), unsigned{value.size()}) != 0) return {};
  return value.data();
}

Nvml::Maybe<unsigned> Nvml::number(Handle device, const char* function) const {
  unsigned value = 0;
  if (call(function, device, &value) != 0) return {};
  return value;
}

Nvml::Maybe<double> Nvml::clock_hz(Handle device, Clock which) const {
  unsigned megahertz = 0;
  if (call("nvmlDeviceGetClockInfo", device, static_cast<int>(which), &megahertz) != 0) return {};
  return 1e6 * megahertz;
}

Nvml::Maybe<double> Nvml::largest_clock_hz(Handle device, Clock which) const {
  unsigned megahertz = 0;
  if (call("nvmlDeviceGetMaxClockInfo", device, static_cast<int>(which), &megahertz) != 0) return {};
  return 1e6 * megahertz;
}

Nvml::Maybe<double> Nvml::application_clock_hz(Handle device, Clock which) const {
  unsigned now = 0, standard = 0;
  if (call("nvmlDeviceGetApplicationsClock", device, static_cast<int>(which), &now) != 0) return {};
  if (call("nvmlDeviceGetDefaultApplicationsClock", device, static_cast<int>(which), &standard) != 0)
    return {};
  if (now == standard) return {};
  return 1e6 * now;
}

Nvml::Maybe<double> Nvml::temperature_c(Handle device) const {
  unsigned celsius = 0;
  if (call("nvmlDeviceGetTemperature", device, kTemperatureGpu, &celsius) != 0) return {};
  return celsius;
}

Nvml::Maybe<double> Nvml::power_w(Handle device) const {
  FieldValue now{};
  now.field = kPowerNow;
  if (call("nvmlDeviceGetFieldValues", device, 1, &now) == 0 && now.code == 0)
    return 1e-3 * (now.type == kTypeDouble ? now.value.real : static_cast<double>(now.value.whole));
  if (const auto milliwatts = number(device, "nvmlDeviceGetPowerUsage"))
    return 1e-3 * static_cast<double>(*milliwatts);
  return {};
}

Nvml::Maybe<double> Nvml::energy_j(Handle device) const {
  unsigned long long millijoules = 0;
  if (call("nvmlDeviceGetTotalEnergyConsumption", device, &millijoules) != 0) return {};
  return 1e-3 * static_cast<double>(millijoules);
}

Nvml::Maybe<double> Nvml::memory_used_bytes(Handle device) const {
  Memory memory{};
  if (call("nvmlDeviceGetMemoryInfo", device, &memory) != 0) return {};
  return static_cast<double>(memory.used);
}

Nvml::Maybe<unsigned long long> Nvml::clock_event_reasons(Handle device) const {
  unsigned long long bits = 0;
  if (call("nvmlDeviceGetCurrentClocksEventReasons", device, &bits) == 0) return bits;
  // The name before driver 535.
  if (call("nvmlDeviceGetCurrentClocksThrottleReasons", device, &bits) == 0) return bits;
  return {};
}

Nvml::Maybe<bool> Nvml::ecc(Handle device) const {
  int now = 0, pending = 0;
  if (call("nvmlDeviceGetEccMode", device, &now, &pending) != 0) return {};
  return now != 0;
}

Nvml::Maybe<bool> Nvml::mig(Handle device) const {
  unsigned now = 0, pending = 0;
  if (call("nvmlDeviceGetMigMode", device, &now, &pending) != 0) return {};
  return now != 0;
}

Nvml::Maybe<double> Nvml::ecc_errors(Handle device, bool corrected) const {
  unsigned long long count = 0;
  if (call("nvmlDeviceGetTotalEccErrors", device, corrected ? kCorrected : kUncorrected, kVolatile, &count) !=
      0)
    return {};
  return static_cast<double>(count);
}

Nvml::Maybe<Nvml::RemappedRows> Nvml::remapped_rows(Handle device) const {
  unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
  if (call("nvmlDeviceGetRemappedRows", device, &corrected, &uncorrected, &pending, &failed) != 0) return {};
  return RemappedRows{corrected, uncorrected, pending != 0, failed != 0};
}

Nvml::Maybe<double> Nvml::pcie_replays(Handle device) const {
  unsigned count = 0;
  if (call("nvmlDeviceGetPcieReplayCounter", device, &count) != 0) return {};
  return count;
}

Nvml::Maybe<double> Nvml::link_errors(Handle device, LinkError which) const {
  const bool crc = which == LinkError::crc;
  std::array<FieldValue, 2> fields{};
  fields[0].field = crc ? kCrcFlits : which == LinkError::replay ? kReplays : kRecoveries;
  fields[1].field = kCrcData;
  const int count = crc ? 2 : 1;
  double sum = 0;
  const auto is_told = [&](const FieldValue& field) { return field.code == 0; };
  if (call("nvmlDeviceGetFieldValues", device, count, fields.data()) == 0 &&
      std::all_of(fields.begin(), fields.begin() + count, is_told)) {
    for (int i = 0; i < count; ++i) {
      const FieldValue& field = fields[static_cast<std::size_t>(i)];
      sum += field.type == kTypeDouble ? field.value.real
             : field.type == kTypeWide ? static_cast<double>(field.value.wide)
                                       : static_cast<double>(field.value.whole);
    }
    return sum;
  }
  // Link by link, as older drivers tell it.
  bool any = false;
  for (unsigned link = 0; link < kMostLinks; ++link) {
    unsigned active = 0;
    if (call("nvmlDeviceGetNvLinkState", device, link, &active) != 0 || active == 0) continue;
    for (const int counter : {crc                          ? kLinkCrcFlit
                              : which == LinkError::replay ? kLinkReplay
                                                           : kLinkRecovery,
                              crc ? kLinkCrcData : -1}) {
      unsigned long long errors = 0;
      if (counter < 0) continue;
      if (call("nvmlDeviceGetNvLinkErrorCounter", device, link, counter, &errors) != 0) return {};
      sum += static_cast<double>(errors);
      any = true;
    }
  }
  return any ? Maybe<double>(sum) : Maybe<double>();
}

Nvml::Maybe<std::vector<Nvml::Process>> Nvml::compute_processes(Handle device) const {
  std::vector<ProcessInfo> processes(64);
  for (int attempt = 0; attempt < kUnknownProcessCountRetries; ++attempt) {
    unsigned count = static_cast<unsigned>(processes.size());
    const int code = call("nvmlDeviceGetComputeRunningProcesses_v3", device, &count, processes.data());
    if (code == kInsufficientSize) {
      processes.resize(std::min<std::size_t>(std::size_t{count} + 64, 65536));
      continue;
    }
    if (code != 0) return {};
    std::vector<Process> found;
    for (std::size_t i = 0; i < std::min<std::size_t>(count, processes.size()); ++i) {
      Process& one = found.emplace_back();
      one.pid = processes[i].pid;
      if (processes[i].used_memory != kNotAvailable) one.memory_bytes = processes[i].used_memory;
    }
    return found;
  }
  return {};
}

Nvml::Maybe<std::vector<Nvml::Use>> Nvml::uses_since(Handle device, unsigned long long since_us) const {
  std::vector<UtilizationSample> samples(256);
  for (int attempt = 0; attempt < kUnknownProcessCountRetries; ++attempt) {
    unsigned count = static_cast<unsigned>(samples.size());
    const int code = call("nvmlDeviceGetProcessUtilization", device, samples.data(), &count, since_us);
    if (code == kInsufficientSize) {
      samples.resize(std::min<std::size_t>(std::size_t{count} + 64, 65536));
      continue;
    }
    if (code == kNothingSampled) return std::vector<Use>();  // nothing was sampled since
    if (code != 0) return {};
    std::vector<Use> found;
    for (std::size_t i = 0; i < std::min<std::size_t>(count, samples.size()); ++i)
      if (samples[i].at_us > since_us)
        found.push_back({samples[i].pid, samples[i].at_us, samples[i].sm, samples[i].memory});
    return found;
  }
  return {};
}

bool Nvml::is_lost(Handle device) const {
  unsigned celsius = 0;
  return call("nvmlDeviceGetTemperature", device, kTemperatureGpu, &celsius) == kGpuIsLost;
}

std::vector<Nvml::Link> Nvml::links(Handle device, Detail detail) const {
  std::vector<Link> found;
  for (unsigned i = 0; i < kMostLinks; ++i) {
    unsigned active = 0;
    if (call("nvmlDeviceGetNvLinkState", device, i, &active) != 0) continue;
    Link& link = found.emplace_back();
    link.active = active != 0;
    if (!link.active || detail == Detail::states) continue;
    PciInfo pci{};
    if (call("nvmlDeviceGetNvLinkRemotePciInfo_v2", device, i, &pci) == 0) link.remote_pci = pci.id.data();
    int type = 0;
    if (call("nvmlDeviceGetNvLinkRemoteDeviceType", device, i, &type) == 0)
      link.remote = type == 0 ? "GPU" : type == 1 ? "CPU" : type == 2 ? "switch" : "";
  }
  return found;
}

void Nvml::watch(Handle device) {
  if (events_ == nullptr && call("nvmlEventSetCreate", &events_) != 0) events_ = nullptr;
  if (events_ != nullptr) call("nvmlDeviceRegisterEvents", device, kXidEvent, events_);
}

std::vector<Nvml::Event> Nvml::new_events() {
  std::vector<Event> found;
  while (events_ != nullptr && found.size() < kMostEvents) {
    EventData data{};
    if (call("nvmlEventSetWait_v2", events_, &data, 0U) != 0) break;
    found.push_back({data.device, data.data});
  }
  return found;
}

}  // namespace assay::plugins::cuda
