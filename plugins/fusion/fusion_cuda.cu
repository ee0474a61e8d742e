// SPDX-License-Identifier: Apache-2.0
//
// fusion@cuda: bias + GELU as two kernels, as one, and inside the product before them.
#include "fusion/byte_model.hpp"
#include "fusion/work.cuh"
#include "lib/cublaslt.hpp"

#include <assay/cuda.hpp>
#include <assay/plugin.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>

namespace {

namespace cublaslt = assay::plugins::cublaslt;
using assay::Data;
using namespace assay::plugins::fusion;  // NOLINT: the parts of this plugin

enum class Dtype { fp32, fp16, bf16 };

class Fusion final : public assay::cuda::Benchmark {
 public:
  struct Params {
    Variant variant = Variant::fused;
    Gelu gelu = Gelu::tanh;
    Bias bias = Bias::vector;
    Dtype dtype = Dtype::bf16;
    std::uint32_t rows = 8192, columns = 4096, k = 4096;
  };

  static void describe(assay::Description<Params>& is) {
    is.named("fusion").revision(1);
    is.summary("bias + GELU as two kernels, as one, and inside the product before them, on one GPU");
    is.doc(
        "y = gelu(x + b) over rows × columns. `separate` stores x + b and reads it back, `fused` does not. "
        "The variants that begin with gemm_ compute x as a product of rows × k and k × columns first, whose "
        "epilogue does all the rest in gemm_epilogue. What fusing should bring is a matter of bytes: "
        "model_speedup.");
    is.param("variant", &Params::variant)
        .choices({{"separate", Variant::separate},
                  {"fused", Variant::fused},
                  {"gemm_separate", Variant::gemm_separate},
                  {"gemm_fused", Variant::gemm_fused},
                  {"gemm_epilogue", Variant::gemm_epilogue}})
        .help("variant that is run");
    is.param("gelu", &Params::gelu)
        .choices({{"erf", Gelu::erf}, {"tanh", Gelu::tanh}})
        .help("formula of GELU: the error function, or its approximation by tanh, which is the epilogue's");
    is.param("bias", &Params::bias)
        .choices({{"vector", Bias::vector}, {"full", Bias::full}})
        .help("shape of the bias: one number a column, or an array of the whole shape");
    is.param("dtype", &Params::dtype)
        .choices({{"fp32", Dtype::fp32}, {"fp16", Dtype::fp16}, {"bf16", Dtype::bf16}})
        .help("type of all arrays; computed in fp32");
    is.param("rows", &Params::rows).range(1, 1 << 24).help("rows of x and y");
    is.param("columns", &Params::columns).range(8, 1 << 20).help("columns of x and y, a multiple of 8");
    is.param("k", &Params::k).range(8, 1 << 20).help("inner length of the product, for gemm_ variants");
    is.duration("latency").summary("time of one pass, all of its kernels").headline();
    is.rate("bandwidth", assay::unit::bytes_per_second)
        .counting("every array that a kernel reads or writes, each time; without a product")
        .mechanism("SM kernel");
    is.rate("throughput", assay::unit::flop_per_second)
        .counting("2·rows·columns·k operations of the product; the rest for nothing")
        .mechanism("SM kernel, cuBLASLt")
        .peak("matrix_throughput");
    is.value("model_bytes", assay::unit::bytes).summary("data that bias and GELU move in this variant");
    is.value("model_speedup", assay::unit::one)
        .summary("bytes of `separate` over this variant's: what fusing brings if bytes are all that counts");
    is.fact("library", "version of cuBLASLt that was loaded, for gemm_ variants");
    is.fact("algorithm", "algorithm of the product, in the library's own numbers");
    is.supports({Data::normal, Data::uniform, Data::integer, Data::zeros, Data::ones});
    assay::cuda::support_conditions(is);
  }

  Fusion(const Params& params, assay::Case& run) : Benchmark(run), params_(params) {
    if (params.columns % 8 != 0) throw assay::BadParameter("columns", "must be a multiple of 8");
    if (params.variant != Variant::gemm_epilogue) return;
    if (params.gelu == Gelu::erf)
      throw assay::BadParameter("gelu", "the epilogue of cuBLASLt approximates by tanh; erf has none");
    if (params.bias == Bias::full)
      throw assay::BadParameter("bias", "the epilogue of cuBLASLt adds a vector; a full bias has none");
  }

