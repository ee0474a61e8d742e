// SPDX-License-Identifier: Apache-2.0
#include "pipeline/device_signals.hpp"

#include <assay/cuda/error.hpp>

namespace assay::plugins::pipeline {
namespace {

__device__ std::uint64_t load_acquire(const std::uint64_t* word) {
  std::uint64_t value;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}
__device__ void store_release(std::uint64_t* word, std::uint64_t value) {
  asm volatile("st.release.sys.global.u64 [%0], %1;" : : "l"(word), "l"(value) : "memory");
}

// Until *told + ahead > *count.
__global__ void wait_kernel(const std::uint64_t* told, const std::uint64_t* count, std::uint64_t ahead,
                            const std::uint32_t* abort) {
  constexpr unsigned kLook = 256;  // the host's memory is far away
  const std::uint64_t own = *count;
  for (unsigned polls = 1; load_acquire(told) + ahead <= own; ++polls) {
    if (polls % kLook == 0 && *static_cast<const volatile std::uint32_t*>(abort) != 0) return;
    __nanosleep(32);
  }
}

// Behind the copy of a message. `count` and `told` are null where nobody is told.
__global__ void publish_kernel(const std::uint64_t* step, std::uint32_t micro, std::uint32_t from, Tag* tag,
                               std::uint64_t* count, std::uint64_t* told) {
  tag->step = *step - 1;
  tag->micro_batch = micro;
  tag->from = from;
  __threadfence_system();
  if (count == nullptr) return;
  const std::uint64_t now = *count + 1;
  *count = now;
  store_release(told, now);
}

__global__ void take_kernel(const Tag* tag, Tag* arrival, std::uint64_t* count, std::uint64_t* told) {
  *arrival = *tag;
  if (count == nullptr) return;
  const std::uint64_t now = *count + 1;
  *count = now;
  store_release(told, now);
}

}  // namespace

void queue_wait(cudaStream_t stream, const std::uint64_t* told, const std::uint64_t* count,
                std::uint64_t ahead, const std::uint32_t* abort) {
  wait_kernel<<<1, 1, 0, stream>>>(told, count, ahead, abort);
  ASSAY_CUDA_CHECK_LAUNCH("waiting for a neighbour");
}

void queue_publish(cudaStream_t stream, const std::uint64_t* step, std::uint32_t micro, std::uint32_t from,
                   Tag* tag, std::uint64_t* count, std::uint64_t* told) {
  publish_kernel<<<1, 1, 0, stream>>>(step, micro, from, tag, count, told);
  ASSAY_CUDA_CHECK_LAUNCH("sending a message");
}

void queue_take(cudaStream_t stream, const Tag* tag, Tag* arrival, std::uint64_t* count,
                std::uint64_t* told) {
  take_kernel<<<1, 1, 0, stream>>>(tag, arrival, count, told);
  ASSAY_CUDA_CHECK_LAUNCH("receiving a message");
}

}  // namespace assay::plugins::pipeline
