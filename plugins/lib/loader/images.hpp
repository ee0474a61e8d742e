// SPDX-License-Identifier: Apache-2.0
//
// Images that are computed from a seed, a code for them whose decoding costs as much as one asks for, and what
// a training script does with them: decode, crop, flip, normalise.
#pragma once

#include "lib/loader/byte_code.hpp"

#include <assay/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace assay::plugins::loader {

inline constexpr std::uint32_t kChannels = 3;

struct ImageShape {
  std::uint32_t side = 32;  // pixels of an edge, 2 and more
  double crop = 0.875;      // share of the edge that is cut out, in (0, 1]
  std::uint32_t decode_steps = 4;
  double decode_spread = 0;  // in [0, 1]

  std::uint64_t row_bytes() const { return std::uint64_t{side} * kChannels; }
  // Of an image, decoded or not: rows of pixels of three bytes.
  std::uint64_t bytes() const { return row_bytes() * side; }
  // Pixels of an edge of what is cut out: two at least.
  std::uint32_t cropped() const {
    return std::clamp(static_cast<std::uint32_t>(std::floor(side * crop)), std::uint32_t{2}, side);
  }
  // fp32 numbers of an item as it is delivered: channel by channel, in each row by row.
  std::uint64_t values() const { return std::uint64_t{cropped()} * cropped() * kChannels; }
};

// Where an epoch cuts an item out, and whether it mirrors it.
struct Augmentation {
  std::uint32_t left = 0, top = 0;
  bool is_flipped = false;
};

// A brightness of 0 to 255 in a channel below 3 as fp32: scaled to 1, less the mean, over the deviation that
// training scripts use for ImageNet.
inline float normalised(std::uint32_t channel, std::uint8_t brightness) {
  constexpr double kMean[kChannels] = {0.485, 0.456, 0.406};
  constexpr double kDeviation[kChannels] = {0.229, 0.224, 0.225};
  return static_cast<float>((brightness / 255.0 - kMean[channel]) / kDeviation[channel]);
}

// normalised() of every brightness, looked up.
class NormalisedTable {
 public:
  NormalisedTable() {
    for (std::uint32_t channel = 0; channel < kChannels; ++channel) {
      for (std::uint32_t value = 0; value < 256; ++value)
        values_[channel][value] = normalised(channel, static_cast<std::uint8_t>(value));
    }
  }
  float operator()(std::uint32_t channel, std::uint8_t brightness) const {
    return values_[channel][brightness];
  }

 private:
  float values_[kChannels][256];
};

// A data set of images, each of which depends on seed and index alone. Any thread; cheap to make and to copy.
class Images {
 public:
  Images(const ImageShape& shape, std::uint64_t seed)
      : shape_(shape), pixels_(seed, 1), costs_(seed, 2), seed_(seed) {}

  // Byte `position` of an image, in the closed form.
  std::uint8_t pixel(std::uint64_t item, std::uint64_t position) const {
    return byte_of(pixels_.block(item * blocks() + position / 16), position % 16);
  }

  Augmentation augmentation(std::uint64_t epoch, std::uint64_t item) const {
    const std::uint32_t room = shape_.side - shape_.cropped() + 1;
    const RandomBlock drawn = Random(seed_, 3 + epoch).block(item);
    return {drawn.word[0] % room, drawn.word[1] % room, (drawn.word[2] & 1) != 0};
  }

  // One number of what an epoch delivers of an item, from the closed forms alone: neither code nor table.
  float expected(std::uint64_t epoch, std::uint64_t item, std::uint64_t position) const {
    const std::uint64_t edge = shape_.cropped();
    const std::uint64_t channel = position / (edge * edge), y = position / edge % edge, x = position % edge;
    const Augmentation at = augmentation(epoch, item);
    const std::uint64_t column = at.left + (at.is_flipped ? edge - 1 - x : x);
    return normalised(static_cast<std::uint32_t>(channel),
                      pixel(item, ((at.top + y) * shape_.side + column) * kChannels + channel));
  }

  // Operations for each byte of this item: decode_steps, times 1 ± decode_spread at most.
  std::uint32_t steps(std::uint64_t item) const {
    return static_cast<std::uint32_t>(
        std::lround(shape_.decode_steps * (1 + shape_.decode_spread * costs_.uniform(item))));
  }

  // Writes an item's code, bytes() long. False, and unfinished, once keep_on(), asked after each row, is false.
  template <class KeepOn>
  bool encode(std::uint64_t item, std::uint8_t* code, KeepOn&& keep_on) const {
    ByteCode coder(seed_, item, steps(item));
    RandomBlock block{};
    for (std::uint64_t at = 0; at < shape_.bytes(); ++at) {
      if (at % 16 == 0) block = pixels_.block(item * blocks() + at / 16);
      if (at % shape_.row_bytes() == 0 && !keep_on()) return false;
      code[at] = coder.encode(byte_of(block, at % 16));
    }
    return true;
  }

  // From an item's code to what an epoch delivers of it: values() numbers at `to`. `scratch` has room for
  // bytes(). False, and unfinished, once keep_on(), asked after each row, is false.
  template <class KeepOn>
  bool make(std::uint64_t epoch, std::uint64_t item, const std::uint8_t* code, std::uint8_t* scratch,
            float* to, const NormalisedTable& table, KeepOn&& keep_on) const {
    if (!decode(item, code, scratch, keep_on)) return false;
    const std::uint64_t edge = shape_.cropped();
    const Augmentation at = augmentation(epoch, item);
    for (std::uint64_t y = 0; y < edge; ++y) {
      const std::uint8_t* pixel = scratch + (at.top + y) * shape_.row_bytes() + at.left * kChannels;
      std::ptrdiff_t stride = kChannels;
      if (at.is_flipped) {
        pixel += (edge - 1) * kChannels;
        stride = -stride;
      }
      for (std::uint64_t x = 0; x < edge; ++x, pixel += stride) {
        for (std::uint32_t channel = 0; channel < kChannels; ++channel)
          to[(channel * edge + y) * edge + x] = table(channel, pixel[channel]);
      }
    }
    return true;
  }

 private:
  static std::uint8_t byte_of(const RandomBlock& block, std::uint64_t byte) {
    return static_cast<std::uint8_t>(block.word[byte / 4] >> (byte % 4 * 8));
  }
  std::uint64_t blocks() const { return (shape_.bytes() + 15) / 16; }

  template <class KeepOn>
  bool decode(std::uint64_t item, const std::uint8_t* code, std::uint8_t* to, KeepOn& keep_on) const {
    ByteCode coder(seed_, item, steps(item));
    for (std::uint32_t row = 0; row < shape_.side; ++row) {
      if (!keep_on()) return false;
      const std::uint64_t first = row * shape_.row_bytes();
      for (std::uint64_t at = first; at < first + shape_.row_bytes(); ++at) to[at] = coder.decode(code[at]);
    }
    return true;
  }

  ImageShape shape_;
  Random pixels_, costs_;
  std::uint64_t seed_;
};

}  // namespace assay::plugins::loader
