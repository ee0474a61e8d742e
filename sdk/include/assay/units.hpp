// SPDX-License-Identifier: Apache-2.0
//
// Base units of parameters and metrics, and sizes for literals in code. Everything inside is in base units;
// people see GB/s and µs because reporters format.
#pragma once

#include <cstdint>

namespace assay {

struct Unit {
  const char* name = "1";
};

namespace unit {

inline constexpr Unit one{"1"};
inline constexpr Unit seconds{"s"};
inline constexpr Unit bytes{"B"};
inline constexpr Unit bytes_per_second{"B/s"};
inline constexpr Unit flop{"FLOP"};
inline constexpr Unit flop_per_second{"FLOP/s"};
inline constexpr Unit items{"items"};
inline constexpr Unit items_per_second{"items/s"};
inline constexpr Unit hertz{"Hz"};
inline constexpr Unit watts{"W"};
inline constexpr Unit joules{"J"};
inline constexpr Unit celsius{"C"};

}  // namespace unit

inline constexpr std::uint64_t kKiB = std::uint64_t{1} << 10;
inline constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

// Quotient rounded up; `divisor` above 0.
constexpr std::uint64_t ceil_div(std::uint64_t dividend, std::uint64_t divisor) {
  return dividend / divisor + (dividend % divisor != 0 ? 1 : 0);
}

}  // namespace assay
