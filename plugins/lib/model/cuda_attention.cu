// SPDX-License-Identifier: Apache-2.0
#include "lib/model/cuda_attention.hpp"
#include "lib/model/cuda_columns.cuh"
#include "lib/model/cuda_lanes.cuh"
#include "lib/model/cuda_plan.hpp"

#include <assay/cuda/error.hpp>

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace assay::plugins::model::device {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::size_t kLongRow = 1024;  // from here on a block has a row, below a warp

// The same with numbers that divide fast.
struct Places {
  std::uint32_t sequence, d, heads, kv_heads;
  std::size_t samples;
  const float* turns;

  // Where element `column` of a token's row lies among the packed.
  __device__ std::size_t packed(std::size_t row, std::uint32_t column) const {
    const std::size_t sample = row / sequence, place = row % sequence;
    std::uint32_t head = column / d, of = heads;
    std::size_t before = 0;
    if (head >= heads) {
      head -= heads;
      before = samples * heads;
      of = kv_heads;
      if (head >= kv_heads) {
        head -= kv_heads;
        before += samples * kv_heads;
      }
    }
    return ((before + sample * of + head) * sequence + place) * d + column % d;
  }

  // Values of N columns, turned with their partners half a vector away.
  template <int N>
  __device__ void turn(std::size_t row, std::uint32_t column, bool back, const float (&partner)[N],
                       float (&values)[N]) const {
    const std::uint32_t half = d / 2, i = column % d;
    const bool first = i < half;
    const float* const turn = turns + row % sequence * d + (first ? i : i - half);
    float cosine[N], sine[N];
    load(turn, cosine);
    load(turn + half, sine);
#pragma unroll
    for (int lane = 0; lane < N; ++lane) {
      const float turned = back == first ? sine[lane] : -sine[lane];
      values[lane] = values[lane] * cosine[lane] + partner[lane] * turned;
    }
  }
  __device__ bool turned(std::uint32_t column) const { return turns && column < (heads + kv_heads) * d; }
  __device__ std::uint32_t partner(std::uint32_t column) const {
    return column % d < d / 2 ? column + d / 2 : column - d / 2;
  }
};

Places places_of(const Heads& heads) {
  return {static_cast<std::uint32_t>(heads.sequence),
          static_cast<std::uint32_t>(heads.d),
          static_cast<std::uint32_t>(heads.heads),
          static_cast<std::uint32_t>(heads.kv_heads),
          heads.samples,
          heads.turns};
}

template <class C, int N>
struct PackStep {
  Places places;
  const C* rows;
  C* to;
  std::size_t width;
  __device__ void operator()(std::size_t row, std::size_t at, float (&values)[N]) const {
    const auto column = static_cast<std::uint32_t>(at);
    load(rows + row * width + column, values);
    if (places.turned(column)) {
      float partner[N];
      load(rows + row * width + places.partner(column), partner);
      places.turn(row, column, false, partner, values);
    }
    store(to + places.packed(row, column), values);
  }
};

// Of the first half of each vector that turns, with its partner. `at` counts pairs.
template <class C, int N>
struct TurnStep {
  Places places;
  C* rows;
  std::size_t width;
  bool back;
  __device__ void operator()(std::size_t row, std::size_t at, float (&values)[N]) const {
    const std::uint32_t half = places.d / 2, pair = static_cast<std::uint32_t>(at);
    const std::uint32_t column = pair / half * places.d + pair % half;
    C *const first = rows + row * width + column, *const second = first + half;
    float partner[N], before[N];
    load(first, values);
    load(second, partner);
#pragma unroll
    for (int lane = 0; lane < N; ++lane) before[lane] = values[lane];
    places.turn(row, column, back, partner, values);
    places.turn(row, column + half, back, before, partner);
    store(first, values);
    store(second, partner);
  }
};

template <class C, class From, int N>
struct UnpackStep {
  Places places;
  const From* from;
  C* rows;
  std::size_t width;
  __device__ void operator()(std::size_t row, std::size_t at, float (&values)[N]) const {
    const auto column = static_cast<std::uint32_t>(at);
    load(from + places.packed(row, column), values);
    if (places.turned(column)) {
      float partner[N];
      load(from + places.packed(row, places.partner(column)), partner);
      places.turn(row, column, true, partner, values);
    }
    store(rows + row * width + column, values);
  }
};

template <int N, class Step>
__global__ void __launch_bounds__(kThreads) rows_kernel(Step step, std::size_t width) {
  const std::size_t column = (std::size_t{blockIdx.y} * blockDim.x + threadIdx.x) * N;
  float values[N];
  if (column < width) step(std::size_t{blockIdx.x}, column, values);
}

template <int N, class Step>
void each_of_rows(cudaStream_t queue, std::size_t rows, std::size_t width, const Step& step) {
  const std::size_t pieces = width / N, blocks = (pieces + kThreads - 1) / kThreads;
  const unsigned threads = threads_for((pieces + blocks - 1) / blocks, kThreads);
  rows_kernel<N, Step>
      <<<dim3(static_cast<unsigned>(rows), static_cast<unsigned>(blocks)), threads, 0, queue>>>(step, width);
  ASSAY_CUDA_CHECK_LAUNCH("heads");
}

// Numbers at once: pieces of a vector, or of half a vector where halves turn.
template <class C, class With>
void with_head_lanes(const Heads& heads, const With& with) {
  with_lanes<C>(heads.turns ? heads.d / 2 : heads.d, with);
}

// The threads that have a row: a warp, or the whole block. They meet between reading and writing a piece, because
// narrow probabilities lie where wide scores of the same row do.
template <bool warp>
__device__ void meet() {
  if constexpr (warp) {
    __syncwarp();
  } else {
    __syncthreads();
  }
}
template <bool warp, class How>
__device__ float over_row(float value, float* shared) {
  if constexpr (warp) {
    return over_warp<How>(value);
  } else {
    return over_block<How>(value, shared);
  }
}

struct Row {
  std::size_t at;  // among all rows
  bool there;
  unsigned thread, threads;
};
template <bool warp>
__device__ Row row_of(const ScoresShape& shape) {
  const std::size_t rows = shape.pairs * shape.rows;
  if constexpr (warp) {
    const std::size_t at = std::size_t{blockIdx.x} * (kThreads / 32) + threadIdx.x / 32;
    return {at, at < rows, threadIdx.x % 32, 32};
  } else {
    return {blockIdx.x, true, threadIdx.x, kThreads};
  }
}
__device__ inline std::size_t seen_of(const ScoresShape& shape, std::size_t row) {
  const std::size_t place = shape.first_place + row % shape.rows % shape.place_rows;
  return shape.causal && place + 1 < shape.keys ? place + 1 : shape.keys;
}
__device__ inline std::size_t sum_at(const ScoresShape& shape, std::size_t row) {
  return row / shape.rows * shape.sums_stride + row % shape.rows;
}

template <class C, int N, bool warp>
__global__ void __launch_bounds__(kThreads)
    softmax_kernel(ScoresShape shape, float* scores, float* log_sums) {
  __shared__ float shared[32];
  const Row row = row_of<warp>(shape);
  if (!row.there) return;
  const std::size_t keys = shape.keys, seen = seen_of(shape, row.at);
  const float* const of = scores + row.at * keys;
  C* const to = reinterpret_cast<C*>(scores + row.at * keys);
  float largest = -INFINITY, sum = 0;
  for (std::size_t i = row.thread * N; i < seen; i += row.threads * N) {
    float values[N];
    load(of + i, values);
#pragma unroll
    for (int lane = 0; lane < N; ++lane) {
      if (i + lane >= seen) continue;
      if (values[lane] > largest) {
        sum *= __expf(largest - values[lane]);
        largest = values[lane];
      }
      sum += __expf(values[lane] - largest);
    }
  }
  const float of_all = over_row<warp, Largest>(largest, shared);
  sum = over_row<warp, Sum>(sum * __expf(largest - of_all), shared);
  if (row.thread == 0) log_sums[sum_at(shape, row.at)] = of_all + logf(sum);
  const float inverse = 1.0F / sum;
  for (std::size_t first = 0; first < keys; first += row.threads * N) {
    const std::size_t i = first + row.thread * N;
    float values[N] = {};
    if (i < seen) load(of + i, values);
#pragma unroll
    for (int lane = 0; lane < N; ++lane)
      values[lane] = i + lane < seen ? inverse * __expf(values[lane] - of_all) : 0.0F;
    if constexpr (sizeof(C) < sizeof(float)) meet<warp>();
    if (i < keys) store(to + i, values);
  }
}

template <class C, int N, bool warp>
__global__ void __launch_bounds__(kThreads)
    softmax_backward_kernel(ScoresShape shape, float* scores, const float* log_sums, float* gradients) {
  __shared__ float shared[32];
  const Row row = row_of<warp>(shape);
  if (!row.there) return;
  const std::size_t keys = shape.keys, seen = seen_of(shape, row.at), begin = row.at * keys;
  const float log_sum = log_sums[sum_at(shape, row.at)];
  const float *const of = scores + begin, *const by = gradients + begin;
  C *const to = reinterpret_cast<C*>(scores + begin), *const to_scores =
                                                          reinterpret_cast<C*>(gradients + begin);
  float along = 0;
  for (std::size_t i = row.thread * N; i < seen; i += row.threads * N) {
    float values[N], slopes[N];
    load(of + i, values);
    load(by + i, slopes);
#pragma unroll
    for (int lane = 0; lane < N; ++lane)
      along += i + lane < seen ? __expf(values[lane] - log_sum) * slopes[lane] : 0.0F;
  }
  along = over_row<warp, Sum>(along, shared);
  for (std::size_t first = 0; first < keys; first += row.threads * N) {
    const std::size_t i = first + row.thread * N;
    float values[N] = {}, slopes[N] = {};
    if (i < seen) {
      load(of + i, values);
      load(by + i, slopes);
    }
#pragma unroll
    for (int lane = 0; lane < N; ++lane) {
      values[lane] = i + lane < seen ? __expf(values[lane] - log_sum) : 0.0F;
      slopes[lane] = i + lane < seen ? values[lane] * (slopes[lane] - along) : 0.0F;
    }
    if constexpr (sizeof(C) < sizeof(float)) meet<warp>();
    if (i >= keys) continue;
    store(to + i, values);
    store(to_scores + i, slopes);
  }
}

// With as many lanes as divide the keys, and a warp or a block for each row.
template <class With>
void with_rows(const ScoresShape& shape, const With& with) {
  const std::size_t rows = shape.pairs * shape.rows;
  const bool warp = shape.keys <= kLongRow;
  const auto blocks = static_cast<unsigned>(warp ? (rows + kThreads / 32 - 1) / (kThreads / 32) : rows);
  using One = std::integral_constant<int, 1>;
  using Four = std::integral_constant<int, 4>;
  const bool whole = shape.keys % 4 == 0;
  if (warp) {
    whole ? with(blocks, Four(), std::true_type()) : with(blocks, One(), std::true_type());
  } else {
    whole ? with(blocks, Four(), std::false_type()) : with(blocks, One(), std::false_type());
  }
}

}  // namespace

