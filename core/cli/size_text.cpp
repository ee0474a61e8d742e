// SPDX-License-Identifier: Apache-2.0
#include "cli/size_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace assay::cli {

std::string size_text(double bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  const bool whole = bytes == std::floor(bytes) || bytes >= 100;
  return fmt::format("{:.{}f} {}", bytes, whole ? 0 : 1, kUnits[unit]);
}

}  // namespace assay::cli
