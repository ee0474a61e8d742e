// SPDX-License-Identifier: Apache-2.0
//
// gemm@cuda: C = A·B on one NVIDIA GPU through cuBLASLt. README.md says what is measured and why so.
#include "gemm/autotune_trial.hpp"
#include "gemm/device_parameters.hpp"
#include "gemm/load_history.hpp"
#include "gemm/tuner.hpp"
#include "lib/cublaslt.hpp"
#include "lib/product_arithmetic.hpp"
#include "lib/product_operands.cuh"
#include "lib/product_types.cuh"
#include "lib/sm_clock.hpp"

#include <assay/cuda.hpp>
#include <assay/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace cublaslt = assay::plugins::cublaslt;
using assay::Data;
using assay::Skip;
using assay::Thermal;
using namespace assay::plugins::gemm;  // NOLINT: the parts of this plugin

cublasLtEpilogue_t epilogue_of(Epilogue epilogue) {
  switch (epilogue) {
    case Epilogue::none:
      break;
    case Epilogue::bias:
      return CUBLASLT_EPILOGUE_BIAS;
    case Epilogue::gelu:
      return CUBLASLT_EPILOGUE_GELU;
    case Epilogue::bias_gelu:
      return CUBLASLT_EPILOGUE_GELU_BIAS;
  }
  return CUBLASLT_EPILOGUE_DEFAULT;
}

class Gemm final : public assay::cuda::Benchmark {
 public:
  using Params = DeviceParameters;

  static void describe(assay::Description<Params>& is) { assay::plugins::gemm::describe(is); }

  Gemm(const Params& params, assay::Case& run)
      : Benchmark(run),
        params_(params),
        type_(arithmetic_of(params.dtype, params.fast_accumulation)),
        shape_(shape_of(params.m, params.n, params.k, params.batch, params.layout, params.dtype)),
        history_(run.conditions().thermal == Thermal::burst ? LoadHistory(LoadHistory::kFirst_s, true)
                                                            : LoadHistory()) {
    if (params.fast_accumulation && !is_fp8(params.dtype)) {
      throw assay::BadParameter("fast_accumulation", "only fp8 products have a mode of fast accumulation");
    }
    const bool overflows =
        params.dtype == Dtype::fp16 && run.conditions().data == Data::ones && params.k > 65504;
    if (overflows) throw assay::BadParameter("k", "sums of more than 65504 ones are infinite in fp16");
  }

  void probe() override {
    Benchmark::probe();
    if (params_.dtype == Dtype::tf32 || params_.dtype == Dtype::bf16) device().require_architecture(80);
    if (is_fp8(params_.dtype)) device().require_architecture(89);
    device().require_memory(memory());
    find_algorithms();
  }

  void prepare() override {
    const Places places = this->places();
    workspace_ = assay::cuda::DeviceBuffer<std::byte>(device(), workspace_bytes());
    scale_ = assay::cuda::DeviceBuffer<float>(device(), 1);
    assay::cuda::fill(stream(), scale_, Data::ones, 0, 0);
    operands_ = make_operands(params_.dtype, device(), places, has_bias(params_.epilogue));
    clock_.emplace(device());
    product_.emplace(handle(), problem());
    operands_->restore(stream(), context().conditions().data, context().seed());
    wait();
    choose();
    launches(launches_of_one());
    work("throughput", shape_.operations());
    work("bandwidth", shape_.bytes(type_));
    idempotent();
    inputs_follow_seed();
    context().fact("library", "cuBLASLt " + cublaslt::version());
    context().fact("layout", std::string(shape_.transpose_a ? "t" : "n") + (shape_.transpose_b ? "t" : "n"));
    context().fact("workspace", std::to_string(workspace_bytes()));
  }

  void restore() override { operands_->restore(stream(), context().conditions().data, context().seed()); }

  void enqueue(cudaStream_t stream, std::uint64_t i) override { enqueue_with(stream, i, chosen_); }

  void iterate(assay::Mode mode, std::uint64_t n, assay::Sample& sample) override {
    if (mode != assay::Mode::measure) return Benchmark::iterate(mode, n, sample);
    clock_->begin(stream());
    Benchmark::iterate(mode, n, sample);
    clock_->end(stream());
    wait();
    const auto elapsed = clock_->elapsed();
    history_.add({static_cast<double>(n), sample.device_s, elapsed.cycles, elapsed.seconds,
                  static_cast<double>(sample.begin_ns) * 1e-9});
  }

