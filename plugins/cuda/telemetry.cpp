// SPDX-License-Identifier: Apache-2.0
#include "cuda/telemetry.hpp"

#include "cuda/quantities.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>

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

void Telemetry::read_one(Nvml& nvml, const Watched& watched, Seen& seen) {
  const auto reason = [&](const char* text) { seen.reasons.push_back({watched.name, text}); };
  if (nvml.is_lost(watched.whole)) return reason("lost");
  for (const Quantity& quantity : quantities()) {
    if (std::find(watched.lacks.begin(), watched.lacks.end(), quantity.name) != watched.lacks.end()) continue;
    if (const auto value = quantity.read(nvml, watched))
      seen.readings.push_back({watched.name, quantity.name, *value});
  }
  if (const auto bits = nvml.clock_event_reasons(watched.whole))
    for (const char* word : reason_words(*bits)) reason(word);
  look_for_others(nvml, watched, seen);
}

void Telemetry::look_for_others(Nvml& nvml, const Watched& watched, Seen& seen) {
  const auto processes = nvml.compute_processes(watched.device);
  if (!processes) return;
  const auto foreign = [&](unsigned pid) { return is_foreign(root_, pid, ancestor_); };
  Sharing::Held held;
  for (const Nvml::Process& process : *processes)
    if (foreign(process.pid)) held[process.pid] = process.memory_bytes;
  // The first read starts at the present time and ignores earlier samples.
  const auto now_us = static_cast<unsigned long long>(std::chrono::duration_cast<std::chrono::microseconds>(
                                                          std::chrono::system_clock::now().time_since_epoch())
                                                          .count());
  unsigned long long& until_us = sampled_until_us_.try_emplace(watched.device, now_us).first->second;
  std::vector<Nvml::Use> uses;
  for (const Nvml::Use& use : nvml.uses_since(watched.device, until_us).value_or(std::vector<Nvml::Use>())) {
    until_us = std::max(until_us, use.at_us);
    if (foreign(use.pid)) uses.push_back(use);
  }
  const std::vector<unsigned> busy = sharing_[watched.device].busy(held, uses);
  for (const unsigned pid : busy) seen.reasons.push_back({watched.name, "used_by_" + std::to_string(pid)});
  if (busy.empty() && !held.empty()) seen.reasons.push_back({watched.name, "foreign_process"});
}

std::vector<unsigned> Sharing::busy(const Held& foreign, const std::vector<Nvml::Use>& uses) {
  constexpr unsigned kIdlePercent = 1;
  std::set<unsigned> found;
  for (const Nvml::Use& use : uses)
    if (use.sm_percent > kIdlePercent || use.memory_percent > kIdlePercent) found.insert(use.pid);
  for (const auto& [pid, memory] : foreign) {
    if (!before_) break;
    const auto last = before_->find(pid);
    if (last == before_->end() || memory.value_or(0) > last->second.value_or(0)) found.insert(pid);
  }
  before_ = foreign;
  return {found.begin(), found.end()};
}

}  // namespace assay::plugins::cuda
