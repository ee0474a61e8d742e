// SPDX-License-Identifier: Apache-2.0
#include "lib/model/host_network.hpp"

#include "lib/host_products.hpp"
#include "lib/model/host_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace assay::plugins::model {
namespace {

constexpr std::size_t kColumns = 16;  // a line of the cache
constexpr std::size_t kElements =
    16 << 10;  // that one thread takes at least: less is done sooner than it wakes up

std::size_t rows_of(std::size_t width) { return std::max<std::size_t>(1, kElements / width); }
std::size_t columns_of(std::size_t rows) {
  return std::max<std::size_t>(1, kElements / rows / kColumns) * kColumns;
}

std::size_t type_of(const Operation& operation, std::size_t place, std::size_t sequence) {
  return place * operation.types / sequence;
}

}  // namespace

HostNetwork::HostNetwork(const Model& model, const Plan& plan, HostMemory memory, HostWorkers& workers)
    : model_(model),
      plan_(plan),
      memory_(memory),
      workers_(workers),
      parameters_(model.tensors.size()),
      gradients_(model.tensors.size()) {
  if (memory.parameters != nullptr) place_parameters(0, model.tensors.size(), memory.parameters);
  if (memory.gradients != nullptr) place_gradients(0, model.tensors.size(), memory.gradients);
  losses_.resize(plan.samples * model.labels());
  for (const Operation& operation : model.operations) {
    if (operation.kind != Kind::attention || operation.rotary_base == 0) continue;
    const std::size_t d = operation.out / operation.heads, pairs = d / 2;
    turns_.resize(model.sequence * d);
    for (std::size_t place = 0; place < model.sequence; ++place) {
      for (std::size_t i = 0; i < pairs; ++i) {
        const double angle =
            static_cast<double>(place) *
            std::pow(operation.rotary_base, -2.0 * static_cast<double>(i) / static_cast<double>(d));
        turns_[place * d + i] = static_cast<float>(std::cos(angle));
        turns_[place * d + pairs + i] = static_cast<float>(std::sin(angle));
      }
    }
    break;  // all layers turn alike
  }
}

float* HostNetwork::value(int operation) const {
  const Place place = plan_.value[static_cast<std::size_t>(operation)];
  return (place.in_workspace ? memory_.workspace : memory_.activations) + place.offset;
}

float* HostNetwork::gradient(int operation) const {
  const Place place = plan_.gradient[static_cast<std::size_t>(operation)];
  return (place.in_workspace ? memory_.workspace : memory_.activations) + place.offset;
}

const float* HostNetwork::parameters(const Operation& operation, int tensor) const {
  return parameters_[static_cast<std::size_t>(operation.first_tensor + tensor)];
}

float* HostNetwork::gradients(const Operation& operation, int tensor) const {
  return gradients_[static_cast<std::size_t>(operation.first_tensor + tensor)];
}

void HostNetwork::place_parameters(std::size_t first, std::size_t end, const float* at) {
  for (std::size_t i = first; i < end; ++i)
    parameters_[i] = at + (model_.tensors[i].offset - model_.tensors[first].offset);
}

void HostNetwork::place_gradients(std::size_t first, std::size_t end, float* at) {
  for (std::size_t i = first; i < end; ++i)
    gradients_[i] = at + (model_.tensors[i].offset - model_.tensors[first].offset);
}

const float* HostNetwork::taken(const Operation& operation, const HostBatch& batch) const {
  const bool features = model_.operations[static_cast<std::size_t>(operation.input)].kind == Kind::features;
  return features ? batch.features : value(operation.input);
}

double HostNetwork::forward(const HostBatch& batch, double scale) {
  forward_values(batch, 0, model_.operations.size());
  return loss(batch, scale);
}

void HostNetwork::forward_values(const HostBatch& batch) {
  forward_values(batch, 0, model_.operations.size());
}

void HostNetwork::forward_values(const HostBatch& batch, std::size_t from, std::size_t end) {
  for (std::size_t i = from; i < end; ++i) {
    if (model_.operations[i].kind != Kind::loss) forward_one(i, batch);
  }
}

double HostNetwork::loss(const HostBatch& batch, double scale) {
  scale_ = static_cast<float>(scale / static_cast<double>(losses_.size()));
  forward_one(model_.operations.size() - 1, batch);
  return std::accumulate(losses_.begin(), losses_.end(), 0.0) / static_cast<double>(losses_.size());
}

void HostNetwork::backward(const HostBatch& batch, bool first, const Ready& ready) {
  backward(batch, first, ready, 0, model_.operations.size());
}

void HostNetwork::backward(const HostBatch& batch, bool first, const Ready& ready, std::size_t from,
                           std::size_t end) {
  for (std::size_t i = end; i-- > from;) {
    if (const int again = plan_.computed_again_from[i]; again != kNone)
      forward_values(batch, static_cast<std::size_t>(again), i + 1);
    backward_one(i, batch, first, Of::all);
    if (ready && model_.operations[i].tensors != 0) ready(model_.operations[i].first_tensor);
  }
}

