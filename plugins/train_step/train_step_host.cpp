// SPDX-License-Identifier: Apache-2.0
//
// train_step@host: training steps of a model in fp32 on the CPUs, of one rank or of several that average their
// gradients, or divide what they hold, over memory that they share.
#include "lib/cpu_team.hpp"
#include "lib/host_products.hpp"
#include "lib/model/choice.hpp"
#include "lib/model/counts.hpp"
#include "lib/model/rank_cpus.hpp"
#include "lib/model/settled_memory.hpp"
#include "lib/process_memory.hpp"
#include "train_step/host_ranks.hpp"
#include "train_step/memory_formula.hpp"
#include "train_step/options.hpp"
#include "train_step/parameters.hpp"
#include "train_step/step_check.hpp"
#include "train_step/training_step.hpp"

#include <assay/contracts/train_step_1.hpp>
#include <assay/host.hpp>
#include <assay/memory.hpp>
#include <assay/plugin.hpp>
#include <assay/spans.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace step = assay::plugins::train_step;
namespace model = assay::plugins::model;
using step::Phase;

class TrainStep final : public assay::host::Benchmark {
 public:
  using Params = step::Parameters;

  static void describe(assay::Description<Params>& is) {
    namespace contract = assay::contracts::train_step_1;
    contract::implement(is).revision(1);
    is.summary(
        "training steps of a model on the CPUs, on one rank or on several that average gradients or hold shares");
    is.doc(
        "Forward pass, backward pass and update in fp32, products by OpenBLAS. Every parameter, gradient, number "
        "of the optimiser and activation has its own memory. Labels are drawn anew in each step and say nothing "
        "of the samples, so that nothing is learnt: the work is that of training. Ranks are processes of one "
        "machine and share its cores and memory: algorithms can be compared, networks cannot.");
    step::describe_way(is);
    model::describe_model(is);
    step::describe_batches(is);
    contract::dtype(is, &Params::dtype).values({"fp32"}).help("type of parameters and products");
    is.param("threads", &Params::threads)
        .range(0, 65536)
        .help("threads of a rank; 0: the allowed CPUs, divided among the ranks of this machine");
    step::describe_metrics(is, "CPU threads, OpenBLAS", "");
    step::describe_moves(is);
    step::describe_compression(is);
    contract::exposed_loading(is);
    is.fact("parameters", "number of parameters of the model");
    is.fact("memory_formula", "terms that predicted_memory adds up");
    is.fact("threads", "threads of each rank");
    is.fact("processors", "processors that the ranks may use");
    is.fact("library", "OpenBLAS' own description of the build and kernels that it chose");
    is.supports({assay::Cache::hot});
    is.ranks(1, 64).devices(1, 1);
  }

  TrainStep(const Params& params, assay::Case& run) : Benchmark(run), params_(params), group_(run) {}

  void probe() override {
    step::require_together(params_, group_.size());
    model_ = model::model_of(params_);
  }

  void prepare() override {
    probe();  // whoever did not ask before is told here
    const step::StepOptions options =
        step::step_options_of(params_, group_.rank(), group_.size(), context().seed());
    step::require_countable(model_, options);
    ranks_.emplace(model_, options, params_.strategy);
    const step::StepSizes sizes = ranks_->sizes();
    require_memory(sizes);
    const auto cpus = assay::plugins::model::start_threads(context(), group_, params_.threads, workers_);
    // Ranks that communicate beside computing have one thread more each, and those that load theirs of the loader.
    const bool beside = ranks_->communicate() && params_.overlap;
    const std::size_t more = (beside ? 1 : 0) + (options.loads() ? options.loader_workers : 0);
    crowded_ = cpus.lacking > 0 || cpus.spare < more * cpus.ranks;
    before_ = model::settled_memory(model_, options.micro_batch, params_.without != step::Without::compute);
    if (!assay::plugins::forget_peak_memory()) before_.reset();
    const step::StepMemory memory = allocate(sizes);
    if (ranks_->communicate()) ranks_->connect(group_, crowded_, [this] { return context().cancelled(); });
    step_ = ranks_->make_step(
        memory, *workers_, [this] { return context().now_ns(); }, [this] { return context().cancelled(); });
    predict_memory(sizes);
    declare();
  }

