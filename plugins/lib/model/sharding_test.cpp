// SPDX-License-Identifier: Apache-2.0
#include "lib/model/sharding.hpp"

#include "lib/model/shard_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace assay::plugins::model {
namespace {

Model small(Layers kind) {
  Sizes sizes;
  sizes.kind = kind;
  sizes.layers = 3;
  sizes.width = 32;
  sizes.ffn = 40;
  sizes.words = 50;
  return make_model("small", sizes, kind == Layers::mlp ? 1 : 8);
}

// Units are runs of whole operations with all their tensors, one behind the other, and nothing is left out.
void expect_whole(const Model& model, const std::vector<ShardUnit>& units) {
  std::size_t operation = 0, tensor = 0, offset = 0;
  for (const ShardUnit& unit : units) {
    EXPECT_EQ(unit.first_operation, operation);
    EXPECT_EQ(unit.first_tensor, tensor);
    EXPECT_EQ(unit.offset, offset);
    EXPECT_GT(unit.size, 0U);
    for (operation = unit.first_operation; operation < unit.end_operation; ++operation)
      tensor += static_cast<std::size_t>(model.operations[operation].tensors);
    EXPECT_EQ(unit.end_tensor, tensor);
    offset += unit.size;
  }
  EXPECT_EQ(operation, model.operations.size());
  EXPECT_EQ(offset, model.parameters());
}

TEST(LayerUnits, AreEmbeddingLayersAndHead) {
  for (const Layers kind : {Layers::bert, Layers::llama, Layers::mlp}) {
    const Model model = small(kind);
    const std::vector<ShardUnit> units = layer_units(model);
    expect_whole(model, units);
    // An MLP's input has no parameters, and goes with its first layer.
    const std::size_t before = kind == Layers::mlp ? 0 : 1;
    ASSERT_EQ(units.size(), before + 3 + 1);
    for (std::size_t layer = 0; layer < 3; ++layer) {
      const ShardUnit& unit = units[before + layer];
      EXPECT_EQ(model.tensors[unit.first_tensor].name.substr(0, 8), "layer " + std::to_string(layer) + " ");
      EXPECT_EQ(unit.size, units[before].size);
    }
    EXPECT_EQ(model.tensors[units.back().first_tensor].name.substr(0, 5), "head ");
  }
}

TEST(BucketUnits, AreClosedFromBehindOnceTheyHoldTheirLimit) {
  for (const Layers kind : {Layers::bert, Layers::llama, Layers::mlp}) {
    const Model model = small(kind);
    for (const std::uint64_t limit : {std::uint64_t{1}, std::uint64_t{6000}, std::uint64_t{1} << 40}) {
      const std::vector<ShardUnit> units = bucket_units(model, 4, 200, limit);
      expect_whole(model, units);
      for (std::size_t i = 1; i < units.size(); ++i)
        EXPECT_GE(4 * units[i].size, i + 1 == units.size() ? 200 : limit);
      const auto with_tensors =
          std::count_if(model.operations.begin(), model.operations.end(),
                        [](const Operation& operation) { return operation.tensors != 0; });
      EXPECT_EQ(static_cast<std::ptrdiff_t>(units.size()) == with_tensors, limit == 1);
      EXPECT_EQ(units.size() == 2, limit > 6000);
    }
    EXPECT_EQ(bucket_units(model, 4, std::uint64_t{1} << 40, 1).size(), 1U);
  }
}

TEST(Shares, AreEqualLinesAndCoverAUnitOnce) {
  for (const std::size_t size : {1UL, 15UL, 16UL, 17UL, 1000UL, 4096UL}) {
    for (const std::size_t ranks : {1UL, 2UL, 3UL, 4UL, 64UL}) {
      std::size_t at = 0;
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        const Share share = share_of(size, rank, ranks);
        EXPECT_EQ(share.from, at);
        EXPECT_LE(share.size(), share_size(size, ranks));
        at = share.to;
      }
      EXPECT_EQ(at, size);
      EXPECT_EQ(share_size(size, ranks) % 16, 0U);
      EXPECT_LT(share_size(size, ranks), size / ranks + 1 + 16);
    }
  }
  const ShardLayout layout(layer_units(small(Layers::llama)), 4);
  std::size_t at = 0;
  for (std::size_t unit = 0; unit < layout.units.size(); ++unit) {
    EXPECT_EQ(layout.place[unit], at);
    at += share_size(layout.units[unit].size, 4);
  }
  EXPECT_EQ(layout.size, at);
}

// Works a schedule off as two workers would, transfers as early (or as late) as they may be, and holds what lies
// in each buffer to what is needed there.
class Machine {
 public:
  Machine(const std::vector<ShardUnit>& units, const ScheduleOptions& options)
      : options_(options), schedule_(make_schedule(units, options)) {
    parameters_.resize(schedule_.parameter_buffers.size());
    gradients_.resize(schedule_.gradient_buffers.size());
    units_ = &units;
  }

  const ShardSchedule& schedule() const { return schedule_; }

  // False for a deadlock.
  bool run(bool eager) {
    for (stages_ = 0; stages_ < schedule_.stages.size(); ++stages_) {
      const Stage& stage = schedule_.stages[stages_];
      if (eager) transfer_to(schedule_.allowed_after(stages_));
      if (stage.transfers > schedule_.allowed_after(stages_)) return false;
      transfer_to(stage.transfers);
      compute(stage);
    }
    transfer_to(schedule_.allowed_after(stages_));
    return done_ == schedule_.transfers.size();
  }

