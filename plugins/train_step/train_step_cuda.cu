// SPDX-License-Identifier: Apache-2.0
//
// train_step@cuda: training steps of a model on one NVIDIA GPU, or on several that average gradients. README.md says
// what is measured and why so.
#include "lib/cublaslt.hpp"
#include "lib/model/counts.hpp"
#include "train_step/cuda_parameters.hpp"
#include "train_step/cuda_step.hpp"
#include "train_step/cuda_step_check.hpp"
#include "train_step/options.hpp"
#include "train_step/phase_times.hpp"

#include <assay/cuda.hpp>
#include <assay/group.hpp>
#include <assay/plugin.hpp>
#include <assay/spans.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace {

namespace cublaslt = assay::plugins::cublaslt;
namespace model = assay::plugins::model;
namespace step = assay::plugins::train_step;
using step::Phase;

class TrainStep final : public assay::cuda::Benchmark {
 public:
  using Params = step::Parameters;

  static void describe(assay::Description<Params>& is) { step::describe_on_device(is); }

  TrainStep(const Params& params, assay::Case& run) : Benchmark(run), params_(params), group_(run) {
    options_.arithmetic = step::arithmetic_of(params);
    options_.of_step = step::step_options_of(params, group_.rank(), group_.size(), run.seed());
    options_.averages =
        params.strategy != step::Strategy::single && params.without != step::Without::communication;
    options_.host_cost = params.host_cost;
  }

  void probe() override {
    step::require_together(params_, group_.size());
    step::require_on_device(params_);
    model_ = model::model_of(params_);
    Benchmark::probe();
    if (options_.averages) step::library_of_collectives();
    if (options_.arithmetic != model::Arithmetic::fp32) device().require_architecture(80);
    step::require_countable(model_, options_.of_step);
    find_attention();
    constexpr std::uint64_t kLibrary = std::uint64_t{512} << 20;  // kernels' code, the context's own
    const step::StepBytes bytes = step::bytes_of_step(model_, options_);
    const std::uint64_t needed = bytes.total() + step::DeviceStepCheck::bytes(model_, options_) + kLibrary +
                                 (options_.averages ? step::kBytesOfCollectives : 0);
    try {
      device().require_memory(needed);
    } catch (const assay::Skip& skip) {
      throw assay::Skip(std::string(skip.what()) + "; a step takes " + std::to_string(bytes.total()) + ": " +
                        bytes.formula() + "; its check takes " +
                        std::to_string(step::DeviceStepCheck::bytes(model_, options_)));
    }
  }

  void prepare() override {
    probe();  // whoever did not ask before is told here
    // The first one makes the library load what it needs, so that the second shows what a step needs.
    make_step();
    step_.reset();
    const std::size_t before = device().memory().free_bytes;
    make_step();
    const std::size_t after = device().memory().free_bytes;
    // Of a device on which another process gave memory back meanwhile that is not known, and then of none.
    const std::vector<double> used =
        group_.allgather(before > after ? static_cast<double>(before - after) : 0.0);
    if (*std::min_element(used.begin(), used.end()) > 0) context().value("peak_memory", used[group_.rank()]);
    launches(operations_of_one());
    held(1);
    constexpr double kSample_s = 0.02;  // 5 µs of beginning and ending do not show
    samples_of_at_least(kSample_s, agreed(seconds_of_one()));
    idempotent();  // what is checked of the last step does not depend on how many there were
    inputs_follow_seed();
    declare();
    tick_s_ = agreed(Benchmark::traits().tick_s);
  }

  assay::Traits traits() override {
    assay::Traits traits = Benchmark::traits();
    traits.tick_s = tick_s_;
    traits.spans = true;
    return traits;
  }

  void restore() override { step_->restore(stream(), context().seed()); }

  // Samples and parameters stay, so that what the last timed step leaves can be checked where it lies.
  void destroy_results() override { step_->destroy_gradients(stream()); }