  void verify() override {
    CheckPlan plan;
    plan.data = context().conditions().data;
    plan.seed = context().seed();
    plan.gelu = has_gelu(params_.epilogue);
    const bool whole_numbers = plan.data == Data::integer || plan.data == Data::ones ||
                               plan.data == Data::zeros || params_.dtype == Dtype::int8;
    const bool exact =
        params_.dtype == Dtype::int8 || largest_sum(params_.k, kLargestWhole) < type_.exact_below;
    plan.tolerances = {type_.input_error, type_.sum_error, type_.result_error,
                       whole_numbers && exact && !plan.gelu};
    operands_->check(context(), stream(), plan, checks());
    record_history();
  }

 private:
  static constexpr double kLargestWhole = 3;  // of `data: integer`
  static constexpr double kSample_s = 0.02, kHeldSample_s = 0.05, kBurstSample_s = 0.005;
  static constexpr double kQueued_s = 200e-6;  // of work behind the gate: queueing more goes on beside it
  static constexpr double kRestAfterTrials_s = 0.5;
  static constexpr double kHeldTrial_s[] = {0.15, 0.4, 0.8};  // by round of the trials
  static constexpr double kBurstLap_s[] = {0.005, 0.01, 0.02};

  Thermal thermal() const { return context().conditions().thermal; }

  std::uint64_t workspace_bytes() {
    return params_.workspace != 0 ? params_.workspace : workspace_for(device().architecture());
  }

  Places places() {
    const std::uint64_t a = stride_of(shape_.m * shape_.k, type_.a_bytes);
    const std::uint64_t b = stride_of(shape_.k * shape_.n, type_.b_bytes);
    const std::uint64_t c = stride_of(shape_.m * shape_.n, type_.c_bytes);
    const std::uint64_t bytes = shape_.batch * (a * type_.a_bytes + b * type_.b_bytes + c * type_.c_bytes);
    sets_ = buffer_sets(bytes);
    return {shape_.m, shape_.n, shape_.k, sets_ * shape_.batch, shape_.transpose_a, shape_.transpose_b,
            a,        b,        c};
  }

  // Of the matrices, of what checks need, and of the library.
  std::uint64_t memory() {
    constexpr std::uint64_t kLibrary = std::uint64_t{512} << 20;  // kernels' code, the context's own
    const Places all = places();
    const std::uint64_t matrices =
        all.products *
        (all.a_stride * type_.a_bytes + all.b_stride * type_.b_bytes + all.c_stride * type_.c_bytes);
    const std::uint64_t checking =
        all.products * all.k * (kMostRows / std::min<std::uint64_t>(kMostRows, all.products) + 1) * 8;
    return matrices + checking + workspace_bytes() + kLibrary;
  }

  const cublaslt::Handle& handle() {
    return context().keep<cublaslt::Handle>("cublaslt " + device().name(),
                                            [] { return std::make_unique<cublaslt::Handle>(); });
  }

  cublaslt::Problem problem() {
    const Places all = places();
    cublaslt::Problem problem;
    set_types(params_.dtype, problem);
    problem.m = shape_.m, problem.n = shape_.n, problem.k = shape_.k, problem.batch = shape_.batch;
    problem.transpose_a = shape_.transpose_a, problem.transpose_b = shape_.transpose_b;
    problem.a_stride = all.a_stride, problem.b_stride = all.b_stride, problem.d_stride = all.c_stride;
    problem.epilogue = epilogue_of(params_.epilogue);
    if (operands_ && has_bias(params_.epilogue)) problem.bias = operands_->bias();
    if (is_fp8(params_.dtype)) {
      problem.unit_scale = scale_.data();
      problem.fast_accumulation = params_.fast_accumulation;
    }
    return problem;
  }

  void find_algorithms() {
    const cublaslt::Product product(handle(), problem());
    const int most = params_.algorithm == Choice::autotune ? static_cast<int>(params_.candidates) : 1;
    algorithms_ = product.algorithms(most, workspace_bytes());
    if (!algorithms_.empty()) return;
    std::string text =
        "cuBLASLt " + cublaslt::version() + " has no algorithm for this product on " + device().name();
    if (is_fp8(params_.dtype) || params_.dtype == Dtype::int8) {
      text += is_fp8(params_.dtype) ? "; fp8 wants layout nt (up to Hopper), and m, n and k multiples of 16"
                                    : "; int8 wants layout nt, k and n multiples of 4, and no epilogue";
    } else if (params_.epilogue != Epilogue::none) {
      text += "; try epilogue: none, or 16-bit types";
    }
    throw Skip(text);
  }

