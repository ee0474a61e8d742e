// SPDX-License-Identifier: Apache-2.0
#include "lib/model/reference_loss.hpp"

#include "lib/host_products.hpp"
#include "lib/two_sum.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace assay::plugins::model {
namespace {

constexpr double kEpsilon = 1e-5;
constexpr std::size_t kSlab = std::size_t{4} << 20;  // parameters that are held at once

using Rows = std::vector<double>;

class Reference {
 public:
  Reference(const Model& model, std::size_t samples, const HostBatch& batch, const ParametersOf& parameters)
      : model_(model), samples_(samples), batch_(batch), parameters_(parameters) {
    values_.resize(model.operations.size());
    last_use_.resize(model.operations.size());
    for (std::size_t i = 0; i < model.operations.size(); ++i) {
      if (model.operations[i].input != kNone) last_use_[index(model.operations[i].input)] = i;
      if (model.operations[i].other != kNone) last_use_[index(model.operations[i].other)] = i;
    }
  }

  double loss(const Interruption& interruption) {
    double result = 0;
    for (std::size_t i = 0; i < model_.operations.size(); ++i) {
      if (interruption) interruption();
      const Operation& operation = model_.operations[i];
      if (operation.kind == Kind::loss) {
        result = cross_entropy(operation);
      } else {
        values_[i] = value_of(operation);
      }
      for (std::size_t earlier = 0; earlier <= i; ++earlier) {
        if (last_use_[earlier] == i && earlier < i) Rows().swap(values_[earlier]);
      }
    }
    return result;
  }

 private:
  static std::size_t index(int value) { return static_cast<std::size_t>(value); }
  std::size_t rows(const Operation& operation) const { return model_.rows(operation, samples_); }
  const Rows& taken(const Operation& operation) const { return values_[index(operation.input)]; }

  Rows tensor(const Operation& operation, int which, std::size_t first, std::size_t count) const {
    Rows out(count);
    parameters_(model_.tensors[index(operation.first_tensor + which)].offset + first, count, out.data());
    return out;
  }

  Rows value_of(const Operation& operation) const {
    switch (operation.kind) {
      case Kind::features:
        return Rows(batch_.features, batch_.features + rows(operation) * operation.out);
      case Kind::embedding:
        return embedding(operation);
      case Kind::linear:
        return linear(operation);
      case Kind::layer_norm:
      case Kind::rms_norm:
        return norm(operation);
      case Kind::attention:
        return attention(operation);
      case Kind::gelu:
        return by_element(operation, [](double x) { return 0.5 * x * std::erfc(-x * std::sqrt(0.5)); });
      case Kind::tanh:
        return by_element(operation, [](double x) { return std::tanh(x); });
      case Kind::swiglu: {
        Rows y(rows(operation) * operation.out);
        for (std::size_t i = 0; i < y.size(); ++i) {
          const double* row = taken(operation).data() + i / operation.out * operation.in;
          const double gate = row[i % operation.out], factor = row[operation.out + i % operation.out];
          y[i] = gate / (1 + std::exp(-gate)) * factor;
        }
        return y;
      }
      case Kind::add: {
        Rows y = taken(operation);
        const Rows& other = values_[index(operation.other)];
        for (std::size_t i = 0; i < y.size(); ++i) y[i] += other[i];
        return y;
      }
      case Kind::first_token: {
        Rows y(rows(operation) * operation.out);
        for (std::size_t i = 0; i < y.size(); ++i)
          y[i] = taken(operation)[i / operation.out * model_.sequence * operation.out + i % operation.out];
        return y;
      }
      case Kind::received:  // a part has no loss of its own
      case Kind::loss:
        break;
    }
    return {};
  }

  template <class Function>
  Rows by_element(const Operation& operation, const Function& function) const {
    Rows y = taken(operation);
    for (double& x : y) x = function(x);
    return y;
  }

  Rows embedding(const Operation& operation) const {
    const std::size_t width = operation.out;
    Rows y(rows(operation) * width);
    for (std::size_t row = 0; row < rows(operation); ++row) {
      const std::size_t place = row % model_.sequence;
      int table = 0;
      const auto add = [&](std::size_t of_table) {
        const Rows vector = tensor(operation, table++, of_table * width, width);
        for (std::size_t i = 0; i < width; ++i) y[row * width + i] += vector[i];
      };
      add(static_cast<std::size_t>(batch_.tokens[row]));
      if (operation.positions != 0) add(place);
      if (operation.types != 0) add(place * operation.types / model_.sequence);
    }
    return y;
  }

  Rows linear(const Operation& operation) const {
    const std::size_t count = rows(operation), in = operation.in, out = operation.out;
    Rows y(count * out);
    const std::size_t at_once = std::max<std::size_t>(1, kSlab / in);
    for (std::size_t first = 0; first < out; first += at_once) {
      const std::size_t some = std::min(at_once, out - first);
      const Rows weights = tensor(operation, 0, first * in, some * in);
      multiply(count, some, in, 1.0, {taken(operation).data(), in}, {weights.data(), in, true}, 0.0,
               y.data() + first, out);
    }
    if (operation.bias) {
      const Rows bias = tensor(operation, 1, 0, out);
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += bias[i % out];
    }
    return y;
  }

