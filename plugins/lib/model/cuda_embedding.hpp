// SPDX-License-Identifier: Apache-2.0
//
// Rows of tables for tokens, and the sums of gradients by row of a table. Types: R of the stream, P of parameters and
// gradients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

namespace assay::plugins::model::device {

// Tables are one behind the other in `words`, `positions` and `types`; null: there is none.
template <class P>
struct Tables {
  P *words = nullptr, *positions = nullptr, *types = nullptr;
};
struct EmbeddingShape {
  std::size_t samples = 0, sequence = 0, width = 0;
  std::size_t words = 0, positions = 0, types = 0;  // rows of the tables
};

template <class R, class P>
void embedding(cudaStream_t queue, const EmbeddingShape& shape, const std::int32_t* tokens,
               const Tables<const P>& tables, R* y);

// Every row of the tables is written (`keep`: added to), those of no token, too. `lists` holds words + rows numbers;
// `sums`, needed where there are types, sequence · width. The order in which tokens of one word are added is not
// fixed.
template <class R, class P>
void embedding_backward(cudaStream_t queue, const EmbeddingShape& shape, const std::int32_t* tokens,
                        const R* dy, bool keep, const Tables<P>& gradients, std::int32_t* lists, float* sums);

}  // namespace assay::plugins::model::device
