// SPDX-License-Identifier: Apache-2.0
//
// Carries out a schedule between processes: the memory of all ranks, their progress in it, and one rank's
// steps.
#pragma once

#include "collective/arithmetic.hpp"
#include "collective/schedule.hpp"
#include "lib/available_memory.hpp"
#include "lib/rank_memory.hpp"

#include <assay/case.hpp>
#include <assay/group.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace assay::plugins::collective {

inline constexpr std::size_t kCanaryBytes = 64;
inline constexpr unsigned char kCanary = 0xC7, kUntouched = 0xA5;

class Execution {
 public:
  // All ranks call it, with the same call. `crowded`: there are more ranks than processors. Throws Failure,
  // and Skip where there is not memory enough for all ranks.
  Execution(const Case& run, const Group& group, Call call, std::size_t element_bytes, bool crowded)
      : run_(run),
        group_(group),
        call_(std::move(call)),
        element_bytes_(element_bytes),
        crowded_(crowded),
        schedule_(schedule_of(call_)) {
    keep_used_scratch(call_.layouts, schedule_);
    head_ = pages_of(2 * call_.ranks * sizeof(RankProgress));
    std::size_t touched = head_;
    for (const Layout& layout : call_.layouts) {
      stride_ = std::max(stride_, pages_of(bytes_of(layout)));
      touched += pages_of(bytes_of(layout));
    }
    require_memory(touched);
    memory_ = std::make_unique<RankMemory>(group, head_ + stride_ * call_.ranks);
  }

  const Layout& layout() const { return call_.layouts[group_.rank()]; }

  template <class T>
  T* elements(std::uint32_t rank, std::size_t at) const {
    return reinterpret_cast<T*>(memory_of(rank)) + at;
  }

  // This rank's memory holds no result, and around the buffers what nobody may touch.
  void clear() const {
    std::memset(memory_of(group_.rank()), kCanary, bytes_of(layout()));
    std::memset(memory_of(group_.rank()) + layout().receive * element_bytes_, kUntouched,
                layout().receive_count * element_bytes_);
  }

  // Calls look(byte, is) for the bytes before, between and behind the buffers of this rank.
  template <class Look>
  void look_around(Look&& look) const {
    const Layout& mine = layout();
    const std::byte* memory = memory_of(group_.rank());
    const auto within = [&](std::size_t byte, std::size_t at, std::size_t count) {
      return byte >= at * element_bytes_ && byte < (at + count) * element_bytes_;
    };
    const auto each = [&](std::size_t begin) {
      for (std::size_t byte = begin; byte < begin + kCanaryBytes; ++byte) {
        if (!within(byte, mine.send, mine.send_count) && !within(byte, mine.receive, mine.receive_count))
          look(byte, static_cast<unsigned char>(memory[byte]));
      }
    };
    for (const auto& [at, count] :
         {std::pair(mine.send, mine.send_count), std::pair(mine.receive, mine.receive_count)}) {
      each(at * element_bytes_ - kCanaryBytes);
      each((at + count) * element_bytes_);
    }
    each(mine.end() * element_bytes_);
  }

  // Everybody arrives before anybody goes on. Throws Cancelled.
  void meet() {
    arrival(group_.rank()).raise(++meetings_);
    for (std::uint32_t rank = 0; rank < call_.ranks; ++rank) wait_for(arrival(rank), meetings_);
  }

  // One operation. Throws Cancelled.
  template <class T>
  void once(Operator reduction) {
    for (const Step& step : schedule_[group_.rank()]) {
      for (const Wait& wait : step.waits) wait_until_done(wait);
      const T* from = elements<T>(step.from.rank, step.from.at);
      T* to = elements<T>(group_.rank(), step.to);
      if (step.combines) {
        combine(reduction, from, elements<T>(step.with.rank, step.with.at), to, step.count, step.completes,
                call_.ranks);
      } else {
        std::memcpy(to, from, step.count * sizeof(T));
      }
      progress(group_.rank()).raise(++steps_);
    }
    ++operations_;
  }

 private:
  static std::size_t pages_of(std::size_t bytes) {
    constexpr std::size_t kPage = 4096;
    return (bytes + kPage - 1) / kPage * kPage;
  }

  // A rank's memory, with what nobody may touch behind it.
  std::size_t bytes_of(const Layout& layout) const { return layout.end() * element_bytes_ + kCanaryBytes; }

  // What the ranks share is taken from the machine page by page, when they touch it. One looks, so that none
  // goes on without the others.
  void require_memory(std::uint64_t bytes) const {
    const std::optional<std::uint64_t> seen = available_memory();
    struct {
      bool known;
      std::uint64_t bytes;
    } available{seen.has_value(), seen.value_or(0)};
    group_.broadcast(available);
    plugins::require_memory(bytes, available.known ? std::optional(available.bytes) : std::nullopt,
                            "the buffers of " + std::to_string(call_.ranks) + " ranks");
  }

  std::byte* memory_of(std::uint32_t rank) const { return memory_->data() + head_ + stride_ * rank; }
  RankProgress& progress(std::uint32_t rank) const {
    return reinterpret_cast<RankProgress*>(memory_->data())[rank];
  }
  RankProgress& arrival(std::uint32_t rank) const { return progress(call_.ranks + rank); }
  // With more ranks than processors, whoever is waited for may need this one's. A rank that dies cancels the others.
  void wait_for(RankProgress& progress, std::uint32_t count) const {
    progress.wait_for(count, crowded_ ? kSpinsCrowded : kSpins, [this] { return run_.cancelled(); });
  }

  void wait_until_done(const Wait& wait) const {
    if (wait.before && operations_ == 0) return;
    const std::uint64_t operation = operations_ - (wait.before ? 1 : 0);
    const std::uint64_t count = operation * schedule_[wait.rank].size() + wait.step + 1;
    wait_for(progress(wait.rank), static_cast<std::uint32_t>(count));
  }

  const Case& run_;
  const Group& group_;
  Call call_;
  std::size_t element_bytes_;
  bool crowded_;
  Schedule schedule_;
  std::size_t head_ = 0, stride_ = 0;       // bytes before the first rank's memory, and of each
  std::uint32_t steps_ = 0, meetings_ = 0;  // wrap, as RankProgress does
  std::uint64_t operations_ = 0;
  std::unique_ptr<RankMemory> memory_;
};

}  // namespace assay::plugins::collective
