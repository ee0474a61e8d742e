// SPDX-License-Identifier: Apache-2.0
//
// What a case of fusion@cuda holds and does, in one type: its arrays, the product, the kernels after it, and
// what is right.
#pragma once

#include "fusion/byte_model.hpp"
#include "fusion/kernels.cuh"
#include "lib/cublaslt.hpp"
#include "lib/findings.cuh"

#include <assay/cuda.hpp>
#include <assay/plugin.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace assay::plugins::fusion {

// Streams of the case's seed.
inline constexpr std::uint64_t kStreamX = 1, kStreamB = 2, kStreamW = 3;

struct Task {
  Variant variant;
  Gelu gelu;
  Bias bias;
  std::uint64_t rows, columns, k, sets;

  std::uint64_t array() const { return rows * columns; }
  // Arrays of rows × columns that one buffer set holds besides the input: t and y, and what the product
  // gives.
  unsigned stored() const { return kernels_of(variant) == 2 ? 2U : 1U; }
};

// The arrays of a case and its kernels, in one type.
class Work {
 public:
  Work() = default;
  Work(const Work&) = delete;  // owns device memory
  Work& operator=(const Work&) = delete;
  virtual ~Work() = default;
  virtual void restore(cudaStream_t stream, Data data, std::uint64_t seed) = 0;
  virtual void enqueue(cudaStream_t stream, std::uint64_t set) = 0;
  virtual void check(const Case& run, cudaStream_t stream, Data data, std::uint64_t seed,
                     Verification& seen) = 0;
  virtual std::string algorithm() const = 0;
};

template <class Element>
cudaDataType_t type_of() {
  if constexpr (std::is_same_v<Element, float>) return CUDA_R_32F;
  if constexpr (std::is_same_v<Element, __half>) return CUDA_R_16F;
  return CUDA_R_16BF;
}

template <class Element>
class WorkOf final : public Work {
 public:
  WorkOf(const cuda::Device& device, const cublaslt::Handle* handle, const Task& task)
      : task_(task),
        x_(device, task.sets * (has_product(task.variant) ? task.rows * task.k : task.array())),
        b_(device, task.bias == Bias::full ? task.sets * task.array() : task.columns),
        w_(device, has_product(task.variant) ? task.sets * task.k * task.columns : 0),
        product_(device,
                 has_product(task.variant) && kernels_of(task.variant) > 0 ? task.sets * task.array() : 0),
        t_(device, kernels_of(task.variant) == 2 ? task.sets * task.array() : 0),
        y_(device, task.sets * task.array()),
        found_(device, 1) {
    if (!has_product(task.variant)) return;
    workspace_ = cuda::DeviceBuffer<std::byte>(device, kWorkspace_bytes);
    cublaslt::Problem problem;
    problem.m = task.rows, problem.n = task.columns, problem.k = task.k;
    problem.a = problem.b = problem.d = type_of<Element>();
    if (task.variant == Variant::gemm_epilogue) {
      problem.epilogue = CUBLASLT_EPILOGUE_GELU_BIAS;
      problem.bias = b_.data();
    }
    matmul_.emplace(*handle, problem);
    algorithms_ = matmul_->algorithms(1, kWorkspace_bytes);
    if (algorithms_.empty()) {
      throw Skip("cuBLASLt " + cublaslt::version() + " has no algorithm for this product" +
                 (task.variant == Variant::gemm_epilogue ? " with bias and GELU" : "") + " on " +
                 device.name());
    }
  }

  void restore(cudaStream_t stream, Data data, std::uint64_t seed) override {
    cuda::fill(stream, x_, data, seed, kStreamX);
    cuda::fill(stream, b_, data, seed, kStreamB);
    cuda::fill(stream, w_, data, seed, kStreamW);
    cuda::poison(stream, product_);
    cuda::poison(stream, t_);
    cuda::poison(stream, y_);
  }

  void enqueue(cudaStream_t stream, std::uint64_t set) override {
    const std::uint64_t at = set * task_.array();
    const Element* input = x_.data() + at;
    if (has_product(task_.variant)) {
      Element* const result = (kernels_of(task_.variant) == 0 ? y_ : product_).data() + at;
      matmul_->enqueue(stream, x_.data() + set * task_.rows * task_.k,
                       w_.data() + set * task_.k * task_.columns, result, algorithms_.front(),
                       workspace_.data(), kWorkspace_bytes);
      input = result;
    }
    if (kernels_of(task_.variant) == 0) return;
    const bool tanh = task_.gelu == Gelu::tanh;
    if (task_.bias == Bias::vector) {
      tanh ? kernels<Bias::vector, Gelu::tanh>(stream, input, at)
           : kernels<Bias::vector, Gelu::erf>(stream, input, at);
    } else {
      tanh ? kernels<Bias::full, Gelu::tanh>(stream, input, at)
           : kernels<Bias::full, Gelu::erf>(stream, input, at);
    }
  }

