// SPDX-License-Identifier: Apache-2.0
//
// What goes through memory: reading, the roof, and operations that are placed under it.
#pragma once

#include "roofline/roofs.hpp"
#include "roofline/vector_kernels.cuh"

#include <assay/cuda.hpp>
#include <assay/verification.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace assay::plugins::roofline {

// read: nothing but that. sweep: multiply-adds with every byte. axpy, gelu: operations of programs, in fp32.
enum class Pass { read, sweep, axpy, gelu };

inline constexpr float kAxpyFactor = 3;

// Element i of what is read, in the type of the array.
template <class Element>
__global__ void fill_kernel(Element* to, std::uint64_t count, std::uint64_t seed) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    to[i] = static_cast<Element>(initial(i, seed));
  }
}

// The sum of a block of the sweep.
struct SumOfBlock {
  unsigned elements;  // in 16 bytes
  Steps steps;
  std::uint64_t seed;
  __device__ double operator()(std::uint64_t block) const {
    const std::uint64_t count = kBytesOfBlock / kVectorBytes * elements;
    std::uint64_t sum = 0;
    for (std::uint64_t i = block * count; i < (block + 1) * count; ++i) {
      sum += initial(i, seed) + steps.whole + (i % elements < steps.tail ? 1 : 0);
    }
    return static_cast<double>(sum);
  }
};

struct ScaledSum {
  std::uint64_t seed;
  __device__ float operator()(std::uint64_t i) const {
    return kAxpyFactor * static_cast<float>(initial(i, seed)) + static_cast<float>(initial(i, seed + 1));
  }
};

class MemoryWork {
 public:
  struct Plan {
    Pass pass = Pass::read;
    bool is_double = false;   // of read and sweep
    double intensity = 0;     // of sweep, operations for every byte
    std::uint64_t bytes = 0;  // of each array, a multiple of kBytesOfBlock
    std::uint64_t sets = 1;   // of arrays, which take turns
    std::uint64_t seed = 0;
  };

  static std::uint64_t arrays(Pass pass) { return pass == Pass::axpy ? 3 : pass == Pass::gelu ? 2 : 1; }

  MemoryWork(const cuda::Device& device, const Plan& plan)
      : plan_(plan),
        steps_(plan.pass == Pass::sweep ? steps_for(plan.intensity, elements()) : Steps{}),
        x_(device, plan.sets * floats()),
        y_(device, plan.pass == Pass::axpy ? plan.sets * floats() : 0),
        z_(device, arrays(plan.pass) > 1 ? plan.sets * floats() : 0),
        sums_(device, plan.sets * blocks_of_sweep()) {}

  // Of one launch, as they are counted.
  double bytes() const { return static_cast<double>(arrays(plan_.pass) * plan_.bytes); }
  double operations() const {
    switch (plan_.pass) {
      case Pass::read:
        break;
      case Pass::sweep:
        return steps_.intensity(elements()) * static_cast<double>(plan_.bytes);
      case Pass::axpy:
        return 2 * static_cast<double>(floats());
      case Pass::gelu:
        return kGeluOperations * static_cast<double>(floats());
    }
    return 0;
  }

  void restore(cudaStream_t stream, std::uint64_t seed) {
    plan_.seed = seed;
    cuda::poison(stream, sums_);
    if (z_.size() != 0) cuda::poison(stream, z_);
    fill(stream, x_, plan_.seed);
    if (y_.size() != 0) fill(stream, y_, plan_.seed + 1);
  }

  void enqueue(cudaStream_t stream, std::uint64_t set) const {
    const std::uint64_t first = set * floats();
    switch (plan_.pass) {
      case Pass::read:
      case Pass::sweep:
        queue_sweep(stream, set, steps_);
        break;
      case Pass::axpy:
        axpy_kernel<<<blocks_of_vectors(), kVectorThreads, 0, stream>>>(
            kAxpyFactor, vectors(x_, first), vectors(y_, first), vectors(z_, first));
        break;
      case Pass::gelu:
        gelu_kernel<<<blocks_of_vectors(), kVectorThreads, 0, stream>>>(vectors(x_, first),
                                                                        vectors(z_, first));
        break;
    }
  }

  // The first array of a set, `plan.bytes` of it, whatever the pass is.
  void enqueue_reading(cudaStream_t stream, std::uint64_t set) const { queue_sweep(stream, set, {}); }

  // Waits for the stream.
  void verify(const Case& run, const cuda::Device& device, cudaStream_t stream, Verification& checks) const {
    switch (plan_.pass) {
      case Pass::read:
      case Pass::sweep:
        cuda::compare(run, device, stream, sums_.data(), sums_.size(),
                      SumOfBlock{elements(), steps_, plan_.seed}, checks);
        break;
      case Pass::axpy:
        cuda::compare(run, device, stream, z_.data(), z_.size(), ScaledSum{plan_.seed}, checks);
        break;
      case Pass::gelu:
        verify_gelu(stream, checks);
        break;
    }
  }

 private:
  static constexpr std::uint64_t kGeluSample = 1 << 16;  // elements at each of three places

  unsigned elements() const { return plan_.is_double ? 2 : 4; }  // in 16 bytes
  std::uint64_t floats() const { return plan_.bytes / sizeof(float); }
  std::uint64_t blocks_of_sweep() const { return plan_.bytes / kBytesOfBlock; }
  unsigned blocks_of_vectors() const {
    return static_cast<unsigned>(plan_.bytes / kVectorBytes / kVectorThreads);
  }

  static float4* vectors(const cuda::DeviceBuffer<float>& buffer, std::uint64_t first) {
    return reinterpret_cast<float4*>(buffer.data() + first);
  }

  void fill(cudaStream_t stream, const cuda::DeviceBuffer<float>& to, std::uint64_t seed) const {
    if (plan_.is_double) {
      fill_kernel<<<4096, 256, 0, stream>>>(reinterpret_cast<double*>(to.data()), to.size() / 2, seed);
    } else {
      fill_kernel<<<4096, 256, 0, stream>>>(to.data(), to.size(), seed);
    }
    ASSAY_CUDA_CHECK_LAUNCH("fill");
  }

  void queue_sweep(cudaStream_t stream, std::uint64_t set, Steps steps) const {
    const auto* in = reinterpret_cast<const uint4*>(x_.data() + set * floats());
    double* out = sums_.data() + set * blocks_of_sweep();
    const auto blocks = static_cast<unsigned>(blocks_of_sweep());
    if (plan_.is_double) {
      sweep_kernel<double><<<blocks, kVectorThreads, 0, stream>>>(in, 1.0, steps, out);
    } else {
      sweep_kernel<float><<<blocks, kVectorThreads, 0, stream>>>(in, 1.0f, steps, out);
    }
  }

  void verify_gelu(cudaStream_t stream, Verification& checks) const {
    checks.method("in double precision, at three places");
    const std::uint64_t all = z_.size(), count = std::min(kGeluSample, all);
    for (const std::uint64_t first : {std::uint64_t{0}, (all - count) / 2, all - count}) {
      const std::vector<float> seen = z_.copy_back(stream, first, count);
      for (std::uint64_t i = 0; i < count; ++i) {
        const double x = initial(first + i, plan_.seed);
        const double right = x / 2 * (1 + std::tanh(x * (kGeluC0 + kGeluC1 * x * x)));
        checks.expect_close(seen[i], right, absolute(4e-6), first + i);
      }
    }
  }

  Plan plan_;
  Steps steps_;
  cuda::DeviceBuffer<float> x_, y_, z_;
  cuda::DeviceBuffer<double> sums_;  // of blocks
};

}  // namespace assay::plugins::roofline