  void probe() override {
    Benchmark::probe();
    if (params_.dtype == Dtype::bf16) device().require_architecture(80);
    constexpr std::uint64_t kLibrary = std::uint64_t{512} << 20;  // kernels' code, the context's own
    const Task task = this->task();
    device().require_memory(task.sets * set_bytes(task) + task.array() * element_bytes() + kLibrary);
    if (has_product(params_.variant)) (void)handle();
  }

  void prepare() override {
    const Task task = this->task();
    const cublaslt::Handle* const library = has_product(params_.variant) ? &handle() : nullptr;
    switch (params_.dtype) {
      case Dtype::fp32:
        work_ = std::make_unique<WorkOf<float>>(device(), library, task);
        break;
      case Dtype::fp16:
        work_ = std::make_unique<WorkOf<__half>>(device(), library, task);
        break;
      case Dtype::bf16:
        work_ = std::make_unique<WorkOf<__nv_bfloat16>>(device(), library, task);
        break;
    }
    restore();
    // A product may take two operations of its own.
    launches(kernels_of(params_.variant) + (has_product(params_.variant) ? 2 : 0));
    const double iteration_s = seconds_of_one(task.sets);
    constexpr double kSample_s = 0.005;  // 5 µs of starting and ending do not show
    samples_of_at_least(kSample_s, iteration_s);
    idempotent();
    inputs_follow_seed();
    declare(task);
  }

  void restore() override { work_->restore(stream(), context().conditions().data, context().seed()); }

  void enqueue(cudaStream_t stream, std::uint64_t i) override { work_->enqueue(stream, i % sets_); }

  void verify() override {
    work_->check(context(), stream(), context().conditions().data, context().seed(), checks());
  }

 private:
  unsigned element_bytes() const { return params_.dtype == Dtype::fp32 ? 4 : 2; }

  Task task() {
    Task task{params_.variant, params_.gelu, params_.bias, params_.rows, params_.columns, params_.k, 1};
    if (task.array() / 4 > 0xffffffffu) {
      throw assay::BadParameter("rows", "rows × columns is above 2^34");
    }
    task.sets = sets_ = buffer_sets(set_bytes(task));
    return task;
  }

  // Of the arrays that each set has of its own.
  std::uint64_t set_bytes(const Task& task) const {
    const bool product = has_product(task.variant);
    const std::uint64_t input = product ? task.k * (task.rows + task.columns) : task.array();
    const std::uint64_t arrays =
        task.stored() + (product && kernels_of(task.variant) > 0 ? 1 : 0) + (task.bias == Bias::full ? 1 : 0);
    return (input + arrays * task.array()) * element_bytes();
  }

  const cublaslt::Handle& handle() {
    return context().keep<cublaslt::Handle>("cublaslt " + device().name(),
                                            [] { return std::make_unique<cublaslt::Handle>(); });
  }

  double seconds_of_one(std::uint64_t sets) {
    const assay::cuda::Event begin, end;
    for (std::uint64_t i = 0; i < sets; ++i) enqueue(stream(), i);
    begin.record(stream());
    for (std::uint64_t i = 0; i < sets; ++i) enqueue(stream(), i);
    end.record(stream());
    assay::cuda::wait(context(), end);
    return std::max(assay::cuda::seconds_between(begin, end), 1e-7) / static_cast<double>(sets);
  }

  void declare(const Task& task) {
    const double bytes = bytes_of(task.variant, task.bias, task.rows, task.columns, element_bytes());
    context().value("model_bytes", bytes);
    const double speedup = model_speedup(task.variant, task.bias, task.rows, task.columns, element_bytes());
    if (speedup > 0) context().value("model_speedup", speedup);
    work("latency", 1);
    if (!has_product(task.variant)) {
      work("bandwidth", bytes);
      return;
    }
    work("throughput", 2.0 * static_cast<double>(task.array()) * static_cast<double>(task.k));
    context().fact("library", "cuBLASLt " + cublaslt::version());
    context().fact("algorithm", work_->algorithm());
  }

  Params params_;
  std::uint64_t sets_ = 1;
  std::unique_ptr<Work> work_;
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("fused and separate kernels on NVIDIA GPUs");
    is.needs(ASSAY_CUBLASLT_SONAME, cublaslt::kHint);
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.fusion.cuda", "0.1.0", assay::cuda::backend, Fusion, About)
