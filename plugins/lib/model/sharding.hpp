// SPDX-License-Identifier: Apache-2.0
//
// How ranks divide what they hold of a model: units, which are gathered, reduced and updated as a whole, and the
// share that each rank has of each unit. Data only: whatever moves it reads it from here.
#pragma once

#include "lib/model/model.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace assay::plugins::model {

// A run of operations and the tensors that they have. Ends are not included.
struct ShardUnit {
  std::size_t first_operation = 0, end_operation = 0;
  std::size_t first_tensor = 0, end_tensor = 0;
  std::size_t offset = 0, size = 0;  // elements of the array of all parameters
};

// In the order of the model: what stands before the layers, each layer, what stands behind them. That is how
// FSDP wraps a transformer layer by layer. What has no tensors belongs to the unit behind it.
std::vector<ShardUnit> layer_units(const Model& model);

// In the order of the model: units that are closed in the order of the backward pass once they hold their limit
// of bytes or more, the first of them (the last of the model) one of its own. As make_buckets() does, but an
// operation is never split. A unit is closed where `may_begin` says that one may begin, of each operation.
using MayBegin = std::function<bool(const Operation& operation)>;
std::vector<ShardUnit> bucket_units(const Model& model, std::size_t element_bytes, std::uint64_t first_limit,
                                    std::uint64_t limit, const MayBegin& may_begin = nullptr);

// Elements [from, to) of a unit.
struct Share {
  std::size_t from = 0, to = 0;
  std::size_t size() const { return to - from; }
};

// Of `size` elements every rank has as many, in whole lines of 16, so that collectives of equal parts can move
// them; the last ranks have less where that does not come out even, and may have nothing.
std::size_t share_size(std::size_t size, std::size_t ranks);
Share share_of(std::size_t size, std::size_t rank, std::size_t ranks);

// Where the shares of all units lie in a rank's own array: one behind the other, each share_size() long.
struct ShardLayout {
  ShardLayout() = default;
  ShardLayout(std::vector<ShardUnit> of, std::size_t over_ranks);

  Share share(std::size_t unit, std::size_t rank) const { return share_of(units[unit].size, rank, ranks); }

  std::vector<ShardUnit> units;
  std::size_t ranks = 1;
  std::vector<std::size_t> place;  // of each unit's share
  std::size_t size = 0;            // elements of a rank's array
};

}  // namespace assay::plugins::model