  void check(const Case& run, cudaStream_t stream, Data data, std::uint64_t seed,
             Verification& seen) override {
    const bool after_product = has_product(task_.variant), separate = kernels_of(task_.variant) == 2;
    Inputs in{data,
              Random(seed, kStreamX),
              Random(seed, kStreamB),
              Random(seed, kStreamW),
              task_.rows,
              task_.columns,
              task_.k,
              task_.bias,
              task_.gelu,
              separate,
              after_product && kernels_of(task_.variant) > 0};
    ASSAY_CUDA_CHECK(
        cudaMemcpyAsync(found_.data(), &kNoFindings, sizeof(kNoFindings), cudaMemcpyHostToDevice, stream));
    const std::uint64_t count = std::min<std::uint64_t>(kRows, task_.rows);
    for (std::uint64_t set = 0; set < task_.sets; ++set) {
      const Element* const y = y_.data() + set * task_.array();
      if (task_.bias == Bias::full) in.first_bias = set * task_.array();
      if (after_product) {
        const std::uint64_t step = task_.rows / count;
        check_rows_kernel<Element><<<2048, kThreads, 0, stream>>>(
            in, y, seed % step, step, static_cast<unsigned>(count), set * task_.rows * task_.k,
            set * task_.k * task_.columns, kSumError, task_.variant == Variant::gemm_epilogue, found_.data());
      } else {
        check_kernel<Element><<<4096, kThreads, 0, stream>>>(in, y, set * task_.array(), found_.data());
      }
      ASSAY_CUDA_CHECK_LAUNCH("check");
    }
    cuda::wait(run, stream);
    const Findings found = found_.copy_back(stream, 0, 1)[0];
    double worst = 0;
    std::memcpy(&worst, &found.worst, sizeof(worst));
    const std::uint64_t checked = task_.sets * (after_product ? count * task_.columns : task_.array());
    const std::uint64_t others = found.wrong == 0 ? 0 : found.wrong - 1;
    seen.method(after_product ? "rows in double precision, error as a share of its limit"
                              : "every element in double precision, error as a share of its limit");
    seen.count(checked - 1, others,
               others == 0
                   ? ""
                   : "element " + std::to_string(found.first) + " is further off than rounding explains");
    seen.expect_close(worst, 0, absolute(1), found.wrong == 0 ? 0 : found.first);
  }

  std::string algorithm() const override {
    return algorithms_.empty() ? "" : cublaslt::text_of(algorithms_.front());
  }

 private:
  static constexpr std::uint64_t kWorkspace_bytes = std::uint64_t{32} << 20;
  static constexpr std::uint64_t kRows = 8;     // of each set that are checked after a product
  static constexpr double kSumError = 0x1p-23;  // of one addition to the accumulator

  template <Bias bias, Gelu gelu>
  void kernels(cudaStream_t stream, const Element* input, std::uint64_t at) {
    const auto vectors = static_cast<std::uint32_t>(task_.array() / kLanes<Element>);
    const auto row = static_cast<std::uint32_t>(task_.columns / kLanes<Element>);
    const unsigned blocks = (vectors + kThreads - 1) / kThreads;
    const Element* const b = b_.data() + (bias == Bias::full ? at : 0);
    if (kernels_of(task_.variant) == 1) {
      biased_kernel<Element, bias, GeluAfter<Element, gelu>>
          <<<blocks, kThreads, 0, stream>>>(input, b, y_.data() + at, vectors, row);
      ASSAY_CUDA_CHECK_LAUNCH("bias and GELU");
      return;
    }
    biased_kernel<Element, bias, NothingAfter>
        <<<blocks, kThreads, 0, stream>>>(input, b, t_.data() + at, vectors, row);
    ASSAY_CUDA_CHECK_LAUNCH("bias");
    gelu_kernel<Element, gelu><<<blocks, kThreads, 0, stream>>>(t_.data() + at, y_.data() + at, vectors);
    ASSAY_CUDA_CHECK_LAUNCH("GELU");
  }

  Task task_;
  cuda::DeviceBuffer<Element> x_, b_, w_, product_, t_, y_;
  cuda::DeviceBuffer<Findings> found_;
  cuda::DeviceBuffer<std::byte> workspace_;
  std::optional<cublaslt::Product> matmul_;
  std::vector<cublaslt::Algorithm> algorithms_;
};

}  // namespace assay::plugins::fusion
