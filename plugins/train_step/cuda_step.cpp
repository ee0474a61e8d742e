// SPDX-License-Identifier: Apache-2.0
#include "train_step/cuda_step.hpp"

#include "lib/available_memory.hpp"
#include "lib/model/placed_buckets.hpp"

#include <assay/cuda/error.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace assay::plugins::train_step {
namespace {

constexpr std::uint64_t kGrain = 256, kPiece = std::uint64_t{2} << 20;

std::uint64_t rounded(std::uint64_t bytes, std::uint64_t grain) {
  return (bytes + grain - 1) / grain * grain;
}

// Numbers of all samples of a step.
std::size_t tokens_of(const model::Model& model, const StepOptions& options) {
  return model.reads_tokens() ? options.samples() * model.sequence : 0;
}
std::size_t features_of(const model::Model& model, const StepOptions& options) {
  return model.reads_tokens() ? 0 : options.samples() * model.operations.front().out;
}
std::size_t labels_of(const model::Model& model, const StepOptions& options) {
  return options.micro_batch * model.labels();
}

// Gives places one behind the other, in the order in which StepBytes counts them.
class Pieces {
 public:
  explicit Pieces(std::byte* begin) : at_(begin) {}
  template <class Element = std::byte>
  Element* take(std::uint64_t count) {
    std::byte* const here = at_;
    at_ += rounded(count * sizeof(Element), kGrain);
    return reinterpret_cast<Element*>(here);
  }

 private:
  std::byte* at_;
};

}  // namespace

std::uint64_t StepBytes::total() const {
  return rounded(parameters + gradients + state + copy + values + workspace + inputs, kPiece);
}

std::string StepBytes::formula() const {
  std::string text = "parameters " + memory_text(parameters) + ", gradients " + memory_text(gradients);
  if (copy != 0) text += ", parameters in the type of products " + memory_text(copy);
  if (state != 0) text += ", optimiser " + memory_text(state);
  if (values != 0) text += ", values and their gradients " + memory_text(values);
  return text + ", workspace of products " + memory_text(workspace) + ", inputs " + memory_text(inputs);
}

StepBytes bytes_of_step(const model::Model& model, const DeviceStepOptions& options) {
  const model::NumberBytes bytes = model::bytes_of(options.arithmetic);
  const StepOptions& step = options.of_step;
  const std::uint64_t size = model::TensorPlaces(model).size();
  StepBytes all;
  all.parameters = all.gradients = rounded(size * bytes.parameter, kGrain);
  if (step.optimizer == Optimizer::adamw) all.state = 2 * rounded(size * bytes.parameter, kGrain);
  if (bytes.copies_parameters()) all.copy = rounded(size * bytes.compute, kGrain);
  all.workspace = model::device::kWorkspaceBytes;
  all.inputs = rounded(sizeof(model::StepCount), kGrain) + rounded(sizeof(model::StepState), kGrain) +
               rounded(sizeof(double), kGrain);
  if (step.without == Without::compute) return all;
  all.values = model::make_cuda_plan(model, step.micro_batch, bytes, options.fused != nullptr).arena_bytes;
  all.inputs += rounded(tokens_of(model, step) * sizeof(std::int32_t), kGrain) +
                rounded(features_of(model, step) * bytes.compute, kGrain) +
                rounded(labels_of(model, step) * sizeof(std::int32_t), kGrain) +
                rounded(model::turns_of(model) * sizeof(float), kGrain);
  return all;
}

namespace {

std::vector<Phase> phases_of(const DeviceStepOptions& options) {
  std::vector<Phase> phases;
  if (options.of_step.without != Without::compute) {
    for (std::size_t micro = 0; micro < options.of_step.accumulation; ++micro) {
      phases.push_back(Phase::forward);
      phases.push_back(Phase::backward);
    }
  }
  if (options.averages) phases.push_back(Phase::exposed);
  phases.push_back(Phase::optimizer);
  return phases;
}

}  // namespace

