// SPDX-License-Identifier: Apache-2.0
#include "system/host.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "text/text.hpp"

#include <sys/utsname.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace assay::system {
namespace {

constexpr std::size_t kLargestFile = std::size_t{64}
                                     << 20;  // /proc/cpuinfo of a thousand threads is about 2 MB

std::optional<std::string> text_of(const std::filesystem::path& path) {
  try {
    return read_file(path, kLargestFile);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

Json text_or_null(std::string_view text) {
  text = trimmed(text);
  return text.empty() ? Json() : Json(printable(text));
}

Json line_or_null(const std::filesystem::path& path) {
  const auto text = text_of(path);
  return text ? text_or_null(*text) : Json();
}

// The value of the first line "key<separator>value".
std::string_view field(std::string_view text, std::string_view key, char separator) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const std::size_t colon = line.find(separator);
    if (colon != std::string_view::npos && trimmed(line.substr(0, colon)) == key) {
      return trimmed(line.substr(colon + 1));
    }
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return {};
}

Json operating_system(const std::filesystem::path& root) {
  for (const char* file : {"etc/os-release", "usr/lib/os-release"}) {
    const auto text = text_of(root / file);
    if (!text) continue;
    std::string_view name = field(*text, "PRETTY_NAME", '=');
    if (name.size() >= 2 && (name.front() == '"' || name.front() == '\''))
      name = name.substr(1, name.size() - 2);
    return text_or_null(name);
  }
  return {};
}

Json cpu_model(const std::string& cpuinfo, const std::filesystem::path& root) {
  for (const char* key : {"model name", "cpu model", "Model"}) {
    const std::string_view model = field(cpuinfo, key, ':');
    if (!model.empty()) return text_or_null(model);
  }
  // Arm servers give numbers only; the firmware's name says more.
  return line_or_null(root / "sys/devices/virtual/dmi/id/product_name");
}

Json memory_bytes(const std::filesystem::path& root) {
  const auto text = text_of(root / "proc/meminfo");
  if (!text) return {};
  const std::string_view value = field(*text, "MemTotal", ':');
  std::uint64_t kibibytes = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), kibibytes);
  return error == std::errc() ? Json(kibibytes * 1024) : Json();
}

Json container(const std::filesystem::path& root) {
  std::error_code ignored;
  if (std::filesystem::exists(root / "run/.containerenv", ignored)) return "podman";
  if (std::filesystem::exists(root / ".dockerenv", ignored)) return "docker";
  if (const auto systemd = text_of(root / "run/systemd/container")) return text_or_null(*systemd);
  const auto groups = text_of(root / "proc/1/cgroup");
  if (!groups) return {};
  for (const char* name : {"kubepods", "docker", "containerd", "libpod", "lxc", "slurm"}) {
    if (groups->find(name) != std::string::npos) return name;
  }
  return {};
}

#if defined(__x86_64__)
std::string hypervisor_signature() {
  unsigned a = 0;
  std::array<unsigned, 3> name{};
  __cpuid(0x40000000U, a, name[0], name[1], name[2]);
  std::array<char, sizeof name> text{};
  std::memcpy(text.data(), name.data(), sizeof name);
  return {text.data(), ::strnlen(text.data(), text.size())};
}
#else
std::string hypervisor_signature() { return {}; }
#endif

Json virtualization(const std::string& cpuinfo, const std::filesystem::path& root) {
  if (Json type = line_or_null(root / "sys/hypervisor/type"); !type.is_null()) return type;
  const std::string flags = " " + std::string(field(cpuinfo, "flags", ':')) + " ";
  if (flags.find(" hypervisor ") == std::string::npos) return {};
  struct Hypervisor {
    std::string_view signature, name;
  };
  constexpr std::array<Hypervisor, 6> kKnown = {{{"KVMKVMKVM", "kvm"},
                                                 {"Microsoft Hv", "hyper-v"},
                                                 {"VMwareVMware", "vmware"},
                                                 {"XenVMMXenVMM", "xen"},
                                                 {"TCGTCGTCGTCG", "qemu"},
                                                 {"bhyve bhyve ", "bhyve"}}};
  const std::string signature = hypervisor_signature();
  for (const Hypervisor& row : kKnown) {
    if (signature == row.signature) return row.name;
  }
  return "unknown";
}

}  // namespace

Json host_identity(const Topology& topology, const std::filesystem::path& root) {
  struct utsname name {};
  const bool named = ::uname(&name) == 0;
  const std::string cpuinfo = text_of(root / "proc/cpuinfo").value_or("");
  Json nodes = Json::array();
  for (const NumaNode& node : topology.nodes) {
    nodes.push_back(
        {{"node", node.node}, {"cpus", to_cpu_list(node.cpus)}, {"memory_bytes", node.memory_bytes}});
  }
  return {{"hostname", named ? text_or_null(name.nodename) : Json()},
          {"os", operating_system(root)},
          {"kernel", named ? text_or_null(name.release) : Json()},
          {"architecture", named ? text_or_null(name.machine) : Json()},
          {"cpu", cpu_model(cpuinfo, root)},
          {"cores", topology.cores},
          {"threads", topology.threads},
          {"sockets", topology.sockets},
          {"memory_bytes", memory_bytes(root)},
          {"numa_nodes", std::move(nodes)},
          {"container", container(root)},
          {"governor", line_or_null(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")},
          {"virtualization", virtualization(cpuinfo, root)}};
}

std::optional<double> load_average(const std::filesystem::path& root) {
  const auto text = text_of(root / "proc/loadavg");
  if (!text) return std::nullopt;
  double load = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), load);
  if (error != std::errc() || !(load >= 0)) return std::nullopt;
  return load;
}

}  // namespace assay::system
