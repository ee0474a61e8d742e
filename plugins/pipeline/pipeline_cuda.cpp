// SPDX-License-Identifier: Apache-2.0
//
// pipeline@cuda: training steps of a model that is cut into stages, on a GPU for each or on one that they share; and what
// the simulator says of such a step. README.md says what is measured and why so.
#include "lib/cublaslt.hpp"
#include "lib/model/cuda_fused_attention.hpp"
#include "pipeline/device_parameters.hpp"
#include "pipeline/device_pipeline.hpp"
#include "pipeline/device_step_check.hpp"
#include "pipeline/layout.hpp"
#include "pipeline/parameters.hpp"
#include "pipeline/sm_partitions.hpp"
#include "pipeline/span_names.hpp"
#include "pipeline/stage_map.hpp"

#include <assay/cuda/device.hpp>
#include <assay/cuda/kept_stream.hpp>
#include <assay/group.hpp>
#include <assay/host.hpp>
#include <assay/plugin.hpp>
#include <assay/spans.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace cublaslt = assay::plugins::cublaslt;
namespace model = assay::plugins::model;
namespace pipeline = assay::plugins::pipeline;

// Timed by the host's clock, because a step begins on one GPU and ends on another.
class Pipeline final : public assay::host::Benchmark {
 public:
  using Params = pipeline::Parameters;

  static void describe(assay::Description<Params>& is) { pipeline::describe_on_device(is); }

  Pipeline(const Params& params, assay::Case& run) : Benchmark(run), params_(params), group_(run) {}

  void probe() override {
    options_.arithmetic = pipeline::arithmetic_of(params_);
    options_.optimizer = params_.optimizer;
    options_.recompute = params_.recompute;
    options_.buffers = params_.buffers;
    const std::uint32_t stages = pipeline::stages_on_devices(params_, group_.size());
    layout_ = pipeline::layout_of(params_, stages);
    pipeline::require_on_device(params_, layout_, group_.size());
    pipeline::require_countable(layout_, "device memory");
    if (shares() && graph())
      throw assay::Skip(
          "launch: graph goes with a GPU for each stage; stages that share one are queued in streams");
    device_ = assay::cuda::Device::select(context());
    if (options_.arithmetic != model::Arithmetic::fp32) device_->require_architecture(80);
    find_attention();
    require_memory();
  }

  void prepare() override {
    probe();  // whoever did not ask before is told here
    agree_on_attention();
    if (shares()) find_partitions();
    context().fact("sharing", sharing());
    context().fact("attention", fused_ ? "fused: cuDNN " + fused_->version() : "unfused: " + why_unfused_);
    done(graph() ? ASSAY_DONE_HOT | ASSAY_DONE_GRAPH : ASSAY_DONE_HOT);
    // The first one makes the library load what it needs, so that the second shows what a stage needs.
    make();
    pipeline_.reset();
    make();
    pipeline_->measure_costs();
    declare();
  }

  assay::Traits traits() override {
    assay::Traits traits = Benchmark::traits();
    traits.spans = true;
    traits.parts = true;  // reading the stages' events is not part of a step
    traits.unlike_ranks = group_.size() > 1;
    return traits;
  }

  void restore() override {
    pipeline_->restore();
    context().throw_if_cancelled();
  }

  // Samples and parameters stay, so that what the last timed step leaves can be checked where it lies.
  void destroy_results() override { pipeline_->destroy_gradients(); }

  void run(std::uint64_t n) override {
    for (std::uint64_t i = 0; i < n; ++i) {
      context().throw_if_cancelled();
      seconds_ += pipeline_->step().seconds;
      if (mode_ == assay::Mode::measure) pipeline_->keep();
      if (mode_ == assay::Mode::trace) spans_.push_back(pipeline_->spans());
    }
  }

  void iterate(assay::Mode mode, std::uint64_t n, assay::Sample& sample) override {
    mode_ = mode;
    seconds_ = 0;
    Benchmark::iterate(mode, n, sample);
    // Of ranks each has its own time: one that began a step later than another has not seen all of it.
    if (group_.size() == 1) sample.host_s = sample.device_s = seconds_;
    mode_ = assay::Mode::verify;
    if (mode == assay::Mode::measure) pipeline_->record();
    if (mode == assay::Mode::trace) report_spans();
  }

  void settle() override { assay::cuda::synchronise_devices(context()); }

  assay::Verification verification(assay::VerifyPhase phase) override {
    assay::Verification seen = Benchmark::verification(phase);
    if (phase == assay::VerifyPhase::before) pipeline_->record_loss();
    if (phase == assay::VerifyPhase::after) pipeline_->measure_costs();
    return seen;
  }

  void verify() override { pipeline_->verify(checks()); }

 private:
  bool shares() const { return layout_.schedule.stages > group_.size(); }
  bool graph() const { return context().conditions().launch == assay::Launch::graph; }

  const cublaslt::Handle& handle() {
    return context().keep<cublaslt::Handle>("cublaslt " + device_->name(),
                                            [] { return std::make_unique<cublaslt::Handle>(); });
  }

