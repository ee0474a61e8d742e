// SPDX-License-Identifier: Apache-2.0
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

namespace assay::run {

inline constexpr std::size_t kOutputLimit = 64 << 10;  // of what a worker writes, per visit

// A worker process with its socket and what it writes. Nothing here blocks but the constructor (until exec).
class Worker {
 public:
  // Starts the process and sends it the first frame. `launch.descriptors` is set here: the socket, then the
  // segment unless that is -1. Throws Error "worker.start".
  Worker(process::Launch launch, const wire::Load& load, int segment_descriptor);

  // Appends what is to be polled; pump() then finds its results in the same place.
  void collect(std::vector<pollfd>& polled);
  // Takes what has arrived: output, bytes of frames, its end.
  void pump(const std::vector<pollfd>& polled);
  // Waits a moment for its end, so that the reason is known of a worker whose socket is closed already.
  void await_end();
  // Reads the rest of what it has written so far.
  void drain_output();

  // The next whole frame that arrived. Throws Error "wire.malformed".
  [[nodiscard]] std::optional<Json> next_frame();
  // False if nobody is there to receive it.
  bool send(const Json& frame);
  void signal(int number) const { process_.signal(number); }
  [[nodiscard]] int stopped_by() const { return process_.stopped_by(); }  // a signal; 0 if it runs

  [[nodiscard]] bool ended() const { return ended_; }         // reaped; all its frames have arrived
  [[nodiscard]] bool hung_up() const { return !connected_; }  // closed its socket; it may still live
  // "died of signal 11 (SIGSEGV)", "ended with exit status 3", "closed its socket".
  [[nodiscard]] std::string end_text() const;
  [[nodiscard]] int end_signal() const;   // 0 if it was none
  [[nodiscard]] int exit_status() const;  // 0 if it has none
  [[nodiscard]] process::TailBuffer& output() { return output_; }
  // "; its last line was 'x'", to end a sentence with; "" if it wrote nothing.
  [[nodiscard]] std::string last_line() const;

 private:
  explicit Worker(process::Launch launch, const wire::Load& load, int segment_descriptor,
                  std::array<int, 2> sockets);
  void read_output(int descriptor, bool is_error, std::size_t limit);
  void read_socket(std::size_t limit);

  process::Descriptor other_end_;  // the child's, until the process was started
  wire::Channel channel_;
  process::Process process_;
  process::TailBuffer output_{kOutputLimit};
  std::size_t first_ = 0;  // where collect() put its descriptors
  bool connected_ = true;
  bool ended_ = false;
};

}  // namespace assay::run
