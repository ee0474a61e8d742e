// SPDX-License-Identifier: Apache-2.0
//
// Products of row-major matrices through cuBLASLt: D = epilogue(factor·A·B + kept·C), strided batches included.
#pragma once

#include <assay/cuda/error.hpp>
#include <assay/errors.hpp>

#include <cstdint>
#include <cublasLt.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Checks the result of a call of cuBLASLt: ASSAY_CUBLASLT_CHECK(cublasLtCreate(&handle));
#define ASSAY_CUBLASLT_CHECK(call) ::assay::plugins::cublaslt::check((call), #call)

// The library's name, to be listed among a manifest's needs.
#define ASSAY_CUBLASLT_TEXT(number) #number
#define ASSAY_CUBLASLT_NUMBERED(number) "libcublasLt.so." ASSAY_CUBLASLT_TEXT(number)
#define ASSAY_CUBLASLT_SONAME ASSAY_CUBLASLT_NUMBERED(CUBLAS_VER_MAJOR)

namespace assay::plugins::cublaslt {

// What to install for it.
inline constexpr const char* kHint = "pip install nvidia-cublas, or install the CUDA Toolkit";

inline void check(cublasStatus_t code, std::string_view call) {
  if (code == CUBLAS_STATUS_SUCCESS) return;
  std::string text(call.substr(0, call.find('(')));
  text += std::string(": ") + cublasLtGetStatusString(code) + " (" + cublasLtGetStatusName(code) + ")";
  if (code == CUBLAS_STATUS_ARCH_MISMATCH) throw Skip(text + "; this GPU is too old for the library");
  // A kernel's error is sticky; of the others the process survives.
  const assay_status status = code == CUBLAS_STATUS_EXECUTION_FAILED ? ASSAY_E_DEVICE
                              : code == CUBLAS_STATUS_ALLOC_FAILED   ? ASSAY_E_RESOURCE
                                                                     : ASSAY_E_INTERNAL;
  throw Failure(text, status, "cublas", code);
}

// "13.1.0": of the library that was loaded.
inline std::string version() {
  const std::size_t number = cublasLtGetVersion();
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
         std::to_string(number % 100);
}

// Belongs to the device that was current when it was made; costs about 60 ms.
class Handle {
 public:
  Handle() { ASSAY_CUBLASLT_CHECK(cublasLtCreate(&handle_)); }
  Handle(const Handle&) = delete;  // owns the library's state
  Handle& operator=(const Handle&) = delete;
  ~Handle() { cublasLtDestroy(handle_); }
  operator cublasLtHandle_t() const { return handle_; }  // NOLINT: it stands for the handle

