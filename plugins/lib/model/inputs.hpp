// SPDX-License-Identifier: Apache-2.0
//
// What a step starts from, drawn from the seed: parameters, samples and labels. A number depends on the seed
// and its place in the whole job alone, so that any division of the samples among ranks and micro-batches is
// the same work.
#pragma once

#include "lib/model/model.hpp"

#include <assay/random.hpp>

#include <cstddef>
#include <cstdint>

namespace assay::plugins::model {

// A view of the model, which outlives it.
class StepInputs {
 public:
  StepInputs(const Model& model, std::uint64_t seed)
      : model_(&model),
        parameters_(seed, kParameters),
        tokens_(seed, kTokens),
        features_(seed, kFeatures),
        labels_(seed, kLabels),
        seed_(seed) {}

  // Element `i` of all parameters, which is one of `tensor`: uniform with a standard deviation of 0.02, as
  // transformers begin; of gains 1, of shifts and biases 0.
  float parameter(const Tensor& tensor, std::size_t i) const {
    switch (tensor.start) {
      case Start::zeros:
        return 0;
      case Start::ones:
        return 1;
      case Start::uniform:
        break;
    }
    return uniform(parameters_.block(i / 4).word[i % 4]);
  }
  // The same of elements [from, to), to out[from - base] and on: a draw gives four of them.
  void parameters(const Tensor& tensor, std::size_t from, std::size_t to, float* out,
                  std::size_t base = 0) const {
    std::size_t i = from;
    for (; i < to && (tensor.start != Start::uniform || i % 4 != 0); ++i)
      out[i - base] = parameter(tensor, i);
    for (; i + 4 <= to; i += 4) {
      const RandomBlock block = parameters_.block(i / 4);
      for (std::size_t word = 0; word < 4; ++word) out[i - base + word] = uniform(block.word[word]);
    }
    for (; i < to; ++i) out[i - base] = parameter(tensor, i);
  }

  // Token `i` of the job's samples, one behind the other; below the model's words.
  std::int32_t token(std::size_t i) const { return below(tokens_, i, model_->operations.front().words); }
  float feature(std::size_t i) const { return static_cast<float>(features_.uniform(i)); }

  // Other ones in each step: with the same a small model would soon know them by heart, and its gradients
  // vanish. `i` counts the labels of the job's samples in this step.
  std::int32_t label(std::uint64_t step, std::size_t i) const {
    return below(labels_, label_index(step, i), model_->classes());
  }

  // Where nothing is computed: of rank r's gradient, element i. Sums of up to 2^13 of them are exact.
  float gradient(std::uint32_t rank, std::size_t i) const {
    return static_cast<float>(coded(seed_, rank, i)) / 1024;
  }
  // The average of it over ranks: of an exact sum, rounded once.
  float average_gradient(std::uint32_t ranks, std::size_t i) const {
    std::int64_t sum = 0;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) sum += coded(seed_, rank, i);
    return static_cast<float>(sum) / 1024 / static_cast<float>(ranks);
  }

  // The same for devices, which hold no model. Streams of the seed:
  enum Stream : std::uint64_t { kParameters = 101, kTokens, kFeatures, kLabels };
  // In [-0.02·√3, 0.02·√3).
  ASSAY_HOST_DEVICE static float uniform(std::uint32_t word) {
    return static_cast<float>((static_cast<double>(word) * 0x1p-31 - 1) * (0.02 * 1.7320508075688772));
  }
  ASSAY_HOST_DEVICE static std::int32_t below(const Random& random, std::uint64_t i, std::size_t most) {
    return static_cast<std::int32_t>(random.bits(i) % most);
  }
  ASSAY_HOST_DEVICE static std::uint64_t label_index(std::uint64_t step, std::uint64_t i) {
    return step << 32 | i;
  }
  // Of a gradient that nothing computes, times 1024.
  ASSAY_HOST_DEVICE static std::int64_t coded(std::uint64_t seed, std::uint32_t rank, std::uint64_t i) {
    const std::uint64_t mixed =
        (i + std::uint64_t{rank} * 0x9E3779B97F4A7C15ull + seed) * 0xD1342543DE82EF95ull;
    return static_cast<std::int64_t>(mixed >> 54) - 512;
  }

 private:
  const Model* model_;
  Random parameters_, tokens_, features_, labels_;
  std::uint64_t seed_;
};

}  // namespace assay::plugins::model
