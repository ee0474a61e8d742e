// SPDX-License-Identifier: Apache-2.0
//
// Products whose algorithms are chosen before a step begins.
#pragma once

#include "lib/cublaslt.hpp"
#include "lib/model/cuda_arithmetic.hpp"

#include <assay/errors.hpp>

#include <cstddef>
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_runtime_api.h>
#include <initializer_list>
#include <string>
#include <type_traits>

namespace assay::plugins::model::device {

template <class Element>
constexpr cudaDataType_t type_of() {
  return std::is_same_v<Element, double>  ? CUDA_R_64F
         : std::is_same_v<Element, float> ? CUDA_R_32F
                                          : CUDA_R_16BF;
}

// The largest power of two up to 256 that divides all of these.
inline std::uint32_t alignment_of(std::initializer_list<std::size_t> bytes) {
  std::size_t bits = 256;
  for (const std::size_t each : bytes) bits |= each;
  return static_cast<std::uint32_t>(bits & ~(bits - 1));
}

// The library's memory for partial sums, for all products of a stream: what it asks for on a Hopper.
struct Workspace {
  void* data = nullptr;
  std::size_t bytes = 0;
};
inline constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

// Move-only.
class ReadyProduct {
 public:
  // The library's own choice among its algorithms. Throws Skip where it has none.
  ReadyProduct(const cublaslt::Handle& handle, const cublaslt::Problem& problem, Workspace workspace)
      : product_(handle, problem), workspace_(workspace) {
    const auto found = product_.algorithms(1, workspace.bytes);
    if (found.empty()) {
      throw Skip("cuBLASLt " + cublaslt::version() + " has no algorithm for a product of " +
                 std::to_string(problem.m) + " x " + std::to_string(problem.k) + " by " +
                 std::to_string(problem.k) + " x " + std::to_string(problem.n) + " (" +
                 std::to_string(problem.batch) +
                 " of them) in the types of this case; other sizes may have one");
    }
    algorithm_ = found.front();
  }

  // Queues D = A·B with what the problem says of C, which may be D.
  void queue(cudaStream_t stream, const void* a, const void* b, const void* c, void* d) const {
    product_.enqueue(stream, a, b, c, d, algorithm_, workspace_.data, workspace_.bytes);
  }
  void queue(cudaStream_t stream, const void* a, const void* b, void* d) const { queue(stream, a, b, d, d); }

 private:
  cublaslt::Product product_;
  Workspace workspace_;
  cublaslt::Algorithm algorithm_{};
};

}  // namespace assay::plugins::model::device
