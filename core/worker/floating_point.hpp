// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay::worker {

// How the calling thread rounds, traps and treats denormal numbers: the control bits of its floating-point
// unit, without the sticky flags that every calculation may raise. Reading takes a few nanoseconds.
class FloatingPoint {
 public:
  [[nodiscard]] static FloatingPoint read();

  // Sets the calling thread's control bits to these.
  void restore() const;

  // What is different now, one phrase each. Empty: nothing.
  [[nodiscard]] std::vector<std::string> changes_since(const FloatingPoint& before) const;

  bool operator==(const FloatingPoint&) const = default;

 private:
  std::uint64_t control_ = 0;         // x86: MXCSR; Arm: FPCR
  std::uint64_t legacy_control_ = 0;  // x86: the x87 unit's, which computes long double
};

}  // namespace assay::worker
