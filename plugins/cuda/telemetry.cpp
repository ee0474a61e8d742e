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

Telemetry::Telemetry(std::string root, unsigned ancestor) : root_(std::move(root)), ancestor_(ancestor) {}

Seen Telemetry::read(Nvml& nvml, const std::vector<Watched>& devices) {
  Seen seen;
  for (const Watched& watched : devices) {
    if (watched.device == nullptr) continue;
    if (std::find(registered_.begin(), registered_.end(), watched.whole) == registered_.end()) {
      registered_.push_back(watched.whole);
      nvml.watch(watched.whole);
    }
    read_one(nvml, watched, seen);
  }
  for (const Nvml::Event& event : nvml.new_events()) {
    for (const Watched& watched : devices)
      if (watched.whole == event.device)
        seen.reasons.push_back({watched.name, "xid_" + std::to_string(event.xid)});
  }
  return seen;
}

void Telemetry::read_one(Nvml& nvml, const Watched& watched, Seen& seen) const {
  const Nvml::Handle gpu = watched.whole;
  const auto reason = [&](const char* text) { seen.reasons.push_back({watched.name, text}); };
  if (nvml.is_lost(gpu)) return reason("lost");
  const auto give = [&](const char* quantity, const std::optional<double>& value) {
    if (value) seen.readings.push_back({watched.name, quantity, *value});
  };
  give("power", nvml.power_w(gpu));
  give("energy", nvml.energy_j(gpu));
  give("temperature", nvml.temperature_c(gpu));
  give("clock", nvml.clock_hz(gpu, Nvml::Clock::sm));
  give("memory_clock", nvml.clock_hz(gpu, Nvml::Clock::memory));
  give("memory_used", nvml.memory_used_bytes(watched.device));
  give("ecc_corrected", nvml.ecc_errors(gpu, true));
  give("ecc_uncorrected", nvml.ecc_errors(gpu, false));
  if (const auto bits = nvml.clock_event_reasons(gpu))
    for (const char* word : reason_words(*bits)) reason(word);
  const auto processes = nvml.compute_processes(watched.device);
  if (processes && std::any_of(processes->begin(), processes->end(),
                               [&](unsigned pid) { return is_foreign(root_, pid, ancestor_); }))
    reason("foreign_process");
}

}  // namespace assay::plugins::cuda
