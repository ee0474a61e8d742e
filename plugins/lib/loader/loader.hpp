// SPDX-License-Identifier: Apache-2.0
//
// Delivers a data set's items in batches, epoch after epoch: made by workers ahead of the consumer, delivered in
// order. The model is that of PyTorch's DataLoader: a worker makes whole batches, and prefetch batches for each
// worker are under way or wait at any time.
#pragma once

#include "lib/loader/batch_queue.hpp"
#include "lib/loader/make_batch.hpp"
#include "lib/loader/stall_watch.hpp"
#include "lib/loader/workers.hpp"

#include <assay/errors.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace assay::plugins::loader {

struct LoaderOptions {
  DataSet data;
  std::uint32_t workers = 0;  // 0: the consumer's thread makes each batch when it asks for it
  WorkerKind kind = WorkerKind::thread;
  std::uint32_t prefetch = 2;  // batches for each worker, 1 and more
  bool is_persistent = false;  // workers outlive an epoch
  double start_cost_s = 0;    // the consumer's thread is busy for this long before each worker that it starts
  double stall_limit_s = 10;  // a worker that comes no further for this long hangs; 0.3 and more
};

// A batch that was delivered. The memory is the loader's, until the next one is asked for.
struct Batch {
  std::uint64_t first_place = 0;  // in the epoch
  std::uint32_t count = 0;        // items
  const std::uint64_t* items = nullptr;
  const std::byte* values = nullptr;  // of ItemWork::item_bytes() for each item
  std::uint64_t depth = 0;            // batches that were there when it was asked for; 0: the consumer waited
};

// All calls come from one thread. After an exception the loader can only be destroyed, which takes 2 s at most,
// however its workers hang.
class Loader {
 public:
  // What the loader holds in shared memory, in bytes; a double, because it may be beyond what an integer holds.
  static double queue_bytes(const LoaderOptions& options, std::size_t item_bytes) {
    return queue_shape(options, item_bytes).total_bytes();
  }

  // `cancelled` is asked often by this thread, and by no worker. Throws Failure (ASSAY_E_RESOURCE).
  Loader(const LoaderOptions& options, const std::shared_ptr<const ItemWork>& work,
         std::function<bool()> cancelled)
      : options_(options),
        cancelled_(std::move(cancelled)),
        own_(options.workers == 0 ? std::make_unique<BatchMaker>(options.data, work) : nullptr),
        state_(std::make_shared<WorkerState>(queue_shape(options, work->item_bytes()), options.data, work)),
        workers_(state_, options.kind),
        watch_(options.workers, options.stall_limit_s) {}
  Loader(const Loader&) = delete;  // its workers point at it
  Loader& operator=(const Loader&) = delete;
  ~Loader() { stop(); }

  // Before the first epoch: all memory for batches is in use then, however few of them there will be.
  void touch() { queue().touch(); }

  // Starts an epoch, and its workers where none are kept. Throws Failure, Cancelled.
  void begin(const Epoch& epoch) { begin(epoch, options_.data.batches()); }
  // The same of this many batches, at most those that there are.
  void begin(const Epoch& epoch, std::uint64_t batches) {
    if (is_broken_) throw Failure("the loader has failed before, and starts no epoch any more");
    is_broken_ = true;  // until it is known to have gone well
    throw_if_dead();
    if (!queue().is_at_end()) throw Failure("an epoch begins before the one before it was taken whole");
    queue().begin(epoch, batches);
    for (std::uint32_t worker = 0; !are_running_ && worker < options_.workers; ++worker) {
      pay_start();
      workers_.start(worker);
    }
    if (!are_running_) watch_.reset(queue(), Clock::now());
    are_running_ = options_.is_persistent;
    is_broken_ = false;
  }

