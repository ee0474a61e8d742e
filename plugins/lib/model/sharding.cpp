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
  std::vector<std::size_t> ends = model.layer_begins;
  ends.push_back(model.operations.size());
  std::vector<ShardUnit> units;
  std::size_t from = 0;
  for (const std::size_t end : ends) {
    const ShardUnit unit = unit_of(model, from, end);
    if (unit.size == 0) continue;  // it goes with the next
    units.push_back(unit);
    from = end;
  }
  return units;
}

std::vector<ShardUnit> bucket_units(const Model& model, std::size_t element_bytes, std::uint64_t first_limit,
                                    std::uint64_t limit, const MayBegin& may_begin) {
  std::vector<ShardUnit> units;
  std::size_t end = model.operations.size();
  for (std::size_t i = end; i-- > 0;) {
    const ShardUnit open = unit_of(model, i, end);
    const bool is_full = open.size * element_bytes >= (units.empty() ? first_limit : limit) &&
                         (!may_begin || may_begin(model.operations[i]));
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
