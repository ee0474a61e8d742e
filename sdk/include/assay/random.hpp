// SPDX-License-Identifier: Apache-2.0
//
// A counter-based generator: the number at an index depends on seed, stream and index alone, so inputs are
// restored without a copy, by any number of threads, on host and device alike.
//
// Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11.
#pragma once

#include <cmath>
#include <cstdint>

#if defined(__CUDACC__)
#define ASSAY_HOST_DEVICE __host__ __device__
#else
#define ASSAY_HOST_DEVICE
#endif

namespace assay {

struct RandomBlock {
  std::uint32_t word[4];
};

// The Philox4x32-10 function of a 128-bit counter and a 64-bit key.
ASSAY_HOST_DEVICE inline RandomBlock philox(RandomBlock counter, std::uint32_t key0, std::uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53u} * counter.word[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57u} * counter.word[2];
    counter = {{static_cast<std::uint32_t>(product1 >> 32) ^ counter.word[1] ^ key0,
                static_cast<std::uint32_t>(product1),
                static_cast<std::uint32_t>(product0 >> 32) ^ counter.word[3] ^ key1,
                static_cast<std::uint32_t>(product0)}};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

// A family of numbers. Different streams (one for each array, say) are independent. Copyable into kernels.
class Random {
 public:
  ASSAY_HOST_DEVICE explicit Random(std::uint64_t seed, std::uint64_t stream = 0)
      : seed_(seed), stream_(stream) {}

  ASSAY_HOST_DEVICE RandomBlock block(std::uint64_t index) const {
    const RandomBlock counter = {{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                                  static_cast<std::uint32_t>(stream_),
                                  static_cast<std::uint32_t>(stream_ >> 32)}};
    return philox(counter, static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32));
  }

  // All 64-bit numbers, equally likely.
  ASSAY_HOST_DEVICE std::uint64_t bits(std::uint64_t index) const {
    const RandomBlock random = block(index);
    return std::uint64_t{random.word[1]} << 32 | random.word[0];
  }

  // In [0, 1), 53 random bits.
  ASSAY_HOST_DEVICE double unit(std::uint64_t index) const {
    return static_cast<double>(bits(index) >> 11) * 0x1p-53;
  }

  // In [-1, 1).
  ASSAY_HOST_DEVICE double uniform(std::uint64_t index) const { return 2 * unit(index) - 1; }

  // In [low, high], both included; the bias is below 2^-32 for ranges below 2^32.
  ASSAY_HOST_DEVICE std::int64_t integer(std::uint64_t index, std::int64_t low, std::int64_t high) const {
    const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    const std::uint64_t offset = span == 0 ? bits(index) : bits(index) % span;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
  }

  // Standard normal: Box and Muller, 1958.
  ASSAY_HOST_DEVICE double normal(std::uint64_t index) const {
    const RandomBlock random = block(index);
    const std::uint64_t first = std::uint64_t{random.word[1]} << 32 | random.word[0];
    const std::uint64_t second = std::uint64_t{random.word[3]} << 32 | random.word[2];
    const double radius_unit =
        static_cast<double>((first >> 11) + 1) * 0x1p-53;  // in (0, 1]: its logarithm is finite
    const double angle_unit = static_cast<double>(second >> 11) * 0x1p-53;
    return std::sqrt(-2 * std::log(radius_unit)) * std::cos(6.283185307179586 * angle_unit);
  }

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
};

}  // namespace assay
