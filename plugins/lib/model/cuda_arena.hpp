// SPDX-License-Identifier: Apache-2.0
//
// Buffers that live for a part of a step share one array: places are given before anything is allocated.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace assay::plugins::model {

class Arena {
 public:
  static constexpr std::size_t kGrain = 256;  // bytes: where each buffer begins

  // A buffer that is written at `begin` and read at `end` for the last time, both included. Its number.
  std::size_t add(std::size_t bytes, std::size_t begin, std::size_t end) {
    buffers_.push_back({(bytes + kGrain - 1) / kGrain * kGrain, {{begin, end}}, 0});
    return buffers_.size() - 1;
  }
  // It is written once more at `begin`, and lives until `end`; what it had is gone in between.
  void live_again(std::size_t buffer, std::size_t begin, std::size_t end) {
    buffers_[buffer].lives.push_back({begin, end});
  }

  // Gives all of them their places: those that live at one time lie apart. Of two orders, by size and by time,
  // the one that takes less.
  void place() {
    std::vector<std::size_t> order(buffers_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [this](std::size_t a, std::size_t b) { return buffers_[a].bytes > buffers_[b].bytes; });
    const std::size_t by_size = place_in(order);
    const std::vector<Buffer> kept = buffers_;
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return buffers_[a].lives.front().begin < buffers_[b].lives.front().begin;
    });
    bytes_ = place_in(order);
    if (by_size >= bytes_) return;
    buffers_ = kept;
    bytes_ = by_size;
  }

  std::size_t offset(std::size_t buffer) const { return buffers_[buffer].offset; }
  std::size_t bytes() const { return bytes_; }

  // What lives at the busiest time: less than this no placement takes.
  std::size_t least_bytes() const {
    std::size_t most = 0;
    for (const Buffer& at : buffers_) {
      for (const Life& life : at.lives) {
        std::size_t sum = 0;
        for (const Buffer& other : buffers_)
          sum += other.lives_in({life.begin, life.begin}) ? other.bytes : 0;
        most = std::max(most, sum);
      }
    }
    return most;
  }

 private:
  struct Life {
    std::size_t begin, end;
  };
  struct Buffer {
    std::size_t bytes;
    std::vector<Life> lives;
    std::size_t offset;

    bool lives_in(const Life& span) const {
      return std::any_of(lives.begin(), lives.end(),
                         [&](const Life& life) { return life.begin <= span.end && span.begin <= life.end; });
    }
    bool lives_with(const Buffer& other) const {
      return std::any_of(lives.begin(), lives.end(), [&](const Life& life) { return other.lives_in(life); });
    }
  };

  std::size_t place_in(const std::vector<std::size_t>& order) {
    std::size_t all = 0;
    std::vector<const Buffer*> beside;
    for (std::size_t i = 0; i < order.size(); ++i) {
      Buffer& buffer = buffers_[order[i]];
      beside.clear();
      for (std::size_t earlier = 0; earlier < i; ++earlier) {
        const Buffer& other = buffers_[order[earlier]];
        if (other.lives_with(buffer)) beside.push_back(&other);
      }
      std::sort(beside.begin(), beside.end(),
                [](const Buffer* a, const Buffer* b) { return a->offset < b->offset; });
      std::size_t at = 0;
      for (const Buffer* other : beside) {
        if (other->offset >= at + buffer.bytes) break;
        at = std::max(at, other->offset + other->bytes);
      }
      buffer.offset = at;
      all = std::max(all, at + buffer.bytes);
    }
    return all;
  }

  std::vector<Buffer> buffers_;
  std::size_t bytes_ = 0;
};

}  // namespace assay::plugins::model
