// SPDX-License-Identifier: Apache-2.0
//
// twice@cuda: one GPU of each rank.
#include "twice/parameters.hpp"

#include <assay/cuda.hpp>
#include <assay/group.hpp>
#include <assay/plugin.hpp>

#include <cstdint>

namespace {

namespace twice = assay::plugins::twice;
constexpr unsigned kThreads = 256;

__global__ void double_each(std::uint64_t n, const float* __restrict__ x, float* __restrict__ y) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}

struct Expected {
  assay::Data data;
  assay::Random x;
  __device__ float operator()(std::uint64_t i) const {
    return 2 * assay::cuda::element_as<float>(data, x, i);
  }
};

class Twice final : public assay::cuda::Benchmark {
 public:
  using Params = twice::Params;

  static void describe(assay::Description<Params>& is) {
    twice::describe(is, "SM kernel of each rank's GPU");
    is.supports({assay::Data::normal, assay::Data::uniform});
    assay::cuda::support_conditions(is);
  }

  Twice(const Params& params, assay::Case& run) : Benchmark(run), params_(params), group_(run) {}

  void probe() override { device().require_memory(8 * params_.elements); }

  void prepare() override {
    x_ = {device(), params_.elements};
    y_ = {device(), params_.elements};
    idempotent();
    inputs_follow_seed();
    work("bandwidth", twice::kBytesPerElement * static_cast<double>(params_.elements));
  }

  void restore() override {
    assay::cuda::fill(stream(), x_, data(), context().seed(), group_.rank());
    assay::cuda::poison(stream(), y_);
  }

  void enqueue(cudaStream_t stream, std::uint64_t) override {
    const auto blocks = static_cast<unsigned>((params_.elements + kThreads - 1) / kThreads);
    double_each<<<blocks, kThreads, 0, stream>>>(params_.elements, x_.data(), y_.data());
    ASSAY_CUDA_CHECK_LAUNCH("double_each");
  }

  void verify() override {
    checks().method("closed form, every element, on the device");
    compare(y_, Expected{data(), twice::inputs_of(context().seed(), group_.rank())});
  }

 private:
  assay::Data data() const { return context().conditions().data; }

  Params params_;
  assay::Group group_;
  assay::cuda::DeviceBuffer<float> x_, y_;
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("twice on NVIDIA GPUs");
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.twice.cuda", "0.1.0", assay::cuda::backend, About, Twice)
