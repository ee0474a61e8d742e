// SPDX-License-Identifier: Apache-2.0
//
// How a step of several ranks divides what it holds: which strategy shards what, in which units, and what it
// moves for that.
#pragma once

#include "lib/model/model.hpp"
#include "lib/model/shard_schedule.hpp"
#include "lib/model/sharding.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace assay::plugins::train_step {

// What each rank has a share of; each includes those before it. ZeRO's stages 1, 2 and 3 (Rajbhandari et al.,
// SC20); the last is what FSDP does, too.
enum class Sharding { none, state, gradients, parameters };

struct ShardOptions {
  Sharding sharding = Sharding::none;
  model::Prefetch prefetch = model::Prefetch::none;
  std::size_t gathered_at_once = 1;  // units
  bool reshard_after_forward = true;
  bool overlap = true;
  std::uint64_t first_bucket = 0, bucket = 0;  // bytes, of units that are not layers
};

struct ShardPlan {
  model::ShardLayout layout;
  model::ShardSchedule schedule;  // of a micro-batch

  std::size_t largest_unit() const {
    std::size_t largest = 0;
    for (const model::ShardUnit& unit : layout.units) largest = std::max(largest, unit.size);
    return largest;
  }
};

// Units are those of layer_units() or bucket_units(), wherever they lie.
inline ShardPlan make_shard_plan(std::vector<model::ShardUnit> units, const ShardOptions& options,
                                 std::size_t ranks) {
  model::ScheduleOptions schedule;
  schedule.gathers = options.sharding == Sharding::parameters;
  schedule.prefetch = options.prefetch;
  schedule.gathered_at_once = options.gathered_at_once;
  schedule.reshard_after_forward = options.reshard_after_forward;
  // What is reduced beside computing needs a second one.
  schedule.gradient_buffers = options.sharding == Sharding::state ? 0 : options.overlap ? 2 : 1;
  ShardPlan plan;
  plan.layout = model::ShardLayout(std::move(units), ranks);
  plan.schedule = model::make_schedule(plan.layout.units, schedule);
  return plan;
}

inline std::vector<model::ShardUnit> units_of(const model::Model& model, const ShardOptions& options,
                                              std::size_t element_bytes,
                                              const model::MayBegin& may_begin = nullptr) {
  return options.sharding == Sharding::parameters
             ? model::layer_units(model)
             : model::bucket_units(model, element_bytes, options.first_bucket, options.bucket, may_begin);
}

inline ShardPlan make_shard_plan(const model::Model& model, const ShardOptions& options, std::size_t ranks) {
  return make_shard_plan(units_of(model, options, sizeof(float)), options, ranks);
}

// Elements that each rank sends at least in a step of this many micro-batches: (n-1)/n of what is gathered and of
// what is reduced; without sharding gradients these are reduced once. Sharded parameters are gathered for every
// pass, others once after their update.
struct SentElements {
  double gathered = 0, reduced = 0;
};
inline SentElements sent_of(const ShardPlan& plan, Sharding sharding, std::size_t accumulation) {
  double all = 0;
  for (const model::ShardUnit& unit : plan.layout.units) all += static_cast<double>(unit.size);
  const auto times = static_cast<double>(accumulation), n = static_cast<double>(plan.layout.ranks);
  const double reduced =
      (sharding == Sharding::state ? 1 : times) * static_cast<double>(plan.schedule.reduced());
  const double gathered =
      sharding == Sharding::parameters ? times * static_cast<double>(plan.schedule.gathered()) : all;
  return {(n - 1) / n * gathered, (n - 1) / n * reduced};
}
inline double sent_elements(const ShardPlan& plan, Sharding sharding, std::size_t accumulation) {
  const SentElements sent = sent_of(plan, sharding, accumulation);
  return sent.gathered + sent.reduced;
}

}  // namespace assay::plugins::train_step
