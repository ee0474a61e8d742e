// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace assay::plugins::stream {

enum class Kernel { read, write, copy, scale, add, triad };
enum class Stores { temporal, nontemporal };

// Elements [begin, end) of three arrays of doubles; begin is a multiple of kGrain.
struct Slice {
  double* a;
  const double* b;
  const double* c;
  std::size_t begin;
  std::size_t end;
};

// A cache line of doubles: shares are cut at its multiples, so that no two threads write one line.
inline constexpr std::size_t kGrain = 8;

// One pass of a kernel over a slice, with the widest vectors that this CPU has. read returns the sum of the
// slice of b, the others 0:
//   read: Σ b   write: a = s   copy: a = b   scale: a = s·b   add: a = b + c   triad: a = b + s·c
using Pass = double (*)(const Slice& slice, double scalar);

// nullptr if this CPU has no such stores.
[[nodiscard]] Pass find_pass(Kernel kernel, Stores stores);

// Bytes that the kernel names per element (STREAM's counting: what a store fetches before it writes is not
// counted).
[[nodiscard]] constexpr int bytes_per_element(Kernel kernel) {
  switch (kernel) {
    case Kernel::read:
    case Kernel::write:
      return 8;
    case Kernel::copy:
    case Kernel::scale:
      return 16;
    case Kernel::add:
    case Kernel::triad:
      return 24;
  }
  return 0;
}

[[nodiscard]] constexpr bool uses_c(Kernel kernel) {
  return kernel == Kernel::add || kernel == Kernel::triad;
}

}  // namespace assay::plugins::stream
