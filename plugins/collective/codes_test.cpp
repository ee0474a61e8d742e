// SPDX-License-Identifier: Apache-2.0
//
// What a library could do wrong is distinguished from what is right, in every type.
#include "collective/codes.hpp"

#include "collective/arithmetic.hpp"
#include "collective/device_types.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::plugins::collective {
namespace {

constexpr Operator kOperators[] = {Operator::sum, Operator::product, Operator::minimum, Operator::maximum,
                                   Operator::average};
constexpr DeviceType kTypes[] = {DeviceType::int8,   DeviceType::uint8,    DeviceType::int32,
                                 DeviceType::uint32, DeviceType::int64,    DeviceType::uint64,
                                 DeviceType::fp16,   DeviceType::bf16,     DeviceType::fp32,
                                 DeviceType::fp64,   DeviceType::fp8_e4m3, DeviceType::fp8_e5m2};
constexpr std::size_t kElements = 300;

// To as many significant bits as the type has. Exponents are not looked at: values are small.
double rounded(double value, DeviceType type) {
  if (is_whole(type)) return std::floor(value);
  if (type == DeviceType::fp64 || value == 0) return value;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(fraction * exact_integers(type)) / exact_integers(type), exponent);
}

// Inputs, combined in this order; averages as the library makes them.
double combined(Operator operation, DeviceType type, std::uint32_t ranks, const std::vector<double>& inputs) {
  const bool scales = operation == Operator::average && !is_whole(type);
  const double scale = scales ? rounded(1.0 / ranks, type) : 1;
  double result = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const double value = scales ? rounded(inputs[i] * scale, type) : inputs[i];
    if (i == 0) {
      result = value;
    } else if (operation == Operator::product) {
      result = rounded(result * value, type);
    } else if (operation == Operator::minimum) {
      result = std::min(result, value);
    } else if (operation == Operator::maximum) {
      result = std::max(result, value);
    } else {
      result = rounded(result + value, type);
    }
  }
  return operation == Operator::average && is_whole(type) ? std::floor(result / ranks) : result;
}

// As a check on the device tells right from wrong.
bool passes(Operator operation, DeviceType type, std::uint32_t ranks, const Codes& codes, std::size_t index,
            double seen) {
  const double right =
      static_cast<double>(codes.combined(index)) / (operation == Operator::average ? ranks : 1);
  if (is_rounded(operation, type, ranks)) {
    return std::fabs(seen - right) <= right * rounding_of_average(type);
  }
  return seen == rounded(right, type);
}

std::vector<double> inputs_at(const Codes& codes, std::size_t index) {
  std::vector<double> inputs;
  for (std::uint32_t rank = 0; rank < codes.ranks(); ++rank)
    inputs.push_back(static_cast<double>(codes.input(rank, index)));
  return inputs;
}

