// SPDX-License-Identifier: Apache-2.0
//
// For tests: a host that keeps what a benchmark tells it, and whose clock is known.
#pragma once

#include <assay/abi/v1.h>
#include <assay/case.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>

namespace assay::plugins {

// What a benchmark is given in a visit.
class RecordingHost {
 public:
  // The clock goes on by this whenever somebody looks, so that every time is known.
  static constexpr std::int64_t kStep_ns = 1000;
  static constexpr double kStep_s = 1e-6;

  RecordingHost() {
    conditions_.size = sizeof(conditions_);
    conditions_.seed = 7;
    case_.size = sizeof(case_);
    case_.conditions = &conditions_;
    case_.host = this;
    case_.cancelled = [](const assay_case* c) {
      RecordingHost& host = of(c);
      return host.cancel_at_ != 0 && ++host.asked_ >= host.cancel_at_ ? 1 : 0;
    };
    case_.now_ns = [](const assay_case* c) { return of(c).now_ns_ += kStep_ns; };
    case_.work = [](const assay_case* c, const char* metric, double work) { of(c).work[metric] = work; };
    case_.value = [](const assay_case* c, const char* metric, std::uint32_t dimensions,
                     const std::uint32_t* indices, double value) {
      std::string name = metric;
      for (std::uint32_t i = 0; i < dimensions; ++i) name += "[" + std::to_string(indices[i]) + "]";
      of(c).values[name] = value;
    };
    case_.fact = [](const assay_case* c, const char* name, const char* text) { of(c).facts[name] = text; };
    case_.query = [](const assay_case* c, const char* id) -> const void* {
      return std::string(id) == ASSAY_SERVICE_MEMORY ? &of(c).memory_ : nullptr;
    };
    memory_.size = sizeof(memory_);
    memory_.allocate = [](const assay_case* c, std::size_t bytes, std::size_t alignment) {
      void* memory = std::aligned_alloc(alignment, bytes);
      of(c).blocks_[memory] = bytes;
      return memory;
    };
    memory_.free = [](const assay_case* c, void* memory) {
      of(c).blocks_.erase(memory);
      std::free(memory);
    };
  }
  RecordingHost(const RecordingHost&) = delete;  // the case points at it
  RecordingHost& operator=(const RecordingHost&) = delete;

  Case run() const { return {&case_, nullptr}; }
  void seed(std::uint64_t seed) { conditions_.seed = seed; }
  // From the so-manieth question on, the answer is that it is cancelled.
  void cancel_at(int question) {
    asked_ = 0;
    cancel_at_ = question;
  }
  int asked() const { return asked_; }
  // Changes every byte of all memory that was asked for.
  void disturb() {
    for (const auto& [memory, bytes] : blocks_) {
      auto* byte = static_cast<unsigned char*>(memory);
      for (std::size_t i = 0; i < bytes; ++i) byte[i] ^= 0x55;
    }
  }

  std::map<std::string, double> work, values;
  std::map<std::string, std::string> facts;

 private:
  static RecordingHost& of(const assay_case* c) { return *static_cast<RecordingHost*>(c->host); }

  assay_conditions conditions_{};
  assay_memory_v1 memory_{};
  assay_case case_{};
  std::map<void*, std::size_t> blocks_;
  std::atomic<std::int64_t> now_ns_{0};
  std::atomic<int> cancel_at_{0}, asked_{0};
};

}  // namespace assay::plugins
