// SPDX-License-Identifier: Apache-2.0
#include "train_step/cuda_step.hpp"

#include "train_step/sharded_device_step.hpp"

#include <assay/cuda/error.hpp>

namespace assay::plugins::train_step {

DeviceStep::DeviceStep(const Case& run, const cuda::Device& device, const cublaslt::Handle& handle,
                       const model::Model& model, const DeviceStepOptions& options,
                       const CollectiveRanks& ranks)
    : run_(run),
      device_(device),
      model_(model),
      options_(options),
      bytes_(model::bytes_of(options.arithmetic)),
      layout_(model, options),
      plan_(plan_of(model, options)),
      delivered_(options.of_step.loads() ? SampleFeed::bytes(model, options.of_step) : 0),
      buffer_(device, bytes_of_step(model, options).total()),
      memory_(buffer_.data(), model, options, layout_, plan_),
      events_(1),
      host_cost_(options.host_cost),
      seed_(options.of_step.seed) {
  if (options_.of_step.loads()) {
    feed_ = std::make_unique<SampleFeed>(
        model_, options_.of_step, delivered_.data(), [this] { return run_.now_ns(); },
        [this] { return run_.cancelled(); });
  }
  if (options_.averages) {
    const ShardOptions& shards = options_.of_step.shards;
    collectives_ = make_collectives(ranks, options_.arithmetic);
    transfers_ = std::make_unique<DeviceTransfers>(collectives_->stream(), shards.overlap);
    if (options_.carries_on()) {
      low_rank_ = std::make_unique<LowRankSums>(handle, *collectives_, low_rank_of(model_, options_, layout_),
                                                memory_.low_rank, options_.of_step.ranks);
    }
    if (!layout_.shards) {
      sums_.emplace(*collectives_, *transfers_,
                    SummedArray{static_cast<std::byte*>(memory_.optimizer.gradients), bytes_.parameter,
                                buckets_of(model_, options_, layout_), shards.overlap, !computes(),
                                memory_.halves, low_rank_.get()});
    }
  }
  if (!computes()) return;
  network_ = model::make_cuda_network(handle, model_, plan_, layout_.network, options_.arithmetic,
                                      memory_.network, options_.fused);
  if (!host_cost_.none()) network_->before_each([this] { host_cost_.pay(run_); });
}

// Freeing memory waits for the device, and that for samples.
DeviceStep::~DeviceStep() {
  if (feed_) feed_->stop();
}

void DeviceStep::begin(std::uint64_t steps) {
  if (feed_) feed_->begin(steps);
}

void DeviceStep::throw_what_loading_threw() const {
  if (feed_) feed_->rethrow();
}

void DeviceStep::restore(cudaStream_t stream, std::uint64_t seed) {
  seed_ = seed;
  const model::OptimizerMemory& optimizer = memory_.optimizer;
  model::write_state(stream, {seed}, memory_.state);
  ASSAY_CUDA_CHECK(cudaMemsetAsync(optimizer.count, 0, sizeof(*optimizer.count), stream));
  draw_parameters(stream);
  if (optimizer.first_moments != nullptr) {
    const std::size_t bytes = layout_.state() * bytes_.parameter;
    ASSAY_CUDA_CHECK(cudaMemsetAsync(optimizer.first_moments, 0, bytes, stream));
    ASSAY_CUDA_CHECK(cudaMemsetAsync(optimizer.second_moments, 0, bytes, stream));
  }
  if (low_rank_) low_rank_->restore(stream, seed);
  if (feed_) {
    cuda::wait(run_, stream);  // nobody takes samples any more
    feed_->restart(seed);
  } else if (computes()) {
    draw_samples(stream);
  }
  destroy_gradients(stream);
}

void DeviceStep::draw_parameters(cudaStream_t stream) const {
  model::draw_parameters(stream, inputs(), memory_.optimizer.parameters);
  model::copy_parameters(stream, options_.arithmetic, layout_.places.size(), memory_.optimizer);
}

// A micro-batch of all ranks is one run of samples.
void DeviceStep::draw_samples(cudaStream_t stream) const {
  const StepOptions& step = options_.of_step;
  const std::size_t tokens = tokens_of(model_, step) / step.accumulation;
  const std::size_t features = features_of(model_, step) / step.accumulation;
  for (std::size_t micro = 0; micro < step.accumulation; ++micro) {
    const std::size_t first = step.first_sample(micro);
    model::draw_tokens(stream, inputs(), first * (tokens / step.micro_batch), tokens,
                       memory_.tokens + micro * tokens);
    model::draw_rounded_features(stream, inputs(), first * (features / step.micro_batch), features,
                                 memory_.features + micro * features * bytes_.compute);
  }
}

void DeviceStep::destroy_gradients(cudaStream_t stream) const {
  void* const gradients = memory_.optimizer.gradients;
  ASSAY_CUDA_CHECK(cudaMemsetAsync(gradients, 0xFF, layout_.gradients() * bytes_.parameter, stream));
  if (!computes()) model::draw_gradients(stream, inputs(), options_.of_step.rank, gradients);
}

void DeviceStep::enqueue(cudaStream_t stream) {
  phases_.clear();
  events_.front().record_anywhere(stream);
  if (transfers_) transfers_->begin_step();
  model::begin_step(stream, model::AdamW(), memory_.optimizer.count);
  for (std::size_t micro = 0; micro < options_.of_step.accumulation; ++micro) pass(stream, micro);
  finish(stream);
}

void DeviceStep::finish(cudaStream_t stream) {
  if (sums_) {
    sums_->finish(stream);
    mark(stream, Phase::exposed);
  }
  if (updates()) update(stream, layout_.places.size(), memory_.optimizer);
  mark(stream, Phase::optimizer);
}

void DeviceStep::mark(cudaStream_t stream, Phase phase) {
  phases_.push_back(phase);
  if (events_.size() == phases_.size()) events_.emplace_back();
  events_[phases_.size()].record_anywhere(stream);
}

double DeviceStep::gradient_share() const {
  const StepOptions& step = options_.of_step;
  return 1 / static_cast<double>(step.accumulation * (options_.averages ? step.ranks : 1));
}

// The driver's thread waits for them between what the stream does, also where that is a graph.
void DeviceStep::load(cudaStream_t stream) {
  ASSAY_CUDA_CHECK(cudaLaunchHostFunc(
      stream, [](void* feed) { static_cast<SampleFeed*>(feed)->take(); }, feed_.get()));
  const auto copy = [&](void* to) {
    ASSAY_CUDA_CHECK(
        cudaMemcpyAsync(to, delivered_.data(), delivered_.bytes(), cudaMemcpyHostToDevice, stream));
  };
  if (model_.reads_tokens()) {
    copy(memory_.tokens);
  } else if (memory_.loaded == nullptr) {
    copy(memory_.features);
  } else {
    copy(memory_.loaded);
    model::round_features(stream, options_.arithmetic, loaded_of(model_, options_), memory_.loaded,
                          memory_.features);
  }
  mark(stream, Phase::loading);
}

model::CudaBatch DeviceStep::batch(cudaStream_t stream, std::size_t micro) {
  if (feed_) load(stream);
  const StepOptions& step = options_.of_step;
  model::draw_labels(stream, memory_.state, step_number(), step.first_sample(micro) * model_.labels(),
                     labels_of(model_, step), model_.classes(), memory_.labels);
  const std::size_t sample = feed_ ? 0 : micro * step.micro_batch;
  model::CudaBatch batch;
  if (model_.reads_tokens()) {
    batch.tokens = memory_.tokens + sample * model_.sequence;
  } else {
    batch.features = memory_.features + sample * model_.operations.front().out * bytes_.compute;
  }
  batch.labels = memory_.labels;
  return batch;
}

void DeviceStep::pass(cudaStream_t stream, std::size_t micro) {
  if (!computes()) return;
  const model::CudaBatch batch = this->batch(stream, micro);
  network_->forward(stream, batch, gradient_share(), micro != 0, memory_.loss);
  mark(stream, Phase::forward);
  // Gradients are whole, and may be summed, in the last backward pass alone.
  const bool last = micro + 1 == options_.of_step.accumulation;
  network_->backward(stream, batch, micro == 0,
                     last && sums_ ? [this, stream](int lowest) { sums_->ready(stream, lowest); }
                                   : model::CudaNetwork::Ready());
  mark(stream, Phase::backward);
}

void DeviceStep::update(cudaStream_t stream, std::size_t size, const model::OptimizerMemory& at) const {
  host_cost_.pay(run_);
  if (options_.of_step.optimizer == Optimizer::sgd) {
    model::update(stream, options_.arithmetic, model::Sgd(), size, at);
  } else {
    model::update(stream, options_.arithmetic, model::AdamW(), size, at);
  }
}

std::vector<PhaseSpan> DeviceStep::spans() const {
  std::vector<PhaseSpan> spans;
  for (std::size_t i = 0; i < phases_.size(); ++i)
    spans.push_back({phases_[i], clock_ns(events_[i]), clock_ns(events_[i + 1])});
  if (transfers_) transfers_->add_spans(events_.front(), spans);
  return spans;
}

PhaseSeconds DeviceStep::seconds() const {
  PhaseSeconds seconds{};
  for (std::size_t i = 0; i < phases_.size(); ++i)
    seconds[static_cast<std::size_t>(phases_[i])] += cuda::seconds_between(events_[i], events_[i + 1]);
  if (transfers_) transfers_->add_seconds(seconds);
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
  return ranks * value_at(stream, memory_.loss);
}
std::uint64_t DeviceStep::steps(cudaStream_t stream) const { return value_at(stream, step_number()); }

model::CudaState DeviceStep::arrays(cudaStream_t stream) const {
  model::CudaState state;
  state.arithmetic = options_.arithmetic;
  state.parameters = memory_.optimizer.parameters;
  state.gradients = memory_.optimizer.gradients;
  state.first_moments = memory_.optimizer.first_moments;
  state.second_moments = memory_.optimizer.second_moments;
  if (updates()) {
    state.update =
        options_.of_step.optimizer == Optimizer::sgd ? model::LastUpdate::sgd : model::LastUpdate::adamw;
  }
  state.steps = steps(stream);
  return state;
}

DeviceState DeviceStep::state(cudaStream_t stream) const {
  DeviceState state{arrays(stream), {}};
  if (!low_rank_) return state;
  cuda::wait(run_, stream);
  const cuda::DeviceBuffer<std::byte>& whole =
      state.gathered.emplace_back(device_, layout_.places.size() * sizeof(float));
  low_rank_->remainder(layout_.places.size(), reinterpret_cast<float*>(whole.data()));
  cuda::wait(run_, collectives_->stream());
  state.arrays.remainder = whole.data();
  return state;
}

std::unique_ptr<DeviceStep> make_device_step(const Case& run, const cuda::Device& device,
                                             const cublaslt::Handle& handle, const model::Model& model,
                                             const DeviceStepOptions& options, const CollectiveRanks& ranks) {
  if (options.shards())
    return std::make_unique<ShardedDeviceStep>(run, device, handle, model, options, ranks);
  return std::make_unique<DeviceStep>(run, device, handle, model, options, ranks);
}

}  // namespace assay::plugins::train_step
