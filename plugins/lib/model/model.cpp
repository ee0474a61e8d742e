// SPDX-License-Identifier: Apache-2.0
#include "lib/model/model.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace assay::plugins::model {
namespace {

// Appends operations; each call gives the index of its value.
class Builder {
 public:
  Builder(std::string name, std::size_t sequence) {
    model_.name = std::move(name);
    model_.sequence = sequence;
  }

  int features(std::size_t width) {
    Operation operation = make(Kind::features, kNone, width);
    operation.in = width;
    return append(operation);
  }

  int embedding(const Sizes& sizes) {
    Operation operation = make(Kind::embedding, kNone, sizes.width);
    operation.words = sizes.words;
    if (sizes.kind == Layers::bert) {
      operation.positions = sizes.positions;
      operation.types = sizes.types;
    }
    tensor(operation, "words", operation.words, sizes.width);
    if (operation.positions != 0) tensor(operation, "positions", operation.positions, sizes.width);
    if (operation.types != 0) tensor(operation, "types", operation.types, sizes.width);
    return append(operation);
  }

  int linear(int input, const std::string& what, std::size_t out, bool bias) {
    Operation operation = make(Kind::linear, input, out);
    operation.bias = bias;
    tensor(operation, what + " weight", out, operation.in);
    if (bias) tensor(operation, what + " bias", 1, out, Start::zeros);
    return append(operation);
  }

  int norm(int input, const std::string& what, Kind kind) {
    Operation operation = make(kind, input, width_of(input));
    tensor(operation, what + " gain", 1, operation.out, Start::ones);
    if (kind == Kind::layer_norm) tensor(operation, what + " shift", 1, operation.out, Start::zeros);
    return append(operation);
  }

  int attention(int input, const Sizes& sizes) {
    Operation operation = make(Kind::attention, input, sizes.width);
    operation.heads = sizes.heads;
    operation.kv_heads = sizes.kv_heads;
    operation.causal = sizes.kind == Layers::llama;
    operation.rotary_base = sizes.kind == Layers::llama ? sizes.rotary_base : 0;
    return append(operation);
  }

  int add(int input, int other) {
    Operation operation = make(Kind::add, input, width_of(input));
    operation.other = other;
    return append(operation);
  }

  int plain(Kind kind, int input) {
    const std::size_t in = width_of(input);
    Operation operation = make(kind, input, kind == Kind::swiglu ? in / 2 : in);
    if (kind == Kind::first_token) operation.per_sample = true;
    return append(operation);
  }

  void prefix(std::string text) { prefix_ = std::move(text); }
  // What follows is of the next layer, or behind them all.
  void begin_layer() { model_.layer_begins.push_back(model_.operations.size()); }
  Model take() { return std::move(model_); }

 private:
  std::size_t width_of(int value) const { return model_.operations[static_cast<std::size_t>(value)].out; }

  Operation make(Kind kind, int input, std::size_t out) const {
    Operation operation;
    operation.kind = kind;
    operation.input = input;
    operation.out = out;
    operation.first_tensor = static_cast<int>(model_.tensors.size());
    if (input != kNone) {
      operation.in = width_of(input);
      operation.per_sample = model_.operations[static_cast<std::size_t>(input)].per_sample;
    }
    return operation;
  }

  void tensor(Operation& operation, const std::string& what, std::size_t rows, std::size_t columns,
              Start start = Start::uniform) {
    model_.tensors.push_back({prefix_ + what, rows, columns, start, model_.parameters()});
    ++operation.tensors;
  }

  int append(const Operation& operation) {
    model_.operations.push_back(operation);
    return static_cast<int>(model_.operations.size()) - 1;
  }

