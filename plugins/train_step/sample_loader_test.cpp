// SPDX-License-Identifier: Apache-2.0
#include "train_step/sample_loader.hpp"

#include "train_step/rank_of_test.hpp"
#include "train_step/sample_feed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace assay::plugins::train_step {
namespace {

const auto kNever = [] { return false; };

// Of the second of three ranks, whose samples are not the first of the job.
StepOptions options_of(Parameters given, std::uint32_t workers, std::uint32_t decode_steps) {
  given.micro_batch = 3;
  given.accumulation = 2;
  given.loader_workers = workers;
  given.decode_steps = decode_steps;
  return step_options_of(given, 1, 3, 5);
}

class SampleLoaderOf : public testing::TestWithParam<std::string> {
 public:
  static Parameters given() { return GetParam() == "features" ? small_mlp() : small(Block::bert); }
};
INSTANTIATE_TEST_SUITE_P(Kinds, SampleLoaderOf, testing::Values("tokens", "features"),
                         [](const auto& info) { return info.param; });

// Step after step, however many workers make them and however long a byte takes.
TEST_P(SampleLoaderOf, DeliversEachMicroBatchInTheStepsOrder) {
  const model::Model model = model_of(given());
  const std::size_t numbers = numbers_of_sample(model);
  for (const std::uint32_t workers : {1U, 3U}) {
    for (const std::uint32_t decode_steps : {0U, 5U}) {
      const StepOptions options = options_of(given(), workers, decode_steps);
      const model::StepInputs inputs(model, options.seed);
      SampleLoader loader(model, options, kNever);
      loader.begin(7);
      std::size_t wrong = 0;
      for (std::size_t batch = 0; batch < 20; ++batch) {
        const std::byte* const data = loader.next();
        const std::size_t first = options.first_sample(batch % options.accumulation) * numbers;
        for (std::size_t i = 0; i < options.micro_batch * numbers; ++i) {
          if (model.reads_tokens()) {
            wrong += reinterpret_cast<const std::int32_t*>(data)[i] != inputs.token(first + i) ? 1 : 0;
          } else {
            wrong += reinterpret_cast<const float*>(data)[i] != inputs.feature(first + i) ? 1 : 0;
          }
        }
      }
      EXPECT_EQ(wrong, 0U);
    }
  }
}

TEST_P(SampleLoaderOf, FeedsOnePlaceWithTheSamplesOfEachSeed) {
  const model::Model model = model_of(given());
  const StepOptions options = options_of(given(), 2, 3);
  const std::size_t numbers = numbers_of_sample(model);
  std::vector<std::byte> place(SampleFeed::bytes(model, options));
  std::int64_t now = 0;
  SampleFeed feed(
      model, options, place.data(), [&] { return now += 7; }, kNever);
  for (const std::uint64_t seed : {5U, 6U}) {
    const model::StepInputs inputs(model, seed);
    feed.restart(seed);
    feed.begin(3);
    std::size_t wrong = 0;
    // A step more than was said begins by itself.
    for (std::size_t batch = 0; batch < 8; ++batch) {
      std::fill(place.begin(), place.end(), std::byte{0xFF});
      feed.take();
      const std::size_t first = options.first_sample(batch % options.accumulation) * numbers;
      for (std::size_t i = 0; i < options.micro_batch * numbers; ++i) {
        std::int32_t seen = 0, expected = 0;
        std::memcpy(&seen, place.data() + 4 * i, 4);
        const float feature = model.reads_tokens() ? 0 : inputs.feature(first + i);
        std::memcpy(&expected, &feature, 4);
        wrong += seen != (model.reads_tokens() ? inputs.token(first + i) : expected) ? 1 : 0;
      }
    }
    EXPECT_EQ(wrong, 0U);
    EXPECT_NO_THROW(feed.rethrow());
    // Two micro-batches of each step, seven nanoseconds each.
    EXPECT_NEAR(feed.waited_s(), 14e-9, 1e-12);
  }
}

TEST_P(SampleLoaderOf, TellsLaterWhatItCouldNotThrow) {
  const model::Model model = model_of(given());
  const StepOptions options = options_of(given(), 2, 3);
  std::vector<std::byte> place(SampleFeed::bytes(model, options));
  SampleFeed feed(
      model, options, place.data(), [] { return std::int64_t{0}; }, kNever);
  feed.restart(1);
  feed.begin(1 << 20);
  feed.stop();
  for (int i = 0; i < 100; ++i) feed.take();  // batches that are ready may still come
  EXPECT_THROW(feed.rethrow(), Cancelled);
  EXPECT_THROW(feed.begin(1), Cancelled);
}

TEST_P(SampleLoaderOf, EndsWhereItIsCancelled) {
  const model::Model model = model_of(given());
  const StepOptions options = options_of(given(), 2, 4);
  EXPECT_THROW(SampleLoader(model, options, [] { return true; }), Cancelled);
  bool cancelled = false;
  SampleLoader loader(model, options, [&] { return cancelled; });
  loader.begin(1 << 20);
  loader.next();
  cancelled = true;
  // Batches that are ready may still come.
  EXPECT_THROW(
      {
        for (int i = 0; i < 1 << 20; ++i) loader.next();
      },
      Cancelled);
}

TEST_P(SampleLoaderOf, GivesUpAnItemThatNobodyWants) {
  const model::Model model = model_of(given());
  const SampleWork work(model, options_of(given(), 1, 4), kNever);
  std::vector<std::byte> to(work.item_bytes());
  EXPECT_FALSE(work.make({}, 0, nullptr, to.data(), kNever));
}

TEST(SampleLoader, CountsItsMemory) {
  Parameters given = small_mlp();
  given.micro_batch = 1000;
  given.loader_workers = 2;
  const model::Model model = model_of(given);
  const StepOptions options = step_options_of(given, 0, 1, 0);
  // Codes of the samples, and five batches: two for each worker, and the one that the step has.
  EXPECT_NEAR(static_cast<double>(SampleLoader::numbers(model, options)), 6.0 * 1000 * 32, 0.1 * 6000 * 32);
  const StepSizes sizes = sizes_of(model, options, nullptr);
  EXPECT_EQ(sizes.features, 0U) << "samples lie in the loader's memory";
  EXPECT_GT(sizes.labels, 0U);
}

}  // namespace
}  // namespace assay::plugins::train_step
