// SPDX-License-Identifier: Apache-2.0
//
// A code for bytes whose decoding costs as much as one asks for. As in an entropy code, what a byte means depends on all
// bytes before it.
#pragma once

#include <cstdint>

namespace assay::plugins::loader {

// Of one item, from its first byte to its last.
class ByteCode {
 public:
  // This many operations for each byte, every one of which needs the result of the one before it, so that none can be left
  // out or done beside another.
  ByteCode(std::uint64_t seed, std::uint64_t item, std::uint32_t steps)
      : state_(seed ^ (item + 1) * 0xD1342543DE82EF95ull), steps_(steps) {}

  std::uint8_t encode(std::uint8_t byte) {
    advance();
    const auto code = static_cast<std::uint8_t>(byte ^ (state_ >> 56));
    state_ += code;
    return code;
  }
  std::uint8_t decode(std::uint8_t code) {
    advance();
    const auto byte = static_cast<std::uint8_t>(code ^ (state_ >> 56));
    state_ += code;
    return byte;
  }

 private:
  void advance() {
    for (std::uint32_t step = 0; step < steps_; ++step) {
      state_ *= 0x9E3779B97F4A7C15ull;
      state_ ^= state_ >> 32;
    }
  }

  std::uint64_t state_;
  std::uint32_t steps_;
};

}  // namespace assay::plugins::loader
