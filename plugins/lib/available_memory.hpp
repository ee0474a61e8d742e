// SPDX-License-Identifier: Apache-2.0
//
// How much memory this process may still fill. Who fills more gets no error: the kernel ends the process. An
// allocation says nothing of it, because memory is only taken when it is touched.
#pragma once

#include <assay/errors.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace assay::plugins {

// The number behind a name in a list of the kernel's, in bytes where the line says kB: "MemFree:  400 kB",
// "Node 0 MemFree:  400 kB", "inactive_file 4096".
inline std::optional<std::uint64_t> listed_number(const std::string& list, std::string_view name) {
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      std::uint64_t number = 0;
      if (word != name || !(words >> number)) continue;
      return words >> word && word == "kB" ? number * 1024 : number;
    }
  }
  return std::nullopt;
}

// A limit as a control group's file has it: none where it says "max", or nothing.
inline std::optional<std::uint64_t> limit_of(const std::string& text) {
  std::istringstream words(text);
  std::uint64_t number = 0;
  return words >> number ? std::optional(number) : std::nullopt;
}

// What a control group leaves: the kernel takes back pages of files before it ends anybody. `statistics` is
// its memory.stat; where the first version has sums over the groups within, under names of their own, `used`
// is one.
inline std::uint64_t headroom_of(std::uint64_t limit, std::uint64_t used, const std::string& statistics) {
  std::uint64_t files = 0;
  for (const std::string name : {"inactive_file", "active_file"}) {
    const auto sum = listed_number(statistics, "total_" + name);
    files += sum ? *sum : listed_number(statistics, name).value_or(0);
  }
  const std::uint64_t held = used - std::min(used, files);
  return limit - std::min(limit, held);
}

// A hierarchy of control groups that may limit memory, from what /proc/self/mountinfo and /proc/self/cgroup
// say of it.
struct MemoryGroups {
  bool unified = false;              // the second version's
  std::filesystem::path mount;       // where its root, or the group that a container sees as it, is
  std::filesystem::path group = "";  // the process's own, from there; empty where it is the same
};

inline std::vector<MemoryGroups> memory_groups_of(const std::string& mounts, const std::string& groups) {
  const auto among = [](std::string_view list, std::string_view name) {
    return ("," + std::string(list) + ",").find("," + std::string(name) + ",") != std::string::npos;
  };
  const auto own = [&](bool unified) -> std::string {  // "4:memory:/a/b", of the second version "0::/a/b"
    std::istringstream lines(groups);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t first = line.find(':');
      const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
      if (second == std::string::npos) continue;
      const std::string controllers = line.substr(first + 1, second - first - 1);
      if (unified ? controllers.empty() : among(controllers, "memory")) return line.substr(second + 1);
    }
    return "/";
  };
  std::vector<MemoryGroups> found;
  std::istringstream lines(mounts);
  for (std::string line; std::getline(lines, line);) {
    // "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory"
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream before(line), after(line.substr(dash + 3));
    std::string ignored, root, mount, type, options;
    before >> ignored >> ignored >> ignored >> root >> mount;
    after >> type >> ignored >> options;
    const bool unified = type == "cgroup2";
    if (!unified && !(type == "cgroup" && among(options, "memory"))) continue;
    // A container may be told of the machine's folders and see but its own; then that is its group.
    const std::filesystem::path within = std::filesystem::path(own(unified)).lexically_relative(root);
    const bool seen = !within.empty() && within != "." && *within.begin() != "..";
    found.push_back({unified, mount, seen ? within : std::filesystem::path()});
  }
  return found;
}

namespace detail {

inline std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Of a group and of all those that it lies in.
inline std::optional<std::uint64_t> headroom_in(const MemoryGroups& groups,
                                                const std::filesystem::path& root) {
  std::optional<std::uint64_t> least;
  for (std::filesystem::path group = groups.group;; group = group.parent_path()) {
    const std::filesystem::path folder = root / groups.mount.relative_path() / group;
    const auto number = [&](const char* name) { return limit_of(text_of_file(folder / name)); };
    const auto used = number(groups.unified ? "memory.current" : "memory.usage_in_bytes");
    // Above memory.high a process is not ended, but stopped again and again until it has less.
    for (const char* name : {groups.unified ? "memory.max" : "memory.limit_in_bytes", "memory.high"}) {
      const auto limit = number(name);
      if (!limit || !used) continue;
      const std::uint64_t here = headroom_of(*limit, *used, text_of_file(folder / "memory.stat"));
      least = std::min(least.value_or(here), here);
    }
    if (group.empty()) return least;
  }
}

}  // namespace detail

// The smaller of what the machine has available and what the control groups of the process leave; nothing
// where neither is known. Swap does not count: what lies there is not measured as memory.
inline std::optional<std::uint64_t> available_memory(const std::filesystem::path& root = "/") {
  const std::filesystem::path process = root / "proc/self";
  std::optional<std::uint64_t> least =
      listed_number(detail::text_of_file(root / "proc/meminfo"), "MemAvailable:");
  for (const MemoryGroups& groups : memory_groups_of(detail::text_of_file(process / "mountinfo"),
                                                     detail::text_of_file(process / "cgroup"))) {
    const auto here = detail::headroom_in(groups, root);
    if (here) least = std::min(least.value_or(*here), *here);
  }
  return least;
}

// What is free on a NUMA node, or can be had there at the cost of files; nothing where that is not known.
// Memory that is bound to a node does not go to another when it is full.
inline std::optional<std::uint64_t> available_on_node(int node, const std::filesystem::path& root = "/") {
  const std::string list =
      detail::text_of_file(root / ("sys/devices/system/node/node" + std::to_string(node)) / "meminfo");
  const auto free = listed_number(list, "MemFree:");
  if (!free) return std::nullopt;
  return *free + listed_number(list, "Active(file):").value_or(0) +
         listed_number(list, "Inactive(file):").value_or(0);
}

// Not for buffers: tables of their pages, the process itself, and what the figures above leave out.
inline std::uint64_t memory_for_buffers(std::uint64_t available) {
  constexpr std::uint64_t kSpare = std::uint64_t{32} << 20;
  return available - std::min(available, kSpare + available / 64);
}

// "22.5 GiB"
inline std::string memory_text(std::uint64_t bytes) {
  char text[32];
  const auto size = static_cast<double>(bytes);
  const bool large = size >= 0x1p30;
  std::snprintf(text, sizeof(text), "%.1f %s", size / (large ? 0x1p30 : 0x1p20), large ? "GiB" : "MiB");
  return text;
}

// Throws Skip if buffers of this many bytes do not fit into `available`; "4 buffers" says what they are, and
// `where` where they lie, as in " on node 1".
inline void require_memory(std::uint64_t needed, std::optional<std::uint64_t> available,
                           const std::string& what, const std::string& where = "") {
  if (!available || needed <= memory_for_buffers(*available)) return;
  throw Skip("needs " + memory_text(needed) + " of host memory" + where + " for " + what + ", and " +
             memory_text(memory_for_buffers(*available)) + " can be had");
}

}  // namespace assay::plugins
