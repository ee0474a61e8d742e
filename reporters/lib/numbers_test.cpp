// SPDX-License-Identifier: Apache-2.0
#include "lib/numbers.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <limits>
#include <random>

namespace assay::reporters {
namespace {

TEST(Numbers, PicksTheUnitThatReadsBest) {
  EXPECT_EQ(quantity(4.12e10, "B/s"), "41.2 GB/s");
  EXPECT_EQ(quantity(4.38e12, "B/s"), "4.38 TB/s");
  EXPECT_EQ(quantity(1.8e-5, "s"), "18 µs");
  EXPECT_EQ(quantity(1.89e-5, "s"), "18.9 µs");
  EXPECT_EQ(quantity(2.5e-9, "s"), "2.50 ns");
  EXPECT_EQ(quantity(1.28e15, "FLOP/s"), "1280 TFLOP/s");
  EXPECT_EQ(quantity(268435456, "B"), "256 MiB");
  EXPECT_EQ(quantity(0.25, "1"), "0.250");
  EXPECT_EQ(quantity(85, "C"), "85 °C");
  EXPECT_EQ(quantity(1.98e9, "Hz"), "1.98 GHz");
  EXPECT_EQ(quantity(1234, "tokens/s"), "1.23 ktokens/s");
  EXPECT_EQ(quantity(61.02e6, "items/s"), "61.0 Mitems/s");
  EXPECT_EQ(quantity(0, "s"), "0 s");
}

TEST(Numbers, ShowsOnlyDigitsThatTheIntervalSupports) {
  EXPECT_EQ(quantity(41.2345e9, "B/s", 0.09e9), "41.23 GB/s");
  EXPECT_EQ(quantity(41.2345e9, "B/s", 0.99e9), "41.23 GB/s");  // two digits of the half-width
  EXPECT_EQ(quantity(41.2345e9, "B/s", 0.996e9), "41.2 GB/s");  // 1.0
  EXPECT_EQ(quantity(41.2345e9, "B/s", 3e9), "41.2 GB/s");
  EXPECT_EQ(quantity(41.2345e9, "B/s", 40e9), "41 GB/s");    // never fewer than two
  EXPECT_EQ(quantity(41.2345e9, "B/s", 1e3), "41.23 GB/s");  // never more than four
  EXPECT_EQ(quantity(1.2345e9, "B/s", 0.3e9), "1.23 GB/s");
  EXPECT_EQ(quantity(2.906e9, "B/s", 0.357e9), "2.91 GB/s");
}

TEST(Numbers, RoundingUpDoesNotAddADigit) {
  EXPECT_EQ(quantity(9.996e9, "B/s"), "10.0 GB/s");
  EXPECT_EQ(quantity(9.99996e9, "B/s", 1e3), "10.00 GB/s");
  EXPECT_EQ(quantity(0.99996, "s"), "1.00 s");
}

TEST(Numbers, IntervalsAndRangesShareUnitAndDigits) {
  const Scale scale = scale_for("B/s", 41.2e9);
  EXPECT_EQ(interval(41.22e9, 41.13e9, 41.31e9, scale), "[41.13, 41.31]");
  EXPECT_EQ(quantity_with_interval(41.22e9, "B/s", 41.13e9, 41.31e9), "41.22 ± 0.09 GB/s");
  EXPECT_EQ(quantity_with_interval(446e-9, "s", 421e-9, 146e-6), "446 ns [421, 146000]");
  EXPECT_EQ(interval(2.906e9, 2.571e9, 3.285e9, scale), "[2.57, 3.29]");
  EXPECT_EQ(quantity(8.63e9, scale, 12e9), "8.6 GB/s");
  EXPECT_EQ(interval(8.63e9, 4.04e9, 28.04e9, scale), "[4.0, 28.0]") << "the digits of the value beside it";
  EXPECT_EQ(range(395.6e9, 396.04e9, scale, 0.4e9), "395.6–396.0");
  EXPECT_EQ(range(0.289e-6, 40.318e-6, scale_for("s", 1e-6)), "0.289–40.32");
  EXPECT_EQ(range(659.2e12, 661.8e12, scale_for("FLOP/s", 6e14)), "659–662");
  EXPECT_EQ(range(4.379e12, 4.384e12, scale_for("B/s", 4e12)), "4.38");
}

TEST(Numbers, SharesAndChangesArePercent) {
  EXPECT_EQ(percent(0.671), "67 %");
  EXPECT_EQ(percent(0.0512), "5.1 %");
  EXPECT_EQ(change(-0.294, 0.003), "−29.4 %");
  EXPECT_EQ(change(0.31, 0.02), "+31 %");
  EXPECT_EQ(change(-0.00001), "0.0 %");
  EXPECT_EQ(change_interval(-0.297, -0.291), "[−29.7, −29.1]");
  EXPECT_EQ(change_interval(-0.002, 0.004), "[−0.2, +0.4]");
}

TEST(Numbers, DurationsAreForPeople) {
  EXPECT_EQ(duration(0.314), "0.31 s");
  EXPECT_EQ(duration(12.34), "12.3 s");
  EXPECT_EQ(duration(112.3), "1 min 52 s");
  EXPECT_EQ(duration(59.97), "1 min 0 s");
  EXPECT_EQ(duration(7500), "2 h 5 min");
}

TEST(Numbers, ParametersKeepWholeBinarySizes) {
  EXPECT_EQ(parameter(4294967296.0, "B"), "4 GiB");
  EXPECT_EQ(parameter(64e6, "B"), "64 MB");
  EXPECT_EQ(parameter(1001, "B"), "1001 B");
  EXPECT_EQ(parameter(0, "B"), "0 B");
  EXPECT_EQ(parameter(HUGE_VAL, "B"), quantity(HUGE_VAL, Unit("B")));  // and ends
  EXPECT_EQ(parameter(8192, ""), "8192");
}

TEST(Numbers, ThereIsNoNumberThatBreaksThem) {
  std::mt19937_64 random(7);
  std::vector<double> values{0.0, 1e-320, 1e308, -1e308, 9.9999999e-10, std::numeric_limits<double>::min()};
  for (int i = 0; i < 500; ++i) {
    values.push_back(
        std::ldexp(static_cast<double>(random() % 1000000), static_cast<int>(random() % 600) - 300));
  }
  for (const double value : values) {
    for (const char* unit : {"s", "B", "B/s", "FLOP/s", "1", "odd|unit", ""}) {
      EXPECT_FALSE(quantity(value, unit).empty());
      EXPECT_FALSE(quantity(value, unit, std::abs(value) * 0.01).empty());
      EXPECT_FALSE(range(value, value * 1.5, scale_for(unit, value)).empty());
    }
  }
  EXPECT_EQ(quantity(std::nan(""), "s"), "– s");
}

TEST(Numbers, DoNotFollowTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8"}) std::setlocale(LC_ALL, name);
  EXPECT_EQ(quantity(41.2345e9, "B/s", 0.1e9), "41.23 GB/s");
  std::setlocale(LC_ALL, before.c_str());
}

TEST(Numbers, KeepTheUnitThatWasWritten) {
  const Unit us("s", "us", 1e-6), tokens("tokens/s", "tokens/s", 1), giga("B/s", "GB/s", 1e9),
      share("1", "%", 0.01);
  EXPECT_EQ(quantity(100.3e-6, us), "100 µs");
  EXPECT_EQ(quantity(0.25, us), "250000 µs");
  EXPECT_EQ(quantity(41050, tokens), "41050 tokens/s");
  EXPECT_EQ(quantity(3.5601e11, giga, 1e8), "356.0 GB/s");
  EXPECT_EQ(quantity(0.67, share), "67 %");
  EXPECT_EQ(quantity(0, us), "0 µs");
  // Where the number could not be read, as other numbers are.
  EXPECT_EQ(quantity(2, us), "2 s");
  EXPECT_EQ(quantity(3.6e9, tokens), "3.60 Gtokens/s");
  EXPECT_EQ(quantity(1e-10, us), "0.100 ns");
  EXPECT_EQ(common_scale(us, {1e-6, 0.9})->unit, "µs");
  EXPECT_EQ(common_scale(tokens, {0, 0})->unit, "tokens/s");
  EXPECT_EQ(quantity(2e6, "img/s"), "2 Mimg/s") << "any word over a second takes a prefix";
  EXPECT_EQ(quantity(1e308, "img/s"), "1.000e+308 img/s") << "a prefix would say nothing";
  EXPECT_EQ(quantity(1e30, "FLOP/s"), "1.000e+30 FLOP/s");
  EXPECT_EQ(quantity(2e20, "img/s"), "200 Eimg/s");
}

}  // namespace
}  // namespace assay::reporters
