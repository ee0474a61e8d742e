// SPDX-License-Identifier: Apache-2.0
//
// One training step of one rank that holds shares: of the optimiser's state, of gradients, of parameters. What
// it has not it gathers for as long as it is used; gradients are reduced to the share that the rank updates.
#pragma once

#include "train_step/rank_exchange.hpp"
#include "train_step/shard_plan.hpp"
#include "train_step/training_step.hpp"
#include "train_step/transfer_line.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace assay::plugins::train_step {

// How a sharded step uses what ranks share.
inline std::vector<RankExchange::Use> uses_of(const ShardPlan& plan) {
  using Kind = RankExchange::Kind;
  std::vector<RankExchange::Use> uses;
  const auto& units = plan.layout.units;
  for (std::size_t i = 0; i < plan.schedule.transfers.size(); ++i) {
    const model::Transfer& transfer = plan.schedule.transfers[i];
    uses.push_back({transfer.reduce ? Kind::reduce_scatter : Kind::all_gather, units[transfer.unit].size,
                    i % RankExchange::kSlots});
  }
  // Parameters that are whole are gathered after their update.
  for (std::size_t unit = 0; unit < units.size() && plan.schedule.parameter_buffers.empty(); ++unit)
    uses.push_back({Kind::all_gather, units[unit].size, unit % RankExchange::kSlots});
  return uses;
}

class ShardedStep final : public TrainingStep {
 public:
  // `exchange` is stopped by the destructor.
  ShardedStep(const model::Model& model, const StepOptions& options, const ShardPlan& plan, StepMemory memory,
              model::HostWorkers& workers, RankExchange& exchange, Clock now_ns, Asked cancelled)
      : TrainingStep(model, options, memory, workers, std::move(now_ns), std::move(cancelled)),
        layout_(plan.layout),
        schedule_(plan.schedule),
        exchange_(exchange),
        gathered_(places_of(memory.gathered, schedule_.parameter_buffers)),
        unreduced_(places_of(memory.unreduced, schedule_.gradient_buffers)),
        line_([this](std::size_t number) { transfer(number); }, [this] { exchange_.stop(); },
              options.shards.overlap) {
    for (std::size_t stages = 0; stages <= schedule_.stages.size(); ++stages)
      allowed_.push_back(schedule_.allowed_after(stages));
    for (std::size_t unit = 0; unit < layout_.units.size(); ++unit) updated_.push_back({false, unit, 0, 0});
  }

  void restore(std::uint64_t seed) override {
    restore_inputs(seed);
    if (shards_parameters()) {
      for (std::size_t unit = 0; unit < layout_.units.size(); ++unit)
        draw_parameters(first_of(unit), first_of(unit) + share(unit).size(), parameters(unit));
    } else {
      draw_parameters(0, model_.parameters(), memory_.parameters);
    }
    if (options_.optimizer == Optimizer::adamw) {
      std::fill_n(memory_.first_moments, layout_.size, 0.0F);
      std::fill_n(memory_.second_moments, layout_.size, 0.0F);
    }
    destroy_gradients();
  }

  void destroy_gradients() override {
    for (std::size_t i = 0; i < gathered_.size(); ++i)
      fill(gathered_[i], schedule_.parameter_buffers[i], no_number);
    if (shards_gradients()) fill(memory_.gradients, layout_.size, no_number);
    const auto input = [this](std::size_t i) { return inputs_.gradient(options_.rank, i); };
    const auto destroy = [&](float* data, std::size_t count) {
      options_.without == Without::compute ? fill(data, count, input) : fill(data, count, no_number);
    };
    for (std::size_t i = 0; i < unreduced_.size(); ++i) destroy(unreduced_[i], schedule_.gradient_buffers[i]);
    if (!shards_gradients()) destroy(memory_.gradients, model_.parameters());
  }

  void run() override {
    clock_.start(now_ns_());
    moves_.clear();
    for (std::size_t micro = 0; micro < options_.accumulation; ++micro) pass(micro);
    ++steps_;
    update_all();
    for (const PhaseSpan& move : moves_) {
      clock_.add(move);
      clock_.add(Phase::communication, move.end_ns - move.begin_ns);
    }
  }

