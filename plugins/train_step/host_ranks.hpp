// SPDX-License-Identifier: Apache-2.0
//
// What the ranks of a step on the host do together: how they divide what they hold, what they move and how much
// of it, in which memory, and the step that results.
#pragma once

#include "lib/model/buckets.hpp"
#include "lib/model/host_workers.hpp"
#include "lib/model/model.hpp"
#include "lib/rank_memory.hpp"
#include "train_step/communication.hpp"
#include "train_step/compression.hpp"
#include "train_step/options.hpp"
#include "train_step/rank_exchange.hpp"
#include "train_step/sample_loader.hpp"
#include "train_step/shard_plan.hpp"
#include "train_step/sharded_step.hpp"
#include "train_step/step.hpp"

#include <assay/group.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace assay::plugins::train_step {

// The model outlives it, and it outlives the step that it makes.
class HostRanks {
 public:
  HostRanks(const model::Model& model, const StepOptions& options, Strategy strategy)
      : model_(model),
        options_(options),
        communicates_(strategy != Strategy::single && options.without != Without::communication) {
    const ShardOptions& shards = options.shards;
    if (shards.sharding != Sharding::none) shards_ = make_shard_plan(model, shards, options.ranks);
    buckets_ = model::make_buckets(model, sizeof(float), shards.first_bucket, shards.bucket);
    if (communicates_) compression_ = make_compression(model, options, buckets_);
  }

  // They move gradients, and perhaps parameters.
  bool communicate() const { return communicates_; }
  bool hold_shares() const { return shards_.has_value(); }
  const Compression* compression() const { return compression_.get(); }

  // Of a rank.
  StepSizes sizes() const {
    StepSizes sizes = sizes_of(model_, options_, shards_ ? &*shards_ : nullptr);
    if (compression_) sizes.compression = compression_->floats();
    if (options_.loads()) sizes.loader = SampleLoader::numbers(model_, options_);
    return sizes;
  }

  // Of what the ranks share, that which this rank has in use.
  std::uint64_t shared_bytes() const {
    return RankExchange::used_bytes(options_.rank, options_.ranks, uses());
  }

  // And all of it, on all ranks together.
  std::uint64_t all_shared_bytes() const {
    return communicates_ ? RankExchange::bytes(options_.ranks, largest_use()) : 0;
  }

  // That gradients are reduced or averaged in.
  std::size_t units() const {
    if (!communicates_) return 0;
    return shards_ ? shards_->layout.units.size() : buckets_.size();
  }

  // That each rank sends in a step at least.
  double sent_bytes() const {
    if (!communicates_) return 0;
    if (shards_) return 4 * sent_elements(*shards_, options_.shards.sharding, options_.accumulation);
    const double n = options_.ranks;
    const double averaged = compression_ ? static_cast<double>(compression_->bytes())
                                         : 4 * static_cast<double>(model_.parameters());
    return 2 * (n - 1) / n * averaged;
  }

  // All ranks call it, where they communicate. `crowded`: there are more threads than processors. Throws Failure.
  void connect(const Group& group, bool crowded, std::function<bool()> cancelled) {
    memory_ = std::make_unique<RankMemory>(group, all_shared_bytes());
    exchange_ = std::make_unique<RankExchange>(memory_->data(), options_.rank, options_.ranks, largest_use(),
                                               crowded, std::move(cancelled));
  }

  // With memory of these sizes. Throws std::system_error if its thread cannot start.
  std::unique_ptr<TrainingStep> make_step(const StepMemory& memory, model::HostWorkers& workers,
                                          const TrainingStep::Clock& now_ns,
                                          const TrainingStep::Asked& cancelled) {
    if (shards_) {
      return std::make_unique<ShardedStep>(model_, options_, *shards_, memory, workers, *exchange_, now_ns,
                                           cancelled);
    }
    if (compression_) compression_->use(memory.compression, *exchange_, now_ns);
    if (communicates_) {
      communication_ = std::make_unique<Communication>(*exchange_, memory.gradients, buckets_,
                                                       options_.shards.overlap, now_ns, compression_.get());
    }
    return std::make_unique<Step>(model_, options_, memory, workers, communication_.get(), now_ns, cancelled);
  }

 private:
  std::vector<RankExchange::Use> uses() const {
    if (!communicates_) return {};
    if (shards_) return uses_of(*shards_);
    if (compression_) return compression_->uses();
    std::vector<RankExchange::Use> all;
    for (std::size_t i = 0; i < buckets_.size(); ++i)
      all.push_back({RankExchange::Kind::average, buckets_[i].size, i % RankExchange::kSlots});
    return all;
  }

  // Floats of the largest array that is moved at once.
  std::size_t largest_use() const {
    std::size_t largest = 0;
    for (const RankExchange::Use& use : uses())
      largest = std::max(largest, (use.count * use.element_bytes + sizeof(float) - 1) / sizeof(float));
    return largest;
  }

  const model::Model& model_;
  const StepOptions options_;
  const bool communicates_;
  std::optional<ShardPlan> shards_;
  std::vector<model::Bucket> buckets_;
  std::unique_ptr<Compression> compression_;
  std::unique_ptr<RankMemory> memory_;
  std::unique_ptr<RankExchange> exchange_;
  std::unique_ptr<Communication> communication_;  // last: its thread uses what is above
};

}  // namespace assay::plugins::train_step
