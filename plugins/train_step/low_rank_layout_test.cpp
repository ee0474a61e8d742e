// SPDX-License-Identifier: Apache-2.0
#include "train_step/device_layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::train_step {
namespace {

DeviceStepOptions low_rank(std::size_t rank) {
  DeviceStepOptions options;
  options.averages = true;
  options.of_step.ranks = 2;
  options.of_step.compression = CompressionKind::powersgd;
  options.of_step.compression_rank = rank;
  options.of_step.shards.first_bucket = 20'000;
  options.of_step.shards.bucket = 300'000;
  return options;
}

model::Model model_named(const std::string& name) {
  model::Sizes sizes;
  if (name == "llama") sizes.kind = model::Layers::llama, sizes.kv_heads = 2;
  return model::make_model(name, sizes, 32);
}

LowRankLayout layout_of(const model::Model& model, const DeviceStepOptions& options) {
  return low_rank_of(model, options, DeviceLayout(model, options));
}

struct Range {
  std::size_t begin, size;
};

void expect_apart(std::vector<Range> ranges, std::size_t end) {
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  std::size_t at = 0;
  for (const Range& range : ranges) {
    EXPECT_GE(range.begin, at);
    EXPECT_EQ(range.begin % 64, 0U);  // what the library's products take
    at = range.begin + range.size;
  }
  EXPECT_LE(at, end);
}

TEST(LowRankLayout, HasEveryTensorOnceWhereItsGradientLies) {
  for (const char* name : {"bert", "llama"}) {
    const model::Model model = model_named(name);
    const DeviceStepOptions options = low_rank(4);
    const DeviceLayout device(model, options);
    std::vector<std::size_t> seen;
    std::size_t matrices = 0;
    for (const LowRankLayout::Bucket& bucket : layout_of(model, options).buckets) {
      for (const LowRankLayout::Whole& whole : bucket.whole) seen.push_back(whole.gradient);
      for (const LowRankLayout::Matrix& matrix : bucket.matrices) {
        const model::Tensor& tensor = model.tensors[matrix.of.tensor];
        EXPECT_EQ(matrix.gradient, device.places.offset(matrix.of.tensor));
        EXPECT_EQ(std::pair(matrix.rows, matrix.columns), std::pair(tensor.rows, tensor.columns));
        EXPECT_GE(matrix.size, matrix.numbers());
        EXPECT_EQ(matrix.size % model::TensorPlaces::kGrain, 0U);  // what a kernel takes at once
        seen.push_back(matrix.gradient);
        ++matrices;
      }
    }
    std::vector<std::size_t> all;
    for (std::size_t t = 0; t < model.tensors.size(); ++t) all.push_back(device.places.offset(t));
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, all) << name;
    EXPECT_GT(matrices, 4U);
  }
}

TEST(LowRankLayout, PutsWhatLivesTogetherApart) {
  for (const char* name : {"bert", "llama"}) {
    for (const std::size_t rank : {1U, 3U, 64U}) {
      const LowRankLayout layout = layout_of(model_named(name), low_rank(rank));
      std::vector<Range> carried;
      for (const LowRankLayout::Bucket& bucket : layout.buckets) {
        std::vector<Range> first, second;
        for (const LowRankLayout::Whole& whole : bucket.whole) first.push_back({whole.place, whole.size});
        for (const LowRankLayout::Matrix& matrix : bucket.matrices) {
          first.push_back({matrix.p, matrix.rows * matrix.of.rank});
          second.push_back({matrix.q, matrix.columns * matrix.of.rank});
          carried.push_back({matrix.kept, matrix.columns * matrix.of.rank});
          carried.push_back({matrix.error, matrix.size});
        }
        expect_apart(first, bucket.first);
        expect_apart(second, bucket.second);
        EXPECT_EQ(bucket.first % 64, 0U);
        EXPECT_LE(bucket.first + bucket.second, layout.staging);
      }
      expect_apart(carried, layout.floats());
      for (const Range& range : carried) EXPECT_GE(range.begin, layout.staging);
    }
  }
}

TEST(LowRankLayout, SendsAndTakesWhatItsFormulaSays) {
  const model::Model model = model_named("bert");
  DeviceStepOptions options = low_rank(4);
  std::uint64_t sent = 0;
  for (const model::Tensor& tensor : model.tensors) {
    const std::uint64_t low = 4 * (tensor.rows + tensor.columns);
    sent += tensor.rows > 1 && 2 * low <= tensor.size() ? low : tensor.size();
  }
  const LowRankLayout layout = layout_of(model, options);
  EXPECT_EQ(layout.sent(), sent);
  const double ratio = compression_ratio(model, options), compressed = sent_bytes(model, options);
  EXPECT_DOUBLE_EQ(ratio, static_cast<double>(model.parameters()) / static_cast<double>(sent));
  EXPECT_GT(ratio, 4);
  EXPECT_EQ(bytes_of_step(model, options).compression,
            (4 * layout.floats() + 255) / 256 * 256 + LowRankMemory::kWorkspaceBytes);
  options.of_step.compression = CompressionKind::none;
  EXPECT_NEAR(sent_bytes(model, options), ratio * compressed, 1);
  EXPECT_EQ(layout_of(model, options).floats(), 0U);
}

TEST(LowRankLayout, IsWithinTheMemoryOfTheStep) {
  const model::Model model = model_named("llama");
  const DeviceStepOptions options = low_rank(2);
  const DeviceLayout device(model, options);
  std::byte* const begin = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 40);
  const DeviceStepMemory memory(begin, model, options, device, plan_of(model, options));
  const auto* const end =
      reinterpret_cast<const std::byte*>(memory.labels + labels_of(model, options.of_step));
  const std::uint64_t total = bytes_of_step(model, options).total();
  EXPECT_LE(end, begin + total);
  EXPECT_GT(end + (std::size_t{2} << 20) + 256, begin + total);
  EXPECT_NE(memory.low_rank.floats, nullptr);
  EXPECT_EQ(memory.low_rank.workspace.bytes, LowRankMemory::kWorkspaceBytes);
}

}  // namespace
}  // namespace assay::plugins::train_step
