// SPDX-License-Identifier: Apache-2.0
//
// What bias + GELU has to move, by how it is done. Pure.
#pragma once

#include <cstdint>

namespace assay::plugins::fusion {

enum class Variant { separate, fused, gemm_separate, gemm_fused, gemm_epilogue };
enum class Bias { vector, full };
enum class Gelu { erf, tanh };

inline bool has_product(Variant variant) {
  return variant == Variant::gemm_separate || variant == Variant::gemm_fused ||
         variant == Variant::gemm_epilogue;
}

// Kernels after the product, if there is one.
inline unsigned kernels_of(Variant variant) {
  switch (variant) {
    case Variant::separate:
    case Variant::gemm_separate:
      return 2;
    case Variant::fused:
    case Variant::gemm_fused:
      return 1;
    case Variant::gemm_epilogue:
      break;
  }
  return 0;
}

// Reads and writes of whole arrays of rows × columns, and reads of a vector of columns.
struct Passes {
  unsigned reads, writes, vectors;
};

// Of bias and GELU alone: what a product reads and writes by itself is not among them. An epilogue moves no
// array, because it works on what the product holds in registers.
inline Passes passes_of(Variant variant, Bias bias) {
  const unsigned full = bias == Bias::full ? 1 : 0, vector = 1 - full;
  switch (kernels_of(variant)) {
    case 2:
      return {2 + full, 2, vector};  // x + b → t, gelu(t) → y
    case 1:
      return {1 + full, 1, vector};  // gelu(x + b) → y
    default:
      return {0, 0, vector};
  }
}

inline double bytes_of(Variant variant, Bias bias, std::uint64_t rows, std::uint64_t columns,
                       unsigned element_bytes) {
  const Passes passes = passes_of(variant, bias);
  const double array = static_cast<double>(rows) * static_cast<double>(columns) * element_bytes;
  return (passes.reads + passes.writes) * array +
         passes.vectors * static_cast<double>(columns) * element_bytes;
}

// How much faster than the two kernels one after the other, if moving bytes were all that takes time.
// 0 for an epilogue, which moves next to none: there the time of the product decides.
inline double model_speedup(Variant variant, Bias bias, std::uint64_t rows, std::uint64_t columns,
                            unsigned element_bytes) {
  if (kernels_of(variant) == 0) return 0;
  return bytes_of(Variant::separate, bias, rows, columns, element_bytes) /
         bytes_of(variant, bias, rows, columns, element_bytes);
}

}  // namespace assay::plugins::fusion
