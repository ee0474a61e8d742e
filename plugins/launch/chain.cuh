// SPDX-License-Identifier: Apache-2.0
//
// A chain of kernels: queued one by one, or captured into a graph. The kernels of a stream depend on each
// other; several streams begin and end together.
#pragma once

#include "launch/chain_shape.hpp"
#include "lib/host_cost.hpp"

#include <assay/cuda.hpp>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace assay::plugins::launch {

enum class Kernel { empty, spin, add };

inline constexpr unsigned kAddThreads = 256, kAddBlocks = 64;
inline constexpr std::uint64_t kAddWords = kAddThreads * kAddBlocks;  // 64 KiB

__global__ void empty_kernel() {}

// Stands in for a kernel that leaves nothing behind when the chain is verified.
__global__ void count_kernel(unsigned long long* counter, unsigned step) { atomicAdd(counter, step); }

__global__ void add_kernel(std::uint32_t* words, std::uint32_t step) {
  words[blockIdx.x * kAddThreads + threadIdx.x] += step;
}

struct Everywhere {
  std::uint32_t value;
  __device__ std::uint32_t operator()(std::uint64_t) const { return value; }
};

struct ChainPlan {
  std::uint32_t kernels = 1;
  std::uint32_t streams = 1;
  Kernel kernel = Kernel::empty;
  std::uint64_t spin_ns = 0;
  HostCost host_cost{0};  // before each call that submits
};