  void enqueue(cudaStream_t stream, std::uint64_t) override { step_->enqueue(stream); }

  void iterate(assay::Mode mode, std::uint64_t n, assay::Sample& sample) override {
    step_->begin(n);
    Benchmark::iterate(mode, n, sample);
    step_->throw_what_loading_threw();
    record_parts(sample.device_s / static_cast<double>(n));
    if (mode == assay::Mode::trace) report_spans(n - 1);
  }

  assay::Verification verification(assay::VerifyPhase phase) override {
    assay::Verification seen = Benchmark::verification(phase);
    step_->throw_what_loading_threw();
    if (phase == assay::VerifyPhase::before && step_->computes())
      context().value("loss", step_->loss(stream()));
    return seen;
  }

  void verify() override {
    checks().method("differences of the loss in double precision on the GPU, updates by formula");
    const step::DeviceStepCheck check(context(), group_, device(), handle(), *step_);
    check.check(stream(), checks());
  }

 private:
  const cublaslt::Handle& handle() {
    return context().keep<cublaslt::Handle>("cublaslt " + device().name(),
                                            [] { return std::make_unique<cublaslt::Handle>(); });
  }

  // Ranks state the same traits: the largest of their values is everyone's.
  double agreed(double mine) const {
    const std::vector<double> all = group_.allgather(mine);
    return *std::max_element(all.begin(), all.end());
  }

  // Once: plans of the library's take up to a second.
  void find_attention() {
    const bool narrow = model::bytes_of(options_.arithmetic).compute == 2;
    if (!why_unfused_.empty() || fused_ || params_.without == step::Without::compute) return;
    if (params_.attention == "unfused" || !narrow) {
      why_unfused_ = narrow ? "as the suite asks" : "no library has another for " + params_.dtype;
      return;
    }
    fused_ = model::FusedAttention::make(model_, options_.of_step.micro_batch, why_unfused_);
    options_.fused = fused_.get();
    if (!fused_ && params_.attention == "fused")
      throw assay::Skip("attention cannot be fused: " + why_unfused_);
  }

  void make_step() {
    step_ = step::make_device_step(
        context(), device(), handle(), model_, options_,
        step::CollectiveRanks{&context(), &group_, &device(), [this] { forget_graphs(); }});
    restore();
    step_->enqueue(stream());
    wait();
  }

  // Device operations of a step, as nodes of a graph.
  std::uint32_t operations_of_one() {
    ASSAY_CUDA_CHECK(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal));
    cudaGraph_t graph = nullptr;
    try {
      step_->enqueue(stream());
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
    context().fact("operations", std::to_string(nodes));
    return static_cast<std::uint32_t>(std::max<std::size_t>(1, nodes));
  }

  bool compresses() const { return options_.averages_halves() || options_.carries_on(); }

  double seconds_of_one() {
    const assay::cuda::Event begin, end;
    begin.record(stream());
    step_->enqueue(stream());
    end.record(stream());
    assay::cuda::wait(context(), end);
    step_->throw_what_loading_threw();
    return std::max(assay::cuda::seconds_between(begin, end), 1e-7);
  }

  void declare() {
    const double samples = static_cast<double>(options_.of_step.samples());
    work("step_time", 1);
    if (step_->computes()) {  // else no sample is looked at
      work("samples", samples);
      work("tokens", samples * static_cast<double>(model_.sequence));
      work("throughput", model::model_flops(model_, options_.of_step.samples()));
    }
    const step::StepBytes bytes = step::bytes_of_step(model_, options_);
    context().value("predicted_memory", static_cast<double>(bytes.total()));
    context().fact("memory_formula", bytes.formula());
    context().fact("parameters", std::to_string(model_.parameters()));
    context().fact("library", "cuBLASLt " + cublaslt::version());
    if (options_.averages) {
      context().value("buckets", static_cast<double>(step_->buckets()));
      context().value("communicated", step_->sent_bytes());
      context().fact("communication", step::library_of_collectives());
      if (compresses()) context().value("compression_ratio", step::compression_ratio(model_, options_));
    }
    declare_attention();
  }