void HostNetwork::backward_values(const HostBatch& batch) {
  for (std::size_t i = model_.operations.size(); i-- > 0;) backward_one(i, batch, true, Of::values);
}

void HostNetwork::backward_parameters(const HostBatch& batch, bool first) {
  for (std::size_t i = model_.operations.size(); i-- > 0;) {
    if (model_.operations[i].tensors != 0) backward_one(i, batch, first, Of::parameters);
  }
}

void HostNetwork::use(float* activations, float* workspace) {
  memory_.activations = activations;
  memory_.workspace = workspace;
}

void HostNetwork::forward_one(std::size_t i, const HostBatch& batch) {
  const Operation& operation = model_.operations[i];
  const std::size_t count = rows(operation), width = operation.out;
  const int at = static_cast<int>(i);
  switch (operation.kind) {
    case Kind::features:
    case Kind::received:  // it is there
      break;
    case Kind::embedding:
      embedding(operation, batch, value(at));
      break;
    case Kind::linear:
      linear(i, batch);
      break;
    case Kind::layer_norm:
      workers_.share(count, rows_of(width), [&](std::size_t from, std::size_t to) {
        host::layer_norm({from, to}, width, value(operation.input), parameters(operation, 0),
                         parameters(operation, 1), value(at), memory_.activations + plan_.beside[i]);
      });
      break;
    case Kind::rms_norm:
      workers_.share(count, rows_of(width), [&](std::size_t from, std::size_t to) {
        host::rms_norm({from, to}, width, value(operation.input), parameters(operation, 0), value(at),
                       memory_.activations + plan_.beside[i]);
      });
      break;
    case Kind::attention:
      attention(i);
      break;
    case Kind::gelu:
      workers_.share(count * width, kElements, [&](std::size_t from, std::size_t to) {
        host::gelu({from, to}, value(operation.input), value(at));
      });
      break;
    case Kind::swiglu:
      workers_.share(count, rows_of(width), [&](std::size_t from, std::size_t to) {
        host::swiglu({from, to}, width, value(operation.input), value(at));
      });
      break;
    case Kind::add:  // the input is there already
      workers_.share(count * width, kElements, [&](std::size_t from, std::size_t to) {
        host::add({from, to}, value(operation.other), value(at));
      });
      break;
    case Kind::first_token:
      for (std::size_t row = 0; row < count; ++row) {
        const float* from = value(operation.input) + row * model_.sequence * width;
        std::copy(from, from + width, value(at) + row * width);
      }
      break;
    case Kind::tanh:  // in place
      host::tanh_forward({0, count * width}, value(at));
      break;
    case Kind::loss:
      workers_.share(count, rows_of(width), [&](std::size_t from, std::size_t to) {
        host::cross_entropy({from, to}, width, batch.labels, scale_, value(operation.input),
                            gradient(operation.input), losses_.data());
      });
      break;
  }
}

void HostNetwork::backward_one(std::size_t i, const HostBatch& batch, bool first, Of of) {
  const Operation& operation = model_.operations[i];
  const std::size_t count = rows(operation), width = operation.out;
  const int at = static_cast<int>(i);
  switch (operation.kind) {
    case Kind::features:
    case Kind::received:
    case Kind::loss:  // the forward pass did it
      break;
    case Kind::add:  // its gradient is that of both, which may have places of their own
      if (const float* from = gradient(at); gradient(operation.other) != from) {
        float* to = gradient(operation.other);
        workers_.share(count * width, kElements, [&](std::size_t begin, std::size_t end) {
          std::copy(from + begin, from + end, to + begin);
        });
      }
      break;
    case Kind::embedding:
      if (of != Of::values) embedding_backward(i, batch, first);
      break;
    case Kind::linear:
      linear_backward(i, batch, first, of);
      break;
    case Kind::layer_norm:
    case Kind::rms_norm:
      norm_backward(i, first, of);
      break;
    case Kind::attention:
      attention_backward(i);
      break;
    case Kind::gelu:
      workers_.share(count * width, kElements, [&](std::size_t from, std::size_t to) {
        host::gelu_backward({from, to}, value(operation.input), gradient(at));
      });
      break;
    case Kind::swiglu:
      workers_.share(count, rows_of(width), [&](std::size_t from, std::size_t to) {
        host::swiglu_backward({from, to}, width, value(operation.input), gradient(at), plan_.accumulates[i],
                              gradient(operation.input));
      });
      break;
    case Kind::first_token: {
      float* to = gradient(operation.input);
      std::fill(to, to + count * model_.sequence * width, 0.0F);
      for (std::size_t row = 0; row < count; ++row)
        std::copy_n(gradient(at) + row * width, width, to + row * model_.sequence * width);
      break;
    }
    case Kind::tanh:
      host::tanh_backward({0, count * width}, value(at), gradient(at));
      break;
  }
}

