// SPDX-License-Identifier: Apache-2.0
#include "lib/model/cuda_embedding.hpp"
#include "lib/model/cuda_lanes.cuh"

#include <assay/cuda/error.hpp>

#include <type_traits>

namespace assay::plugins::model::device {
namespace {

constexpr unsigned kThreads = 256;

template <int N, class R, class P>
__global__ void embedding_kernel(EmbeddingShape shape, const std::int32_t* tokens, Tables<const P> tables,
                                 R* y) {
  const std::size_t row = blockIdx.x, place = row % shape.sequence, width = shape.width;
  const P* const word = tables.words + static_cast<std::size_t>(tokens[row]) * width;
  for (std::size_t i = threadIdx.x * N; i < width; i += std::size_t{blockDim.x} * N) {
    float sum[N], other[N];
    load(word + i, sum);
    if (tables.positions) {
      load(tables.positions + place * width + i, other);
#pragma unroll
      for (int lane = 0; lane < N; ++lane) sum[lane] += other[lane];
    }
    if (tables.types) {
      load(tables.types + place * shape.types / shape.sequence * width + i, other);
#pragma unroll
      for (int lane = 0; lane < N; ++lane) sum[lane] += other[lane];
    }
    store(y + row * width + i, sum);
  }
}

// The tokens of a word become a list: `lists[word]` is its head, `next[token]` what follows; -1 ends it.
__global__ void lists_kernel(std::size_t rows, std::size_t words, const std::int32_t* tokens,
                             std::int32_t* lists) {
  const std::size_t row = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (row < rows) lists[words + row] = atomicExch(&lists[tokens[row]], static_cast<std::int32_t>(row));
}

// A block makes a row of the table of words.
template <int N, class R, class P>
__global__ void words_kernel(EmbeddingShape shape, const std::int32_t* lists, const R* dy, bool keep,
                             P* table) {
  const std::size_t word = blockIdx.x, width = shape.width;
  const std::int32_t first = lists[word];
  if (first < 0 && keep) return;
  for (std::size_t i = threadIdx.x * N; i < width; i += std::size_t{blockDim.x} * N) {
    float sum[N] = {}, of[N];
    if (keep) load(table + word * width + i, sum);
    for (std::int32_t row = first; row >= 0; row = lists[shape.words + static_cast<std::size_t>(row)]) {
      load(dy + static_cast<std::size_t>(row) * width + i, of);
#pragma unroll
      for (int lane = 0; lane < N; ++lane) sum[lane] += of[lane];
    }
    store(table + word * width + i, sum);
  }
}

// A block makes a row of the table of positions, and leaves the sum for the types.
template <int N, class R, class P>
__global__ void positions_kernel(EmbeddingShape shape, const R* dy, bool keep, P* table, float* sums) {
  const std::size_t place = blockIdx.x, width = shape.width;
  for (std::size_t i = threadIdx.x * N; i < width; i += std::size_t{blockDim.x} * N) {
    float sum[N] = {}, of[N];
    if (place < shape.sequence) {
      for (std::size_t sample = 0; sample < shape.samples; ++sample) {
        load(dy + (sample * shape.sequence + place) * width + i, of);
#pragma unroll
        for (int lane = 0; lane < N; ++lane) sum[lane] += of[lane];
      }
      if (sums) store(sums + place * width + i, sum);
    }
    if (!table) continue;
    if (keep) {
      load(table + place * width + i, of);
#pragma unroll
      for (int lane = 0; lane < N; ++lane) sum[lane] += of[lane];
    }
    store(table + place * width + i, sum);
  }
}

// A thread makes an element of the table of types.
template <class P>
__global__ void types_kernel(EmbeddingShape shape, const float* sums, bool keep, P* table) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= shape.width) return;
  for (std::size_t type = 0; type < shape.types; ++type) {
    P& target = table[type * shape.width + i];
    float sum = keep ? number_of(target) : 0.0F;
    for (std::size_t place = 0; place < shape.sequence; ++place) {
      if (place * shape.types / shape.sequence == type) sum += sums[place * shape.width + i];
    }
    target = rounded_to<P>(sum);
  }
}

}  // namespace

template <class R, class P>
void embedding(cudaStream_t queue, const EmbeddingShape& shape, const std::int32_t* tokens,
               const Tables<const P>& tables, R* y) {
  with_lanes<R>(shape.width, [&](auto lanes) {
    constexpr int N = decltype(lanes)::value;
    embedding_kernel<N, R, P><<<static_cast<unsigned>(shape.samples * shape.sequence),
                                threads_for(shape.width / N, 256), 0, queue>>>(shape, tokens, tables, y);
  });
  ASSAY_CUDA_CHECK_LAUNCH("embedding");
}

template <class R, class P>
void embedding_backward(cudaStream_t queue, const EmbeddingShape& shape, const std::int32_t* tokens,
                        const R* dy, bool keep, const Tables<P>& gradients, std::int32_t* lists,
                        float* sums) {
  const std::size_t rows = shape.samples * shape.sequence;
  ASSAY_CUDA_CHECK(cudaMemsetAsync(lists, 0xFF, shape.words * sizeof(std::int32_t), queue));
  lists_kernel<<<static_cast<unsigned>((rows + kThreads - 1) / kThreads), kThreads, 0, queue>>>(
      rows, shape.words, tokens, lists);
  ASSAY_CUDA_CHECK_LAUNCH("lists of tokens");
  with_lanes<R>(shape.width, [&](auto lanes) {
    constexpr int N = decltype(lanes)::value;
    const unsigned threads = threads_for(shape.width / N, 256);
    words_kernel<N, R, P>
        <<<static_cast<unsigned>(shape.words), threads, 0, queue>>>(shape, lists, dy, keep, gradients.words);
    ASSAY_CUDA_CHECK_LAUNCH("gradients of words");
    if (!gradients.positions && !gradients.types) return;
    const std::size_t places = gradients.positions ? shape.positions : shape.sequence;
    positions_kernel<N, R, P><<<static_cast<unsigned>(places), threads, 0, queue>>>(
        shape, dy, keep, gradients.positions, gradients.types ? sums : nullptr);
    ASSAY_CUDA_CHECK_LAUNCH("gradients of positions");
  });
  if (!gradients.types) return;
  types_kernel<P><<<static_cast<unsigned>((shape.width + kThreads - 1) / kThreads), kThreads, 0, queue>>>(
      shape, sums, keep, gradients.types);
  ASSAY_CUDA_CHECK_LAUNCH("gradients of types");
}

#define ASSAY_EMBEDDING(R, P)                                                                                \
  template void embedding<R, P>(cudaStream_t, const EmbeddingShape&, const std::int32_t*,                    \
                                const Tables<const P>&, R*);                                                 \
  template void embedding_backward<R, P>(cudaStream_t, const EmbeddingShape&, const std::int32_t*, const R*, \
                                         bool, const Tables<P>&, std::int32_t*, float*)
ASSAY_EMBEDDING(float, float);
ASSAY_EMBEDDING(Bf16, Bf16);
#undef ASSAY_EMBEDDING

}  // namespace assay::plugins::model::device