// A graph that was captured, not yet made executable. Move-only.
class Captured {
 public:
  Captured() = default;
  explicit Captured(cudaGraph_t graph) : graph_(graph) {}
  Captured(Captured&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
  Captured& operator=(Captured&& other) noexcept {
    std::swap(graph_, other.graph_);
    return *this;
  }
  ~Captured() {
    if (graph_) cudaGraphDestroy(graph_);
  }

  cudaGraph_t get() const { return graph_; }

  std::size_t nodes() const {
    std::size_t count = 0;
    ASSAY_CUDA_CHECK(cudaGraphGetNodes(graph_, nullptr, &count));
    return count;
  }

 private:
  cudaGraph_t graph_ = nullptr;
};

// Move-only.
class Executable {
 public:
  Executable() = default;
  explicit Executable(const Captured& graph) {
    ASSAY_CUDA_CHECK(cudaGraphInstantiate(&graph_, graph.get(), 0));
  }
  Executable(Executable&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
  Executable& operator=(Executable&& other) noexcept {
    std::swap(graph_, other.graph_);
    return *this;
  }
  ~Executable() {
    if (graph_) cudaGraphExecDestroy(graph_);
  }

  void upload(cudaStream_t stream) const { ASSAY_CUDA_CHECK(cudaGraphUpload(graph_, stream)); }
  void launch(cudaStream_t stream) const { ASSAY_CUDA_CHECK(cudaGraphLaunch(graph_, stream)); }
  // Takes over the parameters of a graph of the same form.
  void update(const Captured& graph) const {
    cudaGraphExecUpdateResultInfo info{};
    ASSAY_CUDA_CHECK(cudaGraphExecUpdate(graph_, graph.get(), &info));
  }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

class Chain {
 public:
  Chain(const Case& run, const cuda::Device& device, ChainPlan plan)
      : run_(run), plan_(plan), counter_(device, 1) {
    for (std::uint32_t s = 0; s < plan_.streams; ++s) {
      streams_.push_back(cuda::kept_stream(run, device, s));
      if (s != 0) joins_.emplace_back();
      if (plan_.kernel == Kernel::add) words_.emplace_back(device, kAddWords);
    }
  }

  cudaStream_t stream() const { return streams_[0]; }
  const ChainPlan& plan() const { return plan_; }

  // Device operations of one chain that is queued kernel by kernel.
  std::uint32_t operations() const { return plan_.kernels + 3 * (plan_.streams - 1); }

  // Queues the chain kernel by kernel, paying the host's cost before each.
  void queue() { queue_kernels(Purpose::timed, 1, plan_.host_cost); }

  // Launches every kernel of the chain's graphs once: a kernel must not be loaded while it is captured. In
  // the first stream alone, because kernels that were launched in others make graphs slower (kept_stream()).
  void load() {
    launch(Purpose::timed, 1, 0);
    launch(counted(), 1, 0);
    look();
  }

  // `step` is what `add` adds, and, less 1, the nanoseconds that `spin` takes longer: graphs of different
  // steps differ in their parameters only.
  Captured capture(std::uint32_t step = 1) { return capture_as(Purpose::timed, step); }

  // What the chain leaves behind. For kernels that leave nothing, a chain of the same form is run whose
  // kernels count themselves.
  void clear() {
    ASSAY_CUDA_CHECK(cudaMemsetAsync(counter_.data(), 0, counter_.bytes(), stream()));
    for (const auto& words : words_) {
      ASSAY_CUDA_CHECK(cudaMemsetAsync(words.data(), 0, words.bytes(), stream()));
    }
  }
  void queue_counted() { queue_kernels(counted(), 1, HostCost(0)); }
  Captured capture_counted(std::uint32_t step) { return capture_as(counted(), step); }

  // Whether `steps` chains with a step of 1 were run since clear(). Waits.
  void verify(const cuda::Device& device, std::uint64_t steps, Verification& checks) {
    look();
    cuda::wait(run_, stream());
    if (plan_.kernel != Kernel::add) {
      const unsigned long long expected = steps * plan_.kernels;
      checks.expect_equal(counter_.copy_back(stream(), 0, 1)[0], expected, 0);
      return;
    }
    for (std::uint32_t s = 0; s < plan_.streams; ++s) {
      const std::uint64_t kernels = kernels_of(s, plan_.kernels, plan_.streams);
      cuda::compare(run_, device, stream(), words_[s].data(), kAddWords,
                    Everywhere{static_cast<std::uint32_t>(steps * kernels)}, checks);
    }
  }

 private:
  enum class Purpose { timed, counted };
  // Kernels between looks at errors and cancel, of one chain or several: a look at each would be timed.
  static constexpr std::uint32_t kLooks = 64;

  // `add` counts by itself.
  Purpose counted() const { return plan_.kernel == Kernel::add ? Purpose::timed : Purpose::counted; }

  void look() {
    unseen_ = 0;
    ASSAY_CUDA_CHECK_LAUNCH("a kernel of the chain");
    run_.throw_if_cancelled();
  }

  void launch(Purpose purpose, std::uint32_t step, std::uint32_t s) {
    cudaStream_t stream = streams_[s];
    if (purpose == Purpose::counted) {
      count_kernel<<<1, 1, 0, stream>>>(counter_.data(), step);
      return;
    }
    switch (plan_.kernel) {
      case Kernel::empty:
        empty_kernel<<<1, 1, 0, stream>>>();
        break;
      case Kernel::spin:
        cuda::detail::spin_kernel<void><<<1, 1, 0, stream>>>(plan_.spin_ns + (step - 1));
        break;
      case Kernel::add:
        add_kernel<<<kAddBlocks, kAddThreads, 0, stream>>>(words_[s].data(), step);
        break;
    }
  }

  void queue_kernels(Purpose purpose, std::uint32_t step, const HostCost& host_cost) {
    if (plan_.streams > 1) {
      fork_.record(streams_[0]);
      for (std::uint32_t s = 1; s < plan_.streams; ++s)
        ASSAY_CUDA_CHECK(cudaStreamWaitEvent(streams_[s], fork_, 0));
    }
    for (std::uint32_t k = 0, s = 0; k < plan_.kernels; ++k) {
      host_cost.pay(run_);
      launch(purpose, step, s);
      if (++s == plan_.streams) s = 0;
      if (++unseen_ == kLooks) look();
    }
    for (std::uint32_t s = 1; s < plan_.streams; ++s) {
      joins_[s - 1].record(streams_[s]);
      ASSAY_CUDA_CHECK(cudaStreamWaitEvent(streams_[0], joins_[s - 1], 0));
    }
  }

  Captured capture_as(Purpose purpose, std::uint32_t step) {
    ASSAY_CUDA_CHECK(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal));
    cudaGraph_t graph = nullptr;
    try {
      queue_kernels(purpose, step, HostCost(0));
    } catch (...) {
      cudaStreamEndCapture(stream(), &graph);
      if (graph) cudaGraphDestroy(graph);
      cudaGetLastError();
      throw;
    }
    ASSAY_CUDA_CHECK(cudaStreamEndCapture(stream(), &graph));
    return Captured(graph);
  }

  const Case& run_;
  ChainPlan plan_;
  cuda::DeviceBuffer<unsigned long long> counter_;
  std::vector<cuda::DeviceBuffer<std::uint32_t>> words_;  // of `add`, for each stream
  std::vector<cudaStream_t> streams_;
  std::uint32_t unseen_ = 0;  // kernels since the last look
  cuda::Event fork_;
  std::vector<cuda::Event> joins_;  // of streams 1 …
};

}  // namespace assay::plugins::launch