  void declare_attention() {
    if (!step_->computes()) return;
    const std::size_t samples = options_.of_step.samples();
    const model::Flops forward = model::forward_flops(model_, samples),
                       backward = model::backward_flops(model_, samples);
    if (fused_) {  // what the library leaves out and computes again it does not say
      context().fact("attention", "fused: cuDNN " + fused_->version());
      return;
    }
    const model::Flops again =
        options_.of_step.recompute ? model::recomputed_flops(model_, samples) : model::Flops();
    double made = forward.products + backward.products + again.products;
    for (const model::Operation& operation : model_.operations) {
      if (operation.kind != model::Kind::attention) continue;
      const model::AttentionPieces pieces =
          model::attention_pieces(operation, model_.sequence, options_.of_step.micro_batch);
      // Of two products forward one is made again before the four backward.
      made += pieces.share(model_.sequence, operation.causal) *
              (1.5 * forward.attention + backward.attention + again.attention);
      context().fact("attention", "unfused: " + std::to_string(pieces.at_once) + " of " +
                                      std::to_string(pieces.pairs) + " samples' heads at once, " +
                                      std::to_string(pieces.bands * pieces.members) + " products each; " +
                                      why_unfused_);
      break;
    }
    work("hardware_throughput", made);
  }

  // Of the last step of a sample, whose events are still there, by the device's clock.
  void report_spans(std::uint64_t iteration) {
    constexpr std::uint32_t kDeviceClock = 1;
    const assay::Spans timeline(context());
    const assay::cuda::Event now;
    now.record(stream());
    assay::cuda::wait(context(), now);
    timeline.match(kDeviceClock, step_->clock_ns(now), context().now_ns());
    for (const step::PhaseSpan& span : step_->spans())
      timeline.add_by_clock(kDeviceClock, step::track_of(span.phase), step::name_of(span.phase),
                            span.begin_ns, span.end_ns, iteration);
  }

  // Replays of a graph leave the times of the last one only: its shares are those of the sample.
  void record_parts(double step_s) {
    const step::PhaseSeconds last = step_->seconds();
    const auto of = [&](Phase phase) { return last[static_cast<std::size_t>(phase)]; };
    const double all = of(Phase::loading) + of(Phase::forward) + of(Phase::backward) + of(Phase::exposed) +
                       of(Phase::optimizer);
    const auto part = [&](Phase phase) { return all > 0 ? step_s * of(phase) / all : 0.0; };
    context().value("forward_time", part(Phase::forward));
    context().value("backward_time", part(Phase::backward));
    context().value("optimizer_time", part(Phase::optimizer));
    if (options_.of_step.loads()) context().value("exposed_loading", step_->waited_for_samples_s());
    if (options_.averages) {
      context().value("exposed_communication", part(Phase::exposed));
      context().value("communication_time", part(Phase::communication));
      if (compresses()) context().value("compression_time", part(Phase::compression));
      if (options_.shards()) {
        context().value("gather_time", part(Phase::gather));
        context().value("reduce_time", part(Phase::reduce));
      }
      if (of(Phase::communication) > 0)
        context().value("overlap", std::max(0.0, 1 - of(Phase::exposed) / of(Phase::communication)));
    }
  }

  const Params params_;
  const assay::Group group_;
  step::DeviceStepOptions options_;
  model::Model model_;
  std::unique_ptr<model::FusedAttention> fused_;
  std::string why_unfused_;
  double tick_s_ = 0;
  std::unique_ptr<step::DeviceStep> step_;
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("training steps on NVIDIA GPUs");
    is.needs(ASSAY_CUBLASLT_SONAME, cublaslt::kHint);
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.train_step.cuda", "0.1.0", assay::cuda::backend, TrainStep, About)
