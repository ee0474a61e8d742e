// SPDX-License-Identifier: Apache-2.0
//
// Latency of dependent loads by one thread of a GPU: a chain through memory in a random order, followed.
#pragma once

#include "lib/permutation.hpp"

#include <assay/case.hpp>
#include <assay/cuda/device.hpp>
#include <assay/cuda/error.hpp>
#include <assay/cuda/memory.hpp>
#include <assay/cuda/stream.hpp>
#include <assay/units.hpp>
#include <assay/verification.hpp>

#include <cstdint>
#include <cuda_runtime.h>
#include <string>

namespace assay::plugins {

// A cache line of a GPU that points to the next one.
struct alignas(128) ChaseNode {
  ChaseNode* next;
};

// Where the loads go. cached: through L1 and L2. uncached: to the memory each time, as far as hardware
// allows; for memory of the host.
enum class ChaseLoad { cached, uncached };

namespace detail {

struct ChaseState {
  const ChaseNode* position;
  unsigned long long walked;  // loads since the walk began at the first node
  unsigned long long cycles;  // of the last timed walk
};

struct ChaseFlaws {
  unsigned long long links;    // that do not lead to the next node
  unsigned long long repeats;  // nodes that come a second time
};

// Names belong to the plugin that includes this: two plugins in one process must not share kernels.
namespace {

__global__ void link_kernel(ChaseNode* nodes, Permutation order) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  const std::uint64_t count = order.count();
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    nodes[order(i)].next = nodes + order(i + 1 == count ? 0 : i + 1);
  }
}

__global__ void check_links_kernel(const ChaseNode* nodes, Permutation order, std::uint32_t* seen,
                                   ChaseFlaws* flaws) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  const std::uint64_t count = order.count();
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const std::uint64_t here = order(i);
    if (nodes[here].next != nodes + order(i + 1 == count ? 0 : i + 1)) atomicAdd(&flaws->links, 1ull);
    const std::uint32_t bit = 1u << (here % 32);
    if (atomicOr(&seen[here / 32], bit) & bit) atomicAdd(&flaws->repeats, 1ull);
  }
}

// Volatile, so that no load moves across a reading of the clock.
template <ChaseLoad load>
__device__ const ChaseNode* next_of(const ChaseNode* node) {
  const ChaseNode* next;
  if constexpr (load == ChaseLoad::cached) {
    asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(&node->next) : "memory");
  } else {
    asm volatile("ld.global.cv.u64 %0, [%1];" : "=l"(next) : "l"(&node->next) : "memory");
  }
  return next;
}

template <ChaseLoad load>
__device__ const ChaseNode* followed(const ChaseNode* node, std::uint64_t loads) {
#pragma unroll 16
  for (std::uint64_t i = 0; i < loads; ++i) node = next_of<load>(node);
  return node;
}

// One thread of block `worker` continues where the last walk ended. The other blocks do nothing: they make the
// hardware place this one as it does among that many.
template <ChaseLoad load>
__global__ void follow_kernel(ChaseState* state, std::uint64_t loads, unsigned worker) {
  if (blockIdx.x != worker) return;
  state->position = followed<load>(state->position, loads);
  state->walked += loads;
}

// The same, with a first part that is not timed.
template <ChaseLoad load>
__global__ void time_kernel(ChaseState* state, std::uint64_t untimed, std::uint64_t loads) {
  const ChaseNode* node = followed<load>(state->position, untimed);
  const long long begin = clock64();
  node = followed<load>(node, loads);
  state->cycles = static_cast<unsigned long long>(clock64() - begin);
  state->position = node;
  state->walked += untimed + loads;
}

}  // namespace
}  // namespace detail

// A chain through `count` nodes in one cycle. The memory is the caller's and has to outlive it.
class DeviceChase {
 public:
  DeviceChase(const cuda::Device& device, cudaStream_t stream, ChaseNode* nodes, std::uint64_t count,
              std::uint64_t seed)
      : device_(device), nodes_(nodes), order_(count, seed), state_(device, 1) {
    detail::link_kernel<<<blocks(), kThreads, 0, stream>>>(nodes_, order_);
    ASSAY_CUDA_CHECK_LAUNCH("link");
    begin(stream);
  }

  // Queues going back to the first node.
  void begin(cudaStream_t stream) {
    const detail::ChaseState state{nodes_ + order_(0), 0, 0};
    ASSAY_CUDA_CHECK(cudaMemcpyAsync(state_.data(), &state, sizeof(state), cudaMemcpyHostToDevice, stream));
    ASSAY_CUDA_CHECK(cudaStreamSynchronize(stream));
  }

  // Queues `loads` steps by one thread of block `worker` among `workers`.
  template <ChaseLoad load>
  void follow(cudaStream_t stream, std::uint64_t loads, unsigned worker = 0, unsigned workers = 1) const {
    detail::follow_kernel<load><<<workers, 1, 0, stream>>>(state_.data(), loads, worker);
    ASSAY_CUDA_CHECK_LAUNCH("follow");
  }

  // Clock cycles of the multiprocessor for one load, after `untimed` loads. Waits for the stream.
  template <ChaseLoad load>
  double cycles_per_load(const Case& run, cudaStream_t stream, std::uint64_t untimed, std::uint64_t loads) {
    detail::time_kernel<load><<<1, 1, 0, stream>>>(state_.data(), untimed, loads);
    ASSAY_CUDA_CHECK_LAUNCH("timed walk");
    cuda::wait(run, stream);
    return static_cast<double>(state_.copy_back(stream, 0, 1)[0].cycles) / static_cast<double>(loads);
  }

  // Whether the chain is one cycle through all nodes, and the walk went along it, load for load.
  void verify(const Case& run, cudaStream_t stream, Verification& seen) const {
    const std::uint64_t count = order_.count();
    const cuda::DeviceBuffer<std::uint32_t> marks(device_, ceil_div(count, 32));
    const cuda::DeviceBuffer<detail::ChaseFlaws> found(device_, 1);
    ASSAY_CUDA_CHECK(cudaMemsetAsync(marks.data(), 0, marks.bytes(), stream));
    ASSAY_CUDA_CHECK(cudaMemsetAsync(found.data(), 0, found.bytes(), stream));
    detail::check_links_kernel<<<blocks(), kThreads, 0, stream>>>(nodes_, order_, marks.data(), found.data());
    ASSAY_CUDA_CHECK_LAUNCH("check of the chain");
    cuda::wait(run, stream);
    const detail::ChaseFlaws flaws = found.copy_back(stream, 0, 1)[0];
    const detail::ChaseState state = state_.copy_back(stream, 0, 1)[0];
    const bool arrived = state.walked > 0 && state.position == nodes_ + order_(state.walked % count);
    seen.method("one cycle through all nodes, and the walk's end");
    seen.count(count + 1, flaws.links + flaws.repeats + (arrived ? 0 : 1),
               !arrived ? "after " + std::to_string(state.walked) + " loads the walk is at another node"
                        : std::to_string(flaws.links) + " links lead elsewhere, " +
                              std::to_string(flaws.repeats) + " nodes come twice");
  }

  std::uint64_t count() const { return order_.count(); }

 private:
  static constexpr unsigned kThreads = 256;

  unsigned blocks() const {
    const std::uint64_t wanted = ceil_div(order_.count(), kThreads);
    return static_cast<unsigned>(wanted < 4096 ? wanted : 4096);
  }

  const cuda::Device& device_;
  ChaseNode* nodes_;
  Permutation order_;
  cuda::DeviceBuffer<detail::ChaseState> state_;
};

}  // namespace assay::plugins
