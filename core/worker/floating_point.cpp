// SPDX-License-Identifier: Apache-2.0
#include "worker/floating_point.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace assay::worker {
namespace {

struct Bits {
  std::uint64_t mask;
  const char* text;
};

#if defined(__x86_64__)

// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, sections 8.1.5 and 10.2.3.
constexpr std::uint64_t kSticky = 0x3f;
constexpr Bits kBits[] = {{0x8000, "results too small for a normal number are flushed to zero"},
                          {0x0040, "denormal numbers are taken for zero"},
                          {0x6000, "the rounding mode is another"},
                          {0x1f80, "other floating-point exceptions are trapped"}};
constexpr Bits kLegacyBits[] = {{0x0f3f, "the x87 unit's rounding, precision or traps are others"}};

std::uint64_t read_control() { return _mm_getcsr() & ~kSticky; }
void write_control(std::uint64_t control) {
  _mm_setcsr(static_cast<unsigned>((_mm_getcsr() & kSticky) | control));
}
std::uint64_t read_legacy_control() {
  std::uint16_t word = 0;
  asm volatile("fnstcw %0" : "=m"(word));
  return word & kLegacyBits[0].mask;
}
void write_legacy_control(std::uint64_t control) {
  std::uint16_t word = 0;
  asm volatile("fnstcw %0" : "=m"(word));
  word = static_cast<std::uint16_t>((word & ~kLegacyBits[0].mask) | control);
  asm volatile("fnclex; fldcw %0" : : "m"(word));  // a pending exception would trap as soon as it may
}

#elif defined(__aarch64__)

// Arm Architecture Reference Manual for A-profile, register FPCR.
constexpr Bits kBits[] = {{0x1080000, "results too small for a normal number are flushed to zero"},
                          {0x2000000, "every NaN becomes the default one"},
                          {0x0c00000, "the rounding mode is another"},
                          {0x0009f00, "other floating-point exceptions are trapped"}};
constexpr Bits kLegacyBits[] = {{0, ""}};

std::uint64_t read_control() {
  std::uint64_t control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return control;
}
void write_control(std::uint64_t control) { asm volatile("msr fpcr, %0" : : "r"(control)); }
std::uint64_t read_legacy_control() { return 0; }
void write_legacy_control(std::uint64_t) {}

#endif

}  // namespace

FloatingPoint FloatingPoint::read() {
  FloatingPoint mode;
  mode.control_ = read_control();
  mode.legacy_control_ = read_legacy_control();
  return mode;
}

void FloatingPoint::restore() const {
  write_control(control_);
  write_legacy_control(legacy_control_);
}

std::vector<std::string> FloatingPoint::changes_since(const FloatingPoint& before) const {
  std::vector<std::string> changes;
  for (const Bits& bits : kBits)
    if (((control_ ^ before.control_) & bits.mask) != 0) changes.emplace_back(bits.text);
  for (const Bits& bits : kLegacyBits)
    if (((legacy_control_ ^ before.legacy_control_) & bits.mask) != 0) changes.emplace_back(bits.text);
  return changes;
}

}  // namespace assay::worker
