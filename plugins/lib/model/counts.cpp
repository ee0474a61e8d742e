// SPDX-License-Identifier: Apache-2.0
#include "lib/model/counts.hpp"

#include <algorithm>

namespace assay::plugins::model {
namespace {

// Queries with keys, then probabilities with values.
void add_attention(std::vector<Product>& all, const Model& model, const Operation& operation, int index,
                   std::size_t samples) {
  const std::size_t head = operation.out / operation.heads, count = samples * operation.heads;
  all.push_back({index, model.sequence, model.sequence, head, count, true});
  all.push_back({index, model.sequence, head, model.sequence, count, true});
}

// Whether the gradient of what the operation takes leads to a parameter.
bool input_has_parameters(const Model& model, const Operation& operation) {
  for (int at = operation.input; at != kNone; at = model.operations[static_cast<std::size_t>(at)].input) {
    if (model.operations[static_cast<std::size_t>(at)].tensors != 0) return true;
  }
  return false;
}

void count(Flops& flops, const Product& product, double times) {
  (product.attention ? flops.attention : flops.products) += times * product.flop();
}

}  // namespace

std::vector<Product> products(const Model& model, std::size_t samples) {
  std::vector<Product> all;
  for (std::size_t i = 0; i < model.operations.size(); ++i) {
    const Operation& operation = model.operations[i];
    const int index = static_cast<int>(i);
    if (operation.kind == Kind::linear)
      all.push_back({index, model.rows(operation, samples), operation.out, operation.in, 1, false});
    if (operation.kind == Kind::attention) add_attention(all, model, operation, index, samples);
  }
  return all;
}

Flops forward_flops(const Model& model, std::size_t samples) {
  Flops flops;
  for (const Product& product : products(model, samples)) count(flops, product, 1);
  return flops;
}

Flops backward_flops(const Model& model, std::size_t samples) {
  Flops flops;
  for (const Product& product : products(model, samples)) {
    const Operation& operation = model.operations[static_cast<std::size_t>(product.operation)];
    count(flops, product, input_has_parameters(model, operation) ? 2 : 1);
  }
  return flops;
}

Flops recomputed_flops(const Model& model, std::size_t samples) {
  Flops flops;
  for (const Product& product : products(model, samples)) {
    const auto at = static_cast<std::size_t>(product.operation);
    if (model.layers() != 0 && at >= model.layer_begins.front() && at < model.layer_begins.back())
      count(flops, product, 1);
  }
  return flops;
}

double model_flops(const Model& model, std::size_t samples) {
  return 3 * forward_flops(model, samples).total();
}

std::vector<bool> kept_values(const Model& model) {
  std::vector<bool> kept(model.operations.size(), false);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const Operation& operation = model.operations[i];
    switch (operation.kind) {
      case Kind::tanh:  // whose own backward pass needs it
        kept[i] = true;
        break;
      case Kind::linear:
      case Kind::layer_norm:
      case Kind::rms_norm:
      case Kind::attention:
      case Kind::gelu:
      case Kind::swiglu:
      case Kind::loss:  // in their place is their gradient
        if (operation.input != kNone) kept[static_cast<std::size_t>(operation.input)] = true;
        break;
      default:
        break;
    }
  }
  return kept;
}

namespace {

// Of the operations from `from` on, up to `to`.
std::uint64_t activation_bytes(const Model& model, const std::vector<bool>& kept, std::size_t samples,
                               const Storage& storage, std::size_t from, std::size_t to) {
  std::uint64_t bytes = 0;
  for (std::size_t i = from; i < to; ++i) {
    const Operation& operation = model.operations[i];
    const std::uint64_t rows = model.rows(operation, samples);
    // What is not kept but added to what goes round lies where the sum lies.
    if (kept[i] && operation.kind != Kind::features) bytes += rows * operation.out * storage.element_bytes;
    if (operation.kind == Kind::attention && storage.probabilities) {
      const std::uint64_t pairs = std::uint64_t{samples} * operation.heads * model.sequence * model.sequence;
      bytes += pairs * (storage.dropout ? 2 * storage.element_bytes + 1 : storage.element_bytes);
    }
    if (operation.kind == Kind::add && storage.dropout) bytes += rows * operation.out;
    if (storage.statistics && operation.kind == Kind::layer_norm) bytes += rows * 2 * storage.element_bytes;
    if (storage.statistics && operation.kind == Kind::rms_norm) bytes += rows * storage.element_bytes;
  }
  return bytes;
}

}  // namespace

std::uint64_t activation_bytes(const Model& model, std::size_t samples, const Storage& storage) {
  const std::vector<bool> kept = kept_values(model);
  const auto between = [&](std::size_t from, std::size_t to) {
    return activation_bytes(model, kept, samples, storage, from, to);
  };
  const std::size_t count = model.operations.size();
  if (!storage.between_layers || model.layers() == 0) return between(0, count);
  std::uint64_t bytes = between(0, model.layer_begins.front()) + between(model.layer_begins.back(), count);
  std::uint64_t largest = 0;
  for (std::size_t layer = 0; layer < model.layers(); ++layer) {
    const std::size_t end = model.layer_begins[layer + 1];
    const Operation& last = model.operations[end - 1];
    const std::uint64_t handed_on =
        std::uint64_t{model.rows(last, samples)} * last.out * storage.element_bytes;
    const std::uint64_t all = between(model.layer_begins[layer], end);
    largest = std::max(largest, all - (kept[end - 1] ? handed_on : 0));
    bytes += handed_on;
  }
  return bytes + largest;
}

std::uint64_t state_bytes(const Model& model, std::size_t element_bytes, std::size_t optimizer_numbers) {
  return std::uint64_t{model.parameters()} * element_bytes * (2 + optimizer_numbers);
}

}  // namespace assay::plugins::model
