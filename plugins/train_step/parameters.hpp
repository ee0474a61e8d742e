// SPDX-License-Identifier: Apache-2.0
//
// What every provider of the benchmark says of its parameters and metrics alike, and refuses alike.
#pragma once

#include "lib/model/choice.hpp"
#include "lib/model/model.hpp"
#include "train_step/step.hpp"

#include <assay/description.hpp>
#include <assay/errors.hpp>
#include <assay/units.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace assay::plugins::train_step {

enum class Strategy { single, ddp };

using model::Block;
using model::Choice;
using model::kMostHeads;
using model::kMostOfASize;
using model::model_of;

struct Parameters : model::ModelChoice {
  Strategy strategy = Strategy::single;
  std::uint32_t micro_batch = 4, accumulation = 1;
  Optimizer optimizer = Optimizer::adamw;
  std::string dtype = "fp32";
  Without without = Without::none;
  bool overlap = true;
  std::uint64_t bucket = std::uint64_t{25} << 20, first_bucket = std::uint64_t{1} << 20;
  std::uint32_t threads = 0;
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
      .choices({{"single", Strategy::single}, {"ddp", Strategy::ddp}})
      .help("single: ranks do not know of each other; ddp: they average gradients");
  is.param("optimizer", &Params::optimizer)
      .choices({{"sgd", Optimizer::sgd}, {"adamw", Optimizer::adamw}})
      .help("in one pass; sgd has no momentum");
  is.param("without", &Params::without)
      .choices({{"none", Without::none},
                {"communication", Without::communication},
                {"compute", Without::compute},
                {"optimizer", Without::optimizer}})
      .help("leaves that part of the step out; compute: forward and backward pass");
  is.param("overlapped", &Params::overlap).help("of ddp: average buckets while the backward pass goes on");
  is.param("bucket", &Params::bucket)
      .unit(assay::unit::bytes)
      .range(1, std::uint64_t{1} << 40)
      .help("of ddp: gradients are averaged together once there are so many bytes of them");
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
  is.value("forward_time", assay::unit::seconds).lower_is_better().summary("of a step, its median");
  is.value("backward_time", assay::unit::seconds).lower_is_better().summary("of a step, its median");
  is.value("optimizer_time", assay::unit::seconds).lower_is_better().summary("of a step, its median");
  is.value("exposed_communication", assay::unit::seconds)
      .lower_is_better()
      .summary("between the end of the backward pass and the end of averaging, its median");
  is.value("communication_time", assay::unit::seconds)
      .lower_is_better()
      .summary("in which buckets were averaged, hidden or not, waiting for other ranks included; its median");
  is.value("overlap", assay::unit::one)
      .higher_is_better()
      .summary("share of communication_time that is not exposed");
  is.value("peak_memory", assay::unit::bytes)
      .lower_is_better()
      .summary("the most that a step had in use on a rank, less what there was before");
  is.value("predicted_memory", assay::unit::bytes).summary("the same by the formula");
  is.value("buckets", assay::unit::one).summary("that gradients are averaged in");
  is.value("communicated", assay::unit::bytes)
      .summary("that each rank sends in a step at least: 2 (n-1)/n of the gradients; n ranks");
  is.value("loss", assay::unit::one).summary("of the last step, over its samples on a rank");
}

// Which options go together on so many ranks. Throws Skip: each of them goes with others.
inline void require_together(const Parameters& given, std::uint32_t ranks) {
  if (given.strategy == Strategy::ddp && ranks < 2)
    throw Skip("ddp averages over ranks, and there is one; give the case ranks: 2 or more");
  if (given.strategy == Strategy::single && given.without == Without::communication)
    throw Skip("strategy: single has no communication that could be left out");
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
  options.rank = rank;
  options.ranks = ranks;
  options.seed = seed;
  return options;
}

}  // namespace assay::plugins::train_step