DeviceStep::DeviceStep(const Case& run, const cuda::Device& device, const cublaslt::Handle& handle,
                       const model::Model& model, const DeviceStepOptions& options, const SumRanks& ranks)
    : run_(run),
      model_(model),
      options_(options),
      bytes_(model::bytes_of(options.arithmetic)),
      places_(model),
      plan_(computes()
                ? model::make_cuda_plan(model, options.of_step.micro_batch, bytes_, options.fused != nullptr)
                : model::CudaPlan()),
      memory_(device, bytes_of_step(model, options).total()),
      phases_(phases_of(options)),
      events_(phases_.size() + 1),
      host_cost_(options.host_cost),
      seed_(options.of_step.seed) {
  place_memory();
  if (options_.averages) {
    const ShardOptions& shards = options_.of_step.shards;
    auto buckets =
        model::placed_buckets(model_, places_, bytes_.parameter, shards.first_bucket, shards.bucket);
    sums_ = make_gradient_sums(ranks, {optimizer_memory_.gradients, options_.arithmetic, std::move(buckets),
                                       shards.overlap, computes()});
  }
  if (!computes()) return;
  network_ = model::make_cuda_network(handle, model_, plan_, places_, options_.arithmetic, network_memory_,
                                      options_.fused);
  if (!host_cost_.none()) network_->before_each([this] { host_cost_.pay(run_); });
}

void DeviceStep::place_memory() {
  const StepOptions& step = options_.of_step;
  const std::uint64_t parameters = places_.size() * bytes_.parameter;
  Pieces pieces(memory_.data());
  optimizer_memory_.parameters = pieces.take(parameters);
  optimizer_memory_.gradients = pieces.take(parameters);
  if (step.optimizer == Optimizer::adamw) {
    optimizer_memory_.first_moments = pieces.take(parameters);
    optimizer_memory_.second_moments = pieces.take(parameters);
  }
  if (bytes_.copies_parameters()) optimizer_memory_.copy = pieces.take(places_.size() * bytes_.compute);
  workspace_ = {pieces.take(model::device::kWorkspaceBytes), model::device::kWorkspaceBytes};
  count_ = optimizer_memory_.count = pieces.take<model::StepCount>(1);
  state_ = pieces.take<model::StepState>(1);
  loss_ = pieces.take<double>(1);
  network_memory_.parameters = optimizer_memory_.parameters;
  network_memory_.compute_parameters =
      bytes_.copies_parameters() ? optimizer_memory_.copy : optimizer_memory_.parameters;
  network_memory_.gradients = optimizer_memory_.gradients;
  network_memory_.workspace = workspace_;
  if (!computes()) return;
  network_memory_.arena = pieces.take(plan_.arena_bytes);
  network_memory_.turns = pieces.take<float>(model::turns_of(model_));
  tokens_ = pieces.take<std::int32_t>(tokens_of(model_, step));
  features_ = pieces.take(features_of(model_, step) * bytes_.compute);
  labels_ = pieces.take<std::int32_t>(labels_of(model_, step));
}

void DeviceStep::restore(cudaStream_t stream, std::uint64_t seed) {
  seed_ = seed;
  model::write_state(stream, {seed}, state_);
  ASSAY_CUDA_CHECK(cudaMemsetAsync(count_, 0, sizeof(*count_), stream));
  model::draw_parameters(stream, inputs(), optimizer_memory_.parameters);
  model::copy_parameters(stream, options_.arithmetic, places_.size(), optimizer_memory_);
  if (optimizer_memory_.first_moments != nullptr) {
    const std::size_t bytes = places_.size() * bytes_.parameter;
    ASSAY_CUDA_CHECK(cudaMemsetAsync(optimizer_memory_.first_moments, 0, bytes, stream));
    ASSAY_CUDA_CHECK(cudaMemsetAsync(optimizer_memory_.second_moments, 0, bytes, stream));
  }
  if (computes()) draw_samples(stream);
  destroy_gradients(stream);
}

// A micro-batch of all ranks is one run of samples.
void DeviceStep::draw_samples(cudaStream_t stream) const {
  const StepOptions& step = options_.of_step;
  const std::size_t tokens = tokens_of(model_, step) / step.accumulation;
  const std::size_t features = features_of(model_, step) / step.accumulation;
  for (std::size_t micro = 0; micro < step.accumulation; ++micro) {
    const std::size_t first = step.first_sample(micro);
    model::draw_tokens(stream, inputs(), first * (tokens / step.micro_batch), tokens,
                       tokens_ + micro * tokens);
    model::draw_rounded_features(stream, inputs(), first * (features / step.micro_batch), features,
                                 features_ + micro * features * bytes_.compute);
  }
}

void DeviceStep::destroy_gradients(cudaStream_t stream) const {
  ASSAY_CUDA_CHECK(
      cudaMemsetAsync(optimizer_memory_.gradients, 0xFF, places_.size() * bytes_.parameter, stream));
  if (!computes())
    model::draw_gradients(stream, inputs(), options_.of_step.rank, optimizer_memory_.gradients);
}

