// SPDX-License-Identifier: Apache-2.0
//
// The operands of the matrix units' kernel, and what its sums have to be.
#pragma once

#include "roofline/matrix_kernels.hpp"

#include <assay/case.hpp>
#include <assay/cuda.hpp>
#include <assay/data.hpp>
#include <assay/random.hpp>
#include <assay/verification.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>
#include <vector>

namespace assay::plugins::roofline {

class MatrixWork {
 public:
  // Waits for the stream.
  MatrixWork(const Case& run, const cuda::Device& device, cudaStream_t stream, MatrixType type)
      : run_(run),
        type_(type),
        groups_(type == MatrixType::fp64 ? 500 : 1000),
        blocks_((type == MatrixType::fp64 ? 2 : 1) * static_cast<unsigned>(device.sm_count())),
        a_(draw(1)),
        b_(draw(2)),
        core_a_(upload(device, stream, a_)),
        core_b_(upload(device, stream, b_)),
        out_(device, std::size_t{2} * blocks_ * kMatrixThreads) {}

  // Of one launch.
  double operations() const { return blocks_ * operations_of_block(type_, groups_); }

  void restore(cudaStream_t stream) const { cuda::poison(stream, out_); }

  void enqueue(cudaStream_t stream) const {
    launch_matrix(type_, stream, blocks_, core_a_.data(), core_b_.data(), groups_, out_.data());
  }

  void verify(cudaStream_t stream, Verification& checks) const {
    const unsigned row = row_elements(type_);
    const double repeats = repeats_in_sum(type_, groups_);
    const auto sum = [&](unsigned i, unsigned j) {
      double total = 0;
      for (unsigned k = 0; k < row; ++k) total += a_[i * row + k] * b_[j * row + k];
      return repeats * total;
    };
    const std::vector<double> seen = out_.copy_back(stream, 0, out_.size());
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const auto lane = static_cast<unsigned>(i / 2 % 32);
      checks.expect_equal(seen[i], sum(lane / 4, 2 * (lane % 4) + static_cast<unsigned>(i % 2)), i);
    }
  }

 private:
  // Values that every type holds, and whose sums of products are exact: whole numbers up to 3, or normal ones
  // in steps of 1/32 up to 4.
  std::vector<double> draw(std::uint64_t stream_of_seed) const {
    const Data asked = run_.conditions().data;
    const Data data = asked == Data::standard ? Data::integer : asked;
    const Random random(run_.seed(), stream_of_seed);
    std::vector<double> values(kCoreRows * row_elements(type_));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double value = element(data, random, i);
      values[i] = data == Data::normal ? std::clamp(std::round(value * 32) / 32, -3.96875, 3.96875) : value;
    }
    return values;
  }

  template <class Element>
  static void store(std::vector<unsigned char>& bytes, std::size_t i, Element value) {
    static_assert(std::is_trivially_copyable_v<Element>);
    std::copy_n(reinterpret_cast<const unsigned char*>(&value), sizeof(Element), &bytes[i * sizeof(Element)]);
  }

  // e4m3 of a whole number up to 3.
  static std::uint8_t e4m3(double value) {
    static constexpr std::uint8_t kCodes[] = {0x00, 0x38, 0x40, 0x44};  // 0, 1, 2, 3
    const auto whole = static_cast<int>(std::fabs(value));
    return static_cast<std::uint8_t>(kCodes[whole] | (value < 0 ? 0x80 : 0));
  }

  cuda::DeviceBuffer<unsigned char> upload(const cuda::Device& device, cudaStream_t stream,
                                           const std::vector<double>& values) const {
    std::vector<unsigned char> bytes(type_ == MatrixType::fp64 ? values.size() * 8 : kCoreBytes);
    for (std::size_t i = 0; i < values.size(); ++i) {
      switch (type_) {
        case MatrixType::fp64:
          store(bytes, i, values[i]);
          break;
        case MatrixType::tf32:
          store(bytes, i, static_cast<float>(values[i]));
          break;
        case MatrixType::fp16:
          store(bytes, i, __half(static_cast<float>(values[i])));
          break;
        case MatrixType::bf16:
          store(bytes, i, __nv_bfloat16(static_cast<float>(values[i])));
          break;
        case MatrixType::fp8_e4m3:
          store(bytes, i, e4m3(values[i]));
          break;
        case MatrixType::int8:
          store(bytes, i, static_cast<std::int8_t>(values[i]));
          break;
      }
    }
    cuda::DeviceBuffer<unsigned char> on_device(device, bytes.size());
    ASSAY_CUDA_CHECK(
        cudaMemcpyAsync(on_device.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice, stream));
    cuda::wait(run_, stream);
    return on_device;
  }

  const Case& run_;
  MatrixType type_;
  unsigned groups_, blocks_;
  std::vector<double> a_, b_;  // core matrices, row by row
  cuda::DeviceBuffer<unsigned char> core_a_, core_b_;
  cuda::DeviceBuffer<double> out_;
};

}  // namespace assay::plugins::roofline