  std::size_t most_gathered = 0;
  std::vector<std::size_t> order;  // of stages
  std::vector<int> reduced = std::vector<int>(16, 0);

 private:
  void transfer_to(std::size_t count) {
    for (; done_ < count; ++done_) {
      const Transfer& transfer = schedule_.transfers[done_];
      const std::size_t size = (*units_)[transfer.unit].size;
      if (!transfer.reduce) {
        EXPECT_GE(schedule_.parameter_buffers[transfer.buffer], size);
        parameters_[transfer.buffer] = transfer.unit;
        continue;
      }
      ++reduced[transfer.unit];
      if (options_.gradient_buffers == 0) continue;
      EXPECT_EQ(gradients_[transfer.buffer], transfer.unit) << "nobody else wrote there in between";
      gradients_[transfer.buffer].reset();
    }
    std::size_t now = 0;
    for (const auto& buffer : parameters_) now += buffer.has_value() ? 1 : 0;
    most_gathered = std::max(most_gathered, now);
  }

  void compute(const Stage& stage) {
    order.push_back(stage.unit);
    if (options_.gathers) {
      EXPECT_EQ(parameters_[stage.parameters], stage.unit);
    }
    if (!stage.backward || options_.gradient_buffers == 0) return;
    EXPECT_FALSE(gradients_[stage.gradients].has_value()) << "what was there has been reduced";
    EXPECT_GE(schedule_.gradient_buffers[stage.gradients], (*units_)[stage.unit].size);
    gradients_[stage.gradients] = stage.unit;
  }

  ScheduleOptions options_;
  ShardSchedule schedule_;
  const std::vector<ShardUnit>* units_;
  std::vector<std::optional<std::size_t>> parameters_, gradients_;
  std::size_t stages_ = 0, done_ = 0;
};

TEST(ShardSchedule, HasEveryUnitWhereItIsNeededWhateverTheOptions) {
  const Model model = small(Layers::bert);
  const std::vector<ShardUnit> units = layer_units(model);
  for (const bool gathers : {true, false}) {
    for (const Prefetch prefetch : {Prefetch::none, Prefetch::forward, Prefetch::backward, Prefetch::both}) {
      for (const std::size_t at_once : {1UL, 2UL, 3UL, 20UL}) {
        for (const bool reshard : {true, false}) {
          for (const std::size_t buffers : {0UL, 1UL, 2UL}) {
            for (const bool eager : {true, false}) {
              Machine machine(units, {gathers, prefetch, at_once, reshard, buffers});
              ASSERT_TRUE(machine.run(eager));
              EXPECT_EQ(machine.order, (std::vector<std::size_t>{0, 1, 2, 3, 4, 4, 3, 2, 1, 0}));
              for (std::size_t unit = 0; unit < units.size(); ++unit) EXPECT_EQ(machine.reduced[unit], 1);
              EXPECT_LE(machine.most_gathered, reshard ? at_once : units.size());
              const std::size_t times = !gathers ? 0 : reshard ? 2 : 1;
              EXPECT_EQ(machine.schedule().gathered(), times * model.parameters());
              EXPECT_EQ(machine.schedule().reduced(), model.parameters());
            }
          }
        }
      }
    }
  }
}

TEST(ShardSchedule, GathersAheadWhereItIsToAndNowhereElse) {
  const std::vector<ShardUnit> units = layer_units(small(Layers::bert));
  const auto ahead = [&](Prefetch prefetch, std::size_t at_once) {
    const ShardSchedule schedule = make_schedule(units, {true, prefetch, at_once, true, 1});
    // How many stages before its own each gather may begin: forward, then backward.
    std::vector<std::size_t> stages;
    for (std::size_t at = 0; at < schedule.stages.size(); ++at) {
      for (const Transfer& transfer : schedule.transfers) {
        const bool forward = transfer.stages < units.size();
        if (!transfer.reduce && transfer.unit == schedule.stages[at].unit &&
            forward != schedule.stages[at].backward)
          stages.push_back(at - transfer.stages);
      }
    }
    return stages;
  };
  using Stages = std::vector<std::size_t>;
  EXPECT_EQ(ahead(Prefetch::none, 1), (Stages{0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(ahead(Prefetch::forward, 2), (Stages{0, 1, 1, 1, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(ahead(Prefetch::backward, 2), (Stages{0, 0, 0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(ahead(Prefetch::both, 3), (Stages{0, 1, 2, 2, 2, 0, 1, 2, 2, 2}));
}

// What is reduced while the next unit is computed needs a second buffer; with one the stage waits.
TEST(ShardSchedule, WaitsForTheBufferOfItsGradients) {
  const std::vector<ShardUnit> units = layer_units(small(Layers::llama));
  for (const std::size_t buffers : {0UL, 1UL, 2UL, 3UL}) {
    const ShardSchedule schedule = make_schedule(units, {false, Prefetch::none, 1, true, buffers});
    for (std::size_t backward = 0; backward < units.size(); ++backward) {
      const std::size_t waits = schedule.stages[units.size() + backward].transfers;
      EXPECT_EQ(waits, buffers == 0 || backward < buffers ? 0 : backward - buffers + 1);
    }
  }
}

}  // namespace
}  // namespace assay::plugins::model
