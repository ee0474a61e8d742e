// SPDX-License-Identifier: Apache-2.0
#include "base/quantity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

namespace assay {
namespace {

constexpr Dimension kTime{.time = 1};
constexpr Dimension kData{.data = 1};

TEST(Quantity, ReadsWhatSuitesWrite) {
  EXPECT_EQ(parse_quantity("64MiB")->value, 67108864);
  EXPECT_EQ(parse_quantity("1GB")->value, 1e9);
  EXPECT_EQ(parse_quantity("2s")->dimension, kTime);
  EXPECT_EQ(parse_quantity("3us")->value, 3e-6);
  EXPECT_EQ(parse_quantity("3µs")->value, 3e-6);
  EXPECT_EQ(parse_quantity("3μs")->value, 3e-6);
  EXPECT_EQ(parse_quantity("335 GB/s")->value, 335e9);
  EXPECT_EQ(parse_quantity("335 GB/s")->dimension, kData / kTime);
  EXPECT_EQ(parse_quantity("700 TFLOP/s")->value, 700e12);
  EXPECT_EQ(parse_quantity("85 C")->value, 85);
  EXPECT_EQ(parse_quantity("5%")->value, 0.05);
  EXPECT_TRUE(parse_quantity("5%")->percent);
  EXPECT_EQ(parse_quantity("2min")->value, 120);
  EXPECT_EQ(parse_quantity("-1.5e3")->value, -1500);
  EXPECT_EQ(parse_quantity("61 Mitems/s")->value, 61e6);
}

TEST(Quantity, WholeNumbersAreNeverRounded) {
  EXPECT_EQ(parse_quantity("9007199254740992")->value, 0x1p53);
  EXPECT_EQ(parse_quantity("-9007199254740994 B")->value, -9007199254740994);
  EXPECT_EQ(parse_quantity("0018014398509481984.0")->value, 0x1p54);
  EXPECT_EQ(parse_quantity("1e23")->value, 1e23);
  EXPECT_EQ(parse_quantity("4503599627370496.3")->value, 4503599627370496.5);  // a fraction is rounded
  for (const char* rounded : {"9007199254740993", "-9007199254740993", "9007199254740993.0",
                              "9007199254740993B", "+0009007199254740993", "18446744073709551615"}) {
    EXPECT_FALSE(parse_quantity(rounded)) << rounded;
  }
}

TEST(Quantity, SmallUnitsAreRoundedOnce) {
  for (int number = 1; number <= 999; ++number) {
    const std::string digits = std::to_string(number);
    ASSERT_EQ(parse_quantity(digits + "%")->value, number / 1e2) << number;
    ASSERT_EQ(parse_quantity(digits + "ms")->value, number / 1e3) << number;
    ASSERT_EQ(parse_quantity(digits + "us")->value, number / 1e6) << number;
    ASSERT_EQ(parse_quantity(digits + "ns")->value, number / 1e9) << number;
    ASSERT_EQ(parse_quantity(digits + "img/min")->value, number / 60.0) << number;
    ASSERT_EQ(to_text(*parse_quantity(digits + "%")), digits + "%");
  }
}

TEST(Quantity, RefusesWhatIsNone) {
  for (const char* text : {"", "MiB", "64 mib", "64mB", "3 4", "1e999", "nan", "inf", "5 %/s", "64MiB/",
                           "0x10", "1,5", "5s s", "3Kis", "64KB", "5 1"}) {
    EXPECT_FALSE(parse_quantity(text)) << text;
  }
}

TEST(Quantity, KnowsDimensionsOfProductsAndQuotients) {
  EXPECT_EQ(base_unit(kData / kTime), "B/s");
  EXPECT_EQ(base_unit(kData / kTime / kTime), "B/s·s");
  EXPECT_EQ(base_unit(kData / kData), "1");
  EXPECT_EQ(describe(kTime), "a time");
  EXPECT_EQ(describe(kData / kTime), "a data rate");
}

TEST(Quantity, TextIsShortAndExact) {
  EXPECT_EQ(to_text({67108864, kData, false}), "64MiB");
  EXPECT_EQ(to_text({0.002, kTime, false}), "2ms");
  for (const char* text : {"1us", "5us", "10us", "20us", "50us", "7ns", "300us", "1.5us", "12.25ms"})
    EXPECT_EQ(to_text(*parse_quantity(text)), text);
  EXPECT_EQ(to_text({3.35e11, kData / kTime, false}), "335GB/s");
  EXPECT_EQ(to_text({0.05, {}, true}), "5%");
  EXPECT_EQ(to_text({8192, {}, false}), "8192");
  EXPECT_EQ(to_text({1e9, kData, false}), "1GB");
  EXPECT_EQ(to_text({12, kData, false}), "12B");
}

TEST(Quantity, TextReadsBackWhateverTheUnit) {
  const char* const units[] = {"1", "B", "s", "FLOP", "W", "J", "Hz", "C", "items", "%", "kB", "ms", "MHz"};
  for (const char* above : units) {
    for (const char* below : units) {
      const std::string written = std::string("4 ") + above + "/" + below;
      const auto quantity = parse_quantity(written);
      if (!quantity) continue;
      const auto again = parse_quantity(to_text(*quantity));
      ASSERT_TRUE(again) << written << " became " << to_text(*quantity);
      EXPECT_EQ(again->value, quantity->value) << written << " became " << to_text(*quantity);
      EXPECT_EQ(again->dimension, quantity->dimension) << written << " became " << to_text(*quantity);
    }
  }
  EXPECT_EQ(to_text(*parse_quantity("4 Hz/s")), "4Hz/s");
  EXPECT_EQ(to_text(*parse_quantity("4 1/B")), "4 1/B");
}

TEST(Quantity, TextReadsBackWhateverTheNumber) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 5000; ++round) {
    const double magnitude = std::pow(10.0, static_cast<double>(random() % 40) - 15);
    const double value = magnitude * (static_cast<double>(random() % 100000) / 1000.0);
    for (const Dimension& dimension : {kTime, kData, kData / kTime, Dimension{}}) {
      const std::string text = to_text({value, dimension, false});
      const auto parsed = parse_quantity(text);
      ASSERT_TRUE(parsed) << text;
      ASSERT_EQ(parsed->value, value) << text;
      ASSERT_EQ(parsed->dimension, dimension) << text;
    }
  }
}

