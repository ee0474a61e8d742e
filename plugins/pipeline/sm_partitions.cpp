// SPDX-License-Identifier: Apache-2.0
#include "pipeline/sm_partitions.hpp"

#include <dlfcn.h>

#include <cuda.h>

namespace assay::plugins::pipeline {

#if CUDA_VERSION >= 12050
namespace {

// The driver's functions, which older drivers lack.
struct Driver {
  decltype(&::cuDeviceGet) device_get = nullptr;
  decltype(&::cuDeviceGetDevResource) device_resource = nullptr;
  decltype(&::cuDevSmResourceSplitByCount) split = nullptr;
  decltype(&::cuDevResourceGenerateDesc) describe = nullptr;
  decltype(&::cuGreenCtxCreate) create = nullptr;
  decltype(&::cuGreenCtxDestroy) destroy = nullptr;
  decltype(&::cuGreenCtxStreamCreate) create_stream = nullptr;
  decltype(&::cuStreamDestroy) destroy_stream = nullptr;
  decltype(&::cuGetErrorName) error_name = nullptr;

  // Whether all are there.
  bool load() {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    return library != nullptr && find(library, "cuDeviceGet", device_get) &&
           find(library, "cuDeviceGetDevResource", device_resource) &&
           find(library, "cuDevSmResourceSplitByCount", split) &&
           find(library, "cuDevResourceGenerateDesc", describe) &&
           find(library, "cuGreenCtxCreate", create) && find(library, "cuGreenCtxDestroy", destroy) &&
           find(library, "cuGreenCtxStreamCreate", create_stream) &&
           find(library, "cuStreamDestroy_v2", destroy_stream) && find(library, "cuGetErrorName", error_name);
  }

 private:
  template <class Function>
  static bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  }
};

class GreenContexts final : public SmPartitions {
 public:
  explicit GreenContexts(const Driver& driver) : driver_(driver) {}
  ~GreenContexts() override {
    for (cudaStream_t stream : streams_) driver_.destroy_stream(stream);
    for (CUgreenCtx context : contexts_) driver_.destroy(context);
  }

  // Whether it came about.
  bool split(int ordinal, std::uint32_t count, std::string& why) {
    const auto done = [&](CUresult code, const char* call) {
      if (code == CUDA_SUCCESS) return true;
      const char* name = nullptr;
      driver_.error_name(code, &name);
      why = std::string(call) + ": " + (name != nullptr ? name : std::to_string(code));
      return false;
    };
    CUdevice device = 0;
    CUdevResource all{};
    if (!done(driver_.device_get(&device, ordinal), "cuDeviceGet") ||
        !done(driver_.device_resource(device, &all, CU_DEV_RESOURCE_TYPE_SM), "cuDeviceGetDevResource"))
      return false;
    std::vector<CUdevResource> parts(count);
    unsigned found = count;
    CUdevResource rest{};
    if (!done(driver_.split(parts.data(), &found, &all, &rest, 0, all.sm.smCount / count / kGrain * kGrain),
              "cuDevSmResourceSplitByCount"))
      return false;
    if (found < count) {
      why = "the driver makes " + std::to_string(found) + " partitions of " + std::to_string(all.sm.smCount) +
            " SMs";
      return false;
    }
    sms_ = parts.front().sm.smCount;
    for (CUdevResource& part : parts) {
      CUdevResourceDesc described{};
      CUgreenCtx context{};
      if (!done(driver_.describe(&described, &part, 1), "cuDevResourceGenerateDesc") ||
          !done(driver_.create(&context, described, device, CU_GREEN_CTX_DEFAULT_STREAM), "cuGreenCtxCreate"))
        return false;
      contexts_.push_back(context);
      CUstream stream = nullptr;
      if (!done(driver_.create_stream(&stream, context, CU_STREAM_NON_BLOCKING, 0), "cuGreenCtxStreamCreate"))
        return false;
      streams_.push_back(stream);
    }
    return true;
  }

  const std::vector<cudaStream_t>& streams() const override { return streams_; }
  std::uint32_t sms() const override { return sms_; }

 private:
  static constexpr unsigned kGrain = 8;  // what a Hopper's partitions are multiples of

  const Driver driver_;
  std::vector<CUgreenCtx> contexts_;
  std::vector<cudaStream_t> streams_;
  std::uint32_t sms_ = 0;
};

}  // namespace

std::unique_ptr<SmPartitions> SmPartitions::make(const cuda::Device& device, std::uint32_t count,
                                                 std::string& why) {
  Driver driver;
  if (!driver.load()) {
    why = "the driver has no green contexts";
    return nullptr;
  }
  device.memory();  // creates the context that partitions are of
  auto made = std::make_unique<GreenContexts>(driver);
  if (!made->split(device.ordinal(), count, why)) return nullptr;
  return made;
}
#else
std::unique_ptr<SmPartitions> SmPartitions::make(const cuda::Device&, std::uint32_t, std::string& why) {
  why = "built with a CUDA before 12.5, which has no green contexts";
  return nullptr;
}
#endif

}  // namespace assay::plugins::pipeline
