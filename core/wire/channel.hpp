// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/descriptor.hpp"
#include "base/json.hpp"

#include <array>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace assay::wire {

// Frames over a stream socket: a 32-bit little-endian length, then that many bytes. They are JSON, or, where
// kBytesFlag is added to the length, bytes of the kind that an earlier frame announced. Frames longer than
// kFrameLimit are malformed.
inline constexpr std::size_t kFrameLimit = std::size_t{256} << 20;
inline constexpr std::size_t kBytesFlag = std::size_t{1} << 31;
// Long content is sent in frames of this many bytes, so that neither end holds it several times.
inline constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

// The worker's end of the socket, and the segment of its rank set (of one rank, too): fixed numbers, set
// before exec.
inline constexpr int kWorkerDescriptor = 3;
inline constexpr int kSegmentDescriptor = 4;

// Assembles frames from bytes as they arrive. No I/O, so it can be tested and fuzzed.
class FrameReader {
 public:
  void append(std::string_view bytes);
  // The next whole frame's JSON; bytes are {"type":"bytes","data":"…"}, whatever is in them. Throws Error
  // "wire.malformed" (length over the limit, not JSON, not an object).
  [[nodiscard]] std::optional<Json> next();

 private:
  std::string buffer_;
  std::size_t start_ = 0;
};

// Text that is not UTF-8 is sent with U+FFFD in place of the bad bytes. Throws "wire.malformed" if it is over
// the limit.
[[nodiscard]] std::string encode_frame(const Json& json);
[[nodiscard]] std::string encode_bytes(std::string_view bytes);

// The two ends of a connected stream socket, both closed on exec: what a Channel is made from.
[[nodiscard]] std::array<int, 2> make_socket_pair();

// Owns one end of the socket. send() may be called from several threads; receive() from one.
class Channel {
 public:
  explicit Channel(int descriptor);
  Channel(const Channel&) = delete;  // owns a descriptor
  Channel& operator=(const Channel&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_.get(); }
  // Throws Error "wire.closed" if the other side is gone, "wire.stalled" if it took nothing for 30 s (the
  // stream may then end inside a frame, so every later send throws, too).
  void send(const Json& json);
  void send_bytes(std::string_view bytes);
  // Blocks for the next frame at most timeout_ms (-1: for ever). nullopt on time-out; throws "wire.closed" at
  // end of stream.
  [[nodiscard]] std::optional<Json> receive(int timeout_ms);
  // Reads what is there without blocking; false at end of stream. Frames then come from reader().next().
  // Throws "wire.closed" if reading is impossible.
  bool fill();
  [[nodiscard]] FrameReader& reader() { return reader_; }

 private:
  void send_frame(const std::string& frame);

  Descriptor descriptor_;
  FrameReader reader_;
  std::mutex sending_;
  bool broken_ = false;  // guarded by sending_
};

}  // namespace assay::wire
