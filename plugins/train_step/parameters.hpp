// SPDX-License-Identifier: Apache-2.0
//
// What every provider of the benchmark says of its parameters and metrics alike.
#pragma once

#include "lib/model/choice.hpp"
#include "train_step/step_memory.hpp"

#include <assay/description.hpp>
#include <assay/units.hpp>

#include <cstdint>
#include <string>

namespace assay::plugins::train_step {

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
  std::string parameter_dtype = "fp32";  // of providers that have a choice
  std::string attention = "auto";
  double host_cost = 0;  // seconds
};

template <class Params>
void describe_batches(Description<Params>& is) {
  is.param("micro_batch", &Params::micro_batch)
      .range(1, kMostOfASize)
      .help("samples that a rank computes at once");
  is.param("accumulation", &Params::accumulation)
      .range(1, 65536)
      .help("micro-batches of a rank whose gradients add up before they are averaged and used");
}

template <class Params>
void describe_way(Description<Params>& is) {
  is.param("strategy", &Params::strategy)
      .choices({{"single", Strategy::single},
                {"ddp", Strategy::ddp},
                {"zero1", Strategy::zero1},
                {"zero2", Strategy::zero2},
                {"zero3", Strategy::zero3},
                {"fsdp", Strategy::fsdp}})
      .help(
          "single: ranks do not know of each other; ddp: they average gradients; zero1: each has a share of the "
          "optimiser's numbers, zero2: also of gradients, zero3 and fsdp: also of parameters");
  is.param("optimizer", &Params::optimizer)
      .choices({{"sgd", Optimizer::sgd}, {"adamw", Optimizer::adamw}})
      .help("in one pass; sgd has no momentum");
  is.param("without", &Params::without)
      .choices({{"none", Without::none},
                {"communication", Without::communication},
                {"compute", Without::compute},
                {"optimizer", Without::optimizer}})
      .help("leaves that part of the step out; compute: forward and backward pass");
  is.param("recompute", &Params::recompute)
      .help("keeps of layers only what each hands on, and computes them again in the backward pass");
  is.param("overlapped", &Params::overlap).help("ranks communicate while the passes go on");
  is.param("compression", &Params::compression)
      .choices({{"none", CompressionKind::none},
                {"fp16", CompressionKind::fp16},
                {"powersgd", CompressionKind::powersgd}})
      .help(
          "of ddp: what is averaged in place of gradients: halves, or two matrices of few columns with what they lose carried on");
  is.param("compression_rank", &Params::compression_rank)
      .range(0, 4096)
      .help("of powersgd: columns of the matrices; 0: 1");
  is.param("prefetch", &Params::prefetch)
      .choices({{"none", model::Prefetch::none},
                {"forward", model::Prefetch::forward},
                {"backward", model::Prefetch::backward},
                {"both", model::Prefetch::both}})
      .help("of zero3 and fsdp: in which pass layers are gathered before they are reached");
  is.param("gathers", &Params::gathers)
      .range(0, 64)
      .help(
          "of zero3 and fsdp: layers that are gathered at once, the one in use included; 0: 2 where prefetch "
          "is not none, else 1");
  is.param("reshard_after_forward", &Params::reshard)
      .help("of zero3 and fsdp: false keeps what the forward pass gathered for the backward pass");
  is.param("bucket", &Params::bucket)
      .unit(assay::unit::bytes)
      .range(1, std::uint64_t{1} << 40)
      .help("of ddp, zero1 and zero2: gradients go together once there are so many bytes of them");
  is.param("first_bucket", &Params::first_bucket)
      .unit(assay::unit::bytes)
      .range(1, std::uint64_t{1} << 40)
      .help("the same of the first bucket of a step");
}

template <class Params>
void describe_metrics(Description<Params>& is, const char* mechanism) {
  is.duration("step_time").summary("one step, on the slowest rank").headline();
  is.rate("samples", assay::unit::items_per_second)
      .counting("samples of all ranks")
      .mechanism(mechanism)
      .headline();
  is.rate("tokens", assay::unit::items_per_second)
      .counting("tokens of all ranks; a sample of an MLP is one")
      .mechanism(mechanism);
  is.rate("throughput", assay::unit::flop_per_second)
      .counting("model FLOPs: three times the products of a forward pass, attention of all pairs of tokens")
      .mechanism(mechanism);
  is.rate("hardware_throughput", assay::unit::flop_per_second)
      .counting(
          "FLOPs of products that are made: forward pass, backward pass and, with recompute, layers once more")
      .mechanism(mechanism);
  is.part("forward_time").summary("of a step");
  is.part("backward_time").summary("of a step");
  is.part("optimizer_time").summary("of a step");
  is.part("exposed_communication").summary("in which a step waited for communication");
  is.part("communication_time")
      .summary("in which ranks moved gradients and parameters, hidden or not, waiting for others included");
  is.part("gather_time").summary("of communication_time that in which parameters were gathered");
  is.part("reduce_time").summary("of communication_time that in which gradients were reduced to shares");
  is.value("overlap", assay::unit::one)
      .higher_is_better()
      .summary("share of communication_time that is not exposed");
  is.part("compression_time").summary("of communication_time that in which gradients were compressed");
  is.value("peak_memory", assay::unit::bytes)
      .lower_is_better()
      .summary("the most that a step had in use on a rank, less what there was before");
  is.value("predicted_memory", assay::unit::bytes).summary("the same by the formula");
  is.value("buckets", assay::unit::one)
      .summary("that gradients are averaged in; of zero3 and fsdp the units, layers and ends");
  is.value("communicated", assay::unit::bytes)
      .summary(
          "that each rank sends in a step at least: (n-1)/n of what is gathered and of what is reduced; n ranks");
  is.value("compression_ratio", assay::unit::one)
      .higher_is_better()
      .summary("bytes of gradients for each byte that is averaged in their place");
  is.value("loss", assay::unit::one).summary("of the last step, over its samples on a rank");
}

}  // namespace assay::plugins::train_step