void HostNetwork::embedding(const Operation& operation, const HostBatch& batch, float* y) {
  const std::size_t width = operation.out;
  const float* words = parameters(operation, 0);
  const float* positions = operation.positions != 0 ? parameters(operation, 1) : nullptr;
  const float* types =
      operation.types != 0 ? parameters(operation, operation.positions != 0 ? 2 : 1) : nullptr;
  workers_.share(rows(operation), rows_of(width), [&](std::size_t from, std::size_t to) {
    for (std::size_t row = from; row < to; ++row) {
      const std::size_t place = row % model_.sequence;
      float* sum = y + row * width;
      std::copy_n(words + static_cast<std::size_t>(batch.tokens[row]) * width, width, sum);
      if (positions) host::add({0, width}, positions + place * width, sum);
      if (types) host::add({0, width}, types + type_of(operation, place, model_.sequence) * width, sum);
    }
  });
}

void HostNetwork::embedding_backward(std::size_t i, const HostBatch& batch, bool first) {
  const Operation& operation = model_.operations[i];
  const std::size_t width = operation.out;
  const float* dy = gradient(static_cast<int>(i));
  float* words = gradients(operation, 0);
  float* positions = operation.positions != 0 ? gradients(operation, 1) : nullptr;
  float* types = operation.types != 0 ? gradients(operation, operation.positions != 0 ? 2 : 1) : nullptr;
  if (first) {  // most rows of the tables are not a token's, and have a gradient of 0
    for (int tensor = 0; tensor < operation.tensors; ++tensor) {
      float* table = gradients(operation, tensor);
      const std::size_t size =
          model_.tensors[static_cast<std::size_t>(operation.first_tensor + tensor)].size();
      workers_.share(size, kElements,
                     [&](std::size_t from, std::size_t to) { std::fill(table + from, table + to, 0.0F); });
    }
  }
  // By columns, because many tokens are of one row.
  workers_.share(width, columns_of(rows(operation)), [&](std::size_t from, std::size_t to) {
    for (std::size_t row = 0; row < rows(operation); ++row) {
      const std::size_t place = row % model_.sequence;
      const float* of = dy + row * width;
      host::add({from, to}, of, words + static_cast<std::size_t>(batch.tokens[row]) * width);
      if (positions) host::add({from, to}, of, positions + place * width);
      if (types) host::add({from, to}, of, types + type_of(operation, place, model_.sequence) * width);
    }
  });
}

void HostNetwork::linear(std::size_t i, const HostBatch& batch) {
  const Operation& operation = model_.operations[i];
  const std::size_t count = rows(operation), in = operation.in, out = operation.out;
  float* y = value(static_cast<int>(i));
  multiply(count, out, in, 1.0F, {taken(operation, batch), in}, {parameters(operation, 0), in, true}, 0.0F, y,
           out);
  if (!operation.bias) return;
  workers_.share(count, rows_of(out), [&](std::size_t from, std::size_t to) {
    host::add_bias({from, to}, out, parameters(operation, 1), y);
  });
}

void HostNetwork::linear_backward(std::size_t i, const HostBatch& batch, bool first, Of of) {
  const Operation& operation = model_.operations[i];
  const std::size_t count = rows(operation), in = operation.in, out = operation.out;
  const float* dy = gradient(static_cast<int>(i));
  if (of != Of::values) {
    multiply(out, in, count, 1.0F, {dy, out, true}, {taken(operation, batch), in}, first ? 0.0F : 1.0F,
             gradients(operation, 0), in);
  }
  if (operation.bias && of != Of::values) {
    workers_.share(out, columns_of(count), [&](std::size_t from, std::size_t to) {
      host::bias_gradient({from, to}, count, out, dy, !first, gradients(operation, 1));
    });
  }
  if (of == Of::parameters) return;
  if (model_.operations[static_cast<std::size_t>(operation.input)].kind == Kind::features) return;
  multiply(count, in, out, 1.0F, {dy, out}, {parameters(operation, 0), in},
           plan_.accumulates[i] ? 1.0F : 0.0F, gradient(operation.input), in);
}