TEST(Quantity, CountsItemsByAnyWordAndKeepsIt) {
  const Dimension rate = Dimension{.items = 1} / kTime;
  for (const char* unit : {"img/s", "steps/s", "token/s", "it/s", "req2/s", "env_steps/s"}) {
    const auto parsed = parse_unit(unit);
    ASSERT_TRUE(parsed) << unit;
    EXPECT_EQ(parsed->scale, 1) << unit;
    EXPECT_EQ(parsed->dimension, rate) << unit;
    EXPECT_EQ(base_unit_of(unit), unit);
  }
  EXPECT_DOUBLE_EQ(parse_unit("epochs/h")->scale, 1.0 / 3600);
  EXPECT_EQ(base_unit_of("epochs/h"), "epochs/s");
  EXPECT_EQ(base_unit_of("ktokens/s"), "tokens/s");
  EXPECT_EQ(base_unit_of("samples"), "samples");
  EXPECT_EQ(base_unit_of("GiB/s"), "B/s");
  EXPECT_EQ(parse_quantity("40000 img/s")->dimension, rate);
}

TEST(Quantity, CountsItemsByAnyWordBelowTheLine) {
  const Dimension time_of_one = kTime / Dimension{.items = 1};
  for (const char* unit : {"s/epoch", "s/token", "s/step2", "s/env_step"}) {
    const auto parsed = parse_unit(unit);
    ASSERT_TRUE(parsed) << unit;
    EXPECT_EQ(parsed->scale, 1) << unit;
    EXPECT_EQ(parsed->dimension, time_of_one) << unit;
    EXPECT_EQ(base_unit_of(unit), unit);
  }
  EXPECT_EQ(parse_unit("J/token")->dimension, parse_unit("J/tokens")->dimension);
  EXPECT_EQ(base_unit_of("J/tokens"), "J/tokens");
  EXPECT_EQ(base_unit_of("J/ktokens"), "J/tokens");
  EXPECT_DOUBLE_EQ(parse_unit("J/ktokens")->scale, 1e-3);
  EXPECT_DOUBLE_EQ(parse_unit("ms/epoch")->scale, 1e-3);
  EXPECT_EQ(base_unit_of("ms/epoch"), "s/epoch");
  EXPECT_EQ(base_unit_of("MiB/sample"), "B/sample");
  EXPECT_EQ(parse_quantity("40 s/epoch")->dimension, time_of_one);
  EXPECT_FALSE(divides_by_own_word("s/epoch"));
  EXPECT_FALSE(divides_by_own_word("s/tokens"));
  EXPECT_FALSE(divides_by_own_word("GB/s"));
  EXPECT_TRUE(divides_by_own_word("s/walk"));
}

TEST(Quantity, TakesNoWordThatLooksLikeAMisspeltUnit) {
  for (const char* unit : {"gb/s",      "GBs/s",     "Gb/s",   "Tflops/s",   "FLOPS/s",  "flop/s",  "bytes/s",
                           "ops/s",     "mW/sec",    "GB/sec", "tokens/sec", "img",      "GB/Sec",  "GB/usec",
                           "J/seconds", "FLOP/Byte", "GB/gb",  "W/Watt",     "img/step", "%/epoch", "img/ms",
                           "5a/s",      "%/s",       "/s",     "-/s"})
    EXPECT_FALSE(parse_unit(unit)) << unit;
}

TEST(Quantity, NeverCrashesOnRandomText) {
  std::mt19937 random(3);
  const std::string alphabet = "0123456789.eE+-kMGiBsFLOP/% µ\x80\xff";
  for (int round = 0; round < 20000; ++round) {
    std::string text(random() % 12, ' ');
    for (char& c : text) c = alphabet[random() % alphabet.size()];
    const auto parsed = parse_quantity(text);
    ASSERT_TRUE(!parsed || std::isfinite(parsed->value)) << text;
  }
}

}  // namespace
}  // namespace assay
