// SPDX-License-Identifier: Apache-2.0
//
// What tests of the parts on a GPU share: arrays there and back, and a comparison that says where it is off.
#pragma once

#include <assay/cuda/device.hpp>
#include <assay/cuda/memory.hpp>
#include <assay/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_runtime_api.h>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace assay::plugins::model {

using Floats = std::vector<float>;

class OnGpu : public testing::Test {
 protected:
  void SetUp() override {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) GTEST_SKIP() << "no GPU";
  }
};

inline cuda::Device first_gpu() { return cuda::Device(0, "cuda:0"); }

inline Floats normal_numbers(std::size_t count, std::uint64_t stream, double factor = 1, double middle = 0) {
  const Random random(7, stream);
  Floats numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<float>(middle + factor * random.normal(i));
  return numbers;
}

template <class Element>
float as_stored(float value) {
  if constexpr (std::is_same_v<Element, float>) {
    return value;
  } else {
    return __bfloat162float(__float2bfloat16(value));
  }
}
template <class Element>
Floats as_stored(Floats values) {
  for (float& value : values) value = as_stored<Element>(value);
  return values;
}

// An array on the device.
template <class Element>
class OnDevice {
 public:
  explicit OnDevice(const Floats& values) : buffer_(first_gpu(), values.size()) { write(values); }
  // Of numbers that are none.
  explicit OnDevice(std::size_t count) : OnDevice(Floats(count, std::numeric_limits<float>::quiet_NaN())) {}

  void write(const Floats& values) {
    std::vector<Element> elements(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if constexpr (std::is_same_v<Element, float>) {
        elements[i] = values[i];
      } else {
        elements[i] = __float2bfloat16(values[i]);
      }
    }
    ASSAY_CUDA_CHECK(cudaMemcpy(buffer_.data(), elements.data(), buffer_.bytes(), cudaMemcpyHostToDevice));
  }
  Floats read() const {
    const std::vector<Element> elements = buffer_.copy_back(nullptr, 0, buffer_.size());
    Floats values(elements.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if constexpr (std::is_same_v<Element, float>) {
        values[i] = elements[i];
      } else {
        values[i] = __bfloat162float(elements[i]);
      }
    }
    return values;
  }
  Element* data() const { return buffer_.data(); }

 private:
  cuda::DeviceBuffer<Element> buffer_;
};

inline cuda::DeviceBuffer<std::int32_t> whole_numbers(const std::vector<std::int32_t>& values) {
  cuda::DeviceBuffer<std::int32_t> buffer(first_gpu(), values.size());
  ASSAY_CUDA_CHECK(cudaMemcpy(buffer.data(), values.data(), buffer.bytes(), cudaMemcpyHostToDevice));
  return buffer;
}

// How far it is off, in norm, as a share of what is expected; what is not a number is infinitely far.
inline double distance(const float* actual, const float* expected, std::size_t count, double least = 1e-30) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double a = static_cast<double>(actual[i]), e = static_cast<double>(expected[i]);
    if (!std::isfinite(a)) return std::numeric_limits<double>::infinity();
    error += (a - e) * (a - e);
    norm += e * e;
  }
  return std::sqrt(error) / std::max(std::sqrt(norm), least);
}

inline void expect_close(const std::string& what, const Floats& actual, const Floats& expected,
                         double limit) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  const double far = distance(actual.data(), expected.data(), actual.size());
  if (far <= limit) return;
  std::size_t worst = 0, wrong = 0;
  double most = -1;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double error = std::fabs(static_cast<double>(actual[i]) - static_cast<double>(expected[i]));
    const bool off = !(error <= 10 * limit * (std::fabs(static_cast<double>(expected[i])) + 1e-3));
    wrong += off ? 1 : 0;
    if (std::isnan(error) || error > most) {
      most = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
      worst = i;
    }
  }
  ADD_FAILURE() << what << ": off by " << far << " of its norm, limit " << limit << "; " << wrong << " of "
                << actual.size() << " elements far off, the worst at " << worst << ": " << actual[worst]
                << " instead of " << expected[worst] << "; the first are " << actual[0] << " instead of "
                << expected[0];
}

}  // namespace assay::plugins::model
