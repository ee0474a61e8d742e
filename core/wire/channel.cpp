// SPDX-License-Identifier: Apache-2.0
#include "wire/channel.hpp"

#include "base/error.hpp"
#include "base/json_limits.hpp"
#include "text/clock.hpp"
#include "text/text.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

namespace assay::wire {
namespace {

constexpr std::size_t kPrefix = 4;
constexpr int kStallLimitMs = 30'000;

[[noreturn]] void closed(const std::string& what) {
  throw Error("wire.closed", what + ": the process at the other end of the socket is gone");
}

// Milliseconds until a time, rounded up so that a wait never ends early.
int remaining_ms(double end_s) {
  return std::max(0, static_cast<int>(std::ceil((end_s - monotonic_s()) * 1e3)));
}

std::string framed(std::string_view bytes, std::size_t flag) {
  if (bytes.size() > kFrameLimit) {
    throw Error("wire.malformed", "a frame of " + std::to_string(bytes.size()) +
                                      " bytes is over the limit of " + std::to_string(kFrameLimit));
  }
  std::string frame;
  frame.reserve(kPrefix + bytes.size());
  for (std::size_t i = 0; i < kPrefix; ++i)
    frame += static_cast<char>((bytes.size() | flag) >> (8 * i) & 0xff);
  frame += bytes;
  return frame;
}

}  // namespace

void FrameReader::append(std::string_view bytes) {
  // What was handed out is dropped before the buffer grows, so that it never holds more than one frame and a
  // read.
  if (start_ > 0) {
    buffer_.erase(0, start_);
    start_ = 0;
  }
  buffer_.append(bytes);
}

std::optional<Json> FrameReader::next() {
  if (buffer_.size() - start_ < kPrefix) return std::nullopt;
  std::size_t length = 0;
  for (std::size_t i = 0; i < kPrefix; ++i) {
    length |= std::size_t{static_cast<unsigned char>(buffer_[start_ + i])} << (8 * i);
  }
  const bool is_bytes = (length & kBytesFlag) != 0;
  length &= ~kBytesFlag;
  if (length > kFrameLimit) {
    throw Error("wire.malformed", "a frame says that it is " + std::to_string(length) +
                                      " bytes long; the limit is " + std::to_string(kFrameLimit));
  }
  if (buffer_.size() - start_ - kPrefix < length) return std::nullopt;
  const char* begin = buffer_.data() + start_ + kPrefix;
  if (is_bytes) {
    start_ += kPrefix + length;
    return Json{{"type", "bytes"}, {"data", std::string(begin, length)}};
  }
  if (const auto excess = json_excess(std::string_view(begin, length)))
    throw Error("wire.malformed", "a frame " + excess->text);
  Json json = Json::parse(begin, begin + length, nullptr, false);
  if (json.is_discarded()) {
    throw Error("wire.malformed", "a frame is not JSON; it begins '" +
                                      printable(std::string_view(begin, std::min<std::size_t>(length, 40))) +
                                      "'");
  }
  if (!json.is_object()) {
    throw Error("wire.malformed",
                std::string("a frame holds ") + json.type_name() + " where an object is due");
  }
  start_ += kPrefix + length;
  return json;
}

std::string encode_frame(const Json& json) {
  return framed(json.dump(-1, ' ', false, Json::error_handler_t::replace), 0);
}

std::string encode_bytes(std::string_view bytes) { return framed(bytes, kBytesFlag); }

std::array<int, 2> make_socket_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw Error("wire.unavailable", std::string("a socket pair cannot be created: ") + std::strerror(errno) +
                                        "; check the limit of open files (ulimit -n)");
  }
  return ends;
}

Channel::Channel(int descriptor) : descriptor_(descriptor) {}

void Channel::send(const Json& json) { send_frame(encode_frame(json)); }

void Channel::send_bytes(std::string_view bytes) { send_frame(encode_bytes(bytes)); }

void Channel::send_frame(const std::string& frame) {
  const std::lock_guard lock(sending_);
  if (broken_) closed("a frame cannot be sent");
  std::size_t sent = 0;
  while (sent < frame.size()) {
    const ssize_t count =
        ::send(descriptor_.get(), frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      sent += static_cast<std::size_t>(count);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) {
      broken_ = true;
      closed(std::string("a frame cannot be sent (") + std::strerror(errno) + ")");
    }
    pollfd waiting{descriptor_.get(), POLLOUT, 0};
    const int ready = ::poll(&waiting, 1, kStallLimitMs);
    if (ready == 0) {
      broken_ = true;
      throw Error("wire.stalled", "the process at the other end of the socket has read nothing for 30 s");
    }
  }
}

bool Channel::fill() {
  char bytes[65536];
  for (;;) {
    const ssize_t count = ::recv(descriptor_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (count > 0) {
      reader_.append(std::string_view(bytes, static_cast<std::size_t>(count)));
      if (static_cast<std::size_t>(count) < sizeof bytes) return true;
      continue;
    }
    if (count == 0 || errno == ECONNRESET) return false;
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return true;
    closed(std::string("the socket cannot be read (") + std::strerror(errno) + ")");
  }
}

std::optional<Json> Channel::receive(int timeout_ms) {
  const double end_s = monotonic_s() + timeout_ms * 1e-3;
  for (;;) {
    if (auto json = reader_.next()) return json;
    pollfd waiting{descriptor_.get(), POLLIN, 0};
    const int ready = ::poll(&waiting, 1, timeout_ms < 0 ? -1 : remaining_ms(end_s));
    if (ready < 0 && errno != EINTR)
      closed(std::string("the socket cannot be read (") + std::strerror(errno) + ")");
    if (ready > 0 && !fill()) {
      if (auto json = reader_.next()) return json;
      closed("the stream ended");
    }
    if (ready == 0) return std::nullopt;
  }
}

}  // namespace assay::wire
