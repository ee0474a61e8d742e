// SPDX-License-Identifier: Apache-2.0
//
// Makes a rank's samples ahead of its step, as a data loader does: workers of lib/loader decode them from memory, batch by
// batch in the step's order.
#pragma once

#include "lib/loader/byte_code.hpp"
#include "lib/loader/item_work.hpp"
#include "lib/loader/loader.hpp"
#include "lib/model/inputs.hpp"
#include "lib/model/model.hpp"
#include "train_step/step_memory.hpp"

#include <assay/errors.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace assay::plugins::train_step {

inline std::size_t numbers_of_sample(const model::Model& model) {
  return model.reads_tokens() ? model.sequence : model.operations.front().out;
}

// The samples of StepInputs, which a rank has in a step, as codes. Item i is sample i mod their number.
class SampleWork final : public loader::ItemWork {
 public:
  // `cancelled` is asked after each sample. Throws Cancelled.
  SampleWork(const model::Model& model, const StepOptions& options, const std::function<bool()>& cancelled)
      : seed_(options.seed),
        steps_(options.decode_steps),
        samples_(options.samples()),
        bytes_(numbers_of_sample(model) * kNumber),
        codes_(samples_ * bytes_) {
    const model::StepInputs inputs(model, options.seed);
    std::vector<std::uint8_t> sample(bytes_);
    for (std::size_t i = 0; i < samples_; ++i) {
      if (cancelled()) throw Cancelled();
      const std::size_t in_job = options.first_sample(i / options.micro_batch) + i % options.micro_batch;
      draw(model, inputs, in_job, sample.data());
      loader::ByteCode code(seed_, i, steps_);
      for (std::size_t at = 0; at < bytes_; ++at) codes_[i * bytes_ + at] = code.encode(sample[at]);
    }
  }

  std::size_t scratch_bytes() const override { return 0; }
  std::size_t item_bytes() const override { return bytes_; }

  bool make(const loader::Epoch&, std::uint64_t item, std::byte*, std::byte* to,
            const loader::KeepOn& keep_on) const override {
    constexpr std::size_t kPiece = 1024;  // bytes that are decoded between two looks
    const std::size_t sample = item % samples_;
    const std::uint8_t* const from = codes_.data() + sample * bytes_;
    loader::ByteCode code(seed_, sample, steps_);
    for (std::size_t at = 0; at < bytes_; at += kPiece) {
      if (!keep_on()) return false;
      const std::size_t end = std::min(bytes_, at + kPiece);
      for (std::size_t i = at; i < end; ++i) to[i] = static_cast<std::byte>(code.decode(from[i]));
    }
    return true;
  }

 private:
  static constexpr std::size_t kNumber = 4;  // bytes of a token or a feature

  static void draw(const model::Model& model, const model::StepInputs& inputs, std::size_t sample,
                   std::uint8_t* to) {
    const std::size_t numbers = numbers_of_sample(model);
    for (std::size_t i = 0; i < numbers; ++i) {
      const std::size_t at = sample * numbers + i;
      if (model.reads_tokens()) {
        const std::int32_t token = inputs.token(at);
        std::memcpy(to + i * kNumber, &token, kNumber);
      } else {
        const float feature = inputs.feature(at);
        std::memcpy(to + i * kNumber, &feature, kNumber);
      }
    }
  }

  const std::uint64_t seed_;
  const std::uint32_t steps_;
  const std::size_t samples_, bytes_;
  std::vector<std::uint8_t> codes_;
};

class SampleLoader {
 public:
  // Numbers of 4 bytes that it has in use.
  static std::size_t numbers(const model::Model& model, const StepOptions& options) {
    const double bytes_of_sample = 4 * static_cast<double>(numbers_of_sample(model));
    const double bytes = static_cast<double>(options.samples()) * bytes_of_sample +
                         loader::Loader::queue_bytes(settings(options), 4 * numbers_of_sample(model));
    return static_cast<std::size_t>(std::min(bytes / 4, 0x1p60)) + 1;
  }

  // `cancelled` is asked often, by this thread. Throws Cancelled, Failure.
  SampleLoader(const model::Model& model, const StepOptions& options, const std::function<bool()>& cancelled)
      : seed_(options.seed),
        batches_of_step_(options.accumulation),
        loader_(settings(options), std::make_shared<SampleWork>(model, options, cancelled), cancelled) {
    loader_.touch();
  }

  // The samples of this many steps follow, and none are made beyond them: what is ready when they begin, and what a pause
  // behind them would make, is nothing. Throws as next() does.
  void begin(std::uint64_t steps) {
    loader_.begin({seed_, epoch_++}, std::min(steps, kMostSteps) * batches_of_step_);
  }

  // The samples of the next micro-batch, one behind the other, until the next call. Where none are left, a step begins.
  // Throws Cancelled, and Failure with the reason why there are none.
  const std::byte* next() {
    loader::Batch batch;
    if (!loader_.next(batch)) {
      begin(1);
      loader_.next(batch);
    }
    return batch.values;
  }

 private:
  // Two batches for each worker are under way or ready, as by default in frameworks.
  static loader::LoaderOptions settings(const StepOptions& options) {
    loader::LoaderOptions of;
    of.data.items = options.samples() * kMostSteps;
    of.data.batch = static_cast<std::uint32_t>(options.micro_batch);
    of.data.order = loader::Order::sequential;
    of.data.collate = loader::Collate::direct;
    of.workers = options.loader_workers;
    of.kind = loader::WorkerKind::thread;
    of.prefetch = 2;
    of.is_persistent = true;
    return of;
  }

  static constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 26;  // that are begun together

  const std::uint64_t seed_, batches_of_step_;
  std::uint64_t epoch_ = 0;
  loader::Loader loader_;
};

}  // namespace assay::plugins::train_step
