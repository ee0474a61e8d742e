// SPDX-License-Identifier: Apache-2.0
#include "text/quantity_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace assay {
namespace {

TEST(QuantityText, HasSoManyDigitsThatAValueIsToldFromTheOneBesideIt) {
  const auto both = [](double value, double beside, const UnitText& unit) {
    const Scale scale = scale_for(unit, value);
    const int digits = digits_apart(value, beside, scale);
    return quantity_text(value, scale, digits) + ", " + quantity_text(beside, scale, digits);
  };
  EXPECT_EQ(both(1.0012, 1.001, "1"), "1.0012, 1.001");
  EXPECT_EQ(both(0.998, 0.999, "1"), "0.998, 0.999");
  EXPECT_EQ(both(59.996e9, 60e9, "B/s"), "59.996 GB/s, 60 GB/s");
  EXPECT_EQ(both(60e9, 60e9, "B/s"), "60 GB/s, 60 GB/s");
  EXPECT_EQ(both(1, 1 + 1e-12, "1"), "1, 1") << "nine digits are the most";
}

TEST(QuantityText, HasThreeDigitsAndAPrefixThatFits) {
  EXPECT_EQ(quantity_text(41.2e9, "B/s"), "41.2 GB/s");
  EXPECT_EQ(quantity_text(std::numeric_limits<double>::infinity(), "s"), "∞ s");  // a bound that is none
  EXPECT_EQ(quantity_text(4.38e12, "B/s"), "4.38 TB/s");
  EXPECT_EQ(quantity_text(659e12, "FLOP/s"), "659 TFLOP/s");
  EXPECT_EQ(quantity_text(1.15e15, "FLOP/s"), "1150 TFLOP/s");  // as in the tables beside it
  EXPECT_EQ(quantity_text(18.9e-6, "s"), "18.9 µs");
  EXPECT_EQ(quantity_text(0.02, "s"), "20 ms");
  EXPECT_EQ(quantity_text(90, "s"), "90 s");
  EXPECT_EQ(quantity_text(67108864, "B"), "64 MiB");
  EXPECT_EQ(quantity_text(85, "C"), "85 °C");
  EXPECT_EQ(quantity_text(0, "B/s"), "0 B/s");
  EXPECT_EQ(quantity_text(-0.5, "1"), "-0.5");
  EXPECT_EQ(percent_text(0.162), "16.2 %");
  EXPECT_EQ(percent_text(0.6), "60 %");
  EXPECT_EQ(percent_text(1.12), "112 %");
}

TEST(QuantityText, SizesHaveTheUnitOfTheFewestDigits) {
  EXPECT_EQ(size_text(64e6), "64 MB");
  EXPECT_EQ(size_text(4294967296.0), "4 GiB");
  EXPECT_EQ(size_text(100e6), "100 MB");
  EXPECT_EQ(size_text(524288), "512 KiB");
  EXPECT_EQ(size_text(512000), "500 KiB");  // as many digits as 512 kB
  EXPECT_EQ(size_text(1000), "1 kB");
  EXPECT_EQ(size_text(1001), "1001 B");
  EXPECT_EQ(size_text(0), "0 B");
}

TEST(QuantityText, AWrittenUnitIsShownByItsSign) {
  EXPECT_EQ(quantity_text(25e-6, {"s", "us", 1e-6}), "25 µs");
  EXPECT_EQ(quantity_text(85, {"C", "C", 1}), "85 °C");
  EXPECT_EQ(common_scale({"s", "us", 1e-6}, {1e-6, 0.9})->unit, "µs");
}

TEST(QuantityText, AWrittenTextKeepsItsDigitsAndItsUnit) {
  EXPECT_EQ(written_text("512kB"), "512 kB");
  EXPECT_EQ(written_text("1024 MiB"), "1024 MiB");
  EXPECT_EQ(written_text("-1.50us"), "-1.50 µs");
  EXPECT_EQ(written_text("1e3kB"), "1e3 kB");
  EXPECT_EQ(written_text("4096"), "4096");
  EXPECT_EQ(written_text("soon"), "soon");
}

TEST(QuantityText, TakesTheUnitOfWhatStandsBesideWhereItCanBeRead) {
  const Scale tera = scale_for("B/s", 1.01e12);
  EXPECT_EQ(quantity_text(9.9e11, scale_beside(tera, "B/s", 9.9e11)), "0.99 TB/s");
  EXPECT_EQ(quantity_text(9.9e9, scale_beside(tera, "B/s", 9.9e9)), "9.9 GB/s");
  EXPECT_EQ(quantity_text(0, scale_beside(tera, "B/s", 0)), "0 TB/s");
}

TEST(QuantityText, OneUnitServesAColumnUnlessItHidesDigits) {
  EXPECT_EQ(common_scale("FLOP/s", {659e12, 1280e12, 42.9e12})->unit, "TFLOP/s");
  EXPECT_EQ(common_scale("B/s", {0.325e9, 356e9})->unit, "GB/s");
  EXPECT_EQ(common_scale("B/s", {0.571e9, 2.906e9})->unit, "GB/s");
  EXPECT_EQ(common_scale("s", {90e-9, 2e-6})->unit, "ns");
  EXPECT_FALSE(common_scale("B/s", {3e3, 356e9}));
  EXPECT_FALSE(common_scale("B/s", {}));
}

}  // namespace
}  // namespace assay