  Rows norm(const Operation& operation) const {
    const std::size_t width = operation.out;
    const bool layer = operation.kind == Kind::layer_norm;
    const Rows gain = tensor(operation, 0, 0, width);
    const Rows shift = layer ? tensor(operation, 1, 0, width) : Rows(width, 0);
    Rows y = taken(operation);
    for (std::size_t row = 0; row < rows(operation); ++row) {
      double* x = y.data() + row * width;
      double mean = 0, squares = 0;
      for (std::size_t i = 0; layer && i < width; ++i) mean += x[i] / static_cast<double>(width);
      for (std::size_t i = 0; i < width; ++i)
        squares += (x[i] - mean) * (x[i] - mean) / static_cast<double>(width);
      for (std::size_t i = 0; i < width; ++i)
        x[i] = (x[i] - mean) / std::sqrt(squares + kEpsilon) * gain[i] + shift[i];
    }
    return y;
  }

  // A head's queries or keys, turned by their places.
  Rows head_of(const Operation& operation, std::size_t sample, std::size_t vector, bool turn) const {
    const std::size_t s = model_.sequence, d = operation.out / operation.heads;
    Rows out(s * d);
    for (std::size_t place = 0; place < s; ++place) {
      const double* from = taken(operation).data() + (sample * s + place) * operation.in + vector * d;
      double* to = out.data() + place * d;
      std::copy(from, from + d, to);
      for (std::size_t i = 0; turn && operation.rotary_base > 0 && i < d / 2; ++i) {
        const double angle =
            static_cast<double>(place) /
            std::pow(operation.rotary_base, 2 * static_cast<double>(i) / static_cast<double>(d));
        to[i] = from[i] * std::cos(angle) - from[i + d / 2] * std::sin(angle);
        to[i + d / 2] = from[i + d / 2] * std::cos(angle) + from[i] * std::sin(angle);
      }
    }
    return out;
  }

  Rows attention(const Operation& operation) const {
    const std::size_t s = model_.sequence, d = operation.out / operation.heads;
    const std::size_t group = operation.heads / operation.kv_heads;
    Rows y(rows(operation) * operation.out), scores(s * s);
    for (std::size_t sample = 0; sample < samples_; ++sample) {
      for (std::size_t head = 0; head < operation.heads; ++head) {
        const std::size_t key = operation.heads + head / group;
        const Rows q = head_of(operation, sample, head, true), k = head_of(operation, sample, key, true);
        const Rows v = head_of(operation, sample, key + operation.kv_heads, false);
        multiply(s, s, d, 1 / std::sqrt(static_cast<double>(d)), {q.data(), d}, {k.data(), d, true}, 0.0,
                 scores.data(), s);
        for (std::size_t row = 0; row < s; ++row) {
          double* of = scores.data() + row * s;
          double sum = 0;
          for (std::size_t i = 0; i < s; ++i) {
            of[i] = operation.causal && i > row ? 0 : std::exp(of[i]);
            sum += of[i];
          }
          for (std::size_t i = 0; i < s; ++i) of[i] /= sum;
        }
        multiply(s, d, s, 1.0, {scores.data(), s}, {v.data(), d}, 0.0,
                 y.data() + sample * s * operation.out + head * d, operation.out);
      }
    }
    return y;
  }

  double cross_entropy(const Operation& operation) const {
    const std::size_t width = operation.in, count = rows(operation);
    TwoSum loss;  // of many samples a plain sum is off by more than a small gradient changes it
    for (std::size_t row = 0; row < count; ++row) {
      const double* of = taken(operation).data() + row * width;
      double sum = 0;
      for (std::size_t i = 0; i < width; ++i) sum += std::exp(of[i]);
      loss.add(std::log(sum) - of[static_cast<std::size_t>(batch_.labels[row])]);
    }
    return loss.value() / static_cast<double>(count);
  }

  const Model& model_;
  const std::size_t samples_;
  const HostBatch& batch_;
  const ParametersOf& parameters_;
  std::vector<Rows> values_;
  std::vector<std::size_t> last_use_;
};

}  // namespace

double reference_loss(const Model& model, std::size_t samples, const HostBatch& batch,
                      const ParametersOf& parameters, const Interruption& interruption) {
  return Reference(model, samples, batch, parameters).loss(interruption);
}

double reference_loss(const Model& model, const StepInputs& inputs, std::uint64_t step, std::size_t first,
                      std::size_t samples, const ParametersOf& parameters, const Interruption& interruption) {
  std::vector<std::int32_t> tokens, labels;
  std::vector<float> features;
  for (std::size_t i = 0; i < samples * model.labels(); ++i)
    labels.push_back(inputs.label(step, first * model.labels() + i));
  if (model.reads_tokens()) {
    for (std::size_t i = 0; i < samples * model.sequence; ++i)
      tokens.push_back(inputs.token(first * model.sequence + i));
  } else {
    const std::size_t width = model.operations.front().out;
    for (std::size_t i = 0; i < samples * width; ++i) features.push_back(inputs.feature(first * width + i));
  }
  return reference_loss(model, samples, {tokens.data(), features.data(), labels.data()}, parameters,
                        interruption);
}

}  // namespace assay::plugins::model
