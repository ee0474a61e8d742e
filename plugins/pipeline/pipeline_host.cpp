// SPDX-License-Identifier: Apache-2.0
//
// pipeline@host: training steps of a model that is cut into stages, each a process of its own on the CPUs, which hand
// activations and gradients over in memory that they share; and what the simulator says of such a step.
#include "pipeline/layout.hpp"
#include "pipeline/parameters.hpp"
#include "pipeline/real_pipeline.hpp"
#include "pipeline/simulated_pipeline.hpp"
#include "pipeline/span_names.hpp"

#include <assay/contracts/pipeline_1.hpp>
#include <assay/host.hpp>
#include <assay/plugin.hpp>
#include <assay/spans.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace pipeline = assay::plugins::pipeline;
namespace model = assay::plugins::model;

class Pipeline final : public assay::host::Benchmark {
 public:
  using Params = pipeline::Parameters;

  static void describe(assay::Description<Params>& is) {
    namespace contract = assay::contracts::pipeline_1;
    contract::implement(is).revision(1);
    is.summary("training steps of a model that is cut into stages, measured and simulated");
    is.doc(
        "A stage is a rank. Each computes its layers in fp32, products by OpenBLAS, in the order that the schedule "
        "says, and hands activations and gradients to its neighbours by copies in memory that ranks share. Beside "
        "the measured step stands what the simulator makes of the stages' costs, which are measured one stage at a "
        "time, before and after the samples. With fewer processors than threads a step cannot be what the simulator "
        "says, and no error of it is given. `mode: simulate` asks the simulator alone: its metrics have names of "
        "their own, and those of a measured step are not there.");
    pipeline::describe_pipeline(is);
    model::describe_model(is);
    contract::dtype(is, &Params::dtype).values({"fp32"}).help("type of parameters and products");
    is.param("threads", &Params::threads)
        .range(0, 65536)
        .help(
            "threads of a stage; 0: the allowed CPUs, divided among "
            "the ranks of this machine; of simulate 1");
    pipeline::describe_costs(is);
    pipeline::describe_metrics(is, "CPU threads, OpenBLAS");
    is.fact("split", "layers of each part of the model");
    is.fact("parameters", "number of parameters of the model");
    is.fact("memory_formula",
            "terms that predicted_stage_memory adds up; messages are counted at both of their ends");
    is.fact("threads", "threads of each stage");
    is.fact("processors", "processors that the stages may use");
    is.fact("library", "OpenBLAS' own description of the build and kernels that it chose");
    is.fact("costs", "origin of the costs that mode: simulate uses");
    is.supports({assay::Cache::hot});
    is.ranks(1, 64).devices(1, 1);
  }

  Pipeline(const Params& params, assay::Case& run) : Benchmark(run), params_(params), group_(run) {}

  void probe() override { layout(); }

  void prepare() override {
    done(ASSAY_DONE_HOT);
    if (params_.mode == pipeline::Mode::simulate) {
      simulated_.emplace(params_, context(), layout());
      work("simulated_step_time", 1);
      return;
    }
    real_.emplace(params_, context(), group_, layout());
    declare();
  }

  assay::Traits traits() override {
    assay::Traits traits = Benchmark::traits();
    if (simulated_) traits.clock = assay::Clock::simulated;
    traits.spans = real_.has_value();
    traits.unlike_ranks = real_.has_value();
    return traits;
  }

  void restore() override {
    if (real_) real_->restore();
    if (simulated_) simulated_->destroy();
    context().throw_if_cancelled();
  }

  // Samples and parameters stay, so that what the last timed step leaves can be checked where it lies.
  void destroy_results() override {
    if (real_) real_->destroy_gradients();
    if (simulated_) simulated_->destroy();
  }

  void run(std::uint64_t n) override {
    if (simulated_) {
      // Each step is like the one before it, and its clock is none of this machine's: steps of a nanosecond would be made
      // for minutes until there are enough of them.
      context().throw_if_cancelled();
      simulated_->simulate();
      return;
    }
    for (std::uint64_t i = 0; i < n; ++i) {
      context().throw_if_cancelled();
      real_->step();
      if (mode_ == assay::Mode::measure) real_->keep();
      if (mode_ == assay::Mode::trace) spans_.push_back(real_->events());
    }
  }

  void iterate(assay::Mode mode, std::uint64_t n, assay::Sample& sample) override {
    mode_ = mode;
    Benchmark::iterate(mode, n, sample);
    mode_ = assay::Mode::verify;
    if (simulated_) sample.host_s = sample.device_s = simulated_->seconds() * static_cast<double>(n);
    if (real_ && mode == assay::Mode::measure) real_->record();
    if (mode == assay::Mode::trace) report_spans();
  }

  assay::Verification verification(assay::VerifyPhase phase) override {
    assay::Verification seen = Benchmark::verification(phase);
    if (real_ && phase == assay::VerifyPhase::before) real_->record_loss();
    if (real_ && phase == assay::VerifyPhase::after) real_->measure_costs();
    return seen;
  }

  void verify() override {
    if (real_) real_->verify(checks());
    if (simulated_) simulated_->verify(checks());
  }

 private:
  pipeline::Layout layout() const {
    return pipeline::layout_of(params_, pipeline::stages_of(params_, group_.size()));
  }

  // Of the work of a step each rank declares as much as the others, though their parts of the model differ.
  double share_of(double work) const { return work / group_.size(); }

  void declare() {
    const auto batch = static_cast<double>(real_->layout().batch);
    work("step_time", 1);
    work("samples", share_of(batch));
    work("tokens", share_of(batch * static_cast<double>(real_->layout().model.sequence)));
    idempotent();  // what is checked of the last step does not depend on how many there were
    inputs_follow_seed();
  }

  // After the region, because telling the host takes longer than a small copy.
  void report_spans() {
    const assay::Spans timeline(context());
    const std::string track = "stage " + std::to_string(real_->number());
    for (std::uint64_t step = 0; step < spans_.size(); ++step)
      for (const pipeline::Stage::Event& event : spans_[step])
        timeline.add(track.c_str(),
                     pipeline::span_name(event.action, real_->layout().schedule.chunks).c_str(),
                     event.begin_ns, event.end_ns, step);
    spans_.clear();
  }

  const Params params_;
  assay::Group group_;
  assay::Mode mode_ = assay::Mode::verify;
  std::vector<std::vector<pipeline::Stage::Event>> spans_;
  std::optional<pipeline::RealPipeline> real_;
  std::optional<pipeline::SimulatedPipeline> simulated_;
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("training steps of pipelines on the CPUs");
    is.needs("libopenblas.so.0", "apt-get install libopenblas0");
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.pipeline.host", "0.1.0", assay::host::backend, Pipeline, About)
