// SPDX-License-Identifier: Apache-2.0
#include "cuda/bus.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace assay::plugins::cuda {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVendor = "0x10de";
// Display controllers, with and without an output for a screen.
constexpr const char* kVga = "0x0300";
constexpr const char* kThreeD = "0x0302";
constexpr std::size_t kMostText = std::size_t{256} << 10;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostText, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

// The entries of a folder, in order; none if there is none.
std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code problem;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end; entry.increment(problem))
    found.push_back(entry->path());
  std::sort(found.begin(), found.end());
  return found;
}

bool is_gpu(const fs::path& device) {
  if (text_of(device / "vendor").rfind(kVendor, 0) != 0) return false;
  const std::string what = text_of(device / "class");
  if (what.rfind(kVga, 0) != 0 && what.rfind(kThreeD, 0) != 0) return false;
  // A slice that a virtual machine gets is not a board of its own.
  std::error_code ignored;
  return !fs::exists(fs::symlink_status(device / "physfn", ignored));
}

std::vector<BusGpu> bus_of(const fs::path& root) {
  std::vector<BusGpu> found;
  for (const fs::path& device : entries(root / "sys/bus/pci/devices")) {
    if (!is_gpu(device)) continue;
    std::error_code none;
    const fs::path driver = fs::read_symlink(device / "driver", none);
    found.push_back({pci_address(device.filename().string()), none ? "" : driver.filename().string()});
  }
  return found;
}

std::vector<DriverGpu> driver_of(const fs::path& root) {
  std::vector<DriverGpu> found;
  for (const fs::path& gpu : entries(root / "proc/driver/nvidia/gpus")) {
    DriverGpu& one = found.emplace_back();
    one.pci = pci_address(gpu.filename().string());
    const std::string text = text_of(gpu / "information");
    constexpr const char* kKey = "Device Minor:";
    if (const std::size_t at = text.find(kKey); at != std::string::npos) {
      const char* const begin = text.c_str() + at + std::char_traits<char>::length(kKey);
      char* end = nullptr;
      const long number = std::strtol(begin, &end, 10);
      if (end != begin && number >= 0 && number < 1024) one.minor = static_cast<int>(number);
    }
  }
  return found;
}

bool is_container(const fs::path& root) {
  std::error_code ignored;
  for (const char* file : {"run/.containerenv", ".dockerenv", "run/systemd/container",
                           "var/run/secrets/kubernetes.io", "run/secrets/kubernetes.io"})
    if (fs::exists(root / file, ignored)) return true;
  const std::string groups = text_of(root / "proc/1/cgroup");
  for (const char* name : {"kubepods", "docker", "containerd", "libpod", "lxc"})
    if (groups.find(name) != std::string::npos) return true;
  // NVIDIA's runtime mounts what it passes in over the driver's own list.
  return text_of(root / "proc/self/mountinfo").find(" /proc/driver/nvidia") != std::string::npos;
}

template <class Value>
std::optional<std::vector<Value>> unless_empty(std::vector<Value> found) {
  if (found.empty()) return std::nullopt;
  return found;
}

}  // namespace

std::string pci_address(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || colon <= 4) return text;
  const bool padded = std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon - 4),
                                  [](char c) { return c == '0'; });
  return padded ? text.substr(colon - 4) : text;
}

Node Kernel::node(int minor) const {
  const std::string path = root + "/dev/nvidia" + std::to_string(minor);
  if (access(path.c_str(), F_OK) != 0) return Node::absent;
  return access(path.c_str(), R_OK | W_OK) == 0 ? Node::open : Node::refused;
}

Kernel read_kernel(const std::string& root) {
  return {unless_empty(bus_of(root)), unless_empty(driver_of(root)), is_container(root), root};
}

}  // namespace assay::plugins::cuda
