// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/descriptor.hpp"
#include "base/json.hpp"
#include "wire/channel.hpp"
#include "worker/interruption.hpp"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace assay::worker {

// The control thread: reads frames while the plugin runs, so that a cancel, a deadline and the controller's
// end are seen whatever the case thread does.
class Control {
 public:
  // channel and interruption outlive it. `leave` ends the process; see Options.
  Control(wire::Channel& channel, Interruption& interruption, std::function<void(int)> leave);
  ~Control();
  Control(const Control&) = delete;  // owns a thread
  Control& operator=(const Control&) = delete;

  // The next request; blocks. Cancels are not among them.
  [[nodiscard]] Json next();

  // [any thread] Sends a log line soon, without blocking the caller on I/O.
  void log(Json line);
  // Case thread: sends what log() still holds. After it no older line follows.
  void flush_log();

 private:
  void serve();
  void handle(Json frame);
  [[nodiscard]] int next_timeout_ms() const;
  void wake();

  wire::Channel& channel_;
  Interruption& interruption_;
  std::function<void(int)> leave_;
  Descriptor wake_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Json> requests_;  // guarded by mutex_
  bool stopping_ = false;      // guarded by mutex_
  std::mutex log_mutex_;
  std::deque<Json> lines_;  // guarded by log_mutex_
  // The control thread's own:
  std::uint64_t deadline_number_ = 0;
  std::int64_t deadline_ns_ = 0;  // 0: none
  std::thread thread_;
};

// When that was by monotonic_ns(), in seconds since 1970.
[[nodiscard]] double unix_time_of(std::int64_t then_ns);

}  // namespace assay::worker
