// SPDX-License-Identifier: Apache-2.0
//
// Filling and comparing a rank's buffers where they are: on its GPU.
#pragma once

#include "collective/codes.hpp"
#include "collective/device_buffers.hpp"
#include "collective/device_types.cuh"
#include "collective/operation.hpp"

#include <assay/cuda.hpp>

#include <cstdint>
#include <cuda_runtime.h>
#include <limits>
#include <type_traits>

namespace assay::plugins::collective {

// What a rank has to have in the end, in codes. Copyable into kernels.
struct Result {
  Codes codes;
  Operation operation;
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

struct Near {
  double value, limit;
};
template <class T>
__device__ bool operator==(const Stored<T>& stored, Near wanted) {
  const double difference = static_cast<double>(static_cast<float>(stored.value)) - wanted.value;
  return (difference < 0 ? -difference : difference) <= wanted.limit;
}
__device__ inline bool operator==(const Stored<double>& stored, Near wanted) {
  const double difference = stored.value - wanted.value;
  return (difference < 0 ? -difference : difference) <= wanted.limit;
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

struct NearElement {
  Result result;
  double relative;
  __device__ Near operator()(std::uint64_t i) const {
    std::uint32_t divisor = 1;
    const double value = static_cast<double>(result.code(i, divisor)) / divisor;
    return {value, value * relative};
  }
};

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

// The average of ranks whose number is no power of two is a sum of rounded products in the library; every
// other result is compared bit for bit.
inline bool is_rounded(const Result& result, DeviceType type) {
  const bool whole = type == DeviceType::int8 || type == DeviceType::uint8 || type == DeviceType::int32 ||
                     type == DeviceType::uint32 || type == DeviceType::int64 || type == DeviceType::uint64;
  return reduces(result.operation) && result.codes.averages() && !whole &&
         (result.ranks & (result.ranks - 1)) != 0;
}

// Compares every element of the output, and the canaries. Waits for the stream.
inline void check_result(const Case& run, const cuda::Device& device, cudaStream_t stream,
                         const DeviceBuffers& buffers, DeviceType type, const Result& result,
                         Verification& seen) {
  with_device_type(type, [&](auto zero) {
    using T = decltype(zero);
    const auto* const data = reinterpret_cast<const Stored<T>*>(buffers.receive());
    const std::uint64_t count = buffers.receive_bytes() / sizeof(T);
    if (!is_rounded(result, type)) {
      cuda::compare(run, device, stream, data, count, ExactElement<T>{result}, seen);
      return;
    }
    if constexpr (!std::is_integral_v<T>) {
      // Two roundings a rank, each of half a unit in the last place.
      const double unit =
          std::is_same_v<T, double> ? std::numeric_limits<double>::epsilon() : 2 / exact_integers(type);
      cuda::compare(run, device, stream, data, count, NearElement{result, result.ranks * unit}, seen);
    }
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
