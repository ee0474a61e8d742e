// SPDX-License-Identifier: Apache-2.0
//
// Filling and comparing a rank's buffers where they are: on its GPU.
#pragma once

#include "collective/codes.hpp"
#include "collective/device_buffers.hpp"
#include "collective/device_types.cuh"
#include "collective/operation.hpp"
#include "lib/findings.cuh"

#include <assay/cuda.hpp>

#include <cstdint>
#include <cstring>
#include <cuda_runtime.h>
#include <string>
#include <type_traits>

namespace assay::plugins::collective {

// What a rank has to have in the end, in codes. Copyable into kernels.
struct Result {
  Codes codes;
  Operation operation;
  Operator reduction;
  std::size_t part;
  std::uint32_t ranks, root, rank;

  __host__ __device__ std::uint64_t code(std::uint64_t i, std::uint32_t& divisor) const {
    const Origin from = origin_of(operation, part, ranks, root, rank, i);
    divisor = from.combined && codes.averages() ? ranks : 1;
    return from.combined ? codes.combined(from.index) : codes.input(from.rank, from.index);
  }
};

// Names belong to the plugin that includes this.
namespace {

template <class T>
__global__ void fill_input_kernel(T* data, std::uint64_t count, Codes codes, std::uint32_t rank) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step)
    data[i] = element_of<T>(codes.input(rank, i));
}

template <class T>
struct Stored {
  T value;
};

struct Bits {
  std::uint64_t bits;
};
template <class T>
__device__ bool operator==(const Stored<T>& stored, Bits wanted) {
  return bits_of(stored.value) == wanted.bits;
}

template <class T>
struct ExactElement {
  Result result;
  __device__ Bits operator()(std::uint64_t i) const {
    std::uint32_t divisor = 1;
    const std::uint64_t code = result.code(i, divisor);
    return {bits_of(element_of<T>(code, divisor))};
  }
};

template <class T>
__device__ double number_of(const T& value) {
  return static_cast<double>(static_cast<float>(value));
}
__device__ inline double number_of(double value) { return value; }

// Averages, each by its error relative to what is right.
template <class T>
__global__ void check_averages_kernel(const T* data, std::uint64_t count, Result result, double limit,
                                      Findings* found) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    std::uint32_t divisor = 1;
    const double expected = static_cast<double>(result.code(i, divisor)) / divisor;
    const double difference = fabs(number_of(data[i]) - expected);
    if (difference != 0) report(found, difference / (expected * limit), i);
  }
}

struct Canary {
  __device__ unsigned char operator()(std::uint64_t) const { return kDeviceCanary; }
};

}  // namespace

// Queues: no result in the output, canaries around, and the rank's input.
inline void clear_and_fill(cudaStream_t stream, const DeviceBuffers& buffers, DeviceType type,
                           const Codes& codes, std::uint32_t rank) {
  buffers.around([&](std::byte* begin, std::size_t bytes) {
    ASSAY_CUDA_CHECK(cudaMemsetAsync(begin, kDeviceCanary, bytes, stream));
  });
  if (buffers.receive_bytes() > 0)
    ASSAY_CUDA_CHECK(cudaMemsetAsync(buffers.receive(), kDeviceUntouched, buffers.receive_bytes(), stream));
  if (buffers.send_bytes() == 0) return;
  with_device_type(type, [&](auto zero) {
    using T = decltype(zero);
    const std::uint64_t count = buffers.send_bytes() / sizeof(T);
    fill_input_kernel<T><<<1024, 256, 0, stream>>>(reinterpret_cast<T*>(buffers.send()), count, codes, rank);
    ASSAY_CUDA_CHECK_LAUNCH("fill");
  });
}

namespace detail {

template <class T>
void check_averages(const Case& run, const cuda::Device& device, cudaStream_t stream, const T* data,
                    std::uint64_t count, DeviceType type, const Result& result, Verification& seen) {
  if (count == 0) return;
  const double limit = rounding_of_average(type);
  cuda::DeviceBuffer<Findings> gathered(device, 1);
  ASSAY_CUDA_CHECK(
      cudaMemcpyAsync(gathered.data(), &kNoFindings, sizeof(kNoFindings), cudaMemcpyHostToDevice, stream));
  check_averages_kernel<T><<<1024, 256, 0, stream>>>(data, count, result, limit, gathered.data());
  ASSAY_CUDA_CHECK_LAUNCH("check of averages");
  cuda::wait(run, stream);
  const Findings found = gathered.copy_back(stream, 0, 1)[0];
  double worst = 0;
  std::memcpy(&worst, &found.worst, sizeof(worst));
  // The worst stands for all, with its error and the tolerance.
  const std::uint64_t others = found.wrong == 0 ? 0 : found.wrong - 1;
  seen.count(count - 1, others,
             others == 0 ? "" : "the average at element " + std::to_string(found.first) + " is wrong");
  seen.expect_close(worst * limit, 0, absolute(limit), found.wrong == 0 ? 0 : found.first);
}

}  // namespace detail

// Compares every element of the output, and the canaries. Waits for the stream.
inline void check_result(const Case& run, const cuda::Device& device, cudaStream_t stream,
                         const DeviceBuffers& buffers, DeviceType type, const Result& result,
                         Verification& seen) {
  with_device_type(type, [&](auto zero) {
    using T = decltype(zero);
    const std::uint64_t count = buffers.receive_bytes() / sizeof(T);
    if constexpr (!std::is_integral_v<T>) {
      if (reduces(result.operation) && is_rounded(result.reduction, type, result.ranks)) {
        const auto* const averages = reinterpret_cast<const T*>(buffers.receive());
        return detail::check_averages(run, device, stream, averages, count, type, result, seen);
      }
    }
    const auto* const data = reinterpret_cast<const Stored<T>*>(buffers.receive());
    cuda::compare(run, device, stream, data, count, ExactElement<T>{result}, seen);
  });
  buffers.around([&](const std::byte* begin, std::size_t bytes) {
    Verification around;
    cuda::compare(run, device, stream, reinterpret_cast<const unsigned char*>(begin), bytes, Canary{},
                  around);
    seen.count(around.checked(), around.wrong(),
               around.wrong() == 0 ? "" : "bytes beside a buffer were written");
  });
}

}  // namespace assay::plugins::collective
