// SPDX-License-Identifier: Apache-2.0
//
// Is what the last step left right? Gradients are compared with differences of the loss in double precision, at
// the parameters from before the update, on inputs that are drawn anew; updates against their formula; ranks
// against each other.
#pragma once

#include "lib/model/gradient_check.hpp"
#include "lib/two_sum.hpp"
#include "train_step/training_step.hpp"

#include <assay/random.hpp>
#include <assay/verification.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

namespace assay::plugins::train_step {

// Of the bits, in order: FNV-1a's way, eight bytes at a time.
inline std::uint64_t hash_of(const float* data, std::size_t count) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (std::size_t i = 0; i + 1 < count + 1; i += 2) {
    std::uint64_t word = 0;
    std::memcpy(&word, data + i, sizeof(float) * std::min<std::size_t>(2, count - i));
    hash = (hash ^ word) * 0x100000001B3ull;
    hash ^= hash >> 29;
  }
  return hash;
}

class StepCheck {
 public:
  // Every rank's word, in the order of ranks. Called only where gradients are averaged, equally often by all.
  using Gather = std::function<std::vector<std::uint64_t>(std::uint64_t)>;

  // `interrupt` is asked now and then, and may throw. Arguments outlive it.
  StepCheck(const StepView& step, Gather gather, model::Interruption interrupt)
      : step_(step), gather_(std::move(gather)), interrupt_(std::move(interrupt)) {}

  void check(Verification& seen) const {
    if (options().without == Without::compute) {
      check_closed_form(seen);
    } else {
      check_slopes(seen);
    }
    if (step_.averages) check_ranks(seen);
    check_update(seen);
  }

 private:
  static constexpr std::size_t kMostUpdates = std::size_t{1} << 18;
  static constexpr int kDirections = 2;

  const StepOptions& options() const { return step_.options; }

  // What nothing computed is known: whole numbers, whose average is exact.
  void check_closed_form(Verification& seen) const {
    for (std::size_t i = 0; i < step_.model->parameters(); ++i) {
      if (i % kMostUpdates == 0 && interrupt_) interrupt_();
      seen.expect_equal(step_.arrays.gradients[i], step_.closed_form(i), i);
    }
  }

  void check_slopes(Verification& seen) const {
    if (step_.remainder != nullptr && step_.steps > 1) return check_remainder(seen);
    // Before the first step nothing was carried on: what it made of gradients and what it lost are all there was.
    std::vector<float> whole;
    for (std::size_t i = 0; step_.remainder != nullptr && i < step_.model->parameters(); ++i)
      whole.push_back(step_.arrays.gradients[i] + step_.remainder[i]);
    const auto found = model::slopes(
        *step_.model, whole.empty() ? step_.arrays.gradients : whole.data(),
        [this](std::size_t first, std::size_t count, double* out) { before(first, count, out); },
        [this](const model::ParametersOf& parameters) { return loss(parameters); }, kDirections,
        options().seed, step_.rounding);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double limit = model::kSlopeTolerance + model::allowance_of(found[i]);
      seen.expect_close(found[i].by_gradient, found[i].by_difference, absolute(limit), i);
    }
  }

  // What a matrix of few columns takes of a gradient and what it leaves are orthogonal, on every tensor: else the
  // columns are not orthogonal, or ranks carry on something else than what they lost.
  void check_remainder(Verification& seen) const {
    std::size_t at = 0;
    for (const model::Tensor& tensor : step_.model->tensors) {
      double product = 0, taken = 0, left = 0;
      for (std::size_t i = tensor.offset; i < tensor.offset + tensor.size(); ++i) {
        const auto g = static_cast<double>(step_.arrays.gradients[i]),
                   e = static_cast<double>(step_.remainder[i]);
        product += g * e;
        taken += g * g;
        left += e * e;
      }
      const double limit = 1e-4 * std::sqrt(taken * left) + 1e-6 * taken;
      seen.expect_close(product, 0, absolute(limit), at++);
    }
  }

  // Parameters as they were before the last update.
  void before(std::size_t first, std::size_t count, double* out) const {
    const bool updates = options().without != Without::optimizer;
    model::Update(options().optimizer).before(first, count, updates ? step_.steps : 0, step_.arrays, out);
  }

  // Of the whole step, on all ranks if they average.
  double loss(const model::ParametersOf& parameters) const {
    const std::uint64_t last = step_.steps > 0 ? step_.steps - 1 : 0;
    TwoSum sum;
    for (std::size_t micro = 0; micro < options().accumulation; ++micro) {
      sum.add(model::reference_loss(*step_.model, *step_.inputs, last, options().first_sample(micro),
                                    options().micro_batch, parameters, interrupt_));
    }
    const double mine = sum.value() / static_cast<double>(options().accumulation);
    if (!step_.averages) return mine;
    double of_all = 0;
    for (const std::uint64_t bits : gather_(std::bit_cast<std::uint64_t>(mine)))
      of_all += std::bit_cast<double>(bits);
    return of_all / static_cast<double>(options().ranks);
  }

  void check_ranks(Verification& seen) const {
    for (const float* data : {step_.arrays.gradients, step_.arrays.parameters}) {
      const std::uint64_t mine = hash_of(data, step_.model->parameters());
      std::uint64_t wrong = 0;
      for (const std::uint64_t of : gather_(mine)) wrong += of != mine ? 1 : 0;
      seen.count(options().ranks, wrong,
                 data == step_.arrays.parameters ? "another rank has other parameters"
                                                 : "another rank has other gradients");
    }
  }

  // Only after the first step from the start that the seed gives, because the check does not recompute many steps.
  void check_update(Verification& seen) const {
    const bool updates = options().without != Without::optimizer;
    if (updates && step_.steps > 1) return;
    const model::Model& model = *step_.model;
    const std::size_t all = model.parameters(), count = std::min(all, kMostUpdates);
    const Random random(options().seed, 0xC4EC);
    for (std::size_t draw = 0; draw < count; ++draw) {
      const std::size_t i = count == all ? draw : random.bits(draw) % all;
      const float start = step_.inputs->parameter(model.tensors[model.tensor_of(i)], i);
      if (!updates) {
        seen.expect_equal(step_.arrays.parameters[i], start, i);
      } else {
        model::Update(options().optimizer).check_first(seen, i, static_cast<double>(start), step_.arrays, i);
      }
    }
  }

  const StepView& step_;
  Gather gather_;
  model::Interruption interrupt_;
};

}  // namespace assay::plugins::train_step
