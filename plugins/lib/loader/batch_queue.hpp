// SPDX-License-Identifier: Apache-2.0
//
// What a consumer and its workers share: batches that are to be made, are being made, and are there. Workers
// claim batches in order, make them in any order, and the consumer takes them in order.
#pragma once

#include "lib/loader/bell.hpp"
#include "lib/loader/item_work.hpp"
#include "lib/loader/shared_region.hpp"

#include <assay/errors.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <optional>
#include <string>

namespace assay::plugins::loader {

struct QueueShape {
  std::uint32_t workers = 1;
  std::uint64_t room = 2;         // batches that are made or under way, at most
  std::uint32_t batch = 1;        // items
  std::size_t item_bytes = 1;     // of what is made
  bool leaves_with_epoch = true;  // claim() ends with the epoch instead of waiting for the next one

  // Of the memory that the queue lies in, as a number that cannot overflow.
  double total_bytes() const;
};

// Lies in memory that is shared with forked processes: it holds no pointers but its own process's.
// A batch has a ticket, a number that goes on over all epochs. The consumer's thread makes the queue and calls
// what is said to be the consumer's; workers are numbered from 0.
class BatchQueue {
 public:
  // Throws Failure (ASSAY_E_RESOURCE).
  explicit BatchQueue(const QueueShape& shape)
      : shape_(shape), region_(static_cast<std::size_t>(shape.total_bytes())) {
    std::byte* at = region_.data();
    head_ = new (at) Head;
    at += sizeof(Head);
    for (std::uint32_t i = 0; i < shape.workers; ++i) new (at + i * sizeof(Progress)) Progress;
    progress_ = std::launder(reinterpret_cast<Progress*>(at));
    at += shape.workers * sizeof(Progress);
    for (std::uint64_t i = 0; i < slots(); ++i) new (at + i * sizeof(Slot)) Slot;
    slots_ = std::launder(reinterpret_cast<Slot*>(at));
    at += slots() * sizeof(Slot);
    items_ = reinterpret_cast<std::uint64_t*>(at);
    values_ = at + slots() * item_list_bytes(shape.batch);
  }

  // ---- the consumer's ----

  // Writes to all memory of batches, of which none may have begun: whoever measures memory finds it in use.
  void touch() {
    auto* const from = reinterpret_cast<std::byte*>(items_);
    std::memset(from, 0, region_.bytes() - static_cast<std::size_t>(from - region_.data()));
  }

  // The batches of an epoch, once all of the one before are taken.
  void begin(const Epoch& epoch, std::uint64_t batches) {
    head_->seed = epoch.seed;
    head_->epoch = epoch.number;
    head_->first = head_->end.load();
    head_->end.fetch_add(batches);
    head_->work.ring_all();
  }
  std::uint64_t to_take() const { return head_->taken; }
  bool is_at_end() const { return head_->taken == head_->end; }
  bool is_made(std::uint64_t ticket) const { return slot(ticket).made == ticket + 1; }
  // Of those that were not taken yet.
  std::uint64_t made() const { return head_->finished - head_->taken; }

  // The batch to_take(), which is made, is the consumer's until it takes the next one.
  void take() {
    head_->taken.fetch_add(1);
    head_->work.ring();
  }

  // Lets everybody who waits in it, and work that asks, give up.
  void stop() {
    head_->stopping = 1;
    head_->work.ring_all();
    head_->ready.ring_all();
  }

  Bell& ready() { return head_->ready; }  // rings when a batch is made or a worker fails or leaves

  // ---- a worker's ----

  // The next batch to make, once there is room for it; none when there is no more to do. Ticks while it waits.
  std::optional<std::uint64_t> claim(std::uint32_t worker) {
    for (;;) {
      tick(worker);
      const std::uint32_t heard = head_->work.heard();
      if (is_stopping()) return std::nullopt;
      const std::uint64_t end = head_->end;
      std::uint64_t next = head_->next;
      if (next < std::min<std::uint64_t>(end, head_->taken + shape_.room)) {
        if (!head_->next.compare_exchange_strong(next, next + 1)) continue;
        progress_[worker].ticket = next + 1;
        if (next + 1 == end) head_->work.ring_all();  // those who wait for room need not any longer
        return next;
      }
      if (shape_.leaves_with_epoch && next == end) return std::nullopt;
      head_->work.wait(heard, kLookAgain_ns);
    }
  }
  void finish(std::uint64_t ticket, std::uint32_t worker) {
    slot(ticket).made = ticket + 1;
    progress_[worker].ticket = 0;
    head_->finished.fetch_add(1);
    head_->ready.ring();
  }
  void leave(std::uint32_t worker) {
    progress_[worker].has_left = 1;
    head_->ready.ring_all();
  }
  bool is_stopping() const { return head_->stopping != 0; }
  // Says that the worker lives; to be called again and again while a batch is made.
  void tick(std::uint32_t worker) { progress_[worker].ticks.fetch_add(1, std::memory_order_relaxed); }

