// SPDX-License-Identifier: Apache-2.0
//
// What a type of product is in memory, and to cuBLASLt.
#pragma once

#include "lib/cublaslt.hpp"
#include "lib/product_arithmetic.hpp"
#include "lib/product_operands.cuh"

#include <assay/cuda/device.hpp>

#include <cstdint>
#include <memory>

namespace assay::plugins::gemm {

inline std::unique_ptr<Operands> make_operands(Dtype dtype, const cuda::Device& device, const Places& places,
                                               bool with_bias) {
  switch (dtype) {
    case Dtype::fp64:
      return std::make_unique<OperandsOf<double, double, double>>(device, places, with_bias);
    case Dtype::fp32:
    case Dtype::tf32:
      return std::make_unique<OperandsOf<float, float, float>>(device, places, with_bias);
    case Dtype::fp16:
      return std::make_unique<OperandsOf<__half, __half, __half>>(device, places, with_bias);
    case Dtype::bf16:
      return std::make_unique<OperandsOf<__nv_bfloat16, __nv_bfloat16, __nv_bfloat16>>(device, places,
                                                                                       with_bias);
    case Dtype::fp8_e4m3:
      return std::make_unique<OperandsOf<__nv_fp8_e4m3, __nv_fp8_e4m3, __nv_bfloat16>>(device, places,
                                                                                       with_bias);
    case Dtype::fp8_e5m2:
      return std::make_unique<OperandsOf<__nv_fp8_e5m2, __nv_fp8_e4m3, __nv_bfloat16>>(device, places,
                                                                                       with_bias);
    case Dtype::int8:
      break;
  }
  return std::make_unique<OperandsOf<std::int8_t, std::int8_t, std::int32_t>>(device, places, with_bias);
}

// Types and compute mode as cuBLASLt names them.
inline void set_types(Dtype dtype, cublaslt::Problem& problem) {
  const auto all = [&](cudaDataType_t type) { problem.a = problem.b = problem.d = type; };
  switch (dtype) {
    case Dtype::fp64:
      all(CUDA_R_64F);
      problem.scale = CUDA_R_64F;
      problem.compute = CUBLAS_COMPUTE_64F;
      return;
    case Dtype::fp32:
      return;
    case Dtype::tf32:
      problem.compute = CUBLAS_COMPUTE_32F_FAST_TF32;
      return;
    case Dtype::fp16:
      all(CUDA_R_16F);
      return;
    case Dtype::bf16:
      all(CUDA_R_16BF);
      return;
    case Dtype::fp8_e4m3:
    case Dtype::fp8_e5m2:
      problem.a = dtype == Dtype::fp8_e4m3 ? CUDA_R_8F_E4M3 : CUDA_R_8F_E5M2;
      problem.b = CUDA_R_8F_E4M3;
      problem.d = CUDA_R_16BF;
      return;
    case Dtype::int8:
      problem.a = problem.b = CUDA_R_8I;
      problem.d = problem.scale = CUDA_R_32I;
      problem.compute = CUBLAS_COMPUTE_32I;
      return;
  }
}

}  // namespace assay::plugins::gemm