  assay::Traits traits() override {
    assay::Traits traits = Benchmark::traits();
    traits.spans = true;
    return traits;
  }

  void restore() override {
    step_->restore(context().seed());
    context().throw_if_cancelled();
  }

  // Samples and parameters stay, so that what the last timed step leaves can be checked where it lies. Where
  // gradients are an input, all begins anew.
  void destroy_results() override {
    if (params_.without == step::Without::compute) {
      restore();
    } else {
      step_->destroy_gradients();
    }
  }

  void run(std::uint64_t n) override {
    step_->begin(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      context().throw_if_cancelled();
      step_->run();
      if (is_timed_) times_.add(step_->seconds());
      if (i == 0) first_wait_s_ = step_->seconds()[static_cast<std::size_t>(Phase::loading)];
      if (is_traced_) spans_.push_back(step_->spans());
    }
  }

  void iterate(assay::Mode mode, std::uint64_t n, assay::Sample& sample) override {
    times_.begin_sample();
    is_timed_ = true;
    is_traced_ = mode == assay::Mode::trace;
    Benchmark::iterate(mode, n, sample);
    is_timed_ = is_traced_ = false;
    record_times(n);
    report_spans();
  }

  assay::Verification verification(assay::VerifyPhase phase) override {
    assay::Verification seen = Benchmark::verification(phase);
    if (phase == assay::VerifyPhase::before && params_.without != step::Without::compute)
      context().value("loss", step_->loss());
    return seen;
  }

  void verify() override {
    record_peak_memory();
    checks().method("differences of the loss in double precision, updates by formula, ranks by hash");
    const step::StepView left = step_->view();
    const step::StepCheck check(
        left, [this](std::uint64_t mine) { return group_.allgather(mine); },
        [this] { context().throw_if_cancelled(); });
    check.check(checks());
  }

 private:
  // One looks, so that none goes on without the others.
  void require_memory(const step::StepSizes& sizes) const {
    const std::optional<std::uint64_t> seen = assay::plugins::available_memory();
    struct {
      bool known;
      std::uint64_t bytes;
    } available{seen.has_value(), seen.value_or(0)};
    group_.broadcast(available);
    std::string what =
        std::to_string(group_.size()) + " x (" + step::memory_formula(model_.parameters(), sizes) + ")";
    if (ranks_->communicate())
      what += " and " + assay::plugins::memory_text(ranks_->all_shared_bytes()) + " that they share";
    assay::plugins::require_memory(group_.size() * sizes.bytes() + ranks_->all_shared_bytes(),
                                   available.known ? std::optional(available.bytes) : std::nullopt, what);
  }

  step::StepMemory allocate(const step::StepSizes& sizes) {
    const auto floats = [this](std::size_t count) { return arrays_.emplace_back(context(), count).data(); };
    step::StepMemory memory;
    memory.parameters = floats(sizes.parameters);
    memory.gradients = floats(sizes.gradients);
    if (sizes.state != 0) {
      memory.first_moments = floats(sizes.state);
      memory.second_moments = floats(sizes.state);
    }
    memory.gathered = floats(sizes.gathered);
    memory.unreduced = floats(sizes.unreduced);
    memory.compression = floats(sizes.compression);
    memory.activations = floats(sizes.activations);
    memory.workspace = floats(sizes.workspace);
    memory.scratch = floats(sizes.scratch);
    memory.features = floats(sizes.features);
    tokens_ = assay::HostBuffer<std::int32_t>(context(), sizes.tokens);
    labels_ = assay::HostBuffer<std::int32_t>(context(), sizes.labels);
    memory.tokens = tokens_.data();
    memory.labels = labels_.data();
    return memory;
  }

  void predict_memory(const step::StepSizes& sizes) const {
    context().value("predicted_memory", static_cast<double>(sizes.bytes() + ranks_->shared_bytes()));
    std::string text = step::memory_formula(model_.parameters(), sizes);
    if (ranks_->communicate()) {
      text += ", what ranks share " + assay::plugins::memory_text(ranks_->shared_bytes());
    }
    context().fact("memory_formula", text);
  }

