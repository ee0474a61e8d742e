// SPDX-License-Identifier: Apache-2.0
//
// Element types, operators, and inputs whose results are known and exact, in whatever order they are
// combined.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace assay::plugins::collective {

enum class Operator { sum, product, minimum, maximum, average };
enum class Type { int8, uint8, int32, uint32, int64, uint64, fp32, fp64 };

// Calls body(T{}) with the C++ type.
template <class Body>
auto with_type(Type type, Body&& body) {
  switch (type) {
    case Type::int8:
      return body(std::int8_t{});
    case Type::uint8:
      return body(std::uint8_t{});
    case Type::int32:
      return body(std::int32_t{});
    case Type::uint32:
      return body(std::uint32_t{});
    case Type::int64:
      return body(std::int64_t{});
    case Type::uint64:
      return body(std::uint64_t{});
    case Type::fp32:
      return body(float{});
    case Type::fp64:
      break;
  }
  return body(double{});
}

inline std::size_t bytes_of(Type type) {
  return with_type(type, [](auto zero) { return sizeof(zero); });
}

// to = from (operator) with; an average is a sum, divided by `ranks` in the combination that completes it.
// Sums of integers wrap.
template <class T>
void combine(Operator operation, const T* from, const T* with, T* to, std::size_t count, bool completes,
             std::uint32_t ranks) {
  // `to` may be an operand, so the arrays are not restrict; the compiler checks for overlap and vectorises.
  const auto each = [&](auto&& value) {
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<T>(value(from[i], with[i]));
  };
  using Wide =
      std::conditional_t<std::is_floating_point_v<T>, T,
                         std::make_unsigned_t<std::conditional_t<std::is_floating_point_v<T>, int, T>>>;
  const auto sum = [](T a, T b) { return static_cast<T>(static_cast<Wide>(a) + static_cast<Wide>(b)); };
  switch (operation) {
    case Operator::sum:
      return each(sum);
    case Operator::product:
      return each([](T a, T b) { return static_cast<Wide>(a) * static_cast<Wide>(b); });
    case Operator::minimum:
      return each([](T a, T b) { return b < a ? b : a; });
    case Operator::maximum:
      return each([](T a, T b) { return a < b ? b : a; });
    case Operator::average:
      if (!completes) return each(sum);
      return each([&](T a, T b) { return sum(a, b) / static_cast<T>(ranks); });
  }
}

// What goes in, and what must come out, of seed, rank and index alone. Neighbours differ, so that an element
// in the wrong place is seen; the values are so small that every order of combining them gives the same, bit
// for bit.
template <class T>
class Coded {
 public:
  Coded(Operator operation, std::uint32_t ranks, std::uint64_t seed)
      : operation_(operation), ranks_(ranks), seed_(seed), values_(range(operation, ranks)) {}

  // Element `index` of a rank's input.
  T input(std::uint32_t rank, std::size_t index) const {
    // With so few values the average of different ones would always be rounded to the same.
    const bool alike = operation_ == Operator::average && values_ <= ranks_;
    const std::uint64_t mixed = mix(alike ? 0 : rank, index);
    if (operation_ != Operator::product) return static_cast<T>(mixed % values_);
    // One rank's factor is 1 to 3, the others' are 1.
    return static_cast<T>(index % ranks_ == rank ? 1 + mixed % 3 : 1);
  }

  // The inputs of all ranks at `index`, combined.
  T combined(std::size_t index) const {
    T result = input(0, index);
    for (std::uint32_t rank = 1; rank < ranks_; ++rank) {
      const T value = input(rank, index);
      combine(operation_, &result, &value, &result, 1, rank + 1 == ranks_, ranks_);
    }
    return result;
  }

 private:
  // So that a sum over ranks is exact: below 2^24 in a float, and within every integer.
  static std::uint64_t range(Operator operation, std::uint32_t ranks) {
    constexpr double kExact =
        std::is_floating_point_v<T> ? 16777216.0 : static_cast<double>(std::numeric_limits<T>::max());
    const bool adds = operation == Operator::sum || operation == Operator::average;
    return static_cast<std::uint64_t>(std::clamp((adds ? kExact / ranks : kExact) + 1, 2.0, 251.0));
  }

  // The finaliser of SplitMix64 (Steele, Lea and Flood 2014).
  std::uint64_t mix(std::uint32_t rank, std::size_t index) const {
    std::uint64_t bits =
        seed_ + index * 0x9E3779B97F4A7C15u + (std::uint64_t{rank} + 1) * 0xD1B54A32D192ED03u;
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EBu;
    return (bits ^ bits >> 31) >> 32;
  }

  Operator operation_;
  std::uint32_t ranks_;
  std::uint64_t seed_, values_;
};

}  // namespace assay::plugins::collective
