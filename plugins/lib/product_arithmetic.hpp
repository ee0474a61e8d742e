// SPDX-License-Identifier: Apache-2.0
//
// What a product of matrices is made of: types, sizes, counts, and how exact its arithmetic is. Pure.
#pragma once

#include <cstdint>
#include <string>

namespace assay::plugins::gemm {

enum class Dtype { fp64, fp32, tf32, fp16, bf16, fp8_e4m3, fp8_e5m2, int8 };
// Whether A and B are stored transposed, row by row. standard: what the type is fastest with.
enum class Layout { standard, nn, nt, tn, tt };
enum class Epilogue { none, bias, gelu, bias_gelu };

inline bool is_fp8(Dtype dtype) { return dtype == Dtype::fp8_e4m3 || dtype == Dtype::fp8_e5m2; }
inline bool has_bias(Epilogue epilogue) {
  return epilogue == Epilogue::bias || epilogue == Epilogue::bias_gelu;
}
inline bool has_gelu(Epilogue epilogue) {
  return epilogue == Epilogue::gelu || epilogue == Epilogue::bias_gelu;
}

// Rounding of each stage, as shares of the number that is rounded.
struct Arithmetic {
  unsigned a_bytes, b_bytes, c_bytes;  // of one element
  double input_error;                  // of an input inside the unit
  double sum_error;                    // of one addition to the accumulator
  double result_error;                 // of the accumulator's rounding to the type of C
  double exact_below;                  // sums of whole numbers are exact while they stay below this
};

// With fast accumulation a tensor core keeps 14 bits of a sum of fp8 products (DeepSeek-AI, DeepSeek-V3
// Technical Report, 2024, section 3.3.2). Otherwise it promotes the sum to fp32 every 128 products or so.
inline Arithmetic arithmetic_of(Dtype dtype, bool fast_accumulation) {
  switch (dtype) {
    case Dtype::fp64:
      return {8, 8, 8, 0, 0x1p-53, 0x1p-53, 0x1p53};
    case Dtype::fp32:
      return {4, 4, 4, 0, 0x1p-24, 0x1p-24, 0x1p24};
    case Dtype::tf32:
      return {4, 4, 4, 0x1p-10, 0x1p-23, 0x1p-24, 0x1p24};
    case Dtype::fp16:
      return {2, 2, 2, 0, 0x1p-23, 0x1p-11, 0x1p24};
    case Dtype::bf16:
      return {2, 2, 2, 0, 0x1p-23, 0x1p-8, 0x1p24};
    case Dtype::fp8_e4m3:
    case Dtype::fp8_e5m2:
      // A block of 128 products is summed with 14 bits in either mode.
      if (fast_accumulation) return {1, 1, 2, 0, 0x1p-13, 0x1p-8, 0x1p13};
      return {1, 1, 2, 0x1p-13, 0x1p-23, 0x1p-8, 0x1p24};
    case Dtype::int8:
      break;
  }
  return {1, 1, 4, 0, 0, 0, 0x1p31};
}

// The largest magnitude of a whole input: 127 for int8 with other data than small whole numbers.
inline double largest_sum(std::uint64_t k, double largest_input) {
  return static_cast<double>(k) * largest_input * largest_input;
}

struct Shape {
  std::uint64_t m, n, k, batch;
  bool transpose_a, transpose_b;

  // Operations of one iteration.
  double operations() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) *
           static_cast<double>(batch);
  }
  // Bytes of one iteration if A and B are read once and C is written once.
  double bytes(const Arithmetic& type) const {
    return static_cast<double>(batch) *
           (static_cast<double>(m * k) * type.a_bytes + static_cast<double>(k * n) * type.b_bytes +
            static_cast<double>(m * n) * type.c_bytes);
  }
};

inline Shape shape_of(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t batch, Layout layout,
                      Dtype dtype) {
  // Tensor cores up to Hopper multiply narrow types along k only, so both are stored along k.
  if (layout == Layout::standard) {
    layout = is_fp8(dtype) || dtype == Dtype::int8 ? Layout::nt : Layout::nn;
  }
  return {m,
          n,
          k,
          batch,
          layout == Layout::tn || layout == Layout::tt,
          layout == Layout::nt || layout == Layout::tt};
}

// The distance in elements between the matrices of two products: each matrix begins aligned for vector access.
inline std::uint64_t stride_of(std::uint64_t elements, unsigned element_bytes) {
  const std::uint64_t step = 256 / element_bytes;
  return (elements + step - 1) / step * step;
}

// Dense operations of one multiprocessor in a clock; 0: not known. `architecture` is 90 for compute
// capability 9.0. Sources: the white papers of A100 and H100.
inline double operations_per_clock(int architecture, Dtype dtype) {
  const bool ampere = architecture == 80, hopper = architecture == 90;
  if (!ampere && !hopper) return 0;
  switch (dtype) {
    case Dtype::fp64:
      return hopper ? 256 : 128;
    case Dtype::fp32:
      return hopper ? 256 : 128;
    case Dtype::tf32:
      return hopper ? 2048 : 1024;
    case Dtype::fp16:
    case Dtype::bf16:
      return hopper ? 4096 : 2048;
    case Dtype::fp8_e4m3:
    case Dtype::fp8_e5m2:
      return hopper ? 8192 : 0;
    case Dtype::int8:
      return hopper ? 8192 : 4096;
  }
  return 0;
}

// What cuBLAS' users set as its workspace: 32 MiB from Hopper on, 4 MiB before.
inline std::uint64_t workspace_for(int architecture) {
  return std::uint64_t{architecture >= 90 ? 32U : 4U} << 20;
}

}  // namespace assay::plugins::gemm
