// SPDX-License-Identifier: Apache-2.0
//
// What every provider of the benchmark says of its parameters and metrics alike.
#pragma once

#include "lib/model/choice.hpp"
#include "train_step/step_memory.hpp"

#include <assay/contracts/train_step_1.hpp>
#include <assay/description.hpp>

#include <cstdint>
#include <string>

namespace assay::plugins::train_step {

namespace contract = contracts::train_step_1;

enum class Strategy { single, ddp, zero1, zero2, zero3, fsdp };
using model::kMostHeads;
using model::kMostOfASize;

struct Parameters : model::ModelChoice {
  Strategy strategy = Strategy::single;
  std::uint32_t micro_batch = 4, accumulation = 1;
  Optimizer optimizer = Optimizer::adamw;
  std::string dtype = "fp32";
  Without without = Without::none;
  bool recompute = false;
  bool overlap = true;
  CompressionKind compression = CompressionKind::none;
  std::uint32_t compression_rank = 0;
  model::Prefetch prefetch = model::Prefetch::none;
  std::uint32_t gathers = 0;
  bool reshard = true;
  std::uint64_t bucket = std::uint64_t{25} << 20, first_bucket = std::uint64_t{1} << 20;
  std::uint32_t threads = 0;
  std::uint32_t loader_workers = 0, decode_steps = 4;
  std::string parameter_dtype = "fp32";  // of providers that have a choice
  std::string attention = "auto";
  double host_cost = 0;  // seconds
};

template <class Params>
void describe_batches(Description<Params>& is) {
  contract::micro_batch(is, &Params::micro_batch).range(1, kMostOfASize);
  contract::accumulation(is, &Params::accumulation).range(1, 65536);
}

// Of zero3 and fsdp.
template <class Params>
void describe_gathers(Description<Params>& is) {
  contract::prefetch(is, &Params::prefetch)
      .choices({{"none", model::Prefetch::none},
                {"forward", model::Prefetch::forward},
                {"backward", model::Prefetch::backward},
                {"both", model::Prefetch::both}});
  contract::gathers(is, &Params::gathers).range(0, 64);
  contract::reshard_after_forward(is, &Params::reshard);
}

template <class Params>
void describe_way(Description<Params>& is) {
  contract::strategy(is, &Params::strategy)
      .choices({{"single", Strategy::single},
                {"ddp", Strategy::ddp},
                {"zero1", Strategy::zero1},
                {"zero2", Strategy::zero2},
                {"zero3", Strategy::zero3},
                {"fsdp", Strategy::fsdp}});
  contract::optimizer(is, &Params::optimizer).choices({{"sgd", Optimizer::sgd}, {"adamw", Optimizer::adamw}});
  contract::without(is, &Params::without)
      .choices({{"none", Without::none},
                {"communication", Without::communication},
                {"compute", Without::compute},
                {"optimizer", Without::optimizer},
                {"loader", Without::loader}});
  contract::loader_workers(is, &Params::loader_workers).range(0, 256);
  contract::decode_steps(is, &Params::decode_steps).range(0, 4096);
  contract::recompute(is, &Params::recompute);
  contract::overlapped(is, &Params::overlap);
  contract::compression(is, &Params::compression)
      .choices({{"none", CompressionKind::none},
                {"fp16", CompressionKind::fp16},
                {"powersgd", CompressionKind::powersgd}});
  contract::compression_rank(is, &Params::compression_rank).range(0, 4096);
  describe_gathers(is);
  contract::bucket(is, &Params::bucket).range(1, std::uint64_t{1} << 40);
  contract::first_bucket(is, &Params::first_bucket).range(1, std::uint64_t{1} << 40);
}

// `peak`: of matrix products, where tables have one for the device; no model's step can be above it.
template <class Params>
void describe_metrics(Description<Params>& is, const char* mechanism, const char* peak) {
  contract::step_time(is);
  contract::samples(is).mechanism(mechanism);
  contract::tokens(is).mechanism(mechanism);
  contract::throughput(is).mechanism(mechanism).peak(peak);
  contract::hardware_throughput(is).mechanism(mechanism).peak(peak);
  contract::forward_time(is);
  contract::backward_time(is);
  contract::optimizer_time(is);
  contract::exposed_communication(is);
  contract::communication_time(is);
  contract::overlap(is);
  contract::peak_memory(is);
  contract::predicted_memory(is);
  contract::buckets(is);
  contract::communicated(is);
  contract::loss(is);
}

// Of providers whose ranks hold shares.
template <class Params>
void describe_moves(Description<Params>& is) {
  contract::gather_time(is);
  contract::reduce_time(is);
}

// And of those that compress.
template <class Params>
void describe_compression(Description<Params>& is) {
  contract::compression_time(is);
  contract::compression_ratio(is);
}

}  // namespace assay::plugins::train_step
