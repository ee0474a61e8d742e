// SPDX-License-Identifier: Apache-2.0
#include "cuda/driver.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace assay::plugins::cuda {
namespace {

// Of cuda.h; they are part of the driver's stable binary interface.
constexpr int kNotFound = 500;  // CUDA_ERROR_NOT_FOUND
constexpr int kNoDevice = 100;
constexpr int kMultiprocessorCount = 16;
constexpr int kMemoryBusWidth = 37;
constexpr int kL2CacheSize = 38;
constexpr int kAsyncEngineCount = 40;
constexpr int kMajor = 75;
constexpr int kMinor = 76;

struct Uuid {
  std::array<unsigned char, 16> bytes;
};

std::string text_of(const Uuid& uuid) {
  std::string text;
  for (std::size_t i = 0; i < uuid.bytes.size(); ++i) {
    std::array<char, 4> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", static_cast<unsigned>(uuid.bytes[i]));
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits.data();
  }
  return text;
}

}  // namespace

template <class... Arguments>
int Driver::call(const char* name, Arguments... arguments) const {
  return library_.call(kNotFound, name, arguments...);
}

Driver::Driver() {
  if (!library_.is_open()) {
    problem_ = "no NVIDIA driver on this machine: " + library_.problem();
    return;
  }
  const int code = call("cuInit", 0U);
  if (code == 0) return;
  const char* name = nullptr;
  const char* text = nullptr;
  call("cuGetErrorName", code, &name);
  call("cuGetErrorString", code, &text);
  problem_ = code == kNoDevice
                 ? "the NVIDIA driver shows no GPU to this process"
                 : "CUDA cannot be used: " + std::string(text != nullptr ? text : "unknown error");
  problem_ +=
      " (cuInit: " + (name != nullptr ? std::string(name) : std::to_string(code)) +
      "); look at 'nvidia-smi -L', at CUDA_VISIBLE_DEVICES, and in a container at how GPUs are passed to it";
}

int Driver::attribute(int device, int which) const {
  int value = 0;
  return call("cuDeviceGetAttribute", &value, which, device) == 0 ? value : 0;
}

std::vector<CudaDevice> Driver::devices() const {
  std::vector<CudaDevice> found;
  int count = 0;
  if (!problem_.empty() || call("cuDeviceGetCount", &count) != 0) return found;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    int device = 0;
    if (call("cuDeviceGet", &device, ordinal) != 0) continue;
    CudaDevice& one = found.emplace_back();
    std::array<char, 256> name{};
    if (call("cuDeviceGetName", name.data(), static_cast<int>(name.size() - 1), device) == 0)
      one.model = name.data();
    // The first version gives a GPU's identity, the second a MIG slice's own where there is one.
    Uuid whole{}, own{};
    const bool knows_whole = call("cuDeviceGetUuid", &whole, device) == 0;
    const bool knows_own = call("cuDeviceGetUuid_v2", &own, device) == 0;
    if (knows_whole || knows_own) one.uuid = text_of(knows_own ? own : whole);
    one.slice = knows_whole && knows_own && own.bytes != whole.bytes;
    std::array<char, 32> pci{};
    if (call("cuDeviceGetPCIBusId", pci.data(), static_cast<int>(pci.size() - 1), device) == 0) {
      one.pci = pci.data();
      std::transform(one.pci.begin(), one.pci.end(), one.pci.begin(),
                     [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'F' ? c + 32 : c); });
    }
    std::size_t memory_bytes = 0;
    if (call("cuDeviceTotalMem_v2", &memory_bytes, device) == 0) one.memory_bytes = memory_bytes;
    one.major = attribute(device, kMajor);
    one.minor = attribute(device, kMinor);
    one.multiprocessors = attribute(device, kMultiprocessorCount);
    one.l2_bytes = static_cast<std::uint64_t>(attribute(device, kL2CacheSize));
    one.memory_bus_bits = attribute(device, kMemoryBusWidth);
    one.copy_engines = attribute(device, kAsyncEngineCount);
  }
  return found;
}

std::string Driver::version() const {
  int number = 0;
  if (call("cuDriverGetVersion", &number) != 0 || number <= 0) return {};
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

}  // namespace assay::plugins::cuda
