// SPDX-License-Identifier: Apache-2.0
//
// Which numbers a step on a GPU is made of. Three types, because frameworks have three: that of products and of
// what only products take, that of the stream which goes round layers (residual connections, what norms take),
// and that of parameters, their gradients and the optimiser's numbers.
#pragma once

#include "lib/model/model.hpp"
#include "lib/model/sharding.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace assay::plugins::model {

enum class Arithmetic {
  fp32,
  tf32,      // fp32 in memory; products round what they take to 10 bits of mantissa
  bf16,      // products in bf16; the stream, parameters, gradients and the optimiser in fp32
  pure_bf16  // all in bf16
};

struct NumberBytes {
  std::size_t compute = 4, stream = 4, parameter = 4;
  bool one_type() const { return compute == stream; }
  // Parameters are rounded to the type of products once a step, into a copy of their own.
  bool copies_parameters() const { return compute != parameter; }
};

constexpr NumberBytes bytes_of(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::bf16:
      return {2, 4, 4};
    case Arithmetic::pure_bf16:
      return {2, 2, 2};
    default:
      return {};
  }
}

// Where tensors of parameters lie on a device, in elements of one array: each begins at a multiple of kGrain, so
// that it can be read in pieces of 16 bytes and more, whatever its type.
class TensorPlaces {
 public:
  static constexpr std::size_t kGrain = 128;

  explicit TensorPlaces(const Model& model) {
    for (const Tensor& tensor : model.tensors) append(tensor);
  }
  // Each unit begins at a multiple of kGrain · ranks, so that ranks have equal shares of it.
  TensorPlaces(const Model& model, const std::vector<ShardUnit>& units, std::size_t ranks) {
    for (const ShardUnit& unit : units) {
      for (std::size_t t = unit.first_tensor; t < unit.end_tensor; ++t) append(model.tensors[t]);
      grow(kGrain * ranks);
    }
  }
  TensorPlaces(std::vector<std::size_t> offsets, std::size_t size)
      : offsets_(std::move(offsets)), size_(size) {}

  std::size_t offset(std::size_t tensor) const { return offsets_[tensor]; }
  std::size_t size() const { return size_; }  // of the array, gaps included

 private:
  void append(const Tensor& tensor) {
    offsets_.push_back(size_);
    size_ += tensor.size();
    grow(kGrain);
  }
  void grow(std::size_t grain) { size_ = (size_ + grain - 1) / grain * grain; }

  std::vector<std::size_t> offsets_;
  std::size_t size_ = 0;
};

}  // namespace assay::plugins::model
