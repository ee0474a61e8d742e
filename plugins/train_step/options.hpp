// SPDX-License-Identifier: Apache-2.0
//
// Which options go together, and the step that a case's parameters mean.
#pragma once

#include "lib/model/model.hpp"
#include "train_step/parameters.hpp"

#include <assay/errors.hpp>

#include <cstdint>
#include <string>

namespace assay::plugins::train_step {

inline const char* name_of(Strategy strategy) {
  switch (strategy) {
    case Strategy::single:
      return "single";
    case Strategy::ddp:
      return "ddp";
    case Strategy::zero1:
      return "zero1";
    case Strategy::zero2:
      return "zero2";
    case Strategy::zero3:
      return "zero3";
    case Strategy::fsdp:
      break;
  }
  return "fsdp";
}

inline Sharding sharding_of(Strategy strategy) {
  switch (strategy) {
    case Strategy::single:
    case Strategy::ddp:
      return Sharding::none;
    case Strategy::zero1:
      return Sharding::state;
    case Strategy::zero2:
      return Sharding::gradients;
    case Strategy::zero3:
    case Strategy::fsdp:
      break;
  }
  return Sharding::parameters;
}

namespace detail {

// An option that is not as it is by default, and whether it means anything beside the others.
struct Rule {
  const char* parameter;
  bool given, goes;
  std::string text;
};

}  // namespace detail

// Throws BadParameter for options that mean nothing together, Skip where there are too few ranks.
inline void require_together(const Parameters& given, std::uint32_t ranks) {
  const Parameters by_default;
  const bool averages = given.strategy != Strategy::single;
  const bool gathers = sharding_of(given.strategy) == Sharding::parameters;
  const bool compresses = given.compression != CompressionKind::none;
  const bool prefetches = given.prefetch != model::Prefetch::none;
  const std::string strategy = std::string(" and strategy is ") + name_of(given.strategy);
  const std::string buckets = "ddp, zero1 and zero2 have buckets, zero3 and fsdp move layers," + strategy;
  const std::string layers = "only zero3 and fsdp gather layers," + strategy;
  const detail::Rule rules[] = {
      {"without", given.without == Without::communication, averages,
       "strategy: single has no communication that could be left out"},
      {"without", given.without == Without::communication, given.strategy == Strategy::ddp || !averages,
       "a rank that holds shares cannot compute with what it does not receive," + strategy +
           "; exposed_communication says what a step waited for"},
      {"without", given.without == Without::loader, given.loader_workers != 0,
       "with loader_workers: 0 samples lie ready, and nothing loads them"},
      {"loader_workers", given.loader_workers != 0, given.without != Without::compute,
       "without: compute leaves out the passes that look at samples"},
      {"decode_steps", given.decode_steps != by_default.decode_steps, given.loader_workers != 0,
       "with loader_workers: 0 samples lie ready, and nothing decodes them"},
      {"recompute", given.recompute, given.without != Without::compute,
       "without: compute leaves out the passes in which layers could be computed again"},
      {"overlapped", !given.overlap, averages, "strategy: single has no communication"},
      {"bucket", given.bucket != by_default.bucket, averages && !gathers, buckets},
      {"first_bucket", given.first_bucket != by_default.first_bucket, averages && !gathers, buckets},
      {"compression", compresses, given.strategy == Strategy::ddp,
       "only ddp averages gradients that could be compressed," + strategy},
      {"compression", compresses, given.without != Without::communication,
       "without: communication leaves out what is compressed"},
      {"compression", given.compression == CompressionKind::powersgd, given.without != Without::compute,
       "without: compute has gradients of no structure; powersgd has nothing to find in them"},
      {"compression_rank", given.compression_rank != 0, given.compression == CompressionKind::powersgd,
       "only compression: powersgd has matrices of a rank"},
      {"prefetch", prefetches, gathers, layers},
      {"gathers", given.gathers != 0, gathers, layers},
      {"reshard_after_forward", !given.reshard, gathers, layers},
      {"prefetch", prefetches, given.overlap, "with overlapped: false nothing is gathered beside computing"},
      {"prefetch", prefetches && given.prefetch != model::Prefetch::forward, given.reshard,
       "with reshard_after_forward: false the backward pass gathers nothing; forward is what is left"},
      {"gathers", given.gathers > 1, prefetches,
       "with prefetch: none the layer in use is the only one that is gathered"},
      {"gathers", given.gathers == 1, !prefetches, "prefetching takes 2 or more, the layer in use included"},
  };
  for (const detail::Rule& rule : rules) {
    if (rule.given && !rule.goes) throw BadParameter(rule.parameter, rule.text);
  }
  if (averages && ranks < 2) {
    throw Skip(std::string(name_of(given.strategy)) +
               " is of several ranks, and there is one; give the case ranks: 2 or more");
  }
}

// Throws Skip for what no machine holds, before sizes are counted in whole numbers that could be too small.
inline void require_countable(const model::Model& model, const StepOptions& options) {
  constexpr double kMost = 0x1p50;  // numbers
  double numbers = static_cast<double>(options.samples()) * static_cast<double>(model.sequence);
  for (const model::Operation& operation : model.operations) {
    const double rows = static_cast<double>(options.micro_batch) * static_cast<double>(model.sequence);
    numbers += rows * static_cast<double>(operation.out) +
               rows * static_cast<double>(operation.heads) * static_cast<double>(model.sequence);
  }
  if (numbers > kMost)
    throw Skip(
        "needs more than 4 PiB of host memory for the values of a step; smaller are micro_batch, sequence, layers");
}

inline StepOptions step_options_of(const Parameters& given, std::uint32_t rank, std::uint32_t ranks,
                                   std::uint64_t seed) {
  StepOptions options;
  options.micro_batch = given.micro_batch;
  options.accumulation = given.accumulation;
  options.optimizer = given.optimizer;
  options.without = given.without;
  options.recompute = given.recompute;
  options.compression = given.compression;
  options.loader_workers = given.loader_workers;
  options.decode_steps = given.decode_steps;
  options.compression_rank = given.compression_rank != 0 ? given.compression_rank : 1;
  options.rank = rank;
  options.ranks = ranks;
  options.seed = seed;
  options.shards.sharding = sharding_of(given.strategy);
  options.shards.prefetch = given.prefetch;
  options.shards.gathered_at_once = given.gathers != 0                        ? given.gathers
                                    : given.prefetch != model::Prefetch::none ? 2
                                                                              : 1;
  options.shards.reshard_after_forward = given.reshard;
  options.shards.overlap = given.overlap;
  options.shards.first_bucket = given.first_bucket;
  options.shards.bucket = given.bucket;
  return options;
}

}  // namespace assay::plugins::train_step
