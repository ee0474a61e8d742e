// SPDX-License-Identifier: Apache-2.0
#include "fusion/byte_model.hpp"
#include "fusion/host_gelu.hpp"
#include "fusion/host_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace assay::plugins::fusion {
namespace {

constexpr std::uint64_t kRows = 8192, kColumns = 4096;
constexpr double kArray = 8192.0 * 4096 * 2;

TEST(ByteModel, CountsFourPassesForTwoKernelsAndTwoForOne) {
  EXPECT_DOUBLE_EQ(bytes_of(Variant::separate, Bias::vector, kRows, kColumns, 2),
                   4 * kArray + 2.0 * kColumns);
  EXPECT_DOUBLE_EQ(bytes_of(Variant::fused, Bias::vector, kRows, kColumns, 2), 2 * kArray + 2.0 * kColumns);
}

TEST(ByteModel, CountsABiasOfTheSameShapeAsAnotherPass) {
  EXPECT_DOUBLE_EQ(bytes_of(Variant::separate, Bias::full, kRows, kColumns, 2), 5 * kArray);
  EXPECT_DOUBLE_EQ(bytes_of(Variant::fused, Bias::full, kRows, kColumns, 2), 3 * kArray);
}

TEST(ByteModel, ExpectsTwiceTheSpeedOfOneKernelAndFiveThirdsWithAFullBias) {
  EXPECT_NEAR(model_speedup(Variant::fused, Bias::vector, kRows, kColumns, 2), 2, 1e-3);
  EXPECT_NEAR(model_speedup(Variant::fused, Bias::full, kRows, kColumns, 4), 5.0 / 3, 1e-12);
  EXPECT_EQ(model_speedup(Variant::separate, Bias::full, kRows, kColumns, 2), 1);
}

TEST(ByteModel, ExpectsNothingOfAnEpilogue) {
  EXPECT_EQ(model_speedup(Variant::gemm_epilogue, Bias::vector, kRows, kColumns, 2), 0);
  EXPECT_DOUBLE_EQ(bytes_of(Variant::gemm_epilogue, Bias::vector, kRows, kColumns, 2), 2.0 * kColumns);
}

TEST(ByteModel, IsTheSameAfterAProduct) {
  EXPECT_EQ(bytes_of(Variant::gemm_fused, Bias::vector, kRows, kColumns, 2),
            bytes_of(Variant::fused, Bias::vector, kRows, kColumns, 2));
  EXPECT_EQ(bytes_of(Variant::gemm_separate, Bias::full, kRows, kColumns, 2),
            bytes_of(Variant::separate, Bias::full, kRows, kColumns, 2));
}

TEST(ByteModel, KnowsWhichVariantsBeginWithAProduct) {
  EXPECT_FALSE(has_product(Variant::separate));
  EXPECT_FALSE(has_product(Variant::fused));
  EXPECT_TRUE(has_product(Variant::gemm_separate));
  EXPECT_TRUE(has_product(Variant::gemm_epilogue));
}

// The library's, in a precision that is higher than the one under test.
template <class Wide>
Wide right(Wide x, Gelu gelu) {
  if (gelu == Gelu::erf) return x / 2 * std::erfc(-x / std::sqrt(Wide(2)));
  const Wide u = std::sqrt(2 / std::acos(Wide(-1))) * (x + Wide(0.044715L) * x * x * x);
  return x / 2 * (1 + std::tanh(u));
}

// The largest error as a share of |x|, over steps from 0 to 40 both ways and powers from 2^-100 to 2^100.
template <class Real, class Wide>
double largest_error(Gelu gelu) {
  double worst = 0;
  const auto look = [&](Real x) {
    const Real y = gelu == Gelu::erf ? gelu_erf(x) : gelu_tanh(x);
    const Wide error = std::fabs(static_cast<Wide>(y) - right(static_cast<Wide>(x), gelu));
    const double share = static_cast<double>(error / std::fabs(static_cast<Wide>(x)));
    if (!(share <= worst)) worst = share;  // not a number, too
  };
  constexpr int kSteps = 400000;
  for (int i = 1; i <= kSteps; ++i) {
    // Steps of no round number, so that their last places differ.
    const Real x = static_cast<Real>(40.000123L * i / kSteps);
    look(x);
    look(-x);
  }
  for (int power = -100; power <= 100; ++power) {
    look(std::ldexp(static_cast<Real>(1.3), power));
    look(-std::ldexp(static_cast<Real>(1.3), power));
  }
  return worst;
}

TEST(HostGelu, IsRightToTwentyOneBitsOfItsArgumentInSinglePrecision) {
  EXPECT_LE((largest_error<float, double>(Gelu::erf)), 0x1p-21);
  EXPECT_LE((largest_error<float, double>(Gelu::tanh)), 0x1p-21);
}

TEST(HostGelu, IsRightToFortyFiveBitsOfItsArgumentInDoublePrecision) {
  if (std::numeric_limits<long double>::digits <= std::numeric_limits<double>::digits)
    GTEST_SKIP() << "nothing here is more precise than double";
  EXPECT_LE((largest_error<double, long double>(Gelu::erf)), 0x1p-45);
  EXPECT_LE((largest_error<double, long double>(Gelu::tanh)), 0x1p-45);
}

template <class Real>
class HostGeluOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(HostGeluOf, Reals);

TYPED_TEST(HostGeluOf, KeepsZeroAndTheEndsOfTheRange) {
  for (const auto function : {gelu_erf<TypeParam>, gelu_tanh<TypeParam>}) {
    EXPECT_EQ(function(0), 0);
    const TypeParam largest = std::numeric_limits<TypeParam>::max();
    EXPECT_EQ(function(largest), largest);
    EXPECT_LE(std::fabs(function(-largest)), largest * static_cast<TypeParam>(0x1p-60));
    const TypeParam smallest = std::numeric_limits<TypeParam>::denorm_min();
    EXPECT_LE(function(smallest), smallest);
  }
}

TYPED_TEST(HostGeluOf, KeepsWhatIsNotANumber) {
  EXPECT_TRUE(std::isnan(gelu_erf(std::numeric_limits<TypeParam>::quiet_NaN())));
  EXPECT_TRUE(std::isnan(gelu_tanh(std::numeric_limits<TypeParam>::quiet_NaN())));
}

// Arrays of one shape, filled with numbers between -6 and 6; results with a number that no pass gives.
template <class Real>
struct Arrays {
  Arrays(std::size_t count, std::size_t period) : x(count), b(period), t(count, kNone), y(count, kNone) {
    for (std::size_t i = 0; i < count; ++i)
      x[i] = static_cast<Real>(static_cast<double>(i * 37 % 997) / 200 - 2.5);
    for (std::size_t i = 0; i < period; ++i)
      b[i] = static_cast<Real>(static_cast<double>(i * 53 % 991) / 150 - 3);
  }

