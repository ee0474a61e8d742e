// SPDX-License-Identifier: Apache-2.0
//
// What every provider of the benchmark says of its parameters and metrics alike, and refuses alike.
#pragma once

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
enum class Choice { bert_base, llama_1b, llama_8b_like, mlp, custom };
enum class Block { of_model, bert, gpt, llama };

// Sizes are 0 where the model's own are meant.
struct Parameters {
  Strategy strategy = Strategy::single;
  Choice model = Choice::custom;
  Block block = Block::of_model;
  std::uint32_t layers = 0, width = 0, heads = 0, kv_heads = 0, ffn = 0, words = 0;
  std::uint32_t sequence = 0;
  std::uint32_t micro_batch = 4, accumulation = 1;
  Optimizer optimizer = Optimizer::adamw;
  std::string dtype = "fp32";
  Without without = Without::none;
  bool overlap = true;
  std::uint64_t bucket = std::uint64_t{25} << 20, first_bucket = std::uint64_t{1} << 20;
  std::uint32_t threads = 0;
  std::string parameter_dtype = "fp32";  // of providers that have a choice
  std::string attention = "auto";
  double host_cost = 0;  // seconds
};

inline constexpr std::uint32_t kMostOfASize = 1 << 20, kMostHeads = 256;

template <class Params>
void describe_model(Description<Params>& is) {
  is.param("model", &Params::model)
      .choices({{"bert_base", Choice::bert_base},
                {"llama_1b", Choice::llama_1b},
                {"llama_8b_like", Choice::llama_8b_like},
                {"mlp", Choice::mlp},
                {"custom", Choice::custom}})
      .help("custom: 2 layers of block, width 256, 4 heads, 1024 words, unless they are given");
  is.param("block", &Params::block)
      .choices(
          {{"model", Block::of_model}, {"bert", Block::bert}, {"gpt", Block::gpt}, {"llama", Block::llama}})
      .help("layers of a custom model; model: bert");
  is.param("layers", &Params::layers).range(0, 4096).help("of llama_8b_like, mlp and custom; 0: 32, 2 and 2");
  is.param("width", &Params::width).range(0, kMostOfASize).help("of mlp and custom; 0: 256");
  is.param("heads", &Params::heads).range(0, kMostHeads).help("of custom; 0: 4");
  is.param("kv_heads", &Params::kv_heads)
      .range(0, kMostHeads)
      .help("heads of keys and values, of custom; 0: as many as heads");
  is.param("ffn", &Params::ffn)
      .range(0, kMostOfASize)
      .help("width inside the network of a layer, of custom; 0: 4 times the width");
  is.param("words", &Params::words).range(0, 1 << 24).help("words of custom, classes of mlp; 0: 1024");
  is.param("sequence", &Params::sequence).range(0, kMostOfASize).help("tokens of a sample; 0: 64, of mlp 1");
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

namespace detail {

inline void refuse_given(std::uint32_t value, const char* parameter, const char* model) {
  if (value != 0)
    throw BadParameter(parameter,
                       std::string(model) + " has its own; give it to model: custom, or leave it out");
}

inline model::Sizes sizes_of(const Parameters& given) {
  const auto fixed = [&](const char* name) {
    refuse_given(given.width, "width", name);
    refuse_given(given.heads, "heads", name);
    refuse_given(given.kv_heads, "kv_heads", name);
    refuse_given(given.ffn, "ffn", name);
    refuse_given(given.words, "words", name);
  };
  if (given.model != Choice::custom && given.block != Block::of_model)
    throw BadParameter("block", "only model: custom has a choice of layers");
  const auto or_else = [](std::uint32_t value, std::size_t own) {
    return value != 0 ? std::size_t{value} : own;
  };
  model::Sizes sizes;
  switch (given.model) {
    case Choice::bert_base:
      fixed("bert_base");
      refuse_given(given.layers, "layers", "bert_base");
      return model::bert_base();
    case Choice::llama_1b:
      fixed("llama_1b");
      refuse_given(given.layers, "layers", "llama_1b");
      return model::llama_1b();
    case Choice::llama_8b_like:
      fixed("llama_8b_like");
      return model::llama_8b_like(or_else(given.layers, 32));
    case Choice::mlp:
      if (given.heads != 0) throw BadParameter("heads", "an MLP has no attention");
      if (given.kv_heads != 0) throw BadParameter("kv_heads", "an MLP has no attention");
      if (given.ffn != 0) throw BadParameter("ffn", "the layers of an MLP have one width");
      if (given.sequence > 1) throw BadParameter("sequence", "a sample of an MLP is one row");
      sizes.kind = model::Layers::mlp;
      break;
    case Choice::custom:
      sizes.kind = given.block == Block::llama ? model::Layers::llama : model::Layers::bert;
      sizes.word_scores = given.block == Block::gpt;
      if (given.block == Block::gpt) sizes.types = 0;
      break;
  }
  sizes.layers = or_else(given.layers, 2);
  sizes.width = or_else(given.width, 256);
  sizes.heads = or_else(given.heads, 4);
  sizes.kv_heads = or_else(given.kv_heads, sizes.heads);
  sizes.ffn = or_else(given.ffn, 4 * sizes.width);
  sizes.words = or_else(given.words, 1024);
  return sizes;
}

inline const char* name_of(Choice choice) {
  switch (choice) {
    case Choice::bert_base:
      return "bert_base";
    case Choice::llama_1b:
      return "llama_1b";
    case Choice::llama_8b_like:
      return "llama_8b_like";
    case Choice::mlp:
      return "mlp";
    case Choice::custom:
      break;
  }
  return "custom";
}

}  // namespace detail

// Throws BadParameter for what is no model, and for sizes that the model has of its own; Skip for sizes that go
// with others.
inline model::Model model_of(const Parameters& given) {
  model::Sizes sizes = detail::sizes_of(given);
  const bool mlp = given.model == Choice::mlp;
  const std::size_t sequence = mlp ? 1 : given.sequence != 0 ? given.sequence : 64;
  if (given.model == Choice::custom) {
    if (sizes.width % sizes.heads != 0) {
      throw BadParameter(
          given.heads != 0 ? "heads" : "width",
          std::to_string(sizes.heads) + " heads do not divide a width of " + std::to_string(sizes.width));
    }
    if (sizes.kv_heads > sizes.heads) {
      throw Skip("kv_heads: " + std::to_string(sizes.kv_heads) + " are more than there are heads, " +
                 std::to_string(sizes.heads));
    }
    if (sizes.heads % sizes.kv_heads != 0) {
      throw BadParameter("kv_heads", std::to_string(sizes.kv_heads) + " do not divide " +
                                         std::to_string(sizes.heads) + " heads");
    }
    if (given.block == Block::llama && sizes.width / sizes.heads % 2 != 0)
      throw BadParameter("width", "a head of llama has an even width, because positions turn pairs");
    sizes.positions = std::max<std::size_t>(sizes.positions, sequence);
  }
  if (given.model == Choice::bert_base && sequence > sizes.positions) {
    throw BadParameter("sequence",
                       "bert_base has positions for " + std::to_string(sizes.positions) + " tokens");
  }
  try {
    return model::make_model(detail::name_of(given.model), sizes, sequence);
  } catch (const std::invalid_argument& error) {
    throw BadParameter("model", error.what());
  }
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