  Model model_;
  std::string prefix_;
};

int bert_layer(Builder& build, const Sizes& sizes, int x) {
  const std::size_t of_kv = sizes.width / sizes.heads * sizes.kv_heads;
  int branch = build.linear(x, "attention in", sizes.width + 2 * of_kv, true);
  branch = build.attention(branch, sizes);
  branch = build.linear(branch, "attention out", sizes.width, true);
  x = build.norm(build.add(branch, x), "attention norm", Kind::layer_norm);
  branch = build.linear(x, "ffn up", sizes.ffn, true);
  branch = build.plain(Kind::gelu, branch);
  branch = build.linear(branch, "ffn down", sizes.width, true);
  return build.norm(build.add(branch, x), "ffn norm", Kind::layer_norm);
}

int llama_layer(Builder& build, const Sizes& sizes, int x) {
  const std::size_t of_kv = sizes.width / sizes.heads * sizes.kv_heads;
  int branch = build.norm(x, "attention norm", Kind::rms_norm);
  branch = build.linear(branch, "attention in", sizes.width + 2 * of_kv, false);
  branch = build.attention(branch, sizes);
  branch = build.linear(branch, "attention out", sizes.width, false);
  x = build.add(branch, x);
  branch = build.norm(x, "ffn norm", Kind::rms_norm);
  branch = build.linear(branch, "ffn gate and up", 2 * sizes.ffn, false);
  branch = build.plain(Kind::swiglu, branch);
  branch = build.linear(branch, "ffn down", sizes.width, false);
  return build.add(branch, x);
}

void require(bool holds, const char* text) {
  if (!holds) throw std::invalid_argument(text);
}

void require_possible(const Sizes& sizes, std::size_t sequence) {
  require(sizes.layers > 0 && sizes.width > 0 && sizes.words > 0,
          "layers, width and words have to be above 0");
  require(sequence > 0, "a sample has one token at least");
  if (sizes.kind == Layers::mlp) {
    require(sequence == 1, "a sample of an MLP is one row: the sequence has to be 1");
    return;
  }
  require(sizes.heads > 0 && sizes.kv_heads > 0 && sizes.ffn > 0,
          "heads, kv_heads and ffn have to be above 0");
  require(sizes.width % sizes.heads == 0, "the number of heads does not divide the width");
  require(sizes.heads % sizes.kv_heads == 0,
          "the number of heads of keys and values does not divide the number of heads");
  if (sizes.kind == Layers::llama) {
    require(sizes.width / sizes.heads % 2 == 0, "rotary positions need an even width of a head");
  } else {
    require(sequence <= sizes.positions, "the sequence is longer than there are positions");
  }
}

}  // namespace

std::size_t Model::tensor_of(std::size_t element) const {
  const auto behind = std::upper_bound(tensors.begin(), tensors.end(), element,
                                       [](std::size_t at, const Tensor& t) { return at < t.offset; });
  return static_cast<std::size_t>(behind - tensors.begin()) - 1;
}

Model make_model(const std::string& name, const Sizes& sizes, std::size_t sequence) {
  require_possible(sizes, sequence);
  Builder build(name, sequence);
  int x = kNone;
  if (sizes.kind == Layers::mlp) {
    x = build.features(sizes.width);
  } else {
    build.prefix("embedding ");
    x = build.embedding(sizes);
    if (sizes.kind == Layers::bert) x = build.norm(x, "norm", Kind::layer_norm);
  }
  for (std::size_t layer = 0; layer < sizes.layers; ++layer) {
    build.prefix("layer " + std::to_string(layer) + " ");
    build.begin_layer();
    switch (sizes.kind) {
      case Layers::bert:
        x = bert_layer(build, sizes, x);
        break;
      case Layers::llama:
        x = llama_layer(build, sizes, x);
        break;
      case Layers::mlp:
        x = build.plain(Kind::gelu, build.linear(x, "product", sizes.width, true));
        break;
    }
  }
  build.prefix("head ");
  build.begin_layer();
  if (sizes.kind == Layers::llama) x = build.norm(x, "norm", Kind::rms_norm);
  if (sizes.kind == Layers::bert && !sizes.word_scores) {
    x = build.plain(Kind::first_token, x);
    x = build.plain(Kind::tanh, build.linear(x, "pooler", sizes.width, true));
  } else {
    x = build.linear(x, "scores", sizes.words, sizes.kind == Layers::mlp);
  }
  build.plain(Kind::loss, x);
  return build.take();
}

Sizes bert_base() {
  Sizes sizes;
  sizes.layers = 12;
  sizes.width = 768;
  sizes.heads = sizes.kv_heads = 12;
  sizes.ffn = 3072;
  sizes.words = 30522;
  return sizes;
}

Sizes llama_1b() {
  Sizes sizes;
  sizes.kind = Layers::llama;
  sizes.layers = 16;
  sizes.width = 2048;
  sizes.heads = sizes.kv_heads = 16;
  sizes.ffn = 5632;
  sizes.words = 32000;
  return sizes;
}

Sizes llama_8b_like(std::size_t layers) {
  Sizes sizes;
  sizes.kind = Layers::llama;
  sizes.layers = layers;
  sizes.width = 4096;
  sizes.heads = 32;
  sizes.kv_heads = 8;
  sizes.ffn = 14336;
  sizes.words = 128256;
  sizes.rotary_base = 500000;
  return sizes;
}

}  // namespace assay::plugins::model