void HostNetwork::norm_backward(std::size_t i, bool first, Of of) {
  const Operation& operation = model_.operations[i];
  const std::size_t count = rows(operation), width = operation.out;
  const float* x = value(operation.input);
  const float* dy = gradient(static_cast<int>(i));
  const float* statistics = memory_.activations + plan_.beside[i];
  const bool layer = operation.kind == Kind::layer_norm;
  const auto parameters_part = [&](std::size_t from, std::size_t to) {
    if (layer) {
      host::layer_norm_parameters({from, to}, count, width, x, statistics, dy, !first,
                                  gradients(operation, 0), gradients(operation, 1));
    } else {
      host::rms_norm_parameters({from, to}, count, width, x, statistics, dy, !first, gradients(operation, 0));
    }
  };
  if (of != Of::values) workers_.share(width, columns_of(count), parameters_part);
  if (of == Of::parameters) return;
  workers_.share(count, rows_of(width), [&](std::size_t from, std::size_t to) {
    const auto backward = layer ? host::layer_norm_backward : host::rms_norm_backward;
    backward({from, to}, width, x, parameters(operation, 0), statistics, dy, plan_.accumulates[i],
             gradient(operation.input));
  });
}

void HostNetwork::rotate_all(const Operation& operation, bool back, float* all) {
  if (operation.rotary_base == 0) return;
  const std::size_t d = operation.out / operation.heads;
  workers_.share(rows(operation), rows_of(operation.in), [&](std::size_t from, std::size_t to) {
    host::rotate({from, to}, operation.in, operation.heads + operation.kv_heads, d, model_.sequence,
                 turns_.data(), back, all);  // queries, then keys
  });
}

void HostNetwork::attention(std::size_t i) {
  const Operation& operation = model_.operations[i];
  const std::size_t s = model_.sequence, d = operation.out / operation.heads, in = operation.in;
  const std::size_t group = operation.heads / operation.kv_heads;
  float* all = value(operation.input);
  float* probabilities = memory_.activations + plan_.beside[i];
  float* y = value(static_cast<int>(i));
  const float scale = 1.0F / std::sqrt(static_cast<float>(d));
  rotate_all(operation, false, all);
  const auto each = [&](const auto& body) {
    for (std::size_t sample = 0; sample < plan_.samples; ++sample) {
      for (std::size_t head = 0; head < operation.heads; ++head) {
        const float* queries = all + sample * s * in + head * d;
        const float* keys = all + sample * s * in + (operation.heads + head / group) * d;
        body(sample, head, queries, keys, keys + operation.kv_heads * d);
      }
    }
  };
  const auto matrix = [&](std::size_t sample, std::size_t head) {
    return probabilities + (sample * operation.heads + head) * s * s;
  };
  each([&](std::size_t sample, std::size_t head, const float* queries, const float* keys, const float*) {
    multiply(s, s, d, scale, {queries, in}, {keys, in, true}, 0.0F, matrix(sample, head), s);
  });
  workers_.share(plan_.samples * operation.heads * s, rows_of(s), [&](std::size_t from, std::size_t to) {
    host::softmax({from, to}, s, operation.causal, probabilities);
  });
  each([&](std::size_t sample, std::size_t head, const float*, const float*, const float* values) {
    multiply(s, d, s, 1.0F, {matrix(sample, head), s}, {values, in}, 0.0F,
             y + sample * s * operation.out + head * d, operation.out);
  });
}

void HostNetwork::attention_backward(std::size_t i) {
  const Operation& operation = model_.operations[i];
  const std::size_t s = model_.sequence, d = operation.out / operation.heads, in = operation.in;
  const std::size_t group = operation.heads / operation.kv_heads;
  const float* all = value(operation.input);
  const float* dy = gradient(static_cast<int>(i));
  float* to = gradient(operation.input);
  const float scale = 1.0F / std::sqrt(static_cast<float>(d));
  for (std::size_t sample = 0; sample < plan_.samples; ++sample) {
    for (std::size_t head = 0; head < operation.heads; ++head) {
      const float keep = head % group == 0 ? 0.0F : 1.0F;  // heads of a group share keys and values
      const std::size_t query_at = sample * s * in + head * d;
      const std::size_t key_at = sample * s * in + (operation.heads + head / group) * d;
      const std::size_t value_at = key_at + operation.kv_heads * d;
      const float* probabilities =
          memory_.activations + plan_.beside[i] + (sample * operation.heads + head) * s * s;
      const float* by = dy + sample * s * operation.out + head * d;
      multiply(s, d, s, 1.0F, {probabilities, s, true}, {by, operation.out}, keep, to + value_at, in);
      multiply(s, s, d, 1.0F, {by, operation.out}, {all + value_at, in, true}, 0.0F, memory_.scratch, s);
      workers_.share(s, kElements / s + 1, [&](std::size_t from, std::size_t end) {
        host::softmax_backward({from, end}, s, probabilities, memory_.scratch);
      });
      multiply(s, d, s, scale, {memory_.scratch, s}, {all + key_at, in}, 0.0F, to + query_at, in);
      multiply(s, d, s, scale, {memory_.scratch, s, true}, {all + query_at, in}, keep, to + key_at, in);
    }
  }
  rotate_all(operation, true, to);
}

}  // namespace assay::plugins::model
