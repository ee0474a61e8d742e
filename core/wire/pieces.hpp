// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace assay::wire {

// How much of a document or file goes into one frame: neither end then holds it several times over, and no
// frame comes near its limit.
inline constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

// Takes the next piece off a text, the whole if it is short. No character of UTF-8 is torn.
[[nodiscard]] inline std::string_view take_piece(std::string_view& rest) {
  std::size_t size = std::min(rest.size(), kPieceBytes);
  const auto inside = [&] {
    return size < rest.size() && (static_cast<unsigned char>(rest[size]) & 0xC0) == 0x80;
  };
  for (int i = 0; i < 3 && inside(); ++i) --size;
  const std::string_view piece = rest.substr(0, size);
  rest.remove_prefix(size);
  return piece;
}

}  // namespace assay::wire
