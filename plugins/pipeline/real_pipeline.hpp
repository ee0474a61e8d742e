// SPDX-License-Identifier: Apache-2.0
//
// A stage of a pipeline whose stages are the ranks of a case.
#pragma once

#include "lib/available_memory.hpp"
#include "lib/cpu_team.hpp"
#include "lib/host_products.hpp"
#include "lib/model/rank_cpus.hpp"
#include "lib/model/settled_memory.hpp"
#include "lib/process_memory.hpp"
#include "lib/rank_memory.hpp"
#include "pipeline/channels.hpp"
#include "pipeline/layout.hpp"
#include "pipeline/parameters.hpp"
#include "pipeline/prediction.hpp"
#include "pipeline/stage.hpp"
#include "pipeline/stage_costs.hpp"
#include "pipeline/step_board.hpp"
#include "pipeline/step_check.hpp"

#include <assay/group.hpp>
#include <assay/memory.hpp>
#include <assay/verification.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace assay::plugins::pipeline {

class RealPipeline {
 public:
  // Ranks all make it, with the same layout. Throws Skip where it does not fit, before anything is allocated.
  RealPipeline(const Parameters& params, const Case& run, const Group& group, Layout layout)
      : params_(params),
        run_(run),
        group_(group),
        layout_(std::move(layout)),
        options_(stage_options_of(params)),
        map_(layout_, params.buffers) {
    require_countable(layout_);
    require_memory();
    crowded_ = model::start_threads(run_, group_, params_.threads, workers_).lacking > 0;
    before_ = model::settled_memory(layout_.model, layout_.micro_batch, true);
    if (!forget_peak_memory()) before_.reset();
    shared_ = std::make_unique<RankMemory>(group_, StepBoard::bytes(group_.size()) + map_.bytes());
    const auto cancelled = [this] { return run_.cancelled(); };
    board_.emplace(shared_->data(), group_.rank(), group_.size(), crowded_, cancelled);
    channels_.emplace(map_, shared_->data() + StepBoard::bytes(group_.size()), crowded_, cancelled);
    const auto allocate = [this](std::size_t floats) { return arrays_.emplace_back(run_, floats).data(); };
    stage_.emplace(layout_, group_.rank(), options_, allocate, *workers_, clock());
    costs_.emplace(*stage_, clock(), [this] { run_.throw_if_cancelled(); });
    say_facts();
    // The first step finds all memory untouched; costs are those of later ones.
    stage_->restore(run_.seed());
    step();
    record_memory();
    measure_costs();
  }

  void restore() { stage_->restore(run_.seed()); }
  void destroy_gradients() { stage_->destroy_gradients(); }

  void step() {
    const StageRecord mine = stage_->run(*channels_);
    last_ = step_of(board_->finish(mine));
    mine_ = mine;
  }

  // Of the steps since the last call that were kept by keep().
  void keep() {
    steps_.add(last_.seconds);
    bubbles_.add(last_.bubble);
    busy_.add(static_cast<double>(mine_.busy_ns) * 1e-9);
    busy_ns_ += mine_.busy_ns;
    transfer_ns_ += mine_.transfer_ns;
    ++kept_;
  }

  void record_loss() { run_.value("loss", last_.loss); }

  const std::vector<Stage::Event>& events() const { return stage_->events(); }
  const Layout& layout() const { return layout_; }
  std::uint32_t number() const { return group_.rank(); }

  void verify(Verification& seen) const {
    seen.method(
        "tags of messages, differences of the whole model's loss in double precision, updates by formula");
    const StepCheck check(
        *stage_, params_.optimizer, run_.seed(),
        [this](std::uint64_t mine) { return group_.allgather(mine); }, [this] { run_.throw_if_cancelled(); });
    check.check_passage(seen);
    const RankMemory memory(group_, WholeModel::bytes(layout_.model));
    const WholeModel whole(memory.data(), layout_.model.parameters());
    whole.write(*stage_, params_.optimizer);
    group_.barrier();
    check.check_gradients(whole, last_.loss, seen);
    check.check_update(seen);
    group_.barrier();  // no rank frees the memory while another rank still reads it
  }

  // Once more, after the samples: what disturbed the machine for a while is not in both.
  void measure_costs() {
    for (std::uint32_t stage = 0; stage < group_.size(); ++stage) {
      if (group_.rank() == stage) costs_->measure_passes();
      group_.barrier();
    }
    constexpr int kRounds = 9;
    for (int round = 0; round < kRounds; ++round) {
      costs_->measure_sends(*channels_, channels(true));
      group_.barrier();
      costs_->measure_receives(*channels_, channels(false));
      group_.barrier();
    }
    const schedule::Costs costs = gather_costs(
        layout_, [this](std::uint32_t) -> const StageCosts& { return *costs_; }, params_.buffers, group_);
    const schedule::Simulation seen = schedule::simulate(layout_.schedule, costs);
    run_.value("predicted_step_time", seen.makespan);
    run_.value("predicted_bubble", seen.bubble());
    if (!steps_.empty() && !crowded_) run_.value("prediction_error", steps_.median() / seen.makespan - 1);
  }

