// SPDX-License-Identifier: Apache-2.0
//
// Checking a large result where it lies: the device compares, the host gets counts.
#pragma once

#include <assay/case.hpp>
#include <assay/cuda/device.hpp>
#include <assay/cuda/error.hpp>
#include <assay/cuda/memory.hpp>
#include <assay/cuda/stream.hpp>
#include <assay/verification.hpp>

#include <cstdint>
#include <cuda_runtime.h>
#include <string>

namespace assay::cuda {
namespace detail {

struct Mismatches {
  unsigned long long wrong;
  unsigned long long first;
};

template <class Element, class Expected>
__global__ void compare_kernel(const Element* data, std::uint64_t count, Expected expected,
                               Mismatches* found) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  unsigned long long wrong = 0, first = ~0ull;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    if (data[i] == expected(i)) continue;
    ++wrong;
    if (i < first) first = i;
  }
  if (wrong == 0) return;
  atomicAdd(&found->wrong, wrong);
  atomicMin(&found->first, first);
}

}  // namespace detail

// Compares element i with `expected(i)`, for all i below `count`, and adds the result to `seen`. Expected is a
// struct at namespace scope with `__device__ Element operator()(std::uint64_t) const`. Waits for the stream.
template <class Element, class Expected>
void compare(const Case& run, const Device& device, cudaStream_t stream, const Element* data,
             std::uint64_t count, Expected expected, Verification& seen) {
  if (count == 0) return;
  DeviceBuffer<detail::Mismatches> found(device, 1);
  const detail::Mismatches none{0, ~0ull};
  ASSAY_CUDA_CHECK(cudaMemcpyAsync(found.data(), &none, sizeof(none), cudaMemcpyHostToDevice, stream));
  constexpr unsigned kThreads = 256;
  const std::uint64_t wanted = (count + kThreads - 1) / kThreads;
  const unsigned blocks = static_cast<unsigned>(wanted < 4096 ? wanted : 4096);
  detail::compare_kernel<<<blocks, kThreads, 0, stream>>>(data, count, expected, found.data());
  ASSAY_CUDA_CHECK_LAUNCH("compare");
  wait(run, stream);
  const detail::Mismatches now = found.copy_back(stream, 0, 1)[0];
  seen.count(count, now.wrong,
             now.wrong == 0 ? "" : "element " + std::to_string(now.first) + " is not what was expected");
}

}  // namespace assay::cuda
