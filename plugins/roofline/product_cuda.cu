// SPDX-License-Identifier: Apache-2.0
//
// roofline_gemm@cuda: a matrix product by cuBLASLt, placed under the roofs that were measured before it.
#include "lib/cublaslt.hpp"
#include "lib/product_arithmetic.hpp"
#include "lib/product_description.hpp"
#include "lib/product_operands.cuh"
#include "lib/product_types.cuh"
#include "roofline/chain_work.cuh"
#include "roofline/device_roofs.cuh"
#include "roofline/matrix_work.hpp"
#include "roofline/memory_work.cuh"
#include "roofline/placement.hpp"
#include "roofline/roofs.hpp"

#include <assay/cuda.hpp>
#include <assay/plugin.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace cublaslt = assay::plugins::cublaslt;
namespace cuda = assay::cuda;
namespace gemm = assay::plugins::gemm;
namespace roofline = assay::plugins::roofline;
using assay::Data;
using gemm::Dtype;

// fp32 has no matrix units.
std::optional<roofline::MatrixType> units_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::fp64:
      return roofline::MatrixType::fp64;
    case Dtype::tf32:
      return roofline::MatrixType::tf32;
    case Dtype::fp16:
      return roofline::MatrixType::fp16;
    case Dtype::bf16:
      return roofline::MatrixType::bf16;
    case Dtype::fp8_e4m3:
    case Dtype::fp8_e5m2:
      return roofline::MatrixType::fp8_e4m3;
    case Dtype::int8:
      return roofline::MatrixType::int8;
    case Dtype::fp32:
      break;
  }
  return std::nullopt;
}

class PlacedProduct final : public cuda::Benchmark {
 public:
  struct Params {
    std::uint32_t m = 8192, n = 8192, k = 8192;
    Dtype dtype = Dtype::bf16;
    std::uint64_t roof_bytes = 4 * assay::kGiB;
  };

  static void describe(assay::Description<Params>& is) {
    is.named("roofline_gemm").revision(1);
    is.summary("a matrix product on a GPU, placed under its roofs");
    is.doc(
        "C = A·B by cuBLASLt's first choice, m × k by k × n. Before the samples both roofs are measured, the "
        "matrix units of the same type (fp32: ordinary multiply-adds) and reading, and what they leave to "
        "reach is recorded: `throughput >= 70% of peak` is a share of that.");
    gemm::describe_sizes(is);
    is.param("dtype", &Params::dtype)
        .choices({{"fp64", Dtype::fp64},
                  {"fp32", Dtype::fp32},
                  {"tf32", Dtype::tf32},
                  {"fp16", Dtype::fp16},
                  {"bf16", Dtype::bf16},
                  {"fp8_e4m3", Dtype::fp8_e4m3},
                  {"int8", Dtype::int8}})
        .help("type of A and B");
    is.param("roof_bytes", &Params::roof_bytes)
        .unit(assay::unit::bytes)
        .range(roofline::kBytesOfBlock, std::uint64_t{1} << 42)
        .help(
            "bytes that are read for the roof of memory; a "
            "multiple of 16 KiB, several times the L2 cache");
    roofline::describe_product_rates(is, "SM kernel, cuBLASLt");
    is.fact("algorithm", "algorithm that ran, in the library's own numbers");
    is.supports({Data::integer, Data::zeros, Data::ones});
    cuda::support_conditions(is);
  }

  PlacedProduct(const Params& params, assay::Case& run)
      : Benchmark(run),
        params_(params),
        type_(gemm::arithmetic_of(params.dtype, false)),
        shape_(gemm::shape_of(params.m, params.n, params.k, 1, gemm::Layout::standard, params.dtype)) {}

  void probe() override {
    Benchmark::probe();
    if (params_.roof_bytes % roofline::kBytesOfBlock != 0)
      throw assay::BadParameter("roof_bytes", "it is not a multiple of 16 KiB");
    if (gemm::largest_sum(params_.k, kLargestWhole) >= type_.exact_below)
      throw assay::BadParameter("k", "sums of so many products of whole numbers are not exact in this type");
    if (units_of(params_.dtype) && device().architecture() != 90) {
      throw assay::Skip("the roof of the matrix units can be measured on compute capability 9.0 only; " +
                        device().name() + " has another");
    }
    const gemm::Places all = places();
    device().require_memory(all.products * (all.a_stride * type_.a_bytes + all.b_stride * type_.b_bytes +
                                            all.c_stride * type_.c_bytes) +
                            params_.roof_bytes + workspace_bytes() + kSpareBytes);
    find_algorithm();
  }

