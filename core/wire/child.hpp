// SPDX-License-Identifier: Apache-2.0
//
// The one supervisor of child processes: workers, reporters and the processes of a check are all one of these.
#pragma once

#include "base/json.hpp"
#include "process/process.hpp"
#include "process/tail_buffer.hpp"
#include "wire/channel.hpp"
#include "wire/messages.hpp"

#include <poll.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace assay::wire {

inline constexpr std::size_t kOutputLimit = 64 << 10;  // of what a child writes, until it is cleared

// A child process with its socket and its output. Only the constructor (until exec), send() and the functions that
// wait for a stated time block.
class Child {
 public:
  // Starts the process and sends it the first frame. Its descriptor 3 is the socket, and the launch's own
  // follow. Throws Error "worker.start" or "wire.unavailable".
  Child(process::Launch launch, const Load& load);

  // Waits at most this long until something arrives, and takes it.
  void wait(double limit_s);
  // Waits at most this long for its end; frames that still arrive are dropped. A short wait is enough for a process
  // that has closed its socket and is about to end.
  void await_end(double limit_s = 0.1);
  // For a poll of many: appends what is to be polled; pump() then finds its results in the same place.
  void collect(std::vector<pollfd>& polled);
  // Takes what has arrived: output, bytes of frames, its end.
  void pump(const std::vector<pollfd>& polled);
  // Reads the rest of what it has written so far.
  void drain_output();

  // The next whole frame that arrived. Throws Error "wire.malformed".
  [[nodiscard]] std::optional<Json> next_frame() { return channel_.reader().next(); }
  // False if the other end is gone.
  bool send(const Json& frame);
  // Sends the signal to the process and its group.
  void signal(int number) const { process_.signal(number); }
  [[nodiscard]] int stopped_by() const { return process_.stopped_by(); }  // a signal; 0 if it runs

  [[nodiscard]] bool ended() const { return ended_; }         // reaped; all its frames have arrived
  [[nodiscard]] bool hung_up() const { return !connected_; }  // closed its socket; it may still live
  // "died of signal 11 (SIGSEGV)", "ended with exit status 3", "closed its socket".
  [[nodiscard]] std::string end_text() const;
  // "signal 11 (SIGSEGV)", "exit status 3".
  [[nodiscard]] std::string ending() const;
  [[nodiscard]] int end_signal() const;   // 0 if it was none
  [[nodiscard]] int exit_status() const;  // 0 if it has none
  [[nodiscard]] bool ended_well() const { return ended_ && end_signal() == 0 && exit_status() == 0; }
  [[nodiscard]] process::TailBuffer& output() { return output_; }
  // "; its last line was 'x'", to end a sentence with; "" if it wrote nothing.
  [[nodiscard]] std::string last_line() const;

 private:
  Child(process::Launch launch, const Load& load, std::array<int, 2> sockets);
  void read_output(std::size_t limit);
  void read_socket(std::size_t limit);

  Descriptor other_end_;  // the child's, until the process was started
  Channel channel_;
  process::Process process_;
  process::TailBuffer output_{kOutputLimit};
  std::size_t first_ = 0;  // where collect() put its descriptors
  bool connected_ = true;
  bool ended_ = false;
};

// For poll(): milliseconds, rounded up so that a wait never ends early.
[[nodiscard]] int poll_ms(double limit_s);

// Waits at most this long until something arrives from one of the children, and takes it.
template <class Children>
void wait_for(const Children& children, double limit_s) {
  std::vector<pollfd> polled;
  for (const auto& child : children) child->collect(polled);
  if (::poll(polled.data(), polled.size(), poll_ms(limit_s)) <= 0) return;
  for (const auto& child : children) child->pump(polled);
}

}  // namespace assay::wire