  Share<Real> share(std::size_t begin, std::size_t end) {
    return {x.data(), b.data(), t.data(), y.data(), b.size(), begin, end};
  }

  // All of a variant over [begin, end), in shares of this many elements.
  void run(const HostPasses<Real>& passes, std::size_t begin, std::size_t end, std::size_t size) {
    for (const Pass<Real> pass : {passes.first, passes.second}) {
      if (pass == nullptr) continue;
      for (std::size_t from = begin; from < end; from += size) pass(share(from, std::min(from + size, end)));
    }
  }

  static constexpr Real kNone = -77;
  std::vector<Real> x, b, t, y;
};

std::vector<Vectors> vectors_here() {
  std::vector<Vectors> vectors{Vectors::base};
  for (const Vectors more : {Vectors::avx2, Vectors::avx512}) {
    if (has_vectors(more)) vectors.push_back(more);
  }
  return vectors;
}

// Variants, functions, instruction sets and kinds of bias: body(passes, arrays, gelu, what it is).
template <class Real, class Body>
void for_all_passes(Body&& body) {
  constexpr std::size_t kRowsHere = 7, kColumnsHere = 213;  // no multiples of a vector
  for (const Variant variant : {Variant::separate, Variant::fused}) {
    for (const Gelu gelu : {Gelu::erf, Gelu::tanh}) {
      for (const Vectors vectors : vectors_here()) {
        for (const std::size_t period : {kColumnsHere, 2 * kColumnsHere, kRowsHere * kColumnsHere}) {
          const auto passes = host_passes<Real>(variant, gelu, vectors);
          Arrays<Real> arrays(kRowsHere * kColumnsHere, period);
          SCOPED_TRACE(std::string(passes.vectors) + (passes.second ? ", separate" : ", fused") +
                       (gelu == Gelu::erf ? ", erf" : ", tanh") + ", period " + std::to_string(period));
          body(passes, arrays, gelu);
        }
      }
    }
  }
}

TYPED_TEST(HostGeluOf, ComesOutOfEveryPassForSharesOfAnySize) {
  const double limit = std::is_same_v<TypeParam, float> ? 0x1p-20 : 0x1p-44;  // the sum is rounded, too
  for_all_passes<TypeParam>([&](const HostPasses<TypeParam>& passes, Arrays<TypeParam>& arrays, Gelu gelu) {
    const std::size_t count = arrays.x.size();
    for (const std::size_t size : {std::size_t{1}, std::size_t{13}, std::size_t{500}, count}) {
      std::fill(arrays.y.begin(), arrays.y.end(), arrays.kNone);
      arrays.run(passes, 0, count, size);
      for (std::size_t i = 0; i < count; ++i) {
        const double sum =
            static_cast<double>(arrays.x[i]) + static_cast<double>(arrays.b[i % arrays.b.size()]);
        ASSERT_NEAR(static_cast<double>(arrays.y[i]), right(sum, gelu), limit * (std::fabs(sum) + 0x1p-3))
            << "element " << i << " in shares of " << size;
      }
    }
  });
}

TYPED_TEST(HostGeluOf, IsWrittenInsideOfTheShareOnly) {
  for_all_passes<TypeParam>([](const HostPasses<TypeParam>& passes, Arrays<TypeParam>& arrays, Gelu) {
    const std::size_t begin = 211, end = 900;
    arrays.run(passes, begin, end, end - begin);
    for (std::size_t i = 0; i < arrays.x.size(); ++i) {
      const bool inside = i >= begin && i < end;
      ASSERT_EQ(arrays.y[i] != arrays.kNone, inside) << "element " << i;
      ASSERT_EQ(arrays.t[i] != arrays.kNone, inside && passes.second != nullptr) << "element " << i;
    }
  });
}

TYPED_TEST(HostGeluOf, StoresTheSumInTheFirstOfTwoPasses) {
  for (const Vectors vectors : vectors_here()) {
    Arrays<TypeParam> arrays(900, 300);
    host_passes<TypeParam>(Variant::separate, Gelu::erf, vectors).first(arrays.share(0, 900));
    for (std::size_t i = 0; i < 900; ++i) {
      ASSERT_EQ(arrays.t[i], arrays.x[i] + arrays.b[i % 300]);
      ASSERT_EQ(arrays.y[i], arrays.kNone);
    }
  }
}

}  // namespace
}  // namespace assay::plugins::fusion
