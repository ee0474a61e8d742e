// SPDX-License-Identifier: Apache-2.0
#include "lib/model/shard_schedule.hpp"

#include <algorithm>

namespace assay::plugins::model {
namespace {

bool is_prefetched(Prefetch prefetch, bool backward) {
  return prefetch == Prefetch::both || prefetch == (backward ? Prefetch::backward : Prefetch::forward);
}

}  // namespace

std::size_t ShardSchedule::allowed_after(std::size_t stages_done) const {
  std::size_t count = 0;
  while (count < transfers.size() && transfers[count].stages <= stages_done) ++count;
  return count;
}

std::size_t ShardSchedule::moved(bool reduce) const {
  std::size_t elements = 0;
  for (const Transfer& transfer : transfers)
    elements += transfer.reduce == reduce ? sizes_[transfer.unit] : 0;
  return elements;
}

std::size_t ShardSchedule::gathered() const { return moved(false); }
std::size_t ShardSchedule::reduced() const { return moved(true); }

ShardSchedule make_schedule(const std::vector<ShardUnit>& units, const ScheduleOptions& options) {
  const std::size_t count = units.size();
  ShardSchedule schedule;
  for (const ShardUnit& unit : units) schedule.sizes_.push_back(unit.size);
  const auto grow = [&](std::vector<std::size_t>& buffers, std::size_t buffer, std::size_t unit) {
    if (buffers.size() <= buffer) buffers.resize(buffer + 1);
    buffers[buffer] = std::max(buffers[buffer], units[unit].size);
  };
  for (std::size_t at = 0; at < 2 * count; ++at) {
    Stage stage;
    stage.backward = at >= count;
    stage.unit = stage.backward ? 2 * count - 1 - at : at;
    if (options.gathers) {
      stage.parameters = options.reshard_after_forward ? at % options.gathered_at_once : stage.unit;
      grow(schedule.parameter_buffers, stage.parameters, stage.unit);
      if (!stage.backward || options.reshard_after_forward) {
        const std::size_t begins = stage.backward ? count : 0;
        const std::size_t ahead =
            is_prefetched(options.prefetch, stage.backward) ? options.gathered_at_once - 1 : 0;
        schedule.transfers.push_back(
            {false, stage.unit, stage.parameters, std::max(begins, at - std::min(at, ahead))});
      }
    }
    if (stage.backward) {
      if (options.gradient_buffers != 0) {
        stage.gradients = (at - count) % options.gradient_buffers;
        grow(schedule.gradient_buffers, stage.gradients, stage.unit);
      }
      schedule.transfers.push_back({true, stage.unit, stage.gradients, at + 1});
    }
    schedule.stages.push_back(stage);
  }
  std::stable_sort(schedule.transfers.begin(), schedule.transfers.end(),
                   [](const Transfer& a, const Transfer& b) {
                     return a.stages != b.stages ? a.stages < b.stages : !a.reduce && b.reduce;
                   });
  // A stage needs its own gather, which is the last one of its unit before it, and the reduction that frees the
  // buffer for its gradients.
  for (std::size_t at = 0; at < schedule.stages.size(); ++at) {
    Stage& stage = schedule.stages[at];
    for (std::size_t i = 0; i < schedule.transfers.size() && schedule.transfers[i].stages <= at; ++i) {
      const Transfer& transfer = schedule.transfers[i];
      const bool gathers_it = !transfer.reduce && transfer.unit == stage.unit;
      const bool frees_it = transfer.reduce && stage.backward && options.gradient_buffers != 0 &&
                            transfer.buffer == stage.gradients;
      if (gathers_it || frees_it) stage.transfers = i + 1;
    }
  }
  return schedule;
}

}  // namespace assay::plugins::model
