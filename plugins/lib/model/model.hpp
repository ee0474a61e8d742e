// SPDX-License-Identifier: Apache-2.0
//
// A neural network as data: a list of operations, each with its sizes, and the tensors of parameters that they
// have. What runs it (on a host or a device) and what counts it read the same list.
//
// Values are matrices of float, row by row: one row a token, or one row a sample behind `first_token`. The
// value of an operation has its index. A product has the shape that the framework's has: rows × in by
// in × out, with queries, keys and values (and SwiGLU's gate and its factor) in one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::plugins::model {

enum class Kind {
  features,   // the input of an MLP: numbers, no parameters
  received,   // the input of a part of a model (partition.hpp): the value of the part before
  embedding,  // a row of `words` for each token, plus one of `positions` and one of `types` where it has them
  linear,     // x·W + b; W is out × in, as it is in frameworks
  layer_norm,   // (x - mean)/√(variance + 1e-5) · gain + shift, over a row
  rms_norm,     // x/√(mean of squares + 1e-5) · gain
  attention,    // softmax(q·kᵀ/√d)·v for each head
  gelu,         // x·Φ(x), by the error function
  swiglu,       // silu(first half of the row) · second half
  add,          // of two values: what a residual connection does
  first_token,  // of each sample
  tanh,
  loss  // mean over its rows of the cross-entropy of softmax(row) and a label
};

// What stands for "no operation".
inline constexpr int kNone = -1;

struct Operation {
  Kind kind = Kind::linear;
  int input = kNone;        // the operation whose value it takes
  int other = kNone;        // of add: the value that went round
  std::size_t in = 0;       // width of a row of its input
  std::size_t out = 0;      // and of its value
  bool per_sample = false;  // one row a sample instead of one a token
  bool bias = false;
  std::size_t words = 0, positions = 0, types = 0;  // of an embedding: rows of its tables
  std::size_t heads = 0, kv_heads = 0;              // of attention; out is heads · width of a head
  bool causal = false;                              // a token sees those before it only
  double rotary_base = 0;                           // turns queries and keys by position; 0: does not
  int first_tensor = 0, tensors = 0;                // its parameters in Model::tensors
};

// Where a tensor starts.
enum class Start { uniform, zeros, ones };

struct Tensor {
  std::string name;  // "layer 3 ffn down weight"
  std::size_t rows = 0, columns = 0;
  Start start = Start::uniform;
  std::size_t offset = 0;  // in elements from the first parameter
  std::size_t size() const { return rows * columns; }
};

struct Model {
  std::string name;
  std::size_t sequence = 1;  // tokens of a sample
  std::vector<Operation> operations;
  std::vector<Tensor> tensors;  // in the order of operations
  // The first operation of each layer, and behind them the first that is of no layer any more.
  std::vector<std::size_t> layer_begins;

  // Elements of all tensors.
  std::size_t parameters() const {
    return tensors.empty() ? 0 : tensors.back().offset + tensors.back().size();
  }
  // Its number, of the tensor that holds the element of all parameters.
  std::size_t tensor_of(std::size_t element) const;
  std::size_t layers() const { return layer_begins.empty() ? 0 : layer_begins.size() - 1; }
  bool has_loss() const { return operations.back().kind == Kind::loss; }
  // Labels of a sample.
  std::size_t labels() const { return operations.back().per_sample ? 1 : sequence; }
  std::size_t classes() const { return operations.back().in; }
  bool reads_tokens() const { return operations.front().kind == Kind::embedding; }
  std::size_t rows(const Operation& operation, std::size_t samples) const {
    return operation.per_sample ? samples : samples * sequence;
  }
};

// What kind of layers a model has.
enum class Layers {
  bert,   // attention, residual, LayerNorm, GELU network, residual, LayerNorm; all with biases
  llama,  // RMSNorm, rotary causal attention, residual, RMSNorm, SwiGLU network, residual; no biases
  mlp     // product, GELU
};

struct Sizes {
  Layers kind = Layers::bert;
  std::size_t layers = 2;
  std::size_t width = 256;
  std::size_t heads = 4;
  std::size_t kv_heads = 4;
  std::size_t ffn = 1024;
  std::size_t words = 1024;     // rows of the embedding, or classes of an MLP
  std::size_t positions = 512;  // of bert
  std::size_t types = 2;        // of bert
  bool word_scores = false;     // bert: the loss is over words at each token instead of over the pooled row
  double rotary_base = 10000;   // of llama
};

// A BERT ends in its pooler (first token, product, tanh), and the loss takes the pooled row as scores of
// `width` classes, so that every parameter has a gradient and there is none beside BERT's own; with
// `word_scores` it ends in a product onto the words instead, as GPT does. A LLaMA ends in an RMSNorm and a
// product onto the words that shares nothing with the embedding. Throws std::invalid_argument for sizes that
// are not a model: 0 of anything, heads that do not divide the width, kv_heads that do not divide heads, an odd
// width of a head for rotary, more tokens than positions.
Model make_model(const std::string& name, const Sizes& sizes, std::size_t sequence);

// BERT base, uncased: 12 layers, width 768, 30,522 words, 109,482,240 parameters with pooler (Devlin et al.,
// 2019, and its published weights).
Sizes bert_base();
// 16 layers, width 2048, 16 heads, ffn 5632, 32,000 words: 953,223,168 parameters.
Sizes llama_1b();
// LLaMA 3 8B's layers (Grattafiori et al., 2024): 8,030,261,248 parameters where there are 32 of them.
Sizes llama_8b_like(std::size_t layers);

}  // namespace assay::plugins::model
