// SPDX-License-Identifier: Apache-2.0
//
// The matrices of a case, in the types of its products: filling, and checking what came out.
#pragma once

#include "lib/product_check_kernels.cuh"
#include "lib/product_exact_kernel.cuh"

#include <assay/cuda/compare.hpp>
#include <assay/cuda/device.hpp>
#include <assay/cuda/error.hpp>
#include <assay/cuda/fill.hpp>
#include <assay/cuda/memory.hpp>
#include <assay/cuda/stream.hpp>
#include <assay/verification.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::plugins::gemm {

// What is checked, and how strictly.
struct CheckPlan {
  Tolerances tolerances;
  bool gelu = false;  // not linear: rows only
  Data data = Data::normal;
  std::uint64_t seed = 0;
};

class Operands {
 public:
  Operands() = default;
  Operands(const Operands&) = delete;  // owns device memory
  Operands& operator=(const Operands&) = delete;
  virtual ~Operands() = default;

  // Queues filling all inputs from the seed, and a pattern in C that is not a number.
  virtual void restore(cudaStream_t stream, Data data, std::uint64_t seed) = 0;
  virtual const void* a(std::uint64_t product) const = 0;
  virtual const void* b(std::uint64_t product) const = 0;
  virtual void* c(std::uint64_t product) const = 0;
  virtual const void* bias() const = 0;
  // Checks every product, and that each has the bits that it had at the first check.
  virtual void check(const Case& run, cudaStream_t stream, const CheckPlan& plan, Verification& seen) = 0;
};

template <class A, class B, class C>
class OperandsOf final : public Operands {
 public:
  OperandsOf(const cuda::Device& device, const Places& places, bool with_bias)
      : places_(places),
        rows_per_product_(static_cast<unsigned>(
            std::min<std::uint64_t>(places.m, std::max<std::uint64_t>(1, kMostRows / places.products)))),
        a_(device, places.products * places.a_stride),
        b_(device, places.products * places.b_stride),
        c_(device, places.products * places.c_stride),
        bias_(device, with_bias ? places.n : 0),
        projected_(device, places.products * places.k),
        squares_(device, places.products),
        rows_(device, places.products * rows_per_product_ * places.k),
        chosen_(device, places.products * rows_per_product_),
        digests_(device, places.products),
        found_(device, 1) {}

  void restore(cudaStream_t stream, Data data, std::uint64_t seed) override {
    if (seed != seed_of_first_) first_.clear();  // repeats are those of the same inputs
    seed_of_first_ = seed;
    cuda::fill(stream, a_, data, seed, kStreamA);
    cuda::fill(stream, b_, data, seed, kStreamB);
    cuda::fill(stream, bias_, data, seed, kStreamBias);
    cuda::poison(stream, c_);
  }

  const void* a(std::uint64_t product) const override { return a_.data() + product * places_.a_stride; }
  const void* b(std::uint64_t product) const override { return b_.data() + product * places_.b_stride; }
  void* c(std::uint64_t product) const override { return c_.data() + product * places_.c_stride; }
  const void* bias() const override { return bias_.data(); }

  void check(const Case& run, cudaStream_t stream, const CheckPlan& plan, Verification& seen) override {
    if (plan.tolerances.whole) {
      check_whole(run, stream, plan, seen);
    } else if (plan.gelu) {
      seen.method("rows, error as a share of its limit; bits of all repeats");
      count_worst(places_.products * rows_per_product_ * places_.n, check_elements(run, stream, plan),
                  "element", seen);
    } else {
      seen.method("Freivalds, every row, error as a share of its limit; bits of all repeats");
      count_worst(places_.products * places_.m, check_freivalds(run, stream, plan), "row", seen);
    }
    check_repeats(run, stream, seen);
  }

 private:
  // Streams of the case's seed.
  static constexpr std::uint64_t kStreamA = 1, kStreamB = 2, kStreamBias = 3, kStreamSigns = 4,
                                 kStreamRows = 5;

  static unsigned blocks_for(std::uint64_t items) {
    return static_cast<unsigned>(std::clamp<std::uint64_t>(items, 1, 1U << 20));
  }

  Seeded<A> seeded_a(const CheckPlan& plan) const {
    return {plan.data, Random(plan.seed, kStreamA), places_.a_stride, places_.m,
            places_.k, places_.transpose_a};
  }
  Seeded<B> seeded_b(const CheckPlan& plan) const {
    return {plan.data, Random(plan.seed, kStreamB), places_.b_stride, places_.k,
            places_.n, places_.transpose_b};
  }
  const C* bias_or_none() const { return bias_.size() == 0 ? nullptr : bias_.data(); }

  void begin_check(cudaStream_t stream) {
    ASSAY_CUDA_CHECK(
        cudaMemcpyAsync(found_.data(), &kNoFindings, sizeof(kNoFindings), cudaMemcpyHostToDevice, stream));
  }
  // Waits first without blocking, so that a cancel is seen.
  Findings end_check(const Case& run, cudaStream_t stream) {
    cuda::wait(run, stream);
    return found_.copy_back(stream, 0, 1)[0];
  }

  Findings check_freivalds(const Case& run, cudaStream_t stream, const CheckPlan& plan) {
    const Random signs(plan.seed, kStreamSigns);
    begin_check(stream);
    ASSAY_CUDA_CHECK(cudaMemsetAsync(squares_.data(), 0, squares_.bytes(), stream));
    project_kernel<B><<<blocks_for(places_.products * places_.k), kCheckThreads, 0, stream>>>(
        places_, seeded_b(plan), signs, projected_.data(), squares_.data());
    ASSAY_CUDA_CHECK_LAUNCH("project");
    freivalds_kernel<A, C><<<blocks_for(places_.products * places_.m), kCheckThreads, 0, stream>>>(
        places_, seeded_a(plan), c_.data(), bias_or_none(), signs, projected_.data(), squares_.data(),
        plan.tolerances, found_.data());
    ASSAY_CUDA_CHECK_LAUNCH("freivalds");
    return end_check(run, stream);
  }

