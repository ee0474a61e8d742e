// SPDX-License-Identifier: Apache-2.0
//
// Is what the last step left right? What passed the stages is held to the schedule; the gradients of all stages
// together to differences of the whole model's loss in double precision; updates to their formula.
#pragma once

#include "lib/model/gradient_check.hpp"
#include "lib/model/reference_loss.hpp"
#include "lib/model/update.hpp"
#include "lib/schedule/schedule.hpp"
#include "lib/two_sum.hpp"
#include "pipeline/layout.hpp"
#include "pipeline/stage.hpp"

#include <assay/random.hpp>
#include <assay/verification.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::pipeline {

// Parameters of the whole model from before the last update, and its gradients, in memory that all ranks have mapped.
class WholeModel {
 public:
  static std::size_t bytes(const model::Model& model) {
    return model.parameters() * (sizeof(double) + sizeof(float));
  }
  WholeModel(std::byte* memory, std::size_t parameters)
      : parameters_(reinterpret_cast<double*>(memory)),
        gradients_(reinterpret_cast<float*>(parameters_ + parameters)) {}

  // Each stage writes its own; then all read all.
  void write(const Stage& stage, model::Optimizer optimizer) const {
    const model::Update update(optimizer);
    for (const auto& chunk : stage.chunks()) {
      const std::size_t first = chunk->part().first_parameter, count = chunk->part().model.parameters();
      update.before(0, count, stage.steps(), chunk->arrays(), parameters_ + first);
      std::copy_n(chunk->arrays().gradients, count, gradients_ + first);
    }
  }
  const double* parameters() const { return parameters_; }
  const float* gradients() const { return gradients_; }

 private:
  double* parameters_;
  float* gradients_;
};

class StepCheck {
 public:
  // Every stage's word, in their order; all call it equally often.
  using Gather = std::function<std::vector<std::uint64_t>(std::uint64_t)>;

  // `interrupt` is asked now and then, and may throw. Arguments outlive it.
  StepCheck(const Stage& stage, model::Optimizer optimizer, std::uint64_t seed, Gather gather,
            model::Interruption interrupt)
      : stage_(stage),
        optimizer_(optimizer),
        seed_(seed),
        gather_(std::move(gather)),
        interrupt_(std::move(interrupt)) {}

  // Every micro-batch passed every chunk of this stage once in each direction, in order, and came from where it should.
  void check_passage(Verification& seen) const {
    pipeline::check_passage(layout().schedule, stage_.passage(), seen);
  }

  // `loss` is what the step said of itself.
  void check_gradients(const WholeModel& whole, double loss, Verification& seen) const {
    const auto parameters = [&](std::size_t first, std::size_t count, double* out) {
      std::copy_n(whole.parameters() + first, count, out);
    };
    const double expected = reference_loss(parameters);
    seen.expect_close(loss, expected, absolute(kLossTolerance * std::fabs(expected)), 0);
    const auto found = model::slopes(
        layout().model, whole.gradients(), parameters,
        [this](const model::ParametersOf& moved) { return reference_loss(moved); }, kDirections, seed_);
    for (std::size_t i = 0; i < found.size(); ++i)
      seen.expect_close(found[i].by_gradient, found[i].by_difference, absolute(model::kSlopeTolerance), i);
  }

  // Only after the first step from the start that the seed gives, because the check does not recompute many steps.
  void check_update(Verification& seen) const {
    if (stage_.steps() != 1) return;
    const model::Update update(optimizer_);
    for (const auto& chunk : stage_.chunks()) {
      const std::size_t first = chunk->part().first_parameter, all = chunk->part().model.parameters();
      const std::size_t count = std::min(all, kMostUpdates);
      const Random random(seed_, 0xC4EC);
      for (std::size_t draw = 0; draw < count; ++draw) {
        const std::size_t i = count == all ? draw : random.bits(draw) % all;
        const model::Model& model = chunk->part().model;
        const model::Tensor& tensor = model.tensors[model.tensor_of(i)];
        const auto start = static_cast<double>(stage_.inputs().parameter(tensor, first + i));
        update.check_first(seen, i, start, chunk->arrays(), first + i);
      }
    }
  }

 private:
  static constexpr std::size_t kMostUpdates = std::size_t{1} << 18;
  static constexpr int kDirections = 2;
  static constexpr double kLossTolerance = 1e-5;  // of it, in fp32

  const Layout& layout() const { return stage_.layout(); }

  // Of the last step's batch. Each stage computes some of its micro-batches.
  double reference_loss(const model::ParametersOf& parameters) const {
    TwoSum mine;
    const std::uint32_t stages = layout().schedule.stages, micros = layout().schedule.micro_batches;
    for (std::uint32_t micro = stage_.number(); micro < micros; micro += stages)
      mine.add(model::reference_loss(layout().model, stage_.inputs(), stage_.steps() - 1,
                                     std::size_t{micro} * layout().micro_batch, layout().micro_batch,
                                     parameters, interrupt_));
    double all = 0;
    for (const std::uint64_t bits : gather_(std::bit_cast<std::uint64_t>(mine.value())))
      all += std::bit_cast<double>(bits);
    return all / micros;
  }

  const Stage& stage_;
  const model::Optimizer optimizer_;
  const std::uint64_t seed_;
  Gather gather_;
  model::Interruption interrupt_;
};

}  // namespace assay::plugins::pipeline