  // After the first step, and before a check of one, which needs memory of its own.
  void record_peak_memory() {
    const std::optional<std::uint64_t> peak = assay::plugins::peak_memory();
    if (before_ && peak && *peak > *before_)
      context().value("peak_memory", static_cast<double>(*peak - *before_));
    before_.reset();
  }

  void declare() {
    const double samples = static_cast<double>(step_->options().samples());
    work("step_time", 1);
    if (params_.without != step::Without::compute) {  // else no sample is looked at
      work("samples", samples);
      work("tokens", samples * static_cast<double>(model_.sequence));
      work("throughput", model::model_flops(model_, step_->options().samples()));
      work("hardware_throughput", hardware_flops());
    }
    context().value("buckets", static_cast<double>(ranks_->units()));
    context().value("communicated", ranks_->sent_bytes());
    if (ranks_->compression() != nullptr) {
      context().value("compression_ratio", 4 * static_cast<double>(model_.parameters()) /
                                               static_cast<double>(ranks_->compression()->bytes()));
    }
    context().fact("parameters", std::to_string(model_.parameters()));
    done(ASSAY_DONE_HOT);
    idempotent();  // what is checked of the last step does not depend on how many there were
    inputs_follow_seed();
  }

  // Of the products that a step makes.
  double hardware_flops() const {
    const std::size_t samples = step_->options().samples();
    double flops =
        model::forward_flops(model_, samples).total() + model::backward_flops(model_, samples).total();
    if (params_.recompute) flops += model::recomputed_flops(model_, samples).total();
    return flops;
  }

  // After the region, because telling the host takes longer than small steps do.
  void report_spans() {
    const assay::Spans timeline(context());
    for (std::uint64_t i = 0; i < spans_.size(); ++i)
      for (const step::PhaseSpan& span : spans_[i])
        timeline.add(step::track_of(span.phase), step::name_of(span.phase), span.begin_ns, span.end_ns, i);
    spans_.clear();
  }

  // Of a step of the sample, without the first one: nothing lies before it behind which its samples could be made.
  double exposed_loading(std::uint64_t steps) const {
    const double mean_s = times_.mean(Phase::loading), n = static_cast<double>(steps);
    return steps > 1 ? std::max(0.0, (mean_s * n - first_wait_s_) / (n - 1)) : mean_s;
  }

  // The parts of the sample that was taken.
  void record_times(std::uint64_t steps) {
    context().value("forward_time", times_.mean(Phase::forward));
    context().value("backward_time", times_.mean(Phase::backward));
    context().value("optimizer_time", times_.mean(Phase::optimizer));
    if (step_->options().loads()) context().value("exposed_loading", exposed_loading(steps));
    context().value("exposed_communication", times_.mean(Phase::exposed));
    context().value("communication_time", times_.mean(Phase::communication));
    if (const auto exposed = times_.share(Phase::exposed, Phase::communication))
      context().value("overlap", std::max(0.0, 1 - *exposed));
    if (ranks_->hold_shares()) {
      context().value("gather_time", times_.mean(Phase::gather));
      context().value("reduce_time", times_.mean(Phase::reduce));
    }
    if (ranks_->compression() != nullptr)
      context().value("compression_time", times_.mean(Phase::compression));
  }

  const Params params_;
  assay::Group group_;
  model::Model model_;
  bool crowded_ = false;
  double first_wait_s_ = 0;
  bool is_timed_ = false, is_traced_ = false;
  std::optional<std::uint64_t> before_;  // bytes that the process had in use without a step's arrays
  step::PhaseTimes times_;
  std::vector<std::vector<step::PhaseSpan>> spans_;  // of each step of a traced sample
  std::vector<assay::HostBuffer<float>> arrays_;
  assay::HostBuffer<std::int32_t> tokens_, labels_;
  std::optional<model::HostWorkers> workers_;
  std::optional<step::HostRanks> ranks_;
  std::unique_ptr<step::TrainingStep> step_;  // last: it uses what is above, on a thread of its own, too
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("training steps on the CPUs");
    is.needs("libopenblas.so.0", "apt-get install libopenblas0");
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.train_step.host", "0.1.0", assay::host::backend, TrainStep, About)