  Findings check_elements(const Case& run, cudaStream_t stream, const CheckPlan& plan) {
    const Random random(plan.seed, kStreamRows);
    std::vector<std::uint64_t> chosen(chosen_.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      chosen[i] =
          rows_per_product_ == places_.m
              ? i % rows_per_product_
              : static_cast<std::uint64_t>(random.integer(i, 0, static_cast<std::int64_t>(places_.m) - 1));
    }
    begin_check(stream);
    ASSAY_CUDA_CHECK(
        cudaMemcpyAsync(chosen_.data(), chosen.data(), chosen_.bytes(), cudaMemcpyHostToDevice, stream));
    rows_kernel<A><<<blocks_for(rows_.size() / kCheckThreads), kCheckThreads, 0, stream>>>(
        places_, seeded_a(plan), chosen_.data(), rows_per_product_, rows_.data());
    ASSAY_CUDA_CHECK_LAUNCH("rows");
    constexpr unsigned kThreads = 64;  // a thread goes through all of k: use every processor
    elements_kernel<B, C>
        <<<blocks_for((places_.products * places_.n + kThreads - 1) / kThreads), kThreads, 0, stream>>>(
            places_, seeded_b(plan), c_.data(), bias_or_none(), plan.gelu, chosen_.data(), rows_per_product_,
            rows_.data(), plan.tolerances, found_.data());
    ASSAY_CUDA_CHECK_LAUNCH("elements");
    return end_check(run, stream);
  }

  // Of results of 16 bits every element: they are rounded, so that a row's signed sum is that of no whole
  // numbers any more.
  void check_whole(const Case& run, cudaStream_t stream, const CheckPlan& plan, Verification& seen) {
    if constexpr (sizeof(C) < sizeof(float)) {
      begin_check(stream);
      const std::uint64_t elements = places_.products * places_.m * places_.n;
      exact_kernel<A, B, C><<<blocks_for(elements / 4096 + 1), kCheckThreads, 0, stream>>>(
          places_, seeded_a(plan), seeded_b(plan), c_.data(), bias_or_none(), found_.data());
      ASSAY_CUDA_CHECK_LAUNCH("exact");
      const Findings all = end_check(run, stream);
      seen.method("every element bit for bit; bits of all repeats");
      seen.count(elements, all.wrong, element_text(all));
    } else {
      seen.method("rows bit for bit; every row's sum exactly; bits of all repeats");
      const Findings elements = check_elements(run, stream, plan);
      seen.count(places_.products * rows_per_product_ * places_.n, elements.wrong, element_text(elements));
      const Findings rows = check_freivalds(run, stream, plan);
      seen.count(places_.products * places_.m, rows.wrong,
                 "row " + std::to_string(rows.first) + " has a wrong sum");
    }
  }

  void check_repeats(const Case& run, cudaStream_t stream, Verification& seen) {
    ASSAY_CUDA_CHECK(cudaMemsetAsync(digests_.data(), 0, digests_.bytes(), stream));
    digest_kernel<C><<<blocks_for(places_.products * places_.m), kCheckThreads, 0, stream>>>(
        places_, c_.data(), digests_.data());
    ASSAY_CUDA_CHECK_LAUNCH("digest");
    cuda::wait(run, stream);
    const std::vector<unsigned long long> now = digests_.copy_back(stream, 0, digests_.size());
    if (first_.empty()) {
      first_ = now;
      return;
    }
    for (std::size_t i = 0; i < now.size(); ++i) {
      seen.count(1, now[i] == first_[i] ? 0 : 1,
                 "product " + std::to_string(i) + " differs from its first result of the same inputs");
    }
  }

  std::string element_text(const Findings& found) const {
    if (found.wrong == 0) return "";
    const std::uint64_t in_product = found.first % (places_.m * places_.n);
    return "element (" + std::to_string(in_product / places_.n) + ", " +
           std::to_string(in_product % places_.n) + ") of product " +
           std::to_string(found.first / (places_.m * places_.n)) + " is not the exact sum";
  }

  // The worst of all that were compared on the device stands for them.
  static void count_worst(std::uint64_t checked, const Findings& found, const char* what,
                          Verification& seen) {
    double worst = 0;
    std::memcpy(&worst, &found.worst, sizeof(worst));
    const std::uint64_t others = found.wrong == 0 ? 0 : found.wrong - 1;
    if (others != 0) {
      seen.count(checked - 1, others,
                 std::string(what) + " " + std::to_string(found.first) +
                     " is further from its sum than rounding explains");
    } else {
      seen.count(checked - 1, 0);
    }
    seen.expect_close(worst, 0, absolute(1), found.first == ~0ull ? 0 : found.first);
  }

  Places places_;
  unsigned rows_per_product_;
  cuda::DeviceBuffer<A> a_;
  cuda::DeviceBuffer<B> b_;
  cuda::DeviceBuffer<C> c_, bias_;
  cuda::DeviceBuffer<double> projected_, squares_, rows_;
  cuda::DeviceBuffer<std::uint64_t> chosen_;
  cuda::DeviceBuffer<unsigned long long> digests_;
  cuda::DeviceBuffer<Findings> found_;
  std::vector<unsigned long long> first_;
  std::uint64_t seed_of_first_ = 0;
};

}  // namespace assay::plugins::gemm
