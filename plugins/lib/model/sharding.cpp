// SPDX-License-Identifier: Apache-2.0
#include "lib/model/sharding.hpp"

#include <algorithm>
#include <utility>

namespace assay::plugins::model {
namespace {

constexpr std::size_t kLine = 16;  // elements

// The unit of operations [from, end).
ShardUnit unit_of(const Model& model, std::size_t from, std::size_t end) {
  ShardUnit unit;
  unit.first_operation = from;
  unit.end_operation = end;
  unit.first_tensor = static_cast<std::size_t>(model.operations[from].first_tensor);
  unit.end_tensor = unit.first_tensor;
  for (std::size_t i = from; i < end; ++i)
    unit.end_tensor += static_cast<std::size_t>(model.operations[i].tensors);
  for (std::size_t i = unit.first_tensor; i < unit.end_tensor; ++i) unit.size += model.tensors[i].size();
  if (unit.size != 0) unit.offset = model.tensors[unit.first_tensor].offset;
  return unit;
}

}  // namespace

std::vector<ShardUnit> layer_units(const Model& model) {
  std::vector<ShardUnit> units;
  const std::size_t count = model.operations.size();
  std::size_t from = 0;
  bool has_tensors = false;
  for (std::size_t i = 0; i < count; ++i) {
    has_tensors = has_tensors || model.operations[i].tensors != 0;
    const bool ends = i + 1 == count || model.operations[i + 1].layer != model.operations[i].layer;
    if (!ends || !has_tensors) continue;
    units.push_back(unit_of(model, from, i + 1));
    from = i + 1;
    has_tensors = false;
  }
  return units;
}

std::vector<ShardUnit> bucket_units(const Model& model, std::size_t element_bytes, std::uint64_t first_limit,
                                    std::uint64_t limit) {
  std::vector<ShardUnit> units;
  std::size_t end = model.operations.size();
  for (std::size_t i = end; i-- > 0;) {
    const ShardUnit open = unit_of(model, i, end);
    const bool is_full = open.size * element_bytes >= (units.empty() ? first_limit : limit);
    // Those before the last operation with tensors have nothing to wait for.
    if (i == 0 || (is_full && open.first_tensor != 0)) {
      units.push_back(open);
      end = i;
    }
  }
  std::reverse(units.begin(), units.end());
  return units;
}

std::size_t share_size(std::size_t size, std::size_t ranks) {
  return ((size + ranks - 1) / ranks + kLine - 1) / kLine * kLine;
}

Share share_of(std::size_t size, std::size_t rank, std::size_t ranks) {
  const std::size_t each = share_size(size, ranks);
  return {std::min(size, rank * each), std::min(size, (rank + 1) * each)};
}

ShardLayout::ShardLayout(std::vector<ShardUnit> of, std::size_t over_ranks)
    : units(std::move(of)), ranks(over_ranks) {
  for (const ShardUnit& unit : units) {
    place.push_back(size);
    size += share_size(unit.size, ranks);
  }
}

}  // namespace assay::plugins::model