  StepView view() override {
    StepView view = view_of_inputs();
    view.averages = true;
    const auto whole = [&](auto&& at) {
      std::vector<float>& data = view.gathered.emplace_back(model_.parameters());
      for (std::size_t unit = 0; unit < layout_.units.size(); ++unit) {
        exchange_.all_gather(at(unit), data.data() + layout_.units[unit].offset, layout_.units[unit].size,
                             unit % RankExchange::kSlots);
      }
      return data.data();
    };
    view.arrays.parameters = shards_parameters()
                                 ? whole([this](std::size_t unit) { return parameters(unit); })
                                 : memory_.parameters;
    view.arrays.gradients = whole([this](std::size_t unit) { return gradients(unit); });
    if (options_.optimizer == Optimizer::adamw) {
      view.arrays.first_moments =
          whole([this](std::size_t unit) { return memory_.first_moments + layout_.place[unit]; });
      view.arrays.second_moments =
          whole([this](std::size_t unit) { return memory_.second_moments + layout_.place[unit]; });
    }
    view.closed_form = [this](std::size_t i) { return closed_form(i); };
    return view;
  }

 private:
  static std::vector<float*> places_of(float* memory, const std::vector<std::size_t>& sizes) {
    std::vector<float*> places;
    for (const std::size_t size : sizes) {
      places.push_back(memory);
      memory += size;
    }
    return places;
  }

  bool shards_parameters() const { return options_.shards.sharding == Sharding::parameters; }
  bool shards_gradients() const { return options_.shards.sharding != Sharding::state; }
  model::Share share(std::size_t unit) const { return layout_.share(unit, options_.rank); }
  // Of the rank's share of a unit, in the array of all parameters.
  std::size_t first_of(std::size_t unit) const { return layout_.units[unit].offset + share(unit).from; }
  // Where the rank's share of a unit lies.
  float* parameters(std::size_t unit) const {
    return memory_.parameters + (shards_parameters() ? layout_.place[unit] : first_of(unit));
  }
  float* gradients(std::size_t unit) const {
    return memory_.gradients + (shards_gradients() ? layout_.place[unit] : first_of(unit));
  }

  // Elements [from, to) of all parameters.
  void draw_parameters(std::size_t from, std::size_t to, float* out) {
    for (const model::Tensor& tensor : model_.tensors) {
      const std::size_t first = std::max(from, tensor.offset);
      const std::size_t end = std::min(to, tensor.offset + tensor.size());
      if (first >= end) continue;
      workers_.share(end - first, kElements, [&](std::size_t begin, std::size_t stop) {
        inputs_.parameters(tensor, first + begin, first + stop, out, from);
      });
    }
  }

  // Forward and backward pass of a micro-batch, and what has to be moved for it.
  void pass(std::size_t micro) {
    const bool computes = options_.without != Without::compute;
    const bool reduces = shards_gradients() || micro + 1 == options_.accumulation;
    const model::HostBatch batch = computes ? next_batch(micro) : model::HostBatch{};
    if (!computes && !shards_gradients()) restore_reduced();
    transfers_ = &schedule_.transfers;
    adds_ = micro > 0 && shards_gradients();
    line_.begin();
    if (reduces) line_.allow(allowed_[0]);
    for (std::size_t at = 0; at < schedule_.stages.size(); ++at) {
      const model::Stage& stage = schedule_.stages[at];
      if (reduces) line_.wait(stage.transfers);
      clock_.mark(Phase::exposed, now_ns_());
      if (computes) compute(stage, batch, micro);
      clock_.mark(stage.backward ? Phase::backward : Phase::forward, now_ns_());
      if (reduces) line_.allow(allowed_[at + 1]);
    }
    if (reduces) line_.wait(schedule_.transfers.size());
    clock_.mark(Phase::exposed, now_ns_());
  }

