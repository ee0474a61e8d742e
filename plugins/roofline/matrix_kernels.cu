// SPDX-License-Identifier: Apache-2.0
#include "roofline/matrix_kernels.hpp"

#include <assay/cuda/error.hpp>

#include <cmath>
#include <cuda_runtime.h>

namespace assay::plugins::roofline {
namespace {

constexpr unsigned kABytes = 64 * 32, kBBytes = 256 * 32;  // one product's operands
constexpr unsigned kAccumulators = 128;                    // of a thread

// Shared memory without swizzling: core matrices of 128 bytes, neighbours along k next to each other.
__device__ std::uint64_t descriptor(const void* memory) {
  constexpr std::uint64_t kAlongK = kCoreBytes, kAlongRows = 2 * kCoreBytes;
  const auto address = static_cast<std::uint64_t>(__cvta_generic_to_shared(memory));
  return ((address & 0x3FFFF) >> 4) | (kAlongK >> 4) << 16 | (kAlongRows >> 4) << 32;
}

__device__ void begin_group() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void end_group() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// clang-format off
#define ASSAY_REGISTERS \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, " \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define ASSAY_ACCUMULATORS(LETTER) \
  LETTER(d[0]), LETTER(d[1]), LETTER(d[2]), LETTER(d[3]), LETTER(d[4]), LETTER(d[5]), \
  LETTER(d[6]), LETTER(d[7]), LETTER(d[8]), LETTER(d[9]), LETTER(d[10]), LETTER(d[11]), \
  LETTER(d[12]), LETTER(d[13]), LETTER(d[14]), LETTER(d[15]), LETTER(d[16]), LETTER(d[17]), \
  LETTER(d[18]), LETTER(d[19]), LETTER(d[20]), LETTER(d[21]), LETTER(d[22]), LETTER(d[23]), \
  LETTER(d[24]), LETTER(d[25]), LETTER(d[26]), LETTER(d[27]), LETTER(d[28]), LETTER(d[29]), \
  LETTER(d[30]), LETTER(d[31]), LETTER(d[32]), LETTER(d[33]), LETTER(d[34]), LETTER(d[35]), \
  LETTER(d[36]), LETTER(d[37]), LETTER(d[38]), LETTER(d[39]), LETTER(d[40]), LETTER(d[41]), \
  LETTER(d[42]), LETTER(d[43]), LETTER(d[44]), LETTER(d[45]), LETTER(d[46]), LETTER(d[47]), \
  LETTER(d[48]), LETTER(d[49]), LETTER(d[50]), LETTER(d[51]), LETTER(d[52]), LETTER(d[53]), \
  LETTER(d[54]), LETTER(d[55]), LETTER(d[56]), LETTER(d[57]), LETTER(d[58]), LETTER(d[59]), \
  LETTER(d[60]), LETTER(d[61]), LETTER(d[62]), LETTER(d[63]), LETTER(d[64]), LETTER(d[65]), \
  LETTER(d[66]), LETTER(d[67]), LETTER(d[68]), LETTER(d[69]), LETTER(d[70]), LETTER(d[71]), \
  LETTER(d[72]), LETTER(d[73]), LETTER(d[74]), LETTER(d[75]), LETTER(d[76]), LETTER(d[77]), \
  LETTER(d[78]), LETTER(d[79]), LETTER(d[80]), LETTER(d[81]), LETTER(d[82]), LETTER(d[83]), \
  LETTER(d[84]), LETTER(d[85]), LETTER(d[86]), LETTER(d[87]), LETTER(d[88]), LETTER(d[89]), \
  LETTER(d[90]), LETTER(d[91]), LETTER(d[92]), LETTER(d[93]), LETTER(d[94]), LETTER(d[95]), \
  LETTER(d[96]), LETTER(d[97]), LETTER(d[98]), LETTER(d[99]), LETTER(d[100]), LETTER(d[101]), \
  LETTER(d[102]), LETTER(d[103]), LETTER(d[104]), LETTER(d[105]), LETTER(d[106]), LETTER(d[107]), \
  LETTER(d[108]), LETTER(d[109]), LETTER(d[110]), LETTER(d[111]), LETTER(d[112]), LETTER(d[113]), \
  LETTER(d[114]), LETTER(d[115]), LETTER(d[116]), LETTER(d[117]), LETTER(d[118]), LETTER(d[119]), \
  LETTER(d[120]), LETTER(d[121]), LETTER(d[122]), LETTER(d[123]), LETTER(d[124]), LETTER(d[125]), \
  LETTER(d[126]), LETTER(d[127])
// clang-format on

// d = a·b + (add ? d : 0), by one warp group.
#define ASSAY_WGMMA(NAME, SUM, LETTER, SHAPE_AND_TYPES, SCALES)                                           \
  struct NAME {                                                                                           \
    using Sum = SUM;                                                                                      \
    static __device__ void multiply(Sum (&d)[kAccumulators], std::uint64_t a, std::uint64_t b, int add) { \
      asm volatile(                                                                                       \
          "{\n.reg .pred p;\nsetp.ne.b32 p, %130, 0;\n"                                                   \
          "wgmma.mma_async.sync.aligned." SHAPE_AND_TYPES " {" ASSAY_REGISTERS "}, %128, %129, p" SCALES  \
          ";\n}\n"                                                                                        \
          : ASSAY_ACCUMULATORS(LETTER)                                                                    \
          : "l"(a), "l"(b), "r"(add));                                                                    \
    }                                                                                                     \
  };
#define ASSAY_F(x) "+f"(x)
#define ASSAY_R(x) "+r"(x)
ASSAY_WGMMA(Tf32, float, ASSAY_F, "m64n256k8.f32.tf32.tf32", ", 1, 1")
ASSAY_WGMMA(Fp16, float, ASSAY_F, "m64n256k16.f32.f16.f16", ", 1, 1, 0, 0")
ASSAY_WGMMA(Bf16, float, ASSAY_F, "m64n256k16.f32.bf16.bf16", ", 1, 1, 0, 0")
ASSAY_WGMMA(Fp8, float, ASSAY_F, "m64n256k32.f32.e4m3.e4m3", ", 1, 1")
ASSAY_WGMMA(Int8, std::int32_t, ASSAY_R, "m64n256k32.s32.s8.s8", "")
#undef ASSAY_WGMMA
#undef ASSAY_ACCUMULATORS
#undef ASSAY_REGISTERS
#undef ASSAY_F
#undef ASSAY_R

template <class Unit>
__global__ __launch_bounds__(kMatrixThreads, 1) void matrix_kernel(const uint4* a, const uint4* b,
                                                                   unsigned groups, double* out) {
  __shared__ __align__(1024) uint4 tile_a[kABytes / 16];
  __shared__ __align__(1024) uint4 tile_b[kBBytes / 16];
  constexpr unsigned kCoreVectors = kCoreBytes / 16;
  for (unsigned i = threadIdx.x; i < kABytes / 16; i += kMatrixThreads) tile_a[i] = a[i % kCoreVectors];
  for (unsigned i = threadIdx.x; i < kBBytes / 16; i += kMatrixThreads) tile_b[i] = b[i % kCoreVectors];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();

  typename Unit::Sum sums[kAccumulators];
#pragma unroll
  for (unsigned i = 0; i < kAccumulators; ++i) sums[i] = 0;
  const std::uint64_t from_a = descriptor(tile_a), from_b = descriptor(tile_b);
  for (unsigned group = 0; group < groups; ++group) {
    begin_group();
#pragma unroll 4
    for (unsigned product = 0; product < kProductsOfAGroup; ++product) {
      Unit::multiply(sums, from_a, from_b, product != 0);
    }
    end_group();
  }

  // A thread's accumulators are of one row of the core matrix, and of two columns in turn.
  bool equal = true;
#pragma unroll
  for (unsigned i = 2; i < kAccumulators; ++i) equal = equal && sums[i] == sums[i % 2];
  const unsigned thread = blockIdx.x * kMatrixThreads + threadIdx.x;
  out[2 * thread] = equal ? static_cast<double>(sums[0]) : nan("");
  out[2 * thread + 1] = equal ? static_cast<double>(sums[1]) : nan("");
}

constexpr unsigned kChains = 4;  // of products that do not depend on each other, in a warp

__device__ void multiply_fp64(double (&d)[4], const double (&a)[8], const double (&b)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, "
      "%11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};\n"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]),
        "d"(b[1]), "d"(b[2]), "d"(b[3]));
}

