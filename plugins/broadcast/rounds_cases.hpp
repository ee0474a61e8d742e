// SPDX-License-Identifier: Apache-2.0
//
// What tests of real broadcasts between threads have in common.
#pragma once

#include "broadcast/pattern.hpp"
#include "broadcast/placement.hpp"
#include "broadcast/rounds.hpp"
#include "broadcast/schedule_cases.hpp"
#include "lib/cpu_team.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::plugins::broadcast {

inline bool never() { return false; }
inline bool at_once() { return true; }

inline std::vector<ThreadPlace> places(int count) {
  std::vector<ThreadPlace> here;
  for (const int cpu : allowed_cpus()) here.push_back({cpu, 0});
  return spread(here, count);
}

// A payload and buffers for it.
class Payload {
 public:
  static constexpr std::uint64_t kWords = 1001;
  static constexpr std::uint64_t kSeed = 7;

  explicit Payload(int destinations, std::uint64_t words = kWords)
      : buffers_(static_cast<std::size_t>(destinations)) {
    for (std::uint64_t i = 0; i < words; ++i) source_.push_back(word_of(kSeed, i));
    memory_.source = reinterpret_cast<const std::byte*>(source_.data());
    for (auto& buffer : buffers_) {
      buffer.assign(words, kNothing);
      memory_.destinations.push_back(reinterpret_cast<std::byte*>(buffer.data()));
    }
  }

  [[nodiscard]] const Memory& memory() const { return memory_; }
  [[nodiscard]] std::uint64_t wrong(int destination) const {
    Misses seen;
    compare(buffers_[static_cast<std::size_t>(destination)].data(), 0, source_.size(), kSeed, seen);
    return seen.wrong;
  }
  [[nodiscard]] std::uint64_t wrong() const {
    std::uint64_t all = 0;
    for (int i = 0; i < static_cast<int>(buffers_.size()); ++i) all += wrong(i);
    return all;
  }

 private:
  std::vector<Word> source_;
  std::vector<std::vector<Word>> buffers_;
  Memory memory_;
};

inline std::vector<Plan> ways(int destinations) {
  std::vector<Plan> all;
  for (int root = 0; root < destinations; ++root) {
    add_ways(all, destinations, root, Payload::kWords * sizeof(Word), 448);
  }
  return all;
}

// Every call is one microsecond after the one before.
class Clock {
 public:
  static constexpr std::int64_t kStep_ns = 1000;
  Now now() {
    return [this] { return time_ns_ += kStep_ns; };
  }

 private:
  std::atomic<std::int64_t> time_ns_{0};
};

}  // namespace assay::plugins::broadcast