template <class Body>
void for_each_way(const std::vector<std::uint32_t>& counts, Body&& body) {
  for (const Operator operation : kOperators) {
    for (const DeviceType type : kTypes) {
      for (const std::uint32_t ranks : counts) {
        if (!Codes::is_exact(operation, ranks, exact_integers(type))) continue;
        SCOPED_TRACE("operator " + std::to_string(static_cast<int>(operation)) + ", type " +
                     std::to_string(static_cast<int>(type)) + ", " + std::to_string(ranks) + " ranks");
        body(operation, type, ranks, codes_of(operation, type, ranks, 3));
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

std::vector<std::uint32_t> from_two_to(std::uint32_t most) {
  std::vector<std::uint32_t> counts;
  for (std::uint32_t ranks = 2; ranks <= most; ++ranks) counts.push_back(ranks);
  return counts;
}

TEST(Codes, WhatIsRightPassesInEveryTypeAndOrder) {
  std::vector<std::uint32_t> counts = from_two_to(33);
  counts.insert(counts.end(), {64, 65, 127, 200, 256});
  for_each_way(counts, [&](Operator operation, DeviceType type, std::uint32_t ranks, const Codes& codes) {
    for (std::size_t i = 0; i < kElements; ++i) {
      std::vector<double> inputs = inputs_at(codes, i);
      ASSERT_TRUE(passes(operation, type, ranks, codes, i, combined(operation, type, ranks, inputs)));
      std::reverse(inputs.begin(), inputs.end());
      ASSERT_TRUE(passes(operation, type, ranks, codes, i, combined(operation, type, ranks, inputs)));
    }
  });
}

TEST(Codes, AWrongOperatorIsSeen) {
  std::vector<std::uint32_t> counts = from_two_to(16);
  counts.insert(counts.end(), {33, 100, 200, 256});
  for_each_way(counts, [&](Operator operation, DeviceType type, std::uint32_t ranks, const Codes& codes) {
    for (const Operator other : kOperators) {
      if (other == operation) continue;
      std::size_t missed = 0;
      for (std::size_t i = 0; i < kElements; ++i)
        missed += passes(operation, type, ranks, codes, i, combined(other, type, ranks, inputs_at(codes, i)));
      EXPECT_LT(missed, kElements) << "instead of operator " << static_cast<int>(other);
    }
  });
}

TEST(Codes, ARankThatIsLeftOutOrTakenTwiceIsSeen) {
  std::vector<std::uint32_t> counts = from_two_to(16);
  counts.insert(counts.end(), {64, 100});
  for_each_way(counts, [&](Operator operation, DeviceType type, std::uint32_t ranks, const Codes& codes) {
    const bool repeats = operation == Operator::minimum || operation == Operator::maximum;
    const std::size_t elements = std::max<std::size_t>(kElements, std::size_t{20} * ranks);
    for (std::uint32_t rank = 0; rank<ranks; rank += ranks> 16 ? 21 : 1) {
      std::size_t missed_without = 0, missed_twice = 0;
      for (std::size_t i = 0; i < elements; ++i) {
        std::vector<double> inputs = inputs_at(codes, i);
        inputs.push_back(inputs[rank]);
        missed_twice += passes(operation, type, ranks, codes, i, combined(operation, type, ranks, inputs));
        inputs.pop_back();
        inputs.erase(inputs.begin() + rank);
        missed_without += passes(operation, type, ranks, codes, i, combined(operation, type, ranks, inputs));
      }
      EXPECT_LT(missed_without, elements) << "rank " << rank << " is left out";
      if (!repeats) {  // twice the same is neither more nor less
        EXPECT_LT(missed_twice, elements) << "rank " << rank << " is taken twice";
      }
    }
  });
}

TEST(Codes, TheOwnInputZerosAndTheNeighbourAreSeen) {
  for_each_way(
      from_two_to(16), [&](Operator operation, DeviceType type, std::uint32_t ranks, const Codes& codes) {
        std::size_t zeros = 0, neighbours = 0;
        for (std::size_t i = 0; i < kElements; ++i) {
          zeros += passes(operation, type, ranks, codes, i, 0);
          neighbours += passes(operation, type, ranks, codes, i,
                               combined(operation, type, ranks, inputs_at(codes, i + 1)));
        }
        EXPECT_LT(zeros, kElements);
        EXPECT_LT(neighbours, kElements);
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
          std::size_t own = 0;
          for (std::size_t i = 0; i < kElements; ++i)
            own += passes(operation, type, ranks, codes, i, static_cast<double>(codes.input(rank, i)));
          EXPECT_LT(own, kElements) << "rank " << rank;
        }
      });
}

TEST(Codes, OfAnotherGroupAreSeen) {
  for_each_way(from_two_to(16),
               [&](Operator operation, DeviceType type, std::uint32_t ranks, const Codes& codes) {
                 ASSERT_EQ(seed_of_group(3, 0), 3U);
                 for (const std::uint32_t group : {1U, 2U, 7U}) {
                   const Codes others = codes_of(operation, type, ranks, seed_of_group(3, group));
                   std::size_t missed = 0;
                   for (std::size_t i = 0; i < kElements; ++i)
                     missed += passes(operation, type, ranks, codes, i,
                                      combined(operation, type, ranks, inputs_at(others, i)));
                   EXPECT_LT(missed, kElements) << "group " << group;
                 }
               });
}

// The host divides sums, so its averages are compared bit for bit.
TEST(Codes, OfTheHostTellAWrongOperatorToo) {
  for (const Type type : {Type::int8, Type::uint8, Type::int32, Type::uint32, Type::int64, Type::uint64,
                          Type::fp32, Type::fp64}) {
    with_type(type, [&](auto zero) {
      using T = decltype(zero);
      for (std::uint32_t ranks = 2; ranks <= 16; ++ranks) {
        for (const Operator operation : kOperators) {
          const Coded<T> coded(operation, ranks, 3);
          for (const Operator other : kOperators) {
            std::size_t same = 0;
            for (std::size_t i = 0; i < kElements; ++i) {
              T result = coded.input(0, i);
              for (std::uint32_t rank = 1; rank < ranks; ++rank) {
                const T next = coded.input(rank, i);
                combine(other, &result, &next, &result, 1, rank + 1 == ranks, ranks);
              }
              same += result == coded.combined(i);
            }
            if (other == operation) {
              EXPECT_EQ(same, kElements);
            } else {
              EXPECT_LT(same, kElements) << static_cast<int>(operation) << " " << static_cast<int>(other);
            }
          }
        }
      }
    });
  }
}

}  // namespace
}  // namespace assay::plugins::collective
