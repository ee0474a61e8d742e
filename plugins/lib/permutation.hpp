// SPDX-License-Identifier: Apache-2.0
//
// A random order that is computed, not stored: it costs no memory traffic and no memory.
#pragma once

#include <assay/random.hpp>

#include <cstdint>

namespace assay::plugins {

// A permutation of [0, count), chosen by the seed. Copyable into kernels; on host and device the same.
class Permutation {
 public:
  // `count` in [1, 2^63].
  Permutation(std::uint64_t count, std::uint64_t seed) : count_(count) {
    unsigned bits = 0;
    while (bits < 63 && (std::uint64_t{1} << bits) < count) ++bits;
    mask_ = (std::uint64_t{1} << bits) - 1;
    shift_ = bits < 2 ? 1 : bits / 2;
    const Random random(seed, 0x7065726D);
    for (int round = 0; round < kRounds; ++round) {
      factor_[round] = random.bits(2 * static_cast<std::uint64_t>(round)) | 1;
      offset_[round] = random.bits(2 * static_cast<std::uint64_t>(round) + 1);
    }
  }

  ASSAY_HOST_DEVICE std::uint64_t count() const { return count_; }

  // The element at place `index`, which is below count().
  ASSAY_HOST_DEVICE std::uint64_t operator()(std::uint64_t index) const {
    // Odd factors, sums and shifted sums each permute the numbers below the next power of two. Going on until
    // the result is below count keeps that for the part of them that is wanted.
    std::uint64_t x = index;
    do {
      for (int round = 0; round < kRounds; ++round) {
        x = (x * factor_[round] + offset_[round]) & mask_;
        x ^= x >> shift_;
      }
    } while (x >= count_);
    return x;
  }

 private:
  static constexpr int kRounds = 3;

  std::uint64_t count_;
  std::uint64_t mask_;
  unsigned shift_;
  std::uint64_t factor_[kRounds];
  std::uint64_t offset_[kRounds];
};

}  // namespace assay::plugins
