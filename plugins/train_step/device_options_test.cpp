// SPDX-License-Identifier: Apache-2.0
//
// What a step on GPUs refuses, and what sending halves takes and costs.
#include "train_step/cuda_parameters.hpp"
#include "train_step/device_layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>

namespace assay::plugins::train_step {
namespace {

// Which parameter is refused, or "" where all go together.
std::string refused(const std::function<void(Parameters&)>& change) {
  Parameters given;
  given.strategy = Strategy::ddp;
  change(given);
  try {
    require_on_device(given);
  } catch (const BadParameter& error) {
    return error.parameter();
  }
  return "";
}

TEST(DeviceOptions, CompressOnlyWhatHalvesMakeSmaller) {
  EXPECT_EQ(refused([](Parameters&) {}), "");
  EXPECT_EQ(refused([](Parameters& p) { p.compression = CompressionKind::fp16; }), "");
  EXPECT_EQ(refused([](Parameters& p) {
              p.compression = CompressionKind::fp16;
              p.dtype = p.parameter_dtype = "bf16";
            }),
            "compression");
}

DeviceStepOptions halves(std::uint32_t ranks) {
  DeviceStepOptions options;
  options.averages = true;
  options.of_step.ranks = ranks;
  options.of_step.compression = CompressionKind::fp16;
  options.of_step.shards.first_bucket = 20'000;
  options.of_step.shards.bucket = 400'000;
  return options;
}

TEST(DeviceOptions, OfHalvesHaveMemoryForTheLargestBucket) {
  const model::Model model = model::make_model("bert", {}, 32);
  DeviceStepOptions options = halves(2);
  const StepBytes bytes = bytes_of_step(model, options);
  std::size_t largest = 0;
  for (const model::Bucket& bucket : buckets_of(model, options, DeviceLayout(model, options))) {
    largest = std::max(largest, bucket.size);
    EXPECT_EQ(bucket.size % 4, 0U);  // what a kernel takes at once
    EXPECT_EQ(bucket.offset % 4, 0U);
  }
  EXPECT_EQ(bytes.compression, (2 * largest + 255) / 256 * 256);
  EXPECT_NE(bytes.formula().find("compression "), std::string::npos);
  options.averages = false;  // without: communication
  EXPECT_EQ(bytes_of_step(model, options).compression, 0U);
}

TEST(DeviceOptions, OfHalvesSendHalfAsMuch) {
  const model::Model model = model::make_model("bert", {}, 32);
  DeviceStepOptions options = halves(4);
  const double compressed = sent_bytes(model, options);
  options.of_step.compression = CompressionKind::none;
  EXPECT_DOUBLE_EQ(2 * compressed, sent_bytes(model, options));
}

// A bit of eleven for each number that is rounded, of as many as ranks.
TEST(DeviceOptions, OfHalvesAllowForTheirRoundingAlone) {
  EXPECT_DOUBLE_EQ(rounding_of(halves(2)).relative, std::sqrt(2.0) / 2048);
  EXPECT_DOUBLE_EQ(rounding_of(halves(8)).relative, std::sqrt(8.0) / 2048);
  EXPECT_DOUBLE_EQ(rounding_of(halves(2)).absolute, 2 * 0x1p-25);
  DeviceStepOptions options = halves(2);
  options.of_step.compression = CompressionKind::none;
  EXPECT_EQ(rounding_of(options).relative, 0);
  EXPECT_EQ(rounding_of(options).absolute, 0);
}

// Of one micro-batch, in fp32 where the device rounds them.
TEST(DeviceOptions, OfALoaderHaveTheSamplesOfAMicroBatch) {
  model::Sizes mlp;
  mlp.kind = model::Layers::mlp;
  const model::Model features = model::make_model("mlp", mlp, 1), tokens = model::make_model("bert", {}, 32);
  DeviceStepOptions options;
  options.of_step.micro_batch = 3;
  options.of_step.accumulation = 4;
  EXPECT_EQ(tokens_of(tokens, options.of_step), 12 * 32U);
  EXPECT_EQ(features_of(features, options.of_step), 12 * mlp.width);
  options.of_step.loader_workers = 2;
  EXPECT_EQ(tokens_of(tokens, options.of_step), 3 * 32U);
  EXPECT_EQ(features_of(features, options.of_step), 3 * mlp.width);
  EXPECT_EQ(loaded_of(features, options), 0U);
  options.arithmetic = model::Arithmetic::bf16;
  EXPECT_EQ(loaded_of(features, options), 3 * mlp.width);
  EXPECT_EQ(loaded_of(tokens, options), 0U);
  options.of_step.without = Without::loader;
  EXPECT_EQ(tokens_of(tokens, options.of_step), 12 * 32U);
  EXPECT_EQ(loaded_of(features, options), 0U);
}

// Values of all layers but one are what a large batch needs.
TEST(DeviceOptions, OfLayersThatComeAgainTakeLessMemory) {
  const model::Model model = model::make_model("bert_base", model::bert_base(), 128);
  DeviceStepOptions options;
  options.arithmetic = model::Arithmetic::bf16;
  options.of_step.micro_batch = 64;
  const StepBytes kept = bytes_of_step(model, options);
  options.of_step.recompute = true;
  const StepBytes again = bytes_of_step(model, options);
  EXPECT_EQ(again.parameters + again.gradients + again.state, kept.parameters + kept.gradients + kept.state);
  EXPECT_LT(static_cast<double>(again.values), 0.4 * static_cast<double>(kept.values));
  EXPECT_LT(static_cast<double>(again.total()), 0.7 * static_cast<double>(kept.total()));
  EXPECT_EQ(plan_of(model, options).arena_bytes, again.values);
}

}  // namespace
}  // namespace assay::plugins::train_step
