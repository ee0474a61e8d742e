// SPDX-License-Identifier: Apache-2.0
#include "lib/loader/images.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace assay::plugins::loader {
namespace {

const auto kAlways = [] { return true; };

ImageShape shape_of(std::uint32_t side, double crop, std::uint32_t steps, double spread = 0) {
  ImageShape shape;
  shape.side = side;
  shape.crop = crop;
  shape.decode_steps = steps;
  shape.decode_spread = spread;
  return shape;
}

std::vector<std::uint8_t> code_of(const Images& images, const ImageShape& shape, std::uint64_t item) {
  std::vector<std::uint8_t> code(shape.bytes());
  EXPECT_TRUE(images.encode(item, code.data(), kAlways));
  return code;
}

std::vector<float> made(const Images& images, const ImageShape& shape, std::uint64_t epoch,
                        std::uint64_t item, const std::vector<std::uint8_t>& code) {
  static const NormalisedTable table;
  std::vector<std::uint8_t> scratch(shape.bytes());
  std::vector<float> values(shape.values(), -1e30F);
  EXPECT_TRUE(images.make(epoch, item, code.data(), scratch.data(), values.data(), table, kAlways));
  return values;
}

// The same in steps that one can follow: cut a square out, reverse its rows, take the channels apart.
std::vector<float> by_hand(const Images& images, const ImageShape& shape, std::uint64_t epoch,
                           std::uint64_t item) {
  const Augmentation at = images.augmentation(epoch, item);
  std::vector<std::vector<std::vector<std::uint8_t>>> square;
  for (std::uint32_t y = at.top; y < at.top + shape.cropped(); ++y) {
    auto& row = square.emplace_back();
    for (std::uint32_t x = at.left; x < at.left + shape.cropped(); ++x) {
      auto& pixel = row.emplace_back();
      for (std::uint32_t channel = 0; channel < 3; ++channel)
        pixel.push_back(images.pixel(item, (std::uint64_t{y} * shape.side + x) * 3 + channel));
    }
    if (at.is_flipped) std::reverse(row.begin(), row.end());
  }
  std::vector<float> values;
  for (std::uint32_t channel = 0; channel < 3; ++channel) {
    for (const auto& row : square)
      for (const auto& pixel : row) values.push_back(normalised(channel, pixel[channel]));
  }
  return values;
}

TEST(LoaderImages, AreMadeAsTheClosedFormAndAsByHand) {
  for (const ImageShape& shape : {shape_of(4, 1, 0), shape_of(4, 0.01, 1), shape_of(7, 0.9, 3),
                                  shape_of(32, 0.875, 2), shape_of(33, 0.5, 5, 1)}) {
    for (const std::uint64_t seed : {std::uint64_t{1}, ~std::uint64_t{0}}) {
      const Images images(shape, seed);
      for (const std::uint64_t item : {0, 1, 1000003}) {
        const auto code = code_of(images, shape, item);
        for (const std::uint64_t epoch : {0, 1, 77}) {
          const auto values = made(images, shape, epoch, item, code);
          ASSERT_EQ(values, by_hand(images, shape, epoch, item)) << shape.side << " " << item << " " << epoch;
          for (std::uint64_t at = 0; at < values.size(); ++at)
            ASSERT_EQ(values[at], images.expected(epoch, item, at)) << shape.side << " " << at;
        }
      }
    }
  }
}

TEST(LoaderImages, AreNormalisedAsTrainingScriptsDo) {
  EXPECT_NEAR(normalised(0, 0), -2.117904, 1e-6);  // (0 - 0.485) / 0.229, and so on
  EXPECT_NEAR(normalised(1, 255), 2.428571, 1e-6);
  EXPECT_NEAR(normalised(2, 51), -0.915556, 1e-6);
}

TEST(LoaderImages, AreCutOutEverywhereAndMirroredHalfOfTheTime) {
  const ImageShape shape = shape_of(10, 0.8, 1);
  const Images images(shape, 5);
  std::set<std::pair<std::uint32_t, std::uint32_t>> places;
  int flipped = 0, changed = 0;
  for (std::uint64_t item = 0; item < 1000; ++item) {
    const Augmentation at = images.augmentation(2, item), later = images.augmentation(3, item);
    EXPECT_LE(at.left, 2u);
    EXPECT_LE(at.top, 2u);
    places.insert({at.left, at.top});
    flipped += at.is_flipped ? 1 : 0;
    changed += at.left != later.left || at.top != later.top || at.is_flipped != later.is_flipped ? 1 : 0;
  }
  EXPECT_EQ(places.size(), 9u);
  EXPECT_NEAR(flipped, 500, 100);
  EXPECT_GT(changed, 900);
}

// Nothing of an item can be had without decoding what comes before it.
TEST(LoaderImages, NeedEveryByteOfTheirCode) {
  const ImageShape shape = shape_of(8, 1, 2);
  const Images images(shape, 9);
  const auto code = code_of(images, shape, 3);
  auto spoiled = code;
  spoiled[0] ^= 1;
  const auto right = made(images, shape, 0, 3, code), wrong = made(images, shape, 0, 3, spoiled);
  std::size_t different = 0;
  for (std::size_t i = 0; i < right.size(); ++i) different += right[i] != wrong[i] ? 1 : 0;
  EXPECT_GT(different, right.size() * 9 / 10);
}

TEST(LoaderImages, DependOnSeedItemAndSteps) {
  const ImageShape shape = shape_of(16, 1, 2);
  const auto code = code_of(Images(shape, 1), shape, 0);
  EXPECT_NE(code, code_of(Images(shape, 2), shape, 0));
  EXPECT_NE(code, code_of(Images(shape, 1), shape, 1));
  EXPECT_NE(code, code_of(Images(shape_of(16, 1, 3), 1), shape, 0));
}

TEST(LoaderImages, CostAsMuchAsTheirSpreadSays) {
  const Images even(shape_of(8, 1, 100), 1), uneven(shape_of(8, 1, 100, 0.5), 1);
  std::uint64_t sum = 0;
  std::uint32_t least = 1000, most = 0;
  for (std::uint64_t item = 0; item < 2000; ++item) {
    EXPECT_EQ(even.steps(item), 100u);
    const std::uint32_t steps = uneven.steps(item);
    sum += steps;
    least = std::min(least, steps);
    most = std::max(most, steps);
  }
  EXPECT_GE(least, 50u);
  EXPECT_LT(least, 55u);
  EXPECT_LE(most, 150u);
  EXPECT_GT(most, 145u);
  EXPECT_NEAR(static_cast<double>(sum) / 2000, 100, 3);
}

TEST(LoaderImages, AreGivenUpWithinARow) {
  const ImageShape shape = shape_of(16, 1, 1);
  const Images images(shape, 1);
  const NormalisedTable table;
  std::vector<std::uint8_t> code(shape.bytes()), scratch(shape.bytes());
  std::vector<float> values(shape.values());
  for (std::uint32_t rows : {0u, 1u, 15u}) {
    std::uint32_t asked = 0;
    EXPECT_FALSE(images.encode(0, code.data(), [&] { return asked++ < rows; }));
    EXPECT_EQ(asked, rows + 1);
    asked = 0;
    EXPECT_FALSE(
        images.make(0, 0, code.data(), scratch.data(), values.data(), table, [&] { return asked++ < rows; }));
    EXPECT_EQ(asked, rows + 1);
  }
}

}  // namespace
}  // namespace assay::plugins::loader