  // The next batch of the epoch; false after its last one, when workers that do not persist have ended. Throws
  // Cancelled, and Failure with the reason why a batch is missing.
  bool next(Batch& batch) {
    is_broken_ = true;
    if (queue().is_at_end()) {
      if (!options_.is_persistent && workers_.end() != 0)
        throw Failure("a worker that had nothing left to do did not end within a second", ASSAY_E_TIMEOUT);
      throw_if_dead();
      is_broken_ = false;
      return false;
    }
    look();
    const std::uint64_t ticket = queue().to_take();
    batch.depth = queue().is_made(ticket) ? queue().made() : 0;
    if (own_) {
      make_here(ticket);
    } else {
      wait_for(ticket);
    }
    queue().take();
    const std::uint64_t number = queue().number_of(ticket);
    batch.first_place = number * options_.data.batch;
    batch.count = options_.data.size_of(number);
    batch.items = queue().items(ticket);
    batch.values = queue().values(ticket);
    is_broken_ = false;
    return true;
  }

  // Stops the workers now, and returns how many hung: processes that hung were killed; threads that hung are left
  // behind, and end when they next check. No epoch can begin after that.
  std::uint32_t stop() {
    is_broken_ = true;
    queue().stop();
    return workers_.end();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::int64_t kLook_ns = 20000000;

  static QueueShape queue_shape(const LoaderOptions& options, std::size_t item_bytes) {
    // Without workers: the one slot that the consumer fills and holds.
    return {options.workers, options.workers == 0 ? 0 : std::uint64_t{options.workers} * options.prefetch,
            options.data.batch, item_bytes, !options.is_persistent};
  }

  BatchQueue& queue() const { return state_->queue; }

  void throw_if_cancelled() const {
    if (cancelled_()) throw Cancelled();
  }

  void throw_if_dead() {
    if (const auto death = workers_.death()) throw *death;
  }

  void make_here(std::uint64_t ticket) {
    const KeepOn keep_on = [this] { return !cancelled_(); };
    if (!own_->make(queue().epoch(), queue().number_of(ticket), queue().items(ticket), queue().values(ticket),
                    keep_on))
      throw Cancelled();
  }

  void wait_for(std::uint64_t ticket) {
    for (;;) {
      const std::uint32_t heard = queue().ready().heard();
      if (const auto failure = queue().failure()) throw *failure;
      look();
      if (queue().is_made(ticket)) return;
      throw_if_cancelled();
      queue().ready().wait(heard, kLook_ns);
    }
  }

  // At workers, every 20 ms or a little later.
  void look() {
    const auto now = Clock::now();
    if (now - looked_ < std::chrono::nanoseconds(kLook_ns)) return;
    looked_ = now;
    throw_if_dead();
    const auto stalled = watch_.look(queue(), now);
    if (!stalled) return;
    throw_if_cancelled();
    const std::string limit = std::to_string(options_.stall_limit_s);
    const auto ticket = queue().made_by(*stalled);
    const std::string doing = ticket ? "it makes batch " + std::to_string(queue().number_of(*ticket)) +
                                           " of epoch " + std::to_string(queue().epoch().number)
                                     : "it waits for a batch to make";
    throw Failure("worker " + std::to_string(*stalled + 1) + " hangs: " + doing +
                      " and has come no further for " + limit.substr(0, limit.find('.') + 2) + " s; " +
                      (ticket ? "look at what it reads, or raise stall_limit" : "was it stopped?"),
                  ASSAY_E_TIMEOUT);
  }

  void pay_start() const {
    if (options_.start_cost_s <= 0) return;
    const auto until = Clock::now() + std::chrono::duration<double>(options_.start_cost_s);
    while (Clock::now() < until) throw_if_cancelled();
  }

  LoaderOptions options_;
  std::function<bool()> cancelled_;
  std::unique_ptr<BatchMaker> own_;
  std::shared_ptr<WorkerState> state_;
  Workers workers_;
  StallWatch watch_;
  Clock::time_point looked_;
  bool are_running_ = false, is_broken_ = false;
};

}  // namespace assay::plugins::loader
