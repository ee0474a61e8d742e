// SPDX-License-Identifier: Apache-2.0
#include "train_step/device_layout.hpp"

#include "lib/available_memory.hpp"
#include "lib/model/placed_buckets.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace assay::plugins::train_step {
namespace {

constexpr std::uint64_t kGrain = 256, kPiece = std::uint64_t{2} << 20;

std::uint64_t rounded(std::uint64_t bytes, std::uint64_t grain) {
  return (bytes + grain - 1) / grain * grain;
}

std::size_t sum_of(const std::vector<std::size_t>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::size_t{0});
}

// Gives places one behind the other, in the order in which StepBytes counts them.
class Pieces {
 public:
  explicit Pieces(std::byte* begin) : at_(begin) {}
  template <class Element = std::byte>
  Element* take(std::uint64_t count) {
    if (count == 0) return nullptr;
    std::byte* const here = at_;
    at_ += rounded(count * sizeof(Element), kGrain);
    return reinterpret_cast<Element*>(here);
  }

 private:
  std::byte* at_;
};

// The gradient of a product's bias may come out of the norm behind it: both are of one unit, so that a stage writes
// gradients of its own unit alone.
std::vector<model::ShardUnit> units_of(const model::Model& model, const DeviceStepOptions& options) {
  const auto may_begin = [&](const model::Operation& operation) {
    if (operation.tensors == 0) return false;
    if (operation.kind != model::Kind::layer_norm) return true;
    const model::Kind before = model.operations[static_cast<std::size_t>(operation.input)].kind;
    return before != model::Kind::linear && before != model::Kind::add;
  };
  return units_of(model, options.of_step.shards, model::bytes_of(options.arithmetic).parameter, may_begin);
}

model::TensorPlaces places_of(const model::Model& model, const DeviceStepOptions& options) {
  if (!options.shards()) return model::TensorPlaces(model);
  return {model, units_of(model, options), options.of_step.ranks};
}

std::optional<ShardPlan> shards_of(const model::Model& model, const DeviceStepOptions& options,
                                   const model::TensorPlaces& places) {
  if (!options.shards()) return std::nullopt;
  std::vector<model::ShardUnit> units = units_of(model, options);
  for (std::size_t unit = units.size(), end = places.size(); unit-- > 0;) {
    units[unit].offset = places.offset(units[unit].first_tensor);
    units[unit].size = end - units[unit].offset;
    end = units[unit].offset;
  }
  return make_shard_plan(std::move(units), options.of_step.shards, options.of_step.ranks);
}

// In an array of all numbers, or in buffers one behind the other, in which each unit has its own for each pass.
model::NetworkPlaces network_places_of(const model::TensorPlaces& places,
                                       const std::optional<ShardPlan>& shards, Sharding sharding) {
  if (!shards || sharding == Sharding::state) return places;
  const model::ShardSchedule& schedule = shards->schedule;
  const std::size_t tensors = shards->layout.units.back().end_tensor;
  std::vector<std::size_t> forward(tensors), backward(tensors), gradients(tensors);
  const auto buffer = [](const std::vector<std::size_t>& sizes, std::size_t number) {
    return std::accumulate(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(number),
                           std::size_t{0});
  };
  for (const model::Stage& stage : schedule.stages) {
    const model::ShardUnit& unit = shards->layout.units[stage.unit];
    for (std::size_t t = unit.first_tensor; t < unit.end_tensor; ++t) {
      const std::size_t in_unit = places.offset(t) - unit.offset;
      (stage.backward ? backward : forward)[t] =
          buffer(schedule.parameter_buffers, stage.parameters) + in_unit;
      if (stage.backward) gradients[t] = buffer(schedule.gradient_buffers, stage.gradients) + in_unit;
    }
  }
  model::TensorPlaces in_buffers(std::move(gradients), sum_of(schedule.gradient_buffers));
  if (sharding == Sharding::gradients) return {places, places, std::move(in_buffers)};
  const std::size_t size = sum_of(schedule.parameter_buffers);
  return {{std::move(forward), size}, {std::move(backward), size}, std::move(in_buffers)};
}

}  // namespace

DeviceLayout::DeviceLayout(const model::Model& model, const DeviceStepOptions& options)
    : places(places_of(model, options)),
      shards(shards_of(model, options, places)),
      sharding(options.of_step.shards.sharding),
      network(network_places_of(places, shards, sharding)) {}

std::size_t DeviceLayout::gathered() const { return shards ? sum_of(shards->schedule.parameter_buffers) : 0; }
std::size_t DeviceLayout::unreduced() const { return shards ? sum_of(shards->schedule.gradient_buffers) : 0; }