  // Once: plans of the library's take up to a second.
  void find_attention() {
    if (!why_unfused_.empty() || fused_) return;
    const bool narrow = model::bytes_of(options_.arithmetic).compute == 2;
    if (params_.attention == "unfused" || !narrow || shares()) {
      why_unfused_ = !narrow                          ? "no library has another for " + params_.dtype
                     : params_.attention == "unfused" ? "as the suite asks"
                                                      : "stages share the GPU";
      return;
    }
    fused_ = model::FusedAttention::make(layout_.model, layout_.micro_batch, why_unfused_);
    options_.fused = fused_ != nullptr;
    if (!fused_ && params_.attention == "fused")
      throw assay::Skip("attention cannot be fused: " + why_unfused_);
  }
  // Each rank plans all stages' memory, so all have to do the same.
  void agree_on_attention() {
    for (const char found : group_.allgather(static_cast<char>(fused_ ? 1 : 0))) {
      if (found != 0 || !fused_) continue;
      fused_.reset();
      options_.fused = false;
      why_unfused_ = "another rank has none";
    }
  }

  void require_memory() const {
    constexpr std::uint64_t kLibrary = std::uint64_t{512} << 20;  // kernels' code, the context's own
    std::uint64_t stages = 0;
    std::string formula;
    for (const pipeline::StageMap& map : pipeline::maps_of(layout_, options_)) {
      const bool here = group_.size() == 1 || map.stage() == group_.rank();
      if (!here) continue;
      stages += map.bytes().total();
      formula += "; stage " + std::to_string(map.stage()) + " takes " + std::to_string(map.bytes().total()) +
                 ": " + map.bytes().formula();
    }
    const std::uint64_t check = pipeline::DeviceStepCheck::bytes(layout_);
    try {
      device_->require_memory(stages + check + kLibrary);
    } catch (const assay::Skip& skip) {
      throw assay::Skip(std::string(skip.what()) + formula + "; the check of a step takes " +
                        std::to_string(check));
    }
  }

  void find_partitions() {
    const std::uint32_t count = layout_.schedule.stages;
    const std::string key = std::to_string(count) + " partitions of " + device_->name();
    struct Kept {
      std::unique_ptr<pipeline::SmPartitions> partitions;
      std::string why;
    };
    const Kept& kept = context().keep<Kept>(key, [&] {
      auto made = std::make_unique<Kept>();
      made->partitions = pipeline::SmPartitions::make(*device_, count, made->why);
      return made;
    });
    partitions_ = kept.partitions.get();
    why_not_partitioned_ = kept.why;
  }

  std::string sharing() const {
    if (!shares()) return "a GPU for each stage";
    if (partitions_ == nullptr) return "streams, which take what SMs they get: " + why_not_partitioned_;
    return "SM partitions of " + std::to_string(partitions_->sms()) + " SMs";
  }

  void make() {
    const cudaStream_t stream = assay::cuda::kept_stream(context(), *device_);
    pipeline_.emplace(
        pipeline::DevicePlace{context(), group_, *device_, handle(), stream, partitions_, fused_.get()},
        layout_, options_, graph());
    pipeline_->start();
  }

  // Of the work of a step each rank declares as much as the others, though their parts of the model differ.
  void declare() {
    const auto batch = static_cast<double>(layout_.batch);
    work("step_time", 1);
    work("samples", batch / group_.size());
    work("tokens", batch * static_cast<double>(layout_.model.sequence) / group_.size());
    idempotent();  // what is checked of the last step does not depend on how many there were
    inputs_follow_seed();
  }

  // After the region, because telling the host takes longer than a small copy.
  void report_spans() {
    const assay::Spans timeline(context());
    for (std::uint64_t step = 0; step < spans_.size(); ++step) {
      for (const pipeline::DevicePipeline::Span& span : spans_[step]) {
        timeline.add(("stage " + std::to_string(span.stage)).c_str(),
                     pipeline::span_name(span.action, layout_.schedule.chunks).c_str(), span.begin_ns,
                     span.end_ns, step);
      }
    }
    spans_.clear();
  }

  const Params params_;
  const assay::Group group_;
  pipeline::DeviceOptions options_;
  pipeline::Layout layout_;
  std::optional<assay::cuda::Device> device_;
  std::unique_ptr<model::FusedAttention> fused_;
  std::string why_unfused_, why_not_partitioned_;
  const pipeline::SmPartitions* partitions_ = nullptr;  // the plugin keeps them for later cases
  assay::Mode mode_ = assay::Mode::verify;
  double seconds_ = 0;  // of the region's steps
  std::vector<std::vector<pipeline::DevicePipeline::Span>> spans_;
  std::optional<pipeline::DevicePipeline> pipeline_;
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("training steps of pipelines on NVIDIA GPUs");
    is.needs(ASSAY_CUBLASLT_SONAME, cublaslt::kHint);
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.pipeline.cuda", "0.1.0", "cuda", Pipeline, About)
