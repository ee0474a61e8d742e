// SPDX-License-Identifier: Apache-2.0
#include "wire/child.hpp"

#include "base/error.hpp"
#include "text/clock.hpp"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

namespace assay::wire {
namespace {

// The order in which collect() lists the descriptors.
enum Slot : std::size_t { kSocket, kDeath, kOutput };

constexpr std::size_t kReadLimit =
    256 << 10;  // of one stream at a time, so that a flood does not starve the others
constexpr std::size_t kDrainLimit =
    4 << 20;  // a pipe's whole content at the largest size that Linux allows by default

process::Launch with_socket(process::Launch launch, int socket) {
  launch.descriptors.insert(launch.descriptors.begin(), socket);
  return launch;
}

// Reads what is there, up to the limit; false at the stream's end.
template <class Read, class Take>
bool read_some(Read read_bytes, std::size_t limit, Take take) {
  char bytes[65536];
  for (std::size_t total = 0; total < limit;) {
    const ssize_t got = read_bytes(bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
    if (got <= 0) return false;
    take(std::string_view(bytes, static_cast<std::size_t>(got)));
    total += static_cast<std::size_t>(got);
    if (static_cast<std::size_t>(got) < sizeof bytes) return true;
  }
  return true;
}

}  // namespace

int poll_ms(double limit_s) { return static_cast<int>(std::clamp(std::ceil(limit_s * 1000), 0.0, 3.6e6)); }

Child::Child(process::Launch launch, const Load& load) : Child(std::move(launch), load, make_socket_pair()) {}

Child::Child(process::Launch launch, const Load& load, std::array<int, 2> sockets)
    : other_end_(sockets[1]), channel_(sockets[0]), process_(with_socket(std::move(launch), sockets[1])) {
  other_end_.reset();  // so that its death ends the stream
  send(to_json(load));
}

void Child::wait(double limit_s) { wait_for(std::array{this}, limit_s); }

void Child::await_end(double limit_s) {
  const double deadline_s = monotonic_s() + limit_s;
  for (double left_s = limit_s; !ended_; left_s = deadline_s - monotonic_s()) {
    wait(left_s);
    channel_.reader() = FrameReader();  // else a flood would fill the memory
    if (left_s <= 0) return;
  }
}

void Child::collect(std::vector<pollfd>& polled) {
  first_ = polled.size();
  // poll() skips negative descriptors.
  polled.push_back({connected_ ? channel_.descriptor() : -1, POLLIN, 0});
  polled.push_back({ended_ ? -1 : process_.death_descriptor(), POLLIN, 0});
  polled.push_back({process_.output_descriptor(), POLLIN, 0});
}

void Child::pump(const std::vector<pollfd>& polled) {
  const auto has_news = [&](Slot slot) {
    return polled[first_ + slot].fd >= 0 && polled[first_ + slot].revents != 0;
  };
  const bool died = has_news(kDeath) && process_.reap();
  // What it wrote before it died is in the pipe and in the socket: all of it counts.
  const std::size_t limit = died ? kDrainLimit : kReadLimit;
  if (has_news(kOutput) || died) read_output(limit);
  if (has_news(kSocket) || died) read_socket(limit);
  if (!died) return;
  ended_ = true;
  connected_ = false;
}

void Child::drain_output() { read_output(kDrainLimit); }

// Not Channel::fill(), which goes on as long as a sender keeps the socket full.
void Child::read_socket(std::size_t limit) {
  if (!connected_) return;
  connected_ = read_some(
      [&](char* bytes, std::size_t size) { return recv(channel_.descriptor(), bytes, size, MSG_DONTWAIT); },
      limit, [&](std::string_view bytes) { channel_.reader().append(bytes); });
}

void Child::read_output(std::size_t limit) {
  const int descriptor = process_.output_descriptor();
  if (descriptor < 0) return;
  const bool open = read_some([&](char* bytes, std::size_t size) { return read(descriptor, bytes, size); },
                              limit, [&](std::string_view bytes) { output_.append(bytes); });
  if (!open) process_.close_output();  // polling it further would wake the loop for ever
}

bool Child::send(const Json& frame) {
  try {
    channel_.send(frame);
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::string Child::end_text() const {
  if (!ended_) return "closed its socket";
  if (end_signal() == 0) return "ended with " + ending();
  return "died of " + ending() +
         (end_signal() == SIGKILL ? ", which the system sends when memory runs out" : "");
}

std::string Child::ending() const {
  return end_signal() != 0 ? process::signal_text(end_signal())
                           : "exit status " + std::to_string(exit_status());
}

int Child::end_signal() const {
  return ended_ && WIFSIGNALED(process_.status()) ? WTERMSIG(process_.status()) : 0;
}

int Child::exit_status() const {
  return ended_ && WIFEXITED(process_.status()) ? WEXITSTATUS(process_.status()) : 0;
}

std::string Child::last_line() const {
  const std::string text = output_.text();
  const std::size_t end = text.find_last_not_of("\n ");
  if (end == std::string::npos) return {};
  const std::size_t newline = text.find_last_of('\n', end);
  return "; its last line was '" + text.substr(newline + 1, end - newline) + "'";
}

}  // namespace assay::wire