  void prepare() override {
    workspace_ = cuda::DeviceBuffer<std::byte>(device(), workspace_bytes());
    scale_ = cuda::DeviceBuffer<float>(device(), 1);
    cuda::fill(stream(), scale_, Data::ones, 0, 0);
    const roofline::ProductCounts counts(params_.m, params_.n, params_.k, type_.a_bytes, type_.c_bytes);
    roofline::record_placement(context(), counts.intensity(), compute_roof(), memory_roof());
    operands_ = gemm::make_operands(params_.dtype, device(), places(), false);
    product_.emplace(handle(), problem());
    restore();
    wait();
    context().fact("algorithm", cublaslt::text_of(*algorithm_));
    work("throughput", counts.operations());
    work("bandwidth", counts.bytes());
    launches(2);  // at most: a sum over parts of k has a kernel of its own
    idempotent();
    inputs_follow_seed();
  }

  void restore() override { operands_->restore(stream(), data(), context().seed()); }

  void enqueue(cudaStream_t stream, std::uint64_t i) override {
    const std::uint64_t set = i % sets_;
    product_->enqueue(stream, operands_->a(set), operands_->b(set), operands_->c(set), *algorithm_,
                      workspace_.data(), workspace_bytes());
  }

  void verify() override {
    gemm::CheckPlan plan;
    plan.data = data();
    plan.seed = context().seed();
    plan.tolerances = {type_.input_error, type_.sum_error, type_.result_error, true};
    operands_->check(context(), stream(), plan, checks());
  }

 private:
  static constexpr std::uint64_t kSpareBytes = std::uint64_t{512} << 20;  // checks, kernels' code
  static constexpr double kLargestWhole = 3;                              // of `data: integer`

  // Whole numbers unless the suite says otherwise: those of the roof of the matrix units.
  Data data() const {
    const Data asked = context().conditions().data;
    return asked == Data::standard ? Data::integer : asked;
  }

  std::uint64_t workspace_bytes() { return gemm::workspace_for(device().architecture()); }

  gemm::Places places() {
    const std::uint64_t a = gemm::stride_of(shape_.m * shape_.k, type_.a_bytes);
    const std::uint64_t b = gemm::stride_of(shape_.k * shape_.n, type_.b_bytes);
    const std::uint64_t c = gemm::stride_of(shape_.m * shape_.n, type_.c_bytes);
    sets_ = buffer_sets(a * type_.a_bytes + b * type_.b_bytes + c * type_.c_bytes);
    return {shape_.m, shape_.n, shape_.k, sets_, shape_.transpose_a, shape_.transpose_b, a, b, c};
  }

  const cublaslt::Handle& handle() {
    return context().keep<cublaslt::Handle>("cublaslt " + device().name(),
                                            [] { return std::make_unique<cublaslt::Handle>(); });
  }

  cublaslt::Problem problem() const {
    cublaslt::Problem problem;
    gemm::set_types(params_.dtype, problem);
    problem.m = shape_.m, problem.n = shape_.n, problem.k = shape_.k;
    problem.transpose_a = shape_.transpose_a, problem.transpose_b = shape_.transpose_b;
    if (gemm::is_fp8(params_.dtype)) problem.unit_scale = scale_.data();
    return problem;
  }

  void find_algorithm() {
    const std::vector<cublaslt::Algorithm> found =
        cublaslt::Product(handle(), problem()).algorithms(1, workspace_bytes());
    if (found.empty()) {
      throw assay::Skip("cuBLASLt " + cublaslt::version() + " has no algorithm for this product on " +
                        device().name() + "; fp8 wants m, n and k multiples of 16, int8 n and k of 4");
    }
    algorithm_ = found.front();
  }

  double compute_roof() {
    if (const auto units = units_of(params_.dtype)) {
      const roofline::MatrixWork matrix(context(), device(), stream(), *units);
      return matrix.operations() / roofline::fastest(context(), stream(), [&] { matrix.enqueue(stream()); });
    }
    const roofline::ChainWork chains(device(), roofline::VectorType::fp32);
    return chains.operations() / roofline::fastest(context(), stream(), [&] { chains.enqueue(stream()); });
  }

  double memory_roof() {
    roofline::MemoryWork reading(device(),
                                 {roofline::Pass::read, false, 0, params_.roof_bytes, 1, context().seed()});
    reading.restore(stream(), context().seed());
    return reading.bytes() / roofline::fastest(context(), stream(), [&] { reading.enqueue(stream(), 0); });
  }

  Params params_;
  gemm::Arithmetic type_;
  gemm::Shape shape_;
  std::uint64_t sets_ = 1;
  cuda::DeviceBuffer<std::byte> workspace_;
  cuda::DeviceBuffer<float> scale_;
  std::unique_ptr<gemm::Operands> operands_;
  std::optional<cublaslt::Product> product_;
  std::optional<cublaslt::Algorithm> algorithm_;
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("a matrix product under the roofs of a GPU");
    is.needs(ASSAY_CUBLASLT_SONAME, cublaslt::kHint);
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.roofline.gemm.cuda", "0.1.0", cuda::backend, PlacedProduct, About)
