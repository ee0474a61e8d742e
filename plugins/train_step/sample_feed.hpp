// SPDX-License-Identifier: Apache-2.0
//
// Brings a rank's samples to one place, a micro-batch at a time, as SampleLoader has them ready. Whoever asks for them is a
// thread of the driver's, between what a stream does: nothing is thrown there.
#pragma once

#include "lib/model/model.hpp"
#include "train_step/sample_loader.hpp"
#include "train_step/step_memory.hpp"

#include <assay/errors.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

namespace assay::plugins::train_step {

class SampleFeed {
 public:
  using Clock = std::function<std::int64_t()>;  // [any thread] nanoseconds
  using Asked = std::function<bool()>;          // [any thread]

  // `to` has bytes(). `cancelled` ends waiting for samples.
  SampleFeed(const model::Model& model, const StepOptions& options, std::byte* to, Clock now_ns,
             Asked cancelled)
      : model_(model),
        options_(options),
        to_(to),
        now_ns_(std::move(now_ns)),
        cancelled_([this, asked = std::move(cancelled)] { return stopped_.load() || asked(); }) {}
  SampleFeed(const SampleFeed&) = delete;  // streams hold its address
  SampleFeed& operator=(const SampleFeed&) = delete;

  // Of a micro-batch: numbers of 4 bytes.
  static std::size_t bytes(const model::Model& model, const StepOptions& options) {
    return 4 * options.micro_batch * numbers_of_sample(model);
  }

  // The samples are those of this seed, from a step's first on. Nobody takes any meanwhile. Throws what loading throws.
  void restart(std::uint64_t seed) {
    options_.seed = seed;
    failed_ = nullptr;
    loader_.reset();  // what it has ready is of another seed, or of the midst of a step
    loader_ = std::make_unique<SampleLoader>(model_, options_, cancelled_);
    forget_times();
  }
  // This many steps follow each other: their samples are made ahead of them.
  void begin(std::uint64_t steps) {
    rethrow();
    loader_->begin(steps);
    forget_times();
  }
  // [any thread] Waits for the next micro-batch, and copies it. Behind a failure it does nothing.
  void take() noexcept {
    if (failed_ != nullptr) return;
    try {
      const std::int64_t begin = now_ns_();
      const std::byte* const from = loader_->next();
      if (from == nullptr) throw Failure("the loader delivered no samples");
      std::memcpy(to_, from, bytes(model_, options_));
      const std::int64_t waited = now_ns_() - begin;
      waited_ns_ += waited;
      if (taken_ < options_.accumulation) first_ns_ += waited;
      ++taken_;
    } catch (...) {
      failed_ = std::current_exception();
    }
  }
  // Once all that was taken is there: throws what a take() could not.
  void rethrow() const {
    if (failed_ != nullptr) std::rethrow_exception(failed_);
  }
  // For how long a step since begin() waited for its samples, without the first one: nothing lies before that, behind which
  // its samples could be made.
  double waited_s() const {
    const std::uint64_t steps = taken_ / options_.accumulation;
    const std::int64_t of = steps > 1 ? waited_ns_ - first_ns_ : waited_ns_;
    return steps == 0
               ? 0
               : 1e-9 * static_cast<double>(of) / static_cast<double>(std::max<std::uint64_t>(1, steps - 1));
  }
  // [any thread] Whoever waits, or will, gives up.
  void stop() { stopped_ = true; }

 private:
  void forget_times() {
    waited_ns_ = first_ns_ = 0;
    taken_ = 0;
  }

  const model::Model& model_;
  StepOptions options_;
  std::byte* const to_;
  const Clock now_ns_;
  std::atomic<bool> stopped_ = false;
  const Asked cancelled_;
  std::unique_ptr<SampleLoader> loader_;
  // Of the thread that takes, until what it did is known to be done.
  std::exception_ptr failed_;
  std::int64_t waited_ns_ = 0, first_ns_ = 0;
  std::uint64_t taken_ = 0;  // micro-batches
};

}  // namespace assay::plugins::train_step