std::uint64_t StepBytes::total() const {
  return rounded(parameters + gradients + state + copy + gathered + unreduced + compression + values +
                     workspace + inputs,
                 kPiece);
}

std::string StepBytes::formula() const {
  std::string text;
  const auto add = [&text](const char* what, std::uint64_t bytes) {
    if (bytes != 0) text += (text.empty() ? "" : ", ") + std::string(what) + memory_text(bytes);
  };
  add("parameters ", parameters);
  add("gradients ", gradients);
  add("parameters in the type of products ", copy);
  add("optimiser ", state);
  add("gathered parameters ", gathered);
  add("gradients that are not reduced yet ", unreduced);
  add("compression ", compression);
  add("values and their gradients ", values);
  add("workspace of products ", workspace);
  add("inputs ", inputs);
  return text;
}

LowRankLayout low_rank_of(const model::Model& model, const DeviceStepOptions& options,
                          const DeviceLayout& layout) {
  if (!options.carries_on()) return {};
  return {model, layout.places, buckets_of(model, options, layout), options.of_step.compression_rank};
}

double compression_ratio(const model::Model& model, const DeviceStepOptions& options) {
  if (options.averages_halves())
    return static_cast<double>(model::bytes_of(options.arithmetic).parameter) / sizeof(__half);
  if (!options.carries_on()) return 1;
  const LowRankLayout low_rank = low_rank_of(model, options, DeviceLayout(model, options));
  return static_cast<double>(model.parameters()) / static_cast<double>(low_rank.sent());
}

double sent_bytes(const model::Model& model, const DeviceStepOptions& options) {
  if (!options.averages) return 0;
  const StepOptions& step = options.of_step;
  const model::NumberBytes bytes = model::bytes_of(options.arithmetic);
  if (!options.shards()) {
    const double n = step.ranks;
    return 2 * (n - 1) / n * static_cast<double>(model.parameters() * bytes.parameter) /
           compression_ratio(model, options);
  }
  const ShardPlan without_gaps = make_shard_plan(model, step.shards, step.ranks);
  const SentElements sent = sent_of(without_gaps, step.shards.sharding, step.accumulation);
  return sent.gathered * static_cast<double>(options.shards_parameters() ? bytes.compute : bytes.parameter) +
         sent.reduced * static_cast<double>(bytes.parameter);
}

namespace {

std::size_t samples_there(const StepOptions& options) {
  return options.loads() ? options.micro_batch : options.samples();
}

}  // namespace

std::size_t tokens_of(const model::Model& model, const StepOptions& options) {
  return model.reads_tokens() ? samples_there(options) * model.sequence : 0;
}
std::size_t features_of(const model::Model& model, const StepOptions& options) {
  return model.reads_tokens() ? 0 : samples_there(options) * model.operations.front().out;
}
std::size_t loaded_of(const model::Model& model, const DeviceStepOptions& options) {
  const bool as_they_are =
      model.reads_tokens() || model::bytes_of(options.arithmetic).compute == sizeof(float);
  return options.of_step.loads() && !as_they_are ? features_of(model, options.of_step) : 0;
}
std::size_t labels_of(const model::Model& model, const StepOptions& options) {
  return options.micro_batch * model.labels();
}

std::vector<model::Bucket> buckets_of(const model::Model& model, const DeviceStepOptions& options,
                                      const DeviceLayout& layout) {
  return model::placed_buckets(model, layout.places, model::bytes_of(options.arithmetic).parameter,
                               options.of_step.shards.first_bucket, options.of_step.shards.bucket);
}

// Each rank rounds its share of the average, and every addition of two shares is rounded.
model::ElementError rounding_of(const DeviceStepOptions& options) {
  if (!options.averages_halves()) return {};
  const double ranks = options.of_step.ranks;
  return {0x1p-11 * std::sqrt(ranks), 0x1p-25 * std::sqrt(2 * ranks)};
}

namespace {

// Numbers of the largest bucket that is sent as halves.
std::size_t halves_of(const model::Model& model, const DeviceStepOptions& options,
                      const DeviceLayout& layout) {
  std::size_t largest = 0;
  if (!options.averages_halves()) return largest;
  for (const model::Bucket& bucket : buckets_of(model, options, layout))
    largest = std::max(largest, bucket.size);
  return largest;
}

}  // namespace

model::CudaPlan plan_of(const model::Model& model, const DeviceStepOptions& options) {
  if (!options.computes()) return {};
  const StepOptions& step = options.of_step;
  return model::make_cuda_plan(model, step.micro_batch, model::bytes_of(options.arithmetic),
                               options.fused != nullptr, model::InFlight::one,
                               step.recompute ? model::Keep::between_layers : model::Keep::all);
}

