// SPDX-License-Identifier: Apache-2.0
#include "system/processor_use.hpp"

#include "system/topology.hpp"
#include "text/lookup.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace assay::system {
namespace {

// Ticks that the process and those of its children that are reaped have used; false if it is gone.
bool add_ticks(const std::filesystem::path& process, double& ticks) {
  std::string stat;
  std::getline(std::ifstream(process / "stat"), stat);
  const std::size_t end = stat.rfind(')');  // the name before it may hold anything
  if (end == std::string::npos) return false;
  std::istringstream fields(stat.substr(end + 1));
  constexpr int kUserTime = 14, kChildrensSystemTime = 17;  // of proc(5); the state is the third
  std::string skipped;
  for (int i = 3; i < kUserTime; ++i) fields >> skipped;
  for (int i = kUserTime; i <= kChildrensSystemTime; ++i) {
    double one = 0;
    if (fields >> one) ticks += one;
  }
  return !fields.fail();
}

// The process and all below it.
bool add_tree(const std::filesystem::path& proc, int process, std::set<int>& seen, double& ticks) {
  if (!seen.insert(process).second) return true;
  const std::filesystem::path folder = proc / std::to_string(process);
  if (!add_ticks(folder, ticks)) return false;
  bool listed = false;
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator(folder / "task", error)) {
    std::ifstream children(task.path() / "children");
    listed = listed || children.good();
    for (int child = 0; children >> child;)
      (void)add_tree(proc, child, seen, ticks);  // one may end meanwhile
  }
  return listed;
}

}  // namespace

ProcessorWatch::ProcessorWatch(std::vector<int> cpus, std::filesystem::path root)
    : cpus_(cpus.empty() ? allowed_cpus() : std::move(cpus)), root_(std::move(root)), first_(look()) {}

ProcessorWatch::CpuTimes ProcessorWatch::look() const {
  CpuTimes found;
  const double tick_s = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  std::ifstream file(root_ / "proc/stat");
  std::size_t seen = 0;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("cpu") || line.size() < 4 || line[3] < '0' || line[3] > '9') continue;
    std::istringstream fields(line.substr(3));
    int cpu = -1;
    std::array<double, 8> ticks{};  // user nice system idle iowait irq softirq steal
    fields >> cpu;
    for (double& each : ticks) fields >> each;
    if (fields.fail() || !contains(cpus_, cpu)) continue;
    ++seen;
    for (const double each : ticks) found.total_s += each * tick_s;
    found.stolen_s += ticks[7] * tick_s;
    found.busy_s += (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]) * tick_s;
  }
  double own = 0;
  std::set<int> processes;
  found.known = seen > 0 && seen == cpus_.size() && add_tree(root_ / "proc", getpid(), processes, own);
  found.own_s = own * tick_s;
  return found;
}

ProcessorUse ProcessorWatch::use() const {
  const CpuTimes last = look();
  if (!first_.known || !last.known) return {};
  const double busy_s = last.busy_s - first_.busy_s, own_s = std::max(0.0, last.own_s - first_.own_s);
  return {std::max(0.0, last.total_s - first_.total_s), std::max(0.0, busy_s - own_s),
          std::max(0.0, last.stolen_s - first_.stolen_s)};
}

}  // namespace assay::system