void DeviceStep::enqueue(cudaStream_t stream) {
  events_.front().record_anywhere(stream);
  model::begin_step(stream, adamw_, count_);
  if (computes()) compute(stream);
  if (sums_) {
    sums_->finish(stream);
    events_[events_.size() - 2].record_anywhere(stream);
  }
  if (updates()) update(stream);
  events_.back().record_anywhere(stream);
}

double DeviceStep::gradient_share() const {
  const StepOptions& step = options_.of_step;
  return 1 / static_cast<double>(step.accumulation * (options_.averages ? step.ranks : 1));
}

double DeviceStep::sent_bytes() const {
  if (!options_.averages) return 0;
  const double n = options_.of_step.ranks;
  return 2 * (n - 1) / n * static_cast<double>(model_.parameters() * bytes_.parameter);
}

void DeviceStep::compute(cudaStream_t stream) {
  const StepOptions& step = options_.of_step;
  const std::size_t labels = labels_of(model_, step);
  for (std::size_t micro = 0; micro < step.accumulation; ++micro) {
    model::draw_labels(stream, state_, step_number(), step.first_sample(micro) * model_.labels(), labels,
                       model_.classes(), labels_);
    const std::size_t sample = micro * step.micro_batch;
    model::CudaBatch batch;
    if (model_.reads_tokens()) {
      batch.tokens = tokens_ + sample * model_.sequence;
    } else {
      batch.features = features_ + sample * model_.operations.front().out * bytes_.compute;
    }
    batch.labels = labels_;
    network_->forward(stream, batch, gradient_share(), micro != 0, loss_);
    events_[2 * micro + 1].record_anywhere(stream);
    // Gradients are whole, and may be summed, in the last backward pass alone.
    const bool last = micro + 1 == step.accumulation;
    network_->backward(stream, batch, micro == 0,
                       last && sums_ ? [this, stream](int lowest) { sums_->ready(stream, lowest); }
                                     : model::CudaNetwork::Ready());
    events_[2 * micro + 2].record_anywhere(stream);
  }
}

void DeviceStep::update(cudaStream_t stream) const {
  host_cost_.pay(run_);
  if (options_.of_step.optimizer == Optimizer::sgd) {
    model::update(stream, options_.arithmetic, sgd_, places_.size(), optimizer_memory_);
  } else {
    model::update(stream, options_.arithmetic, adamw_, places_.size(), optimizer_memory_);
  }
}

std::vector<PhaseSpan> DeviceStep::spans() const {
  std::vector<PhaseSpan> spans;
  for (std::size_t i = 0; i < phases_.size(); ++i)
    spans.push_back({phases_[i], clock_ns(events_[i]), clock_ns(events_[i + 1])});
  if (sums_)
    for (const PhaseSpan& sum : sums_->spans(events_.front())) spans.push_back(sum);
  return spans;
}

PhaseSeconds DeviceStep::seconds() const {
  PhaseSeconds seconds{};
  for (std::size_t i = 0; i < phases_.size(); ++i)
    seconds[static_cast<std::size_t>(phases_[i])] += cuda::seconds_between(events_[i], events_[i + 1]);
  if (sums_) seconds[static_cast<std::size_t>(Phase::communication)] = sums_->seconds();
  return seconds;
}

namespace {

template <class Value>
Value value_at(cudaStream_t stream, const Value* there) {
  Value value{};
  ASSAY_CUDA_CHECK(cudaMemcpyAsync(&value, there, sizeof(value), cudaMemcpyDeviceToHost, stream));
  ASSAY_CUDA_CHECK(cudaStreamSynchronize(stream));
  return value;
}

}  // namespace

// It was added up in the shares of gradients.
double DeviceStep::loss(cudaStream_t stream) const {
  const double ranks = options_.averages ? options_.of_step.ranks : 1;
  return ranks * value_at(stream, loss_);
}
std::uint64_t DeviceStep::steps(cudaStream_t stream) const { return value_at(stream, step_number()); }

model::CudaState DeviceStep::state(cudaStream_t stream) const {
  model::CudaState state;
  state.arithmetic = options_.arithmetic;
  state.parameters = optimizer_memory_.parameters;
  state.gradients = optimizer_memory_.gradients;
  state.first_moments = optimizer_memory_.first_moments;
  state.second_moments = optimizer_memory_.second_moments;
  if (updates()) {
    state.update =
        options_.of_step.optimizer == Optimizer::sgd ? model::LastUpdate::sgd : model::LastUpdate::adamw;
  }
  state.steps = steps(stream);
  return state;
}

}  // namespace assay::plugins::train_step