template <class C>
void turn(cudaStream_t queue, const Heads& heads, bool back, C* rows) {
  with_head_lanes<C>(heads, [&](auto lanes) {
    constexpr int N = decltype(lanes)::value;
    each_of_rows<N>(queue, heads.rows(), (heads.heads + heads.kv_heads) * heads.d / 2,
                    TurnStep<C, N>{places_of(heads), rows, heads.width(), back});
  });
}

template <class C>
void pack(cudaStream_t queue, const Heads& heads, const C* rows, C* packed) {
  with_head_lanes<C>(heads, [&](auto lanes) {
    constexpr int N = decltype(lanes)::value;
    each_of_rows<N>(queue, heads.rows(), heads.width(),
                    PackStep<C, N>{places_of(heads), rows, packed, heads.width()});
  });
}

template <class C, class From, class P>
void unpack(cudaStream_t queue, const Heads& heads, const From* packed, C* rows,
            const BiasGradient<P>& bias) {
  with_head_lanes<C>(heads, [&](auto lanes) {
    constexpr int N = decltype(lanes)::value;
    const UnpackStep<C, From, N> step{places_of(heads), packed, rows, heads.width()};
    if (bias.to) {
      sum_columns<N>(queue, step, heads.rows(), heads.width(), column_pieces(heads.rows()), bias.partial,
                     bias.to, bias.keep);
    } else {
      each_of_rows<N>(queue, heads.rows(), heads.width(), step);
    }
  });
}

