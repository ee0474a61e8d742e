// SPDX-License-Identifier: Apache-2.0
//
// How suites choose a model: its parameters, which every benchmark with a model has alike and refuses alike.
#pragma once

#include "lib/model/model.hpp"

#include <assay/description.hpp>
#include <assay/errors.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace assay::plugins::model {

enum class Choice { bert_base, llama_1b, llama_8b_like, mlp, custom };
enum class Block { of_model, bert, gpt, llama };

// Sizes are 0 where the model's own are meant. Parameters of a benchmark derive from it.
struct ModelChoice {
  Choice model = Choice::custom;
  Block block = Block::of_model;
  std::uint32_t layers = 0, width = 0, heads = 0, kv_heads = 0, ffn = 0, words = 0;
  std::uint32_t sequence = 0;
};

inline constexpr std::uint32_t kMostOfASize = 1 << 20, kMostHeads = 256;

template <class Params>
void describe_model(Description<Params>& is) {
  is.template param<Choice>("model", &ModelChoice::model)
      .choices({{"bert_base", Choice::bert_base},
                {"llama_1b", Choice::llama_1b},
                {"llama_8b_like", Choice::llama_8b_like},
                {"mlp", Choice::mlp},
                {"custom", Choice::custom}})
      .help(
          "model that is trained; custom: 2 layers of block, width "
          "256, 4 heads, 1024 words, unless they are given");
  is.template param<Block>("block", &ModelChoice::block)
      .choices(
          {{"model", Block::of_model}, {"bert", Block::bert}, {"gpt", Block::gpt}, {"llama", Block::llama}})
      .help("layers of a custom model; model: bert");
  is.template param<std::uint32_t>("layers", &ModelChoice::layers)
      .range(0, 4096)
      .help("layers of llama_8b_like, mlp and custom; 0: 32, 2 and 2");
  is.template param<std::uint32_t>("width", &ModelChoice::width)
      .range(0, kMostOfASize)
      .help("width of mlp and custom; 0: 256");
  is.template param<std::uint32_t>("heads", &ModelChoice::heads)
      .range(0, kMostHeads)
      .help("heads of custom; 0: 4");
  is.template param<std::uint32_t>("kv_heads", &ModelChoice::kv_heads)
      .range(0, kMostHeads)
      .help("heads of keys and values, of custom; 0: as many as heads");
  is.template param<std::uint32_t>("ffn", &ModelChoice::ffn)
      .range(0, kMostOfASize)
      .help("width inside the network of a layer, of custom; 0: 4 times the width");
  is.template param<std::uint32_t>("words", &ModelChoice::words)
      .range(0, 1 << 24)
      .help("words of custom, classes of mlp; 0: 1024");
  is.template param<std::uint32_t>("sequence", &ModelChoice::sequence)
      .range(0, kMostOfASize)
      .help("tokens of a sample; 0: 64, of mlp 1");
}

namespace detail {

inline void refuse_given(std::uint32_t value, const char* parameter, const char* model) {
  if (value != 0)
    throw BadParameter(parameter,
                       std::string(model) + " has its own; give it to model: custom, or leave it out");
}

inline Sizes sizes_of(const ModelChoice& given) {
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
  Sizes sizes;
  switch (given.model) {
    case Choice::bert_base:
      fixed("bert_base");
      refuse_given(given.layers, "layers", "bert_base");
      return bert_base();
    case Choice::llama_1b:
      fixed("llama_1b");
      refuse_given(given.layers, "layers", "llama_1b");
      return llama_1b();
    case Choice::llama_8b_like:
      fixed("llama_8b_like");
      return llama_8b_like(or_else(given.layers, 32));
    case Choice::mlp:
      if (given.heads != 0) throw BadParameter("heads", "an MLP has no attention");
      if (given.kv_heads != 0) throw BadParameter("kv_heads", "an MLP has no attention");
      if (given.ffn != 0) throw BadParameter("ffn", "the layers of an MLP have one width");
      if (given.sequence > 1) throw BadParameter("sequence", "a sample of an MLP is one row");
      sizes.kind = Layers::mlp;
      break;
    case Choice::custom:
      sizes.kind = given.block == Block::llama ? Layers::llama : Layers::bert;
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

// Throws BadParameter for what is not a model, and for sizes that the model has of its own; Skip for sizes that go
// with others.
inline Model model_of(const ModelChoice& given) {
  Sizes sizes = detail::sizes_of(given);
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
    return make_model(detail::name_of(given.model), sizes, sequence);
  } catch (const std::invalid_argument& error) {
    throw BadParameter("model", error.what());
  }
}

}  // namespace assay::plugins::model