// Two blocks on a multiprocessor.
__global__ __launch_bounds__(kMatrixThreads, 2) void matrix_kernel_fp64(const double* a, const double* b,
                                                                        unsigned groups, double* out) {
  const unsigned lane = threadIdx.x % 32;
  double row[8], column[4], sums[kChains][4];
#pragma unroll
  for (double& value : row) value = a[lane];
#pragma unroll
  for (double& value : column) value = b[lane];
#pragma unroll
  for (auto& chain : sums) {
    for (double& sum : chain) sum = 0;
  }
  for (unsigned group = 0; group < groups; ++group) {
#pragma unroll
    for (unsigned product = 0; product < kProductsOfAGroup; ++product) {
#pragma unroll
      for (auto& chain : sums) multiply_fp64(chain, row, column);
    }
  }
  bool equal = true;
#pragma unroll
  for (const auto& chain : sums) {
    for (unsigned i = 0; i < 4; ++i) equal = equal && chain[i] == sums[0][i % 2];
  }
  const unsigned thread = blockIdx.x * kMatrixThreads + threadIdx.x;
  out[2 * thread] = equal ? sums[0][0] : nan("");
  out[2 * thread + 1] = equal ? sums[0][1] : nan("");
}

template <class Unit>
void launch_groups(cudaStream_t stream, unsigned blocks, const void* a, const void* b, unsigned groups,
                   double* out) {
  matrix_kernel<Unit><<<blocks, kMatrixThreads, 0, stream>>>(static_cast<const uint4*>(a),
                                                             static_cast<const uint4*>(b), groups, out);
}

}  // namespace

void launch_matrix(MatrixType type, cudaStream_t stream, unsigned blocks, const void* a, const void* b,
                   unsigned groups, double* out) {
  switch (type) {
    case MatrixType::fp64:
      matrix_kernel_fp64<<<blocks, kMatrixThreads, 0, stream>>>(static_cast<const double*>(a),
                                                                static_cast<const double*>(b), groups, out);
      break;
    case MatrixType::tf32:
      launch_groups<Tf32>(stream, blocks, a, b, groups, out);
      break;
    case MatrixType::fp16:
      launch_groups<Fp16>(stream, blocks, a, b, groups, out);
      break;
    case MatrixType::bf16:
      launch_groups<Bf16>(stream, blocks, a, b, groups, out);
      break;
    case MatrixType::fp8_e4m3:
      launch_groups<Fp8>(stream, blocks, a, b, groups, out);
      break;
    case MatrixType::int8:
      launch_groups<Int8>(stream, blocks, a, b, groups, out);
      break;
  }
  ASSAY_CUDA_CHECK_LAUNCH("the matrix units' kernel");
}

}  // namespace assay::plugins::roofline