StepBytes bytes_of_step(const model::Model& model, const DeviceStepOptions& options) {
  const model::NumberBytes bytes = model::bytes_of(options.arithmetic);
  const StepOptions& step = options.of_step;
  const DeviceLayout layout(model, options);
  StepBytes all;
  all.parameters = rounded(layout.parameters() * bytes.parameter, kGrain);
  all.gradients = rounded(layout.gradients() * bytes.parameter, kGrain);
  if (step.optimizer == Optimizer::adamw) all.state = 2 * rounded(layout.state() * bytes.parameter, kGrain);
  const std::size_t copied = layout.shards_parameters() ? layout.gathered() : layout.places.size();
  if (bytes.copies_parameters()) all.copy = rounded(copied * bytes.compute, kGrain);
  all.gathered = rounded(layout.gathered() * bytes.parameter, kGrain);
  all.unreduced = rounded(layout.unreduced() * bytes.parameter, kGrain);
  all.compression = rounded(halves_of(model, options, layout) * sizeof(__half), kGrain);
  if (const LowRankLayout low_rank = low_rank_of(model, options, layout); low_rank.floats() != 0)
    all.compression += rounded(low_rank.floats() * sizeof(float), kGrain) + LowRankMemory::kWorkspaceBytes;
  all.workspace = model::device::kWorkspaceBytes;
  all.inputs = rounded(sizeof(model::StepCount), kGrain) + rounded(sizeof(model::StepState), kGrain) +
               rounded(sizeof(double), kGrain);
  if (!options.computes()) return all;
  all.values = plan_of(model, options).arena_bytes;
  all.inputs += rounded(tokens_of(model, step) * sizeof(std::int32_t), kGrain) +
                rounded(features_of(model, step) * bytes.compute, kGrain) +
                rounded(loaded_of(model, options) * sizeof(float), kGrain) +
                rounded(labels_of(model, step) * sizeof(std::int32_t), kGrain) +
                rounded(model::turns_of(model) * sizeof(float), kGrain);
  return all;
}

DeviceStepMemory::DeviceStepMemory(std::byte* begin, const model::Model& model,
                                   const DeviceStepOptions& options, const DeviceLayout& layout,
                                   const model::CudaPlan& plan) {
  const model::NumberBytes bytes = model::bytes_of(options.arithmetic);
  const StepOptions& step = options.of_step;
  Pieces pieces(begin);
  optimizer.parameters = pieces.take(layout.parameters() * bytes.parameter);
  optimizer.gradients = pieces.take(layout.gradients() * bytes.parameter);
  if (step.optimizer == Optimizer::adamw) {
    optimizer.first_moments = pieces.take(layout.state() * bytes.parameter);
    optimizer.second_moments = pieces.take(layout.state() * bytes.parameter);
  }
  gathered = pieces.take(layout.gathered() * bytes.parameter);
  unreduced = pieces.take(layout.unreduced() * bytes.parameter);
  halves = pieces.take<__half>(halves_of(model, options, layout));
  if (const LowRankLayout of = low_rank_of(model, options, layout); of.floats() != 0) {
    low_rank.floats = pieces.take<float>(of.floats());
    low_rank.workspace = {pieces.take(LowRankMemory::kWorkspaceBytes), LowRankMemory::kWorkspaceBytes};
  }
  network.parameters = layout.shards_parameters() ? gathered : optimizer.parameters;
  network.gradients = layout.shards_gradients() ? unreduced : optimizer.gradients;
  network.compute_parameters = network.parameters;
  if (bytes.copies_parameters()) {
    network.compute_parameters =
        pieces.take((layout.shards_parameters() ? layout.gathered() : layout.places.size()) * bytes.compute);
    if (!layout.shards_parameters()) optimizer.copy = network.compute_parameters;
  }
  network.workspace = {pieces.take(model::device::kWorkspaceBytes), model::device::kWorkspaceBytes};
  optimizer.count = pieces.take<model::StepCount>(1);
  state = pieces.take<model::StepState>(1);
  loss = pieces.take<double>(1);
  if (!options.computes()) return;
  network.arena = pieces.take(plan.arena_bytes);
  network.turns = pieces.take<float>(model::turns_of(model));
  tokens = pieces.take<std::int32_t>(tokens_of(model, step));
  features = pieces.take(features_of(model, step) * bytes.compute);
  loaded = pieces.take<float>(loaded_of(model, options));
  labels = pieces.take<std::int32_t>(labels_of(model, step));
}

}  // namespace assay::plugins::train_step
