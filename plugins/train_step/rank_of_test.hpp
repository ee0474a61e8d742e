// SPDX-License-Identifier: Apache-2.0
//
// For tests: steps of ranks that are processes of their own, on models that are small.
#pragma once

#include "lib/host_products.hpp"
#include "lib/model/choice.hpp"
#include "lib/testing/forked_ranks.hpp"
#include "train_step/communication.hpp"
#include "train_step/options.hpp"
#include "train_step/rank_exchange.hpp"
#include "train_step/sharded_step.hpp"
#include "train_step/step.hpp"
#include "train_step/step_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace assay::plugins::train_step {

using model::Block;
using model::Choice;
using model::model_of;

// A step of one rank with memory of its own.
class Rank {
 public:
  // `shared` is RankExchange::bytes() of zeros, or null.
  Rank(
      const Parameters& given, std::uint32_t rank, std::uint32_t ranks, std::byte* shared,
      const std::function<bool()>& cancelled = [] { return false; })
      : model(model_of(given)), workers({}) {
    use_product_threads(1);
    const StepOptions options = step_options_of(given, rank, ranks, kSeed);
    const bool shards = options.shards.sharding != Sharding::none;
    if (shards) plan = make_shard_plan(model, options.shards, ranks);
    StepSizes sizes = sizes_of(model, options, shards ? &plan : nullptr);
    const auto buckets = model::make_buckets(model, 4, given.first_bucket, given.bucket);
    if (shared != nullptr) compression = make_compression(model, options, buckets);
    if (compression) sizes.compression = compression->floats();
    StepMemory memory;
    memory.parameters = floats(sizes.parameters);
    memory.gradients = floats(sizes.gradients);
    memory.first_moments = floats(sizes.state);
    memory.second_moments = floats(sizes.state);
    memory.gathered = floats(sizes.gathered);
    memory.unreduced = floats(sizes.unreduced);
    memory.compression = floats(sizes.compression);
    memory.activations = floats(sizes.activations);
    memory.workspace = floats(sizes.workspace);
    memory.scratch = floats(sizes.scratch);
    memory.features = floats(sizes.features);
    tokens_.resize(sizes.tokens);
    labels_.resize(sizes.labels);
    memory.tokens = tokens_.data();
    memory.labels = labels_.data();
    if (shared != nullptr) {
      exchange_ = std::make_unique<RankExchange>(shared, rank, ranks, model.parameters(), true, cancelled);
    }
    if (shards) {
      step =
          std::make_unique<ShardedStep>(model, options, plan, memory, workers, *exchange_, now_ns, cancelled);
    } else {
      if (exchange_) {
        if (compression) compression->use(memory.compression, *exchange_, now_ns);
        communication_ = std::make_unique<Communication>(*exchange_, memory.gradients, buckets, given.overlap,
                                                         now_ns, compression.get());
      }
      step = std::make_unique<Step>(model, options, memory, workers, communication_.get(), now_ns, cancelled);
    }
    step->restore(kSeed);
  }

  Verification check(const StepCheck::Gather& gather = nullptr) const {
    Verification seen;
    const StepView left = step->view();
    StepCheck(left, gather, nullptr).check(seen);
    return seen;
  }

  static constexpr std::uint64_t kSeed = 77;
  model::Model model;
  model::HostWorkers workers;
  ShardPlan plan;  // where the strategy shards
  std::unique_ptr<Compression> compression;

 private:
  float* floats(std::size_t count) {
    arrays_.emplace_back(count);
    return arrays_.back().data();
  }

  std::vector<std::vector<float>> arrays_;
  std::vector<std::int32_t> tokens_, labels_;
  std::unique_ptr<RankExchange> exchange_;
  std::unique_ptr<Communication> communication_;

 public:
  std::unique_ptr<TrainingStep> step;  // last: it uses what is above
};

// What forked ranks tell each other for a check.
class WordBoard {
 public:
  static constexpr std::uint32_t kMostRanks = 8;

  explicit WordBoard(std::uint32_t ranks) : ranks_(ranks), memory_(sizeof(Words)) {}

  // In a rank.
  StepCheck::Gather gather(std::uint32_t rank) {
    return [this, rank](std::uint64_t mine) {
      Words& words = *memory_.as<Words>();
      const auto never = [] { return false; };
      for (std::uint32_t other = 0; other < ranks_; ++other) words.read[other].wait_for(calls_, 100, never);
      words.word[rank] = mine;
      words.written[rank].raise(++calls_);
      std::vector<std::uint64_t> all;
      for (std::uint32_t other = 0; other < ranks_; ++other) {
        words.written[other].wait_for(calls_, 100, never);
        all.push_back(words.word[other]);
      }
      words.read[rank].raise(calls_);
      return all;
    };
  }

 private:
  struct Words {
    RankProgress written[kMostRanks], read[kMostRanks];
    std::uint64_t word[kMostRanks];
  };
  std::uint32_t ranks_;
  std::uint32_t calls_ = 0;  // of this process
  Shared memory_;
};

inline Parameters small(Block block) {
  Parameters given;
  given.block = block;
  given.width = 32;
  given.heads = 4;
  given.kv_heads = 2;
  given.ffn = 48;
  given.words = 50;
  given.sequence = 8;
  given.micro_batch = 2;
  given.bucket = 4096;
  given.first_bucket = 256;
  return given;
}

inline Parameters small_mlp() {
  Parameters given;
  given.model = Choice::mlp;
  given.width = 32;
  given.words = 20;
  given.bucket = 4096;
  given.first_bucket = 256;
  return given;
}

// What all ranks have after this many steps: gradients, then parameters, rank by rank.
inline std::vector<float> after_steps(const Parameters& given, std::uint32_t ranks, int steps) {
  const std::size_t count = model_of(given).parameters();
  Shared shared(RankExchange::bytes(ranks, count)), results(ranks * 2 * count * sizeof(float));
  const bool well = all_well(in_ranks(ranks, [&](std::uint32_t r) {
    Rank rank(given, r, ranks, given.strategy != Strategy::single ? shared.data() : nullptr);
    for (int i = 0; i < steps; ++i) rank.step->run();
    const StepView left = rank.step->view();
    float* to = results.as<float>() + r * 2 * count;
    std::copy_n(left.arrays.gradients, count, to);
    std::copy_n(left.arrays.parameters, count, to + count);
  }));
  if (!well) throw std::runtime_error("a rank ended before it was through");
  return {results.as<float>(), results.as<float>() + ranks * 2 * count};
}

inline double distance(const float* a, const float* b, std::size_t count) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    error += (x - y) * (x - y);
    norm += y * y;
  }
  return std::sqrt(error / norm);
}

}  // namespace assay::plugins::train_step