template <class C>
void softmax(cudaStream_t queue, const ScoresShape& shape, float* scores, float* log_sums) {
  with_rows(shape, [&](unsigned blocks, auto lanes, auto warp) {
    softmax_kernel<C, decltype(lanes)::value, decltype(warp)::value>
        <<<blocks, kThreads, 0, queue>>>(shape, scores, log_sums);
  });
  ASSAY_CUDA_CHECK_LAUNCH("softmax");
}

template <class C>
void softmax_backward(cudaStream_t queue, const ScoresShape& shape, float* scores, const float* log_sums,
                      float* gradients) {
  with_rows(shape, [&](unsigned blocks, auto lanes, auto warp) {
    softmax_backward_kernel<C, decltype(lanes)::value, decltype(warp)::value>
        <<<blocks, kThreads, 0, queue>>>(shape, scores, log_sums, gradients);
  });
  ASSAY_CUDA_CHECK_LAUNCH("the backward pass of softmax");
}

#define ASSAY_ATTENTION(C)                                                    \
  template void turn<C>(cudaStream_t, const Heads&, bool, C*);                \
  template void pack<C>(cudaStream_t, const Heads&, const C*, C*);            \
  template void softmax<C>(cudaStream_t, const ScoresShape&, float*, float*); \
  template void softmax_backward<C>(cudaStream_t, const ScoresShape&, float*, const float*, float*)
#define ASSAY_UNPACK(C, From, P) \
  template void unpack<C, From, P>(cudaStream_t, const Heads&, const From*, C*, const BiasGradient<P>&)
ASSAY_ATTENTION(float);
ASSAY_ATTENTION(Bf16);
ASSAY_UNPACK(float, float, float);
ASSAY_UNPACK(Bf16, Bf16, float);
ASSAY_UNPACK(Bf16, float, float);
ASSAY_UNPACK(Bf16, Bf16, Bf16);
ASSAY_UNPACK(Bf16, float, Bf16);
#undef ASSAY_ATTENTION
#undef ASSAY_UNPACK

}  // namespace assay::plugins::model::device
