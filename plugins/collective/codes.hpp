// SPDX-License-Identifier: Apache-2.0
//
// What goes into an operation, and what must come out of it, of seed, rank and index alone: whole numbers so
// small that every order of combining them gives the same in every type, bit for bit. Neighbours differ, so
// that an element in the wrong place is seen.
#pragma once

#include <assay/random.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace assay::plugins::collective {

enum class Operator { sum, product, minimum, maximum, average };

// Of groups that operate at the same time each has inputs of its own, so that another's are seen.
inline std::uint64_t seed_of_group(std::uint64_t seed, std::uint32_t group) {
  return seed ^ (group * 0x9FB21C651E98DF25u);
}

// Copyable into kernels.
class Codes {
 public:
  // `exact`: the element type holds every integer up to it. `rounded`: an average is not divided in the end,
  // but each input multiplied by what 1/n is rounded to, and products are rounded, too.
  Codes(Operator operation, std::uint32_t ranks, std::uint64_t seed, double exact, bool rounded = false)
      : operation_(operation), ranks_(ranks), seed_(seed), values_(range(operation, ranks, exact)) {
    // Of few values the average would always be rounded to the same; of rounded products the error of each
    // would count, which in small types hides a rank that is left out. So one rank has all of it.
    one_has_all_ = operation == Operator::average && (rounded || values_ <= ranks);
  }

  // Sums over this many ranks are exact, whatever the seed.
  static bool is_exact(Operator operation, std::uint32_t ranks, double exact) {
    return !adds(operation) || static_cast<double>(ranks) <= exact;
  }

  ASSAY_HOST_DEVICE bool averages() const { return operation_ == Operator::average; }
  ASSAY_HOST_DEVICE std::uint32_t ranks() const { return ranks_; }

  // Element `index` of a rank's input.
  ASSAY_HOST_DEVICE std::uint64_t input(std::uint32_t rank, std::size_t index) const {
    const bool has_turn = index % ranks_ == rank;
    const std::uint64_t mixed = mix(rank, index), half = values_ / 2;
    switch (operation_) {
      case Operator::average:
        if (one_has_all_) return has_turn ? mix(0, index) % values_ * ranks_ : 0;
        break;
      case Operator::product:
        // Where both have 2 it is neither the largest nor the sum.
        return has_turn || (index + 1) % ranks_ == rank ? 1 + mixed % 2 : 1;
      case Operator::minimum:
        // Whose turn it is decides: of many ranks several have the extreme value, and none would be missed.
        return has_turn ? mixed % half : half + mixed % (values_ - half);
      case Operator::maximum:
        return has_turn ? half + mixed % (values_ - half) : mixed % half;
      case Operator::sum:
        break;
    }
    return mixed % values_;
  }

  // The inputs of all ranks at `index`, combined; of an average the sum.
  ASSAY_HOST_DEVICE std::uint64_t combined(std::size_t index) const {
    std::uint64_t result = input(0, index);
    for (std::uint32_t rank = 1; rank < ranks_; ++rank) {
      const std::uint64_t value = input(rank, index);
      switch (operation_) {
        case Operator::sum:
        case Operator::average:
          result += value;
          break;
        case Operator::product:
          result *= value;
          break;
        case Operator::minimum:
          result = value < result ? value : result;
          break;
        case Operator::maximum:
          result = value > result ? value : result;
          break;
      }
    }
    return result;
  }

 private:
  static bool adds(Operator operation) {
    return operation == Operator::sum || operation == Operator::average;
  }

  static std::uint64_t range(Operator operation, std::uint32_t ranks, double exact) {
    return static_cast<std::uint64_t>(std::clamp((adds(operation) ? exact / ranks : exact) + 1, 2.0, 251.0));
  }

  // The finaliser of SplitMix64 (Steele, Lea and Flood 2014).
  ASSAY_HOST_DEVICE std::uint64_t mix(std::uint32_t rank, std::size_t index) const {
    std::uint64_t bits =
        seed_ + index * 0x9E3779B97F4A7C15u + (std::uint64_t{rank} + 1) * 0xD1B54A32D192ED03u;
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EBu;
    return (bits ^ bits >> 31) >> 32;
  }

  Operator operation_;
  std::uint32_t ranks_;
  std::uint64_t seed_, values_;
  bool one_has_all_ = false;
};

}  // namespace assay::plugins::collective
