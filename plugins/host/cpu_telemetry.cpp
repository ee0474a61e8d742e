// SPDX-License-Identifier: Apache-2.0
#include "host/cpu_telemetry.hpp"

#include "host/cpu_facts.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

namespace assay::plugins::host {
namespace {

namespace fs = std::filesystem;

// Above this share of stolen time the CPUs were not ours.
constexpr double kStealLimit = 0.02;

std::vector<fs::path> folders(const fs::path& parent, const std::string& prefix) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    if (entry.path().filename().string().compare(0, prefix.size(), prefix) == 0)
      found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

// False if the file has no number.
bool read_number(const std::string& path, std::int64_t& out) {
  const std::string text = first_line(path);
  return std::from_chars(text.data(), text.data() + text.size(), out).ec == std::errc();
}

void keep_readable(std::vector<std::string>& files, const fs::path& file) {
  std::int64_t number = 0;
  if (read_number(file.string(), number)) files.push_back(file.string());
}

}  // namespace

CpuTelemetry::CpuTelemetry(std::string root) : root_(std::move(root)) {
  const fs::path base(root_);
  for (const fs::path& cpu : folders(base / "sys/devices/system/cpu", "cpu")) {
    keep_readable(clock_files_, cpu / "cpufreq/scaling_cur_freq");
    keep_readable(throttle_files_, cpu / "thermal_throttle/core_throttle_count");
  }
  for (const fs::path& zone : folders(base / "sys/class/thermal", "thermal_zone")) {
    const std::string type = first_line((zone / "type").string());
    if (type.find("pkg") != std::string::npos || type.find("cpu") != std::string::npos)
      keep_readable(temperature_files_, zone / "temp");
  }
  for (const fs::path& package : folders(base / "sys/class/powercap", "intel-rapl:")) {
    // intel-rapl:0 is a package, intel-rapl:0:1 a part of it that must not count twice.
    const std::string name = package.filename().string();
    if (std::count(name.begin(), name.end(), ':') != 1) continue;
    Energy energy{(package / "energy_uj").string()};
    if (!read_number(energy.file, energy.last_uj)) continue;
    static_cast<void>(read_number((package / "max_energy_range_uj").string(), energy.range_uj));
    energies_.push_back(std::move(energy));
  }
  last_times_ = cpu_times();
  last_throttle_count_ = throttle_count();
}

CpuTelemetry::CpuTimes CpuTelemetry::cpu_times() const {
  // "cpu user nice system idle iowait irq softirq steal guest guest_nice"; guest is contained in user.
  std::istringstream line(first_line(root_ + "proc/stat"));
  std::string label;
  line >> label;
  CpuTimes times;
  std::int64_t value = 0;
  for (int column = 0; column < 8 && line >> value; ++column) {
    times.total += value;
    if (column == 7) times.steal = value;
  }
  return times;
}

std::int64_t CpuTelemetry::throttle_count() const {
  std::int64_t sum = 0;
  for (const std::string& file : throttle_files_) {
    std::int64_t count = 0;
    if (read_number(file, count)) sum += count;
  }
  return sum;
}

double CpuTelemetry::energy_j() {
  double sum = 0;
  for (Energy& energy : energies_) {
    std::int64_t now_uj = 0;
    if (!read_number(energy.file, now_uj)) continue;
    if (now_uj < energy.last_uj) energy.turns_uj += energy.range_uj;
    energy.last_uj = now_uj;
    sum += static_cast<double>(energy.turns_uj + now_uj) * 1e-6;
  }
  return sum;
}

std::vector<std::string> CpuTelemetry::lacking() const {
  std::vector<std::string> names;
  if (clock_files_.empty()) names.emplace_back("clock");
  if (temperature_files_.empty()) names.emplace_back("temperature");
  if (energies_.empty()) names.emplace_back("energy");
  return names;
}

void CpuTelemetry::read(const Reading& reading, const Reason& reason) {
  double clock_hz = 0;
  for (const std::string& file : clock_files_) {
    std::int64_t kilohertz = 0;
    if (read_number(file, kilohertz))
      clock_hz += static_cast<double>(kilohertz) * 1e3 / static_cast<double>(clock_files_.size());
  }
  if (clock_hz > 0) reading("clock", clock_hz);

  std::int64_t hottest = 0;
  for (const std::string& file : temperature_files_) {
    std::int64_t millidegrees = 0;
    if (read_number(file, millidegrees)) hottest = std::max(hottest, millidegrees);
  }
  if (hottest > 0) reading("temperature", static_cast<double>(hottest) * 1e-3);

  if (const double energy = energy_j(); energy > 0) reading("energy", energy);

  std::ifstream meminfo(root_ + "proc/meminfo");
  std::int64_t total = 0, available = 0;
  for (std::string line; std::getline(meminfo, line);) {
    std::istringstream words(line);
    std::string key;
    std::int64_t kibibytes = 0;
    words >> key >> kibibytes;
    if (key == "MemTotal:") total = kibibytes;
    if (key == "MemAvailable:") available = kibibytes;
  }
  if (total > 0) reading("memory_used", static_cast<double>(total - available) * 1024);

  const CpuTimes now = cpu_times();
  if (now.total > last_times_.total) {
    const double steal = static_cast<double>(now.steal - last_times_.steal) /
                         static_cast<double>(now.total - last_times_.total);
    reading("steal", steal);
    if (steal > kStealLimit) reason("steal");
  }
  last_times_ = now;

  const std::int64_t throttled = throttle_count();
  if (throttled > last_throttle_count_) reason("thermal");
  last_throttle_count_ = throttled;
}

}  // namespace assay::plugins::host
