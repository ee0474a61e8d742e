// SPDX-License-Identifier: Apache-2.0
#include "host/cpu_facts.hpp"

#include <sys/utsname.h>

#include <charconv>
#include <fstream>
#include <set>
#include <sstream>

namespace assay::plugins::host {
namespace {

std::int64_t parse_integer(const std::string& text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// "model name : X" → the text behind the colon, for the first line that begins with the key.
std::string value_of(const std::string& file, const std::string& key) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.compare(0, key.size(), key) != 0) continue;
    const std::size_t colon = line.find(':');
    const std::size_t begin = colon == std::string::npos ? colon : line.find_first_not_of(" \t", colon + 1);
    if (begin != std::string::npos) return line.substr(begin);
  }
  return {};
}

// The widest vector instructions that the kernel lists.
std::string widest_vectors(const std::string& flags) {
  std::istringstream stream(flags);
  std::set<std::string> words;
  for (std::string word; stream >> word;) words.insert(word);
  if (words.count("avx512f") != 0) return "AVX-512";
  if (words.count("avx2") != 0) return "AVX2";
  if (words.count("avx") != 0) return "AVX";
  if (words.count("sve2") != 0) return "SVE2";
  if (words.count("sve") != 0) return "SVE";
  if (words.count("asimd") != 0) return "NEON";
  if (words.count("sse2") != 0) return "SSE2";
  return {};
}

void read_caches(const std::string& root, CpuFacts& facts) {
  const std::string base = root + "sys/devices/system/cpu/cpu0/cache/index";
  for (int index = 0; index < 8; ++index) {
    const std::string folder = base + std::to_string(index);
    const std::string level = first_line(folder + "/level"), type = first_line(folder + "/type");
    const std::int64_t bytes = parse_cache_size(first_line(folder + "/size"));
    if (type == "Instruction" || bytes == 0) continue;
    if (level == "1") facts.l1d_bytes = bytes;
    if (level == "2") facts.l2_bytes = bytes;
    if (level == "3") facts.l3_bytes = bytes;
  }
}

void read_topology(const std::string& root, CpuFacts& facts) {
  std::set<std::string> sockets, cores;
  for (int cpu = 0; cpu < 65536; ++cpu) {
    const std::string folder = root + "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology";
    const std::string socket = first_line(folder + "/physical_package_id");
    if (socket.empty()) {
      // CPU numbers may have holes where some are offline, but not before the first.
      if (cpu >= facts.online && cpu > 0) break;
      continue;
    }
    sockets.insert(socket);
    cores.insert(socket + "/" + first_line(folder + "/core_id"));
  }
  facts.sockets = static_cast<std::int64_t>(sockets.size());
  facts.cores = static_cast<std::int64_t>(cores.size());
}

}  // namespace

std::string first_line(const std::string& path) {
  std::ifstream stream(path);
  std::string line;
  std::getline(stream, line);
  return line;
}

std::int64_t count_cpus(const std::string& list) {
  std::int64_t count = 0;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) {
    const std::size_t dash = part.find('-');
    const std::int64_t first = parse_integer(part);
    const std::int64_t last = dash == std::string::npos ? first : parse_integer(part.substr(dash + 1));
    if (part.empty() || last < first) return 0;
    count += last - first + 1;
  }
  return count;
}

std::int64_t parse_cache_size(const std::string& text) {
  const std::int64_t number = parse_integer(text);
  if (text.empty() || number <= 0) return 0;
  switch (text.back()) {
    case 'K':
      return number << 10;
    case 'M':
      return number << 20;
    case 'G':
      return number << 30;
    default:
      return number;
  }
}

CpuFacts read_cpu_facts(const std::string& root) {
  CpuFacts facts;
  utsname name{};
  if (::uname(&name) == 0) facts.architecture = name.machine;
  const std::string cpuinfo = root + "proc/cpuinfo";
  facts.model = value_of(cpuinfo, "model name");
  if (facts.model.empty()) facts.model = facts.architecture.empty() ? "CPU" : facts.architecture + " CPU";
  std::string flags = value_of(cpuinfo, "flags");
  if (flags.empty()) flags = value_of(cpuinfo, "Features");
  facts.vectors = widest_vectors(flags);
  facts.online = count_cpus(first_line(root + "sys/devices/system/cpu/online"));
  read_topology(root, facts);
  read_caches(root, facts);
  facts.memory_bytes = parse_integer(value_of(root + "proc/meminfo", "MemTotal")) << 10;
  facts.governor = first_line(root + "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  facts.huge_pages = first_line(root + "sys/kernel/mm/transparent_hugepage/enabled");
  return facts;
}

}  // namespace assay::plugins::host
