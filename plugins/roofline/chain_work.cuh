// SPDX-License-Identifier: Apache-2.0
//
// The roof of the ordinary units: multiply-adds on registers, by as many threads as keep all of them busy.
#pragma once

#include "roofline/vector_kernels.cuh"

#include <assay/cuda.hpp>
#include <assay/verification.hpp>

#include <cstdint>

namespace assay::plugins::roofline {

enum class VectorType { fp64, fp32, fp16, bf16 };

// visit(an element of the type).
template <class Visit>
decltype(auto) with_element(VectorType type, Visit&& visit) {
  switch (type) {
    case VectorType::fp64:
      return visit(double{});
    case VectorType::fp16:
      return visit(__half2{});
    case VectorType::bf16:
      return visit(__nv_bfloat162{});
    case VectorType::fp32:
      break;
  }
  return visit(float{});
}

struct SameSum {
  float value;
  __device__ float operator()(std::uint64_t) const { return value; }
};

class ChainWork {
 public:
  ChainWork(const cuda::Device& device, VectorType type)
      : type_(type),
        blocks_(kBlocksPerMultiprocessor * static_cast<unsigned>(device.sm_count())),
        sums_(device, std::uint64_t{blocks_} * kVectorThreads) {}

  // Of one launch.
  double operations() const {
    return static_cast<double>(sums_.size()) *
           with_element(type_, [](auto element) { return operations_of_thread<decltype(element)>(); });
  }

  void restore(cudaStream_t stream) const { cuda::poison(stream, sums_); }

  void enqueue(cudaStream_t stream) const {
    with_element(type_, [&](auto element) {
      chains_kernel<decltype(element)><<<blocks_, kVectorThreads, 0, stream>>>(1.0f, 1.0f, sums_.data());
    });
  }

  // Waits for the stream.
  void verify(const Case& run, const cuda::Device& device, cudaStream_t stream, Verification& checks) const {
    const float sum = with_element(type_, [](auto element) { return sum_of_thread<decltype(element)>(); });
    cuda::compare(run, device, stream, sums_.data(), sums_.size(), SameSum{sum}, checks);
  }

 private:
  VectorType type_;
  unsigned blocks_;
  cuda::DeviceBuffer<float> sums_;  // of each thread
};

}  // namespace assay::plugins::roofline