  // The first reason counts. Allocates nothing: it may be a forked process's.
  void fail(const char* text, assay_status status, const char* domain, std::int64_t code) {
    std::uint32_t none = 0;
    if (!head_->failed.compare_exchange_strong(none, kBeingSaid)) return;
    std::snprintf(head_->text, sizeof(head_->text), "%s", text);
    std::snprintf(head_->domain, sizeof(head_->domain), "%s", domain);
    head_->status = status;
    head_->code = code;
    head_->failed = kSaid;
    head_->ready.ring_all();
  }

  // ---- anybody's ----

  std::optional<Failure> failure() const {
    if (head_->failed != kSaid) return std::nullopt;
    return Failure(head_->text, head_->status, head_->domain, head_->code);
  }
  Epoch epoch() const { return {head_->seed, head_->epoch}; }
  // Of the epoch's batches, from 0.
  std::uint64_t number_of(std::uint64_t ticket) const { return ticket - head_->first; }
  std::uint64_t* items(std::uint64_t ticket) const {
    return items_ + ticket % slots() * (item_list_bytes(shape_.batch) / sizeof(std::uint64_t));
  }
  std::byte* values(std::uint64_t ticket) const {
    return values_ + ticket % slots() * value_bytes(shape_.batch, shape_.item_bytes);
  }
  // The batch that a worker makes.
  std::optional<std::uint64_t> made_by(std::uint32_t worker) const {
    const std::uint64_t ticket = progress_[worker].ticket;
    return ticket == 0 ? std::nullopt : std::optional(ticket - 1);
  }
  std::uint64_t ticks(std::uint32_t worker) const { return progress_[worker].ticks; }
  bool has_left(std::uint32_t worker) const { return progress_[worker].has_left != 0; }
  // Of a worker that is to be started again.
  void come_back(std::uint32_t worker) { progress_[worker].has_left = progress_[worker].ticket = 0; }
  const QueueShape& shape() const { return shape_; }

 private:
  friend struct QueueShape;

  static constexpr std::int64_t kLookAgain_ns = 100000000;
  static constexpr std::uint32_t kBeingSaid = 1, kSaid = 2;

  struct alignas(64) Head {
    std::atomic<std::uint64_t> next{0}, end{0}, first{0}, seed{0}, epoch{0};
    alignas(64) std::atomic<std::uint64_t> taken{0};
    alignas(64) std::atomic<std::uint64_t> finished{0};
    std::atomic<std::uint32_t> stopping{0}, failed{0};
    Bell work, ready;
    char text[1024] = "", domain[32] = "";
    assay_status status = ASSAY_OK;
    std::int64_t code = 0;
  };
  struct alignas(64) Progress {
    std::atomic<std::uint64_t> ticks{0}, ticket{0}, has_left{0};  // the ticket plus 1, 0: none
  };
  struct alignas(64) Slot {
    std::atomic<std::uint64_t> made{0};  // the ticket plus 1
  };

  static std::size_t in_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }
  static std::size_t item_list_bytes(std::uint64_t batch) { return in_lines(batch * sizeof(std::uint64_t)); }
  static std::size_t value_bytes(std::uint64_t batch, std::size_t item) { return in_lines(batch * item); }

  // One more than the room: the consumer holds the batch that it took last.
  std::uint64_t slots() const { return shape_.room + 1; }
  Slot& slot(std::uint64_t ticket) const { return slots_[ticket % slots()]; }

  QueueShape shape_;
  SharedRegion region_;
  Head* head_;
  Progress* progress_;
  Slot* slots_;
  std::uint64_t* items_;
  std::byte* values_;
};

inline double QueueShape::total_bytes() const {
  const double in_slot = static_cast<double>(sizeof(BatchQueue::Slot)) + 128 + 8.0 * batch +
                         static_cast<double>(batch) * static_cast<double>(item_bytes);
  return static_cast<double>(sizeof(BatchQueue::Head)) +
         static_cast<double>(workers) * sizeof(BatchQueue::Progress) +
         (static_cast<double>(room) + 1) * in_slot;
}

}  // namespace assay::plugins::loader
