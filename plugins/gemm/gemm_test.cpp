// SPDX-License-Identifier: Apache-2.0
#include "lib/product_check.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <vector>

namespace assay::plugins::gemm {
namespace {

template <typename Real>
struct Example {
  std::size_t m, n, k;
  std::vector<Real> a, b, c;

  Example(std::size_t rows, std::size_t columns, std::size_t inner, bool whole)
      : m(rows), n(columns), k(inner), a(m * k), b(k * n), c(m * n) {
    const Random random(7);
    std::uint64_t draw = 0;
    const auto next = [&] {
      return static_cast<Real>(whole ? static_cast<double>(random.integer(draw++, -3, 3))
                                     : random.normal(draw++));
    };
    for (Real& value : a) value = next();
    for (Real& value : b) value = next();
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t l = 0; l < k; ++l) {
        for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + l] * b[l * n + j];
      }
    }
  }

  [[nodiscard]] Verification freivalds(CpuTeam& team, bool transpose_b = false) const {
    Verification seen;
    check_freivalds(team, Operand<Real>{a.data(), m, k, false}, Operand<Real>{b.data(), k, n, transpose_b},
                    c.data(), 1, seen);
    return seen;
  }
};

TEST(Freivalds, AcceptsACorrectProductInBothPrecisions) {
  CpuTeam team(2);

  const Verification single = Example<float>(60, 70, 300, false).freivalds(team);
  const Verification twice = Example<double>(33, 21, 500, false).freivalds(team);

  EXPECT_EQ(single.checked(), 60U);
  EXPECT_EQ(single.wrong(), 0U);
  EXPECT_GT(single.largest_error(), 0);
  EXPECT_EQ(twice.wrong(), 0U);
}

TEST(Freivalds, AcceptsLongRowsOfFewTerms) {
  CpuTeam team(2);
  const Verification seen = Example<double>(64, 32768, 16, false).freivalds(team);
  EXPECT_EQ(seen.wrong(), 0U);
  EXPECT_LT(seen.largest_error(), 2);
}

// A limit of memory is none where a sanitizer has all of the addresses.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ASSAY_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ASSAY_SANITIZED 1
#endif
#endif

TEST(CpuTeam, SaysThatAThreadCannotStart) {
#if defined(ASSAY_SANITIZED)
  GTEST_SKIP() << "a sanitizer takes all of the addresses";
#endif
  const auto start = [] {
    struct rlimit few;
    if (::getrlimit(RLIMIT_AS, &few) != 0) std::_Exit(2);
    few.rlim_cur = rlim_t{1} << 30;
    if (::setrlimit(RLIMIT_AS, &few) != 0) std::_Exit(2);
    try {
      CpuTeam(std::vector<int>(1000, allowed_cpus().front()));
    } catch (const std::runtime_error&) {
      std::_Exit(7);
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(start(), testing::ExitedWithCode(7), "");
}

TEST(Freivalds, FindsOneElementThatIsOffByAThousandth) {
  CpuTeam team(2);
  Example<float> example(60, 70, 300, false);
  example.c[17 * 70 + 5] += 0.05F;  // elements are near 17

  EXPECT_EQ(example.freivalds(team).wrong(), 1U);
}

TEST(Freivalds, FindsWhatWasNeverWritten) {
  CpuTeam team(2);
  Example<float> example(8, 8, 8, false);
  example.c[3] = std::numeric_limits<float>::quiet_NaN();

  EXPECT_EQ(example.freivalds(team).wrong(), 1U);
}

TEST(Freivalds, FindsATransposedOperand) {
  CpuTeam team(2);
  Example<double> example(32, 32, 32, false);

  EXPECT_GT(example.freivalds(team, true).wrong(), 30U);
}

TEST(ExactRows, AcceptTheProductAndFindADifferenceOfOne) {
  CpuTeam team(2);
  Example<float> example(12, 30, 100, true);
  const Operand<float> a{example.a.data(), 12, 100, false}, b{example.b.data(), 100, 30, false};
  Verification good, bad;
  check_rows(team, a, b, example.c.data(), 1, good);
  example.c[5 * 30 + 7] += 1;
  check_rows(team, a, b, example.c.data(), 1, bad);

  EXPECT_EQ(good.checked(), 12U * 30U);
  EXPECT_EQ(good.wrong(), 0U);
  EXPECT_TRUE(good.exact());
  EXPECT_EQ(bad.wrong(), 1U);
}

}  // namespace
}  // namespace assay::plugins::gemm