 private:
  cublasLtHandle_t handle_ = nullptr;
};

// One product. Matrices lie row by row: A is m × k (stored k × m if transposed), B is k × n (n × k), D m × n. C has
// the type and the shape of D.
struct Problem {
  std::uint64_t m = 0, n = 0, k = 0, batch = 1;
  bool transpose_a = false, transpose_b = false;
  double factor = 1, kept = 0;  // of an integer scale only 1 and 0
  std::uint64_t a_row = 0, b_row = 0,
                d_row = 0;  // elements from one stored row to the next; 0: there is no gap
  std::uint64_t a_stride = 0, b_stride = 0, d_stride = 0;  // elements from one product of a batch to the next
  cudaDataType_t a = CUDA_R_32F, b = CUDA_R_32F, d = CUDA_R_32F, scale = CUDA_R_32F;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void* bias = nullptr;         // n elements of D's type, on the device; for an epilogue with one
  const float* unit_scale = nullptr;  // a one on the device, for fp8
  bool fast_accumulation = false;
  std::uint32_t alignment = 256;  // bytes, of every pointer: a power of two
};

using Algorithm = cublasLtMatmulHeuristicResult_t;

// A product that is ready to be queued. Move-only.
class Product {
 public:
  Product(const Handle& handle, const Problem& problem) : handle_(handle), alignment_(problem.alignment) {
    set_factors(problem);
    ASSAY_CUBLASLT_CHECK(cublasLtMatmulDescCreate(&product_.handle, problem.compute, problem.scale));
    // The library thinks in columns: D stored by rows is Dᵀ = Bᵀ·Aᵀ, so B comes first.
    const cublasOperation_t first = problem.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasOperation_t second = problem.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
    set(CUBLASLT_MATMUL_DESC_TRANSA, first);
    set(CUBLASLT_MATMUL_DESC_TRANSB, second);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, problem.epilogue);
    if (problem.bias) {
      set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, problem.bias);
      set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, static_cast<std::int32_t>(problem.d));
    }
    if (problem.unit_scale) {
      set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, problem.unit_scale);
      set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, problem.unit_scale);
    }
    // Also where algorithms are only asked for, before there are any buffers.
    if (problem.fast_accumulation) set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t{1});
    const auto columns = [&](Layout& layout, cudaDataType_t type, std::uint64_t rows, std::uint64_t cols,
                             std::uint64_t row, std::uint64_t stride) {
      ASSAY_CUBLASLT_CHECK(cublasLtMatrixLayoutCreate(&layout.handle, type, rows, cols,
                                                      static_cast<std::int64_t>(row != 0 ? row : rows)));
      if (problem.batch == 1) return;
      const auto count = static_cast<std::int32_t>(problem.batch);
      const auto offset = static_cast<std::int64_t>(stride);
      ASSAY_CUBLASLT_CHECK(cublasLtMatrixLayoutSetAttribute(layout.handle, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                                            &count, sizeof(count)));
      ASSAY_CUBLASLT_CHECK(cublasLtMatrixLayoutSetAttribute(
          layout.handle, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &offset, sizeof(offset)));
    };
    const bool ta = problem.transpose_a, tb = problem.transpose_b;
    columns(b_, problem.b, tb ? problem.k : problem.n, tb ? problem.n : problem.k, problem.b_row,
            problem.b_stride);
    columns(a_, problem.a, ta ? problem.m : problem.k, ta ? problem.k : problem.m, problem.a_row,
            problem.a_stride);
    columns(d_, problem.d, problem.n, problem.m, problem.d_row, problem.d_stride);
  }

  // The algorithms that the library offers, its own choice first; none if it cannot do this product. Partial
  // sums are added in the accumulator's type and in a fixed order only.
  std::vector<Algorithm> algorithms(int most, std::uint64_t workspace_bytes) const {
    Preference preference;
    ASSAY_CUBLASLT_CHECK(cublasLtMatmulPreferenceCreate(&preference.handle));
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t what, auto value) {
      ASSAY_CUBLASLT_CHECK(
          cublasLtMatmulPreferenceSetAttribute(preference.handle, what, &value, sizeof(value)));
    };
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace_bytes);
    prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
           static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
    for (const auto which :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
      prefer(which, alignment_);
    std::vector<Algorithm> found(static_cast<std::size_t>(most));
    int count = 0;
    const cublasStatus_t code =
        cublasLtMatmulAlgoGetHeuristic(handle_, product_.handle, b_.handle, a_.handle, d_.handle, d_.handle,
                                       preference.handle, most, found.data(), &count);
    // How it says that a type, a layout, an alignment or an epilogue is not for this GPU.
    if (code == CUBLAS_STATUS_NOT_SUPPORTED || code == CUBLAS_STATUS_INVALID_VALUE)
      count = 0;
    else
      check(code, "cublasLtMatmulAlgoGetHeuristic");
    found.resize(static_cast<std::size_t>(count));
    std::vector<Algorithm> usable;
    for (const Algorithm& each : found) {
      if (each.state == CUBLAS_STATUS_SUCCESS) usable.push_back(each);
    }
    return usable;
  }

  // Queues it. `workspace` holds what the algorithms were asked for with.
  void enqueue(cudaStream_t stream, const void* a, const void* b, void* d, const Algorithm& algorithm,
               void* workspace, std::uint64_t workspace_bytes) const {
    enqueue(stream, a, b, d, d, algorithm, workspace, workspace_bytes);
  }
  // The same with a C, which may be D.
  void enqueue(cudaStream_t stream, const void* a, const void* b, const void* c, void* d,
               const Algorithm& algorithm, void* workspace, std::uint64_t workspace_bytes) const {
    ASSAY_CUBLASLT_CHECK(cublasLtMatmul(handle_, product_.handle, factor(), b, b_.handle, a, a_.handle,
                                        kept(), c, d_.handle, d, d_.handle, &algorithm.algo, workspace,
                                        workspace_bytes, stream));
  }

 private:
  template <class Kind, cublasStatus_t (*destroy)(Kind)>
  struct Owned {
    Owned() = default;
    Owned(Owned&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
    Owned& operator=(Owned&& other) noexcept {
      std::swap(handle, other.handle);
      return *this;
    }
    ~Owned() {
      if (handle) destroy(handle);
    }
    Kind handle = nullptr;
  };
  using Description = Owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
  using Layout = Owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
  using Preference = Owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

  template <class Value>
  void set(cublasLtMatmulDescAttributes_t what, Value value) {
    ASSAY_CUBLASLT_CHECK(cublasLtMatmulDescSetAttribute(product_.handle, what, &value, sizeof(value)));
  }

  // Both in the type of the scale.
  void set_factors(const Problem& problem) {
    switch (problem.scale) {
      case CUDA_R_64F:
        factors_.twice[0] = problem.factor, factors_.twice[1] = problem.kept;
        second_ = sizeof(double);
        break;
      case CUDA_R_32I:
        factors_.whole[0] = static_cast<std::int32_t>(problem.factor);
        factors_.whole[1] = static_cast<std::int32_t>(problem.kept);
        second_ = sizeof(std::int32_t);
        break;
      default:
        factors_.single[0] = static_cast<float>(problem.factor);
        factors_.single[1] = static_cast<float>(problem.kept);
        second_ = sizeof(float);
    }
  }
  const void* factor() const { return &factors_; }
  const void* kept() const { return reinterpret_cast<const char*>(&factors_) + second_; }

  cublasLtHandle_t handle_;
  Description product_;
  Layout a_, b_, d_;
  union {
    double twice[2];
    float single[2];
    std::int32_t whole[2];
  } factors_;
  std::size_t second_ = 0;
  std::uint32_t alignment_;
};

// "algorithm 66, tile 27, stages 36, cluster 3, split-k 1", in the library's own numbers.
inline std::string text_of(const Algorithm& algorithm) {
  const auto number = [&](cublasLtMatmulAlgoConfigAttributes_t what, auto value) {
    std::size_t written = 0;
    const cublasStatus_t code =
        cublasLtMatmulAlgoConfigGetAttribute(&algorithm.algo, what, &value, sizeof(value), &written);
    return code == CUBLAS_STATUS_SUCCESS ? std::to_string(value) : std::string("?");
  };
  return "algorithm " + number(CUBLASLT_ALGO_CONFIG_ID, std::int32_t{}) + ", tile " +
         number(CUBLASLT_ALGO_CONFIG_TILE_ID, std::uint32_t{}) + ", stages " +
         number(CUBLASLT_ALGO_CONFIG_STAGES_ID, std::uint32_t{}) + ", cluster " +
         number(CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, std::uint16_t{}) + ", split-k " +
         number(CUBLASLT_ALGO_CONFIG_SPLITK_NUM, std::int32_t{});
}

}  // namespace assay::plugins::cublaslt