  void enqueue_with(cudaStream_t stream, std::uint64_t i, std::size_t algorithm) {
    const std::uint64_t first = i % sets_ * shape_.batch;
    product_->enqueue(stream, operands_->a(first), operands_->b(first), operands_->c(first),
                      algorithms_[algorithm], workspace_.data(), workspace_bytes());
  }

  void choose() {
    std::optional<assay::cuda::CacheFlush> flush;
    if (context().conditions().cache == assay::Cache::cold) flush.emplace(device());
    Stopwatch stopwatch(context(), stream(), flush ? &*flush : nullptr);
    const auto queue = [&](std::size_t candidate) {
      return [this, candidate](std::uint64_t i) { enqueue_with(stream(), i, candidate); };
    };
    std::string place;
    if (params_.algorithm == Choice::autotune) {
      const bool burst = thermal() == Thermal::burst;
      std::vector<double> estimate_s(algorithms_.size());
      const TrialResult result = choose_algorithm(algorithms_.size(), [&](std::size_t candidate, int round) {
        try {
          if (estimate_s[candidate] == 0) estimate_s[candidate] = stopwatch.once(queue(candidate));
          return burst ? stopwatch.burst(queue(candidate), kBurstLap_s[round], estimate_s[candidate])
                       : stopwatch.held(queue(candidate), kHeldTrial_s[round], estimate_s[candidate]);
        } catch (const assay::Failure& failure) {
          if (failure.status() != ASSAY_E_INTERNAL || failure.domain() != "cublas") throw;
          return 0.0;  // offered, and refused when it was to run
        }
      });
      if (result.started == 0) throw assay::Failure("none of the algorithms that cuBLASLt offered runs");
      chosen_ = result.winner;
      stopwatch.rest(kRestAfterTrials_s);  // what is measured begins as without trials
      context().value("autotune_gain", result.gain);
      place = "; number " + std::to_string(chosen_ + 1) + " of " + std::to_string(algorithms_.size()) +
              ", chosen " + (burst ? "in bursts" : "under a held load");
    }
    const double iteration_s = stopwatch.once(queue(chosen_));
    held(static_cast<std::uint64_t>(std::ceil(kQueued_s / iteration_s)));
    // So long that what surrounds a sample, about 5 µs of time and 50 µs without load, does not show.
    samples_of_at_least(thermal() == Thermal::burst       ? kBurstSample_s
                        : thermal() == Thermal::sustained ? kHeldSample_s
                                                          : kSample_s,
                        iteration_s);
    context().fact("algorithm", cublaslt::text_of(algorithms_[chosen_]) + place);
  }

  // Device operations that one product takes: a sum over parts of k, for example, has a kernel of its own.
  std::uint32_t launches_of_one() {
    ASSAY_CUDA_CHECK(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal));
    cudaGraph_t graph = nullptr;
    try {
      enqueue(stream(), 0);
    } catch (...) {
      cudaStreamEndCapture(stream(), &graph);
      if (graph) cudaGraphDestroy(graph);
      throw;
    }
    ASSAY_CUDA_CHECK(cudaStreamEndCapture(stream(), &graph));
    std::size_t nodes = 0;
    const cudaError_t code = cudaGraphGetNodes(graph, nullptr, &nodes);
    cudaGraphDestroy(graph);
    assay::cuda::check(code, "cudaGraphGetNodes");
    return static_cast<std::uint32_t>(std::max<std::size_t>(1, nodes));
  }

  void record_history() {
    const auto clock = history_.clock();
    if (clock) {
      context().value("sm_clock", *clock);
      const double per_clock = operations_per_clock(device().architecture(), params_.dtype);
      if (per_clock > 0) context().value("clock_peak", *clock * per_clock * device().sm_count());
    }
    const auto drop = history_.drop();
    if (drop && thermal() != Thermal::burst) context().value("sustained_drop", *drop);
  }

  Params params_;
  Arithmetic type_;
  Shape shape_;
  std::uint64_t sets_ = 1;
  assay::cuda::DeviceBuffer<std::byte> workspace_;
  assay::cuda::DeviceBuffer<float> scale_;
  std::unique_ptr<Operands> operands_;
  std::optional<assay::plugins::SmClock> clock_;
  std::optional<cublaslt::Product> product_;
  std::vector<cublaslt::Algorithm> algorithms_;
  std::size_t chosen_ = 0;
  LoadHistory history_;
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("matrix products on NVIDIA GPUs");
    is.needs(ASSAY_CUBLASLT_SONAME, cublaslt::kHint);
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.gemm.cuda", "0.1.0", assay::cuda::backend, Gemm, About)