  void compute(const model::Stage& stage, const model::HostBatch& batch, std::size_t micro) {
    const model::ShardUnit& unit = layout_.units[stage.unit];
    if (shards_parameters())
      network_.place_parameters(unit.first_tensor, unit.end_tensor, gathered_[stage.parameters]);
    if (!stage.backward) {
      network_.forward_values(batch, unit.first_operation, unit.end_operation);
      if (stage.unit + 1 == layout_.units.size()) add_loss(micro, network_.loss(batch, micro_share()));
      return;
    }
    if (shards_gradients())
      network_.place_gradients(unit.first_tensor, unit.end_tensor, unreduced_[stage.gradients]);
    network_.backward(batch, micro == 0 || shards_gradients(), nullptr, unit.first_operation,
                      unit.end_operation);
  }

  // Where nothing computes gradients, those that the last average took the place of.
  void restore_reduced() {
    for (std::size_t unit = 0; unit < layout_.units.size(); ++unit) {
      const std::size_t first = first_of(unit);
      fill(gradients(unit), share(unit).size(),
           [&](std::size_t i) { return inputs_.gradient(options_.rank, first + i); });
    }
  }

  // [on the line's thread]
  void transfer(std::size_t number) {
    const std::int64_t begin = now_ns_();
    const model::Transfer& transfer = (*transfers_)[number];
    const model::ShardUnit& unit = layout_.units[transfer.unit];
    const std::size_t slot = number % RankExchange::kSlots;
    if (transfer.reduce) {
      const float* whole = shards_gradients() ? unreduced_[transfer.buffer] : memory_.gradients + unit.offset;
      exchange_.reduce_scatter(whole, unit.size, gradients(transfer.unit), adds_, slot);
      moves_.push_back({Phase::reduce, begin, now_ns_()});
    } else {
      float* whole = shards_parameters() ? gathered_[transfer.buffer] : memory_.parameters + unit.offset;
      exchange_.all_gather(parameters(transfer.unit), whole, unit.size, slot);
      moves_.push_back({Phase::gather, begin, now_ns_()});
    }
  }

  // Each rank its shares; parameters that are whole are gathered as they are updated.
  void update_all() {
    transfers_ = &updated_;
    line_.begin();
    for (std::size_t unit = 0; unit < layout_.units.size(); ++unit) {
      if (options_.without != Without::optimizer) {
        const bool has_state = options_.optimizer == Optimizer::adamw;
        update(share(unit).size(), {parameters(unit), gradients(unit),
                                    has_state ? memory_.first_moments + layout_.place[unit] : nullptr,
                                    has_state ? memory_.second_moments + layout_.place[unit] : nullptr});
      }
      clock_.mark(Phase::optimizer, now_ns_());
      if (!shards_parameters()) line_.allow(unit + 1);
      clock_.mark(Phase::exposed, now_ns_());
    }
    if (!shards_parameters()) line_.wait(updated_.size());
    clock_.mark(Phase::exposed, now_ns_());
  }

  // Buffers hold the same numbers whichever unit they are of, and each micro-batch adds their average once more.
  float closed_form(std::size_t i) const {
    if (!shards_gradients()) return inputs_.average_gradient(options_.ranks, i);
    const auto unit =
        std::upper_bound(layout_.units.begin(), layout_.units.end(), i,
                         [](std::size_t at, const model::ShardUnit& of) { return at < of.offset; }) -
        1;
    const float average = inputs_.average_gradient(options_.ranks, i - unit->offset);
    float sum = average;
    for (std::size_t micro = 1; micro < options_.accumulation; ++micro) sum += average;
    return sum;
  }

  const model::ShardLayout layout_;
  const model::ShardSchedule schedule_;
  RankExchange& exchange_;
  const std::vector<float*> gathered_, unreduced_;           // buffers
  std::vector<std::size_t> allowed_;                         // transfers, after each number of stages
  std::vector<model::Transfer> updated_;                     // gathers of all units
  const std::vector<model::Transfer>* transfers_ = nullptr;  // those under way
  bool adds_ = false;                                        // to what micro-batches before left
  std::vector<PhaseSpan> moves_;  // of the line's thread, until a step has waited for it
  TransferLine line_;             // last: its thread uses what is above
};

}  // namespace assay::plugins::train_step