  // At the end of a sample, of whose steps parts are the mean.
  void record() {
    run_.value("bubble", bubbles_.median());
    run_.value("stage_busy_time", number(), seconds_of_a_step(busy_ns_));
    run_.value("stage_busy_cv", variation_of(group_.allgather(busy_.median())));
    run_.value("transfer_exposed", number(), seconds_of_a_step(transfer_ns_));
    busy_ns_ = transfer_ns_ = kept_ = 0;
  }

 private:
  double seconds_of_a_step(std::int64_t all_ns) const {
    return static_cast<double>(all_ns) * 1e-9 / static_cast<double>(std::max<std::int64_t>(1, kept_));
  }

  Stage::Clock clock() const {
    return [this] { return run_.now_ns(); };
  }

  // That this stage sends over, or receives from.
  std::vector<schedule::Channel> channels(bool sends) const {
    std::vector<schedule::Channel> found;
    const std::vector<schedule::Action> program = schedule::make_program(layout_.schedule)[number()];
    for (const schedule::Action& action : program) {
      const bool is_it = action.what == (sends ? schedule::What::send : schedule::What::receive);
      if (is_it && std::find(found.begin(), found.end(), action.channel) == found.end())
        found.push_back(action.channel);
    }
    return found;
  }

  // One looks, so that none goes on without the others.
  void require_memory() const {
    const std::optional<std::uint64_t> seen = available_memory();
    struct {
      bool known;
      std::uint64_t bytes;
    } available{seen.has_value(), seen.value_or(0)};
    group_.broadcast(available);
    std::uint64_t bytes = map_.bytes() + WholeModel::bytes(layout_.model);
    for (std::uint32_t stage = 0; stage < group_.size(); ++stage)
      bytes += sizes_of(layout_, stage, options_).bytes();
    plugins::require_memory(bytes, available.known ? std::optional(available.bytes) : std::nullopt,
                            formula() + "; all parameters and gradients, for checking " +
                                memory_text(WholeModel::bytes(layout_.model)));
  }

  // Of all stages: the same text on each rank.
  std::string formula() const {
    std::string text;
    for (std::uint32_t stage = 0; stage < group_.size(); ++stage)
      text += "stage " + std::to_string(stage) + ": " + formula_of(sizes_of(layout_, stage, options_)) + "; ";
    return text + "messages " + memory_text(map_.bytes());
  }

  void say_facts() const {
    std::string split;
    for (const model::Part& part : layout_.parts)
      split += (split.empty() ? "" : "-") + std::to_string(part.layers);
    run_.fact("split", split);
    run_.fact("parameters", std::to_string(layout_.model.parameters()));
    run_.fact("memory_formula", formula());
    run_.value("predicted_stage_memory", number(),
               static_cast<double>(stage_->sizes().bytes() + used_messages()));
    run_.value("micro_batches_in_flight", number(),
               schedule::holdings_of(layout_.schedule)[number()].in_flight);
  }

  // Of the shared memory, what this stage writes or reads.
  std::uint64_t used_messages() const {
    return map_.bytes_at(channels(true)) + map_.bytes_at(channels(false));
  }

  // After a step, and before a check of one, which needs memory of its own.
  void record_memory() {
    const std::optional<std::uint64_t> peak = peak_memory();
    const bool known = before_ && peak && *peak > *before_;
    const double mine = known ? static_cast<double>(*peak - *before_) : 0;
    const std::vector<double> all = group_.allgather(mine);
    if (std::find(all.begin(), all.end(), 0.0) != all.end()) return;
    run_.value("stage_memory", number(), mine);
    run_.value("stage_memory_cv", variation_of(all));
  }

  const Parameters& params_;
  const Case& run_;
  const Group& group_;
  const Layout layout_;
  const StageOptions options_;
  const ChannelMap map_;
  bool crowded_ = false;
  std::optional<std::uint64_t> before_;  // bytes that the process had in use without a step's arrays
  std::vector<HostBuffer<float>> arrays_;
  std::unique_ptr<RankMemory> shared_;
  std::optional<model::HostWorkers> workers_;
  std::optional<StepBoard> board_;
  std::optional<Channels> channels_;
  std::optional<Stage> stage_;
  std::optional<StageCosts> costs_;
  StepRecord last_;
  StageRecord mine_;
  Times steps_, bubbles_, busy_;
  std::int64_t busy_ns_ = 0, transfer_ns_ = 0, kept_ = 0;  // of the sample's steps
};

}  // namespace assay::plugins::pipeline
