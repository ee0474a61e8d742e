// SPDX-License-Identifier: Apache-2.0
//
// Inputs from the case's seed: written by the device, and restored at any time without a copy.
#pragma once

#include <assay/case.hpp>
#include <assay/cuda/error.hpp>
#include <assay/cuda/memory.hpp>
#include <assay/data.hpp>
#include <assay/random.hpp>

#include <cstdint>
#include <cuda_runtime.h>
#include <limits>
#include <type_traits>

namespace assay::cuda {
namespace detail {

// A constant, because device code may not call numeric_limits' functions.
template <class Element>
inline constexpr double kLargest = static_cast<double>(std::numeric_limits<Element>::max());

}  // namespace detail

// Element `index` of an input in type Element: float, double, an integer, or a type that is made of a float
// (__half, __nv_bfloat16, __nv_fp8_e4m3, …). Uniform and normal numbers are spread over the range of a narrow
// integer type: times its largest value, or a quarter of it, and cut off there.
template <class Element>
ASSAY_HOST_DEVICE inline Element element_as(Data data, const Random& random, std::uint64_t index) {
  const double value = element(data, random, index);
  if constexpr (std::is_integral_v<Element>) {
    constexpr double largest = detail::kLargest<Element>;
    const double factor = data == Data::uniform                            ? largest
                          : data == Data::normal || data == Data::standard ? largest / 4
                                                                           : 1;
    const double scaled = value * factor;
    const double cut = scaled > largest ? largest : scaled < -largest ? -largest : scaled;
    return static_cast<Element>(cut < 0 ? cut - 0.5 : cut + 0.5);
  } else if constexpr (std::is_same_v<Element, double>) {
    return value;
  } else {
    return Element(static_cast<float>(value));
  }
}

namespace detail {

template <class Element>
__global__ void fill_kernel(Element* data, std::uint64_t count, Data kind, Random random) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    data[i] = element_as<Element>(kind, random, i);
  }
}

}  // namespace detail

// Queues writing `count` elements. `stream_of_seed` tells arrays of one case apart; `seed` is the case's.
template <class Element>
void fill(cudaStream_t stream, Element* data, std::uint64_t count, Data kind, std::uint64_t seed,
          std::uint64_t stream_of_seed) {
  if (count == 0) return;
  constexpr unsigned kThreads = 256;
  const std::uint64_t wanted = (count + kThreads - 1) / kThreads;
  const unsigned blocks = static_cast<unsigned>(wanted < 4096 ? wanted : 4096);
  detail::fill_kernel<Element>
      <<<blocks, kThreads, 0, stream>>>(data, count, kind, Random(seed, stream_of_seed));
  ASSAY_CUDA_CHECK_LAUNCH("fill");
}

template <class Element>
void fill(cudaStream_t stream, const DeviceBuffer<Element>& buffer, Data kind, std::uint64_t seed,
          std::uint64_t stream_of_seed) {
  fill(stream, buffer.data(), buffer.size(), kind, seed, stream_of_seed);
}

// Queues writing a pattern that no result is: a NaN in every floating-point type, -1 in integers.
template <class Element>
void poison(cudaStream_t stream, const DeviceBuffer<Element>& buffer) {
  ASSAY_CUDA_CHECK(cudaMemsetAsync(buffer.data(), 0xFF, buffer.bytes(), stream));
}

}  // namespace assay::cuda
