// SPDX-License-Identifier: Apache-2.0
//
// Element types of the host, and what operators do to them.
#pragma once

#include "collective/codes.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace assay::plugins::collective {

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

// Codes (codes.hpp) as elements of type T.
template <class T>
class Coded {
 public:
  Coded(Operator operation, std::uint32_t ranks, std::uint64_t seed)
      : codes_(operation, ranks, seed, exact_integers()) {}

  // Element `index` of a rank's input.
  T input(std::uint32_t rank, std::size_t index) const { return static_cast<T>(codes_.input(rank, index)); }

  // The inputs of all ranks at `index`, combined.
  T combined(std::size_t index) const {
    const T result = static_cast<T>(codes_.combined(index));
    return codes_.averages() ? result / static_cast<T>(codes_.ranks()) : result;
  }

 private:
  // T holds all integers up to it: below 2^24 in a float.
  static double exact_integers() {
    return std::is_floating_point_v<T> ? 16777216.0 : static_cast<double>(std::numeric_limits<T>::max());
  }

  Codes codes_;
};

}  // namespace assay::plugins::collective
