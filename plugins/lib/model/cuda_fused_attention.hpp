// SPDX-License-Identifier: Apache-2.0
//
// Attention in one kernel forward and a few backward, by cuDNN: for bf16, where the library is found at run time. No
// matrix of scores is ever in memory. Built without it where CMake finds no headers of cuDNN's frontend.
#pragma once

#include "lib/model/model.hpp"

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <memory>
#include <string>

namespace assay::plugins::model {

// Memory that a pass may take beside its arrays: sums of the queries' gradients in fp32, and what goes with rows.
inline std::size_t fused_attention_bytes(const Model& model, std::size_t samples) {
  for (const Operation& operation : model.operations) {
    if (operation.kind != Kind::attention) continue;
    const std::size_t rows = samples * model.sequence;
    return rows * operation.out * sizeof(float) + 4 * rows * operation.heads * sizeof(float) +
           (std::size_t{1} << 20);
  }
  return 0;
}

class FusedAttention {
 public:
  // For the attention of these operations, which are all alike, on the current device. Null where there is none, with
  // `why`: no header when it was built, no library, no plan for these sizes, or one that takes more memory.
  static std::unique_ptr<FusedAttention> make(const Model& model, std::size_t samples, std::string& why);

  FusedAttention() = default;
  FusedAttention(const FusedAttention&) = delete;  // owns the library's state
  FusedAttention& operator=(const FusedAttention&) = delete;
  virtual ~FusedAttention() = default;

  // Queue a pass; all arrays in bf16 but `log_sums`. `rows` are of queries, keys and values, as the product before
  // leaves them (and turned); `workspace` holds fused_attention_bytes().
  virtual void forward(cudaStream_t stream, const void* rows, void* value, float* log_sums,
                       void* workspace) = 0;
  virtual void backward(cudaStream_t stream, const void* rows, const void* value, const void* value_gradient,
                        const float* log_sums, void* rows_gradient, void* workspace) = 0;

  virtual std::string version() const = 0;  // of the library, "9.19.0"
};

}  // namespace assay::plugins::model
