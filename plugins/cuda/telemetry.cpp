// SPDX-License-Identifier: Apache-2.0
#include "cuda/telemetry.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>

namespace assay::plugins::cuda {
namespace {

struct Word {
  unsigned long long bit;
  const char* text;
};
constexpr Word kWords[] = {{0x2, "application_clocks"}, {0x4, "power_cap"},       {0x8, "hw_slowdown"},
                           {0x10, "sync_boost"},        {0x20, "sw_thermal"},     {0x40, "hw_thermal"},
                           {0x80, "hw_power_brake"},    {0x100, "display_clocks"}};

// The parent of a process; none if it is not seen from here.
std::optional<unsigned> parent_of(const std::string& root, unsigned pid) {
  std::ifstream file(root + "proc/" + std::to_string(pid) + "/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  // "pid (name) state parent …", and a name may hold anything.
  const std::size_t after_name = text.rfind(')');
  if (after_name == std::string::npos || after_name + 4 >= text.size()) return std::nullopt;
  return static_cast<unsigned>(std::strtoul(text.c_str() + after_name + 4, nullptr, 10));
}

}  // namespace

std::vector<const char*> reason_words(unsigned long long bits) {
  std::vector<const char*> words;
  for (const Word& word : kWords)
    if ((bits & word.bit) != 0) words.push_back(word.text);
  return words;
}

bool is_foreign(const std::string& root, unsigned pid, unsigned ancestor) {
  constexpr int kDeepest = 1000;  // a chain that changes while it is read ends, too
  for (int depth = 0; depth < kDeepest; ++depth) {
    if (pid == ancestor) return false;
    const std::optional<unsigned> parent = parent_of(root, pid);
    if (!parent) return false;
    if (*parent <= 1 && pid != ancestor) return *parent != ancestor;
    pid = *parent;
  }
  return false;
}

Telemetry::Telemetry(Nvml& nvml, std::string root, unsigned ancestor)
    : nvml_(nvml), root_(std::move(root)), ancestor_(ancestor) {}

void Telemetry::read(const std::vector<Watched>& devices, const Reading& reading, const Reason& reason) {
  for (const Watched& watched : devices) {
    if (watched.device == nullptr) continue;
    if (std::find(registered_.begin(), registered_.end(), watched.whole) == registered_.end()) {
      registered_.push_back(watched.whole);
      nvml_.watch(watched.whole);
    }
    read_one(watched, reading, reason);
  }
  for (const Nvml::Event& event : nvml_.new_events()) {
    const std::string text = "xid_" + std::to_string(event.xid);
    for (const Watched& watched : devices)
      if (watched.whole == event.device) reason(watched.name, text.c_str());
  }
}

void Telemetry::read_one(const Watched& watched, const Reading& reading, const Reason& reason) {
  const Nvml::Handle gpu = watched.whole;
  if (nvml_.is_lost(gpu)) {
    reason(watched.name, "lost");
    return;
  }
  const auto give = [&](const char* quantity, const std::optional<double>& value) {
    if (value) reading(watched.name, quantity, *value);
  };
  if (const auto milliwatts = nvml_.number(gpu, "nvmlDeviceGetPowerUsage"))
    give("power", 1e-3 * static_cast<double>(*milliwatts));
  give("energy", nvml_.energy_j(gpu));
  give("temperature", nvml_.temperature_c(gpu));
  give("clock", nvml_.clock_hz(gpu, Nvml::Clock::sm));
  give("memory_clock", nvml_.clock_hz(gpu, Nvml::Clock::memory));
  give("memory_used", nvml_.memory_used_bytes(watched.device));
  give("ecc_corrected", nvml_.ecc_errors(gpu, true));
  give("ecc_uncorrected", nvml_.ecc_errors(gpu, false));
  if (const auto bits = nvml_.clock_event_reasons(gpu))
    for (const char* word : reason_words(*bits)) reason(watched.name, word);
  const auto processes = nvml_.compute_processes(watched.device);
  if (processes && std::any_of(processes->begin(), processes->end(),
                               [&](unsigned pid) { return is_foreign(root_, pid, ancestor_); }))
    reason(watched.name, "foreign_process");
}

}  // namespace assay::plugins::cuda
