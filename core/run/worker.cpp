// SPDX-License-Identifier: Apache-2.0
#include "run/worker.hpp"

#include "base/error.hpp"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>

namespace assay::run {
namespace {

// The order in which collect() lists the descriptors.
enum Slot : std::size_t { kSocket, kDeath, kOutput, kError, kSlots };

constexpr std::size_t kReadLimit =
    256 << 10;  // of one stream at a time, so that a flood does not starve the others
constexpr std::size_t kDrainLimit =
    4 << 20;  // a pipe's whole content at the largest size that Linux allows by default

process::Launch with_descriptors(process::Launch launch, int socket, int segment) {
  launch.descriptors = {socket};
  if (segment >= 0) launch.descriptors.push_back(segment);
  return launch;
}

}  // namespace

Worker::Worker(process::Launch launch, const wire::Load& load, int segment_descriptor)
    : Worker(std::move(launch), load, segment_descriptor, wire::make_socket_pair()) {}

Worker::Worker(process::Launch launch, const wire::Load& load, int segment_descriptor,
               std::array<int, 2> sockets)
    : other_end_(sockets[1]),
      channel_(sockets[0]),
      process_(with_descriptors(std::move(launch), sockets[1], segment_descriptor)) {
  other_end_.reset();
  send(wire::to_json(load));
}

void Worker::collect(std::vector<pollfd>& polled) {
  first_ = polled.size();
  // poll() skips negative descriptors.
  polled.push_back({connected_ ? channel_.descriptor() : -1, POLLIN, 0});
  polled.push_back({ended_ ? -1 : process_.death_descriptor(), POLLIN, 0});
  polled.push_back({process_.output_descriptor(), POLLIN, 0});
  polled.push_back({process_.error_descriptor(), POLLIN, 0});
}

void Worker::pump(const std::vector<pollfd>& polled) {
  const auto has_news = [&](Slot slot) {
    return polled[first_ + slot].fd >= 0 && polled[first_ + slot].revents != 0;
  };
  const bool died = has_news(kDeath) && process_.reap();
  // What it wrote before it died is in the pipes and in the socket: all of it counts.
  if (has_news(kOutput) || died)
    read_output(process_.output_descriptor(), false, died ? kDrainLimit : kReadLimit);
  if (has_news(kError) || died)
    read_output(process_.error_descriptor(), true, died ? kDrainLimit : kReadLimit);
  if (has_news(kSocket) || died) read_socket(died ? kDrainLimit : kReadLimit);
  if (died) {
    ended_ = true;
    connected_ = false;
  }
}

void Worker::await_end() {
  constexpr int kMoment_ms = 100;
  pollfd death{process_.death_descriptor(), POLLIN, 0};
  if (ended_ || poll(&death, 1, kMoment_ms) <= 0) return;
  std::vector<pollfd> polled;
  collect(polled);
  if (poll(polled.data(), polled.size(), 0) > 0) pump(polled);
}

void Worker::drain_output() {
  read_output(process_.output_descriptor(), false, kDrainLimit);
  read_output(process_.error_descriptor(), true, kDrainLimit);
}

// Not Channel::fill(), which goes on as long as a sender keeps the socket full.
void Worker::read_socket(std::size_t limit) {
  char bytes[65536];
  for (std::size_t total = 0; connected_ && total < limit;) {
    const ssize_t got = recv(channel_.descriptor(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (got > 0) {
      channel_.reader().append({bytes, static_cast<std::size_t>(got)});
      total += static_cast<std::size_t>(got);
      if (static_cast<std::size_t>(got) < sizeof bytes) return;
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    connected_ = false;
  }
}

void Worker::read_output(int descriptor, bool is_error, std::size_t limit) {
  if (descriptor < 0) return;
  char bytes[65536];
  for (std::size_t total = 0; total < limit;) {
    const ssize_t got = read(descriptor, bytes, sizeof bytes);
    if (got > 0) {
      output_.append({bytes, static_cast<std::size_t>(got)});
      total += static_cast<std::size_t>(got);
      if (static_cast<std::size_t>(got) < sizeof bytes) return;
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    // Closed: polling it further would wake the loop for ever.
    is_error ? process_.close_error() : process_.close_output();
    return;
  }
}

std::optional<Json> Worker::next_frame() { return channel_.reader().next(); }

bool Worker::send(const Json& frame) {
  try {
    channel_.send(frame);
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::string Worker::end_text() const {
  if (!ended_) return "closed its socket";
  if (const int number = end_signal(); number != 0) {
    return "died of " + process::signal_text(number) +
           (number == SIGKILL ? ", which the system sends when memory runs out" : "");
  }
  return "ended with exit status " + std::to_string(exit_status());
}

int Worker::end_signal() const {
  return ended_ && WIFSIGNALED(process_.status()) ? WTERMSIG(process_.status()) : 0;
}

std::string Worker::last_line() const {
  const std::string text = output_.text();
  const std::size_t end = text.find_last_not_of("\n ");
  if (end == std::string::npos) return {};
  const std::size_t newline = text.find_last_of('\n', end);
  return "; its last line was '" + text.substr(newline + 1, end - newline) + "'";
}

int Worker::exit_status() const {
  return ended_ && WIFEXITED(process_.status()) ? WEXITSTATUS(process_.status()) : 0;
}

}  // namespace assay::run
