// SPDX-License-Identifier: Apache-2.0
#include "lib/model/partition.hpp"

#include <charconv>
#include <numeric>
#include <stdexcept>

namespace assay::plugins::model {
namespace {

std::vector<std::size_t> numbers_of(const std::string& text) {
  std::vector<std::size_t> numbers;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (;;) {
    std::size_t number = 0;
    const auto [behind, error] = std::from_chars(at, end, number);
    const bool goes_on = behind != end && *behind == '-';
    if (error != std::errc() || (behind != end && !goes_on))
      throw std::invalid_argument("'" + text + "' is neither 'even' nor numbers of layers like 6-2-2-2");
    numbers.push_back(number);
    if (!goes_on) return numbers;
    at = behind + 1;
  }
}

int moved(int operation, int by) { return operation == kNone ? kNone : operation - by; }

}  // namespace

std::vector<std::size_t> layers_of_parts(const std::string& text, std::size_t layers, std::size_t parts) {
  const std::string of_model = "the model has " + std::to_string(layers);
  if (parts > layers)
    throw std::invalid_argument(std::to_string(parts) + " parts need a layer each, and " + of_model);
  if (text == "even") {
    std::vector<std::size_t> even(parts, layers / parts);
    for (std::size_t i = 0; i < layers % parts; ++i) ++even[i];
    return even;
  }
  std::vector<std::size_t> given = numbers_of(text);
  if (given.size() != parts)
    throw std::invalid_argument("'" + text + "' has " + std::to_string(given.size()) +
                                " numbers, and there are " + std::to_string(parts) + " parts");
  std::size_t sum = 0;
  for (const std::size_t number : given) {
    if (number == 0) throw std::invalid_argument("'" + text + "' leaves a part without a layer");
    if (number > layers)
      throw std::invalid_argument("'" + text + "' is more layers than there are: " + of_model);
    sum += number;
  }
  if (sum != layers)
    throw std::invalid_argument("'" + text + "' adds up to " + std::to_string(sum) + " layers, and " +
                                of_model);
  return given;
}

std::vector<Part> make_parts(const Model& whole, const std::vector<std::size_t>& layers) {
  if (std::accumulate(layers.begin(), layers.end(), std::size_t{0}) != whole.layers())
    throw std::invalid_argument("the parts' layers do not add up to the model's");
  std::vector<Part> parts;
  std::size_t layer = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const bool first = i == 0, last = i + 1 == layers.size();
    const std::size_t from = first ? 0 : whole.layer_begins[layer];
    layer += layers[i];
    const std::size_t to = last ? whole.operations.size() : whole.layer_begins[layer];
    Part& part = parts.emplace_back();
    part.layers = layers[i];
    part.model.name = whole.name;
    part.model.sequence = whole.sequence;
    // What it takes is the value of the operation before it, which becomes its operation 0.
    const int by = first ? 0 : static_cast<int>(from) - 1;
    if (!first) {
      Operation received;
      received.kind = Kind::received;
      received.in = received.out = whole.operations[from - 1].out;
      received.per_sample = whole.operations[from - 1].per_sample;
      part.model.operations.push_back(received);
    }
    const int first_tensor = whole.operations[from].first_tensor;
    for (std::size_t at = from; at < to; ++at) {
      Operation operation = whole.operations[at];
      operation.input = moved(operation.input, by);
      operation.other = moved(operation.other, by);
      for (int tensor = 0; tensor < operation.tensors; ++tensor) {
        const int number = operation.first_tensor + tensor;
        const Tensor& of = whole.tensors[static_cast<std::size_t>(number)];
        if (part.model.tensors.empty()) part.first_parameter = of.offset;
        part.model.tensors.push_back(of);
        part.model.tensors.back().offset -= part.first_parameter;
      }
      operation.first_tensor -= first_tensor;
      part.model.operations.push_back(operation);
    }
  }
  return parts;
}

std::size_t handed_over(const Part& part, std::size_t samples) {
  const Operation& last = part.model.operations.back();
  return last.kind == Kind::loss ? 0 : part.model.rows(last, samples) * last.out;
}

}  // namespace assay::plugins::model
