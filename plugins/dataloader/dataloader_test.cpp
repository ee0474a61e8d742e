// SPDX-License-Identifier: Apache-2.0
#include "dataloader/epoch_times.hpp"
#include "dataloader/ledger.hpp"

#include <assay/verification.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace assay::plugins::dataloader {
namespace {

TEST(EpochTimes, CountTheFirstBatchFromTheEpochsBegin) {
  EpochWatch watch;
  watch.begin(1'000'000'000);
  watch.got(3'000'000'000, 4'000'000'000, 0);  // workers were started in between
  watch.got(5'000'000'000, 5'000'000'000, 3);
  watch.got(7'000'000'000, 8'000'000'000, 0);
  const EpochTimes times = watch.end(11'000'000'000);
  EXPECT_DOUBLE_EQ(times.startup_s, 3);
  EXPECT_DOUBLE_EQ(times.wait_s, 4.0 / 3);
  EXPECT_DOUBLE_EQ(times.wait_p99_s, 3);
  EXPECT_DOUBLE_EQ(times.starved, 0.4);
  EXPECT_DOUBLE_EQ(times.depth, 1);

  watch.begin(0);
  watch.got(0, 500'000'000, 1);
  EXPECT_DOUBLE_EQ(watch.end(1'000'000'000).startup_s, 0.5);
}

TEST(EpochTimes, ShowTheMedianOfRecentEpochs) {
  RecentEpochs recent;
  EXPECT_EQ(recent.typical().wait_s, 0);
  for (int i = 0; i < 100; ++i) recent.add({100, 100, 100, 1, 100});
  for (int i = 0; i < 1024; ++i) recent.add({double(i % 5), 1, 2, 0.5, 3});
  const EpochTimes times = recent.typical();
  EXPECT_EQ(times.startup_s, 2);
  EXPECT_EQ(times.wait_s, 1);
  EXPECT_EQ(times.wait_p99_s, 2);
  EXPECT_EQ(times.starved, 0.5);
  EXPECT_EQ(times.depth, 3);
}

TEST(EpochTimes, HaveQuantilesByRank) {
  std::vector<double> values;
  for (int i = 100; i >= 0; --i) values.push_back(i);
  EXPECT_EQ(quantile(values, 0.99), 99);
  EXPECT_EQ(quantile(values, 0.5), 50);
  EXPECT_EQ(quantile({7}, 0.99), 7);
  EXPECT_EQ(quantile({}, 0.5), 0);
}

// An epoch as a loader would deliver it, with something done to each batch before it is kept.
class Epochs {
 public:
  using Spoil = std::function<void(loader::Batch&, std::vector<std::uint64_t>&, std::vector<float>&)>;

  Epochs() {
    shape_.side = 8;
    data_.items = 50;
    data_.batch = 7;
  }

  Verification check(
      const Spoil& spoil = [](auto&, auto&, auto&) {}, bool is_destroyed = false) {
    const std::uint64_t values = shape_.values();
    const loader::Images images(shape_, epoch_.seed);
    const loader::Sequence sequence(data_, epoch_);
    Ledger ledger(data_, values);
    ledger.begin(epoch_);
    for (std::uint64_t number = 0; number < data_.batches(); ++number) {
      std::vector<std::uint64_t> items;
      std::vector<float> made;
      loader::Batch batch;
      batch.first_place = number * data_.batch;
      batch.count = data_.size_of(number);
      for (std::uint64_t i = 0; i < batch.count; ++i) {
        items.push_back(sequence(batch.first_place + i));
        for (std::uint64_t at = 0; at < values; ++at)
          made.push_back(images.expected(epoch_.number, items.back(), at));
      }
      spoil(batch, items, made);
      batch.items = items.data();
      batch.values = reinterpret_cast<const std::byte*>(made.data());
      ledger.keep(batch);
    }
    if (is_destroyed) ledger.destroy();
    Verification seen;
    ledger.check(images, seen, [] { return true; });
    return seen;
  }

  loader::ImageShape shape_;
  loader::DataSet data_;
  loader::Epoch epoch_{3, 4};
};

TEST(Ledger, FindsNothingWrongWithWhatIsRight) {
  Epochs epochs;
  for (std::uint64_t number = 0; number < 5; ++number) {
    epochs.epoch_.number = number;
    const Verification seen = epochs.check();
    EXPECT_EQ(seen.wrong(), 0u) << seen.reason();
    EXPECT_GE(seen.checked(), 50 * 9 + 16 * epochs.shape_.values());
  }
}

TEST(Ledger, FindsItemsThatAreMissingDoubleOrInAnothersPlace) {
  Epochs epochs;
  EXPECT_GT(epochs.check([](loader::Batch& batch, auto&, auto&) { batch.count -= 1; }).wrong(), 0u);
  EXPECT_GT(epochs
                .check([](loader::Batch& batch, auto& items, auto&) {
                  if (batch.first_place == 7) items[3] = items[2];
                })
                .wrong(),
            0u);
  EXPECT_GT(epochs
                .check([](loader::Batch& batch, auto& items, auto&) {
                  if (batch.first_place == 7) std::swap(items[3], items[2]);
                })
                .wrong(),
            0u);
  EXPECT_GT(epochs.check([](loader::Batch& batch, auto&, auto&) { batch.first_place += 1; }).wrong(), 0u);
  // The numbers are right, and the items are not theirs.
  EXPECT_GT(epochs
                .check([&](loader::Batch& batch, auto&, auto& values) {
                  const auto one = values.begin() + static_cast<std::ptrdiff_t>(epochs.shape_.values());
                  if (batch.first_place == 7) std::rotate(values.begin(), one, values.end());
                })
                .wrong(),
            0u);
}

TEST(Ledger, FindsAValueThatIsWrongAtAnItemsEnds) {
  Epochs epochs;
  for (const std::uint64_t position : {std::uint64_t{0}, std::uint64_t{3}, epochs.shape_.values() - 1}) {
    const Verification seen = epochs.check([&](loader::Batch& batch, auto&, auto& values) {
      if (batch.first_place == 14) values[2 * epochs.shape_.values() + position] += 1;
    });
    EXPECT_GE(seen.wrong(), 1u) << position;
  }
}

// Of 16 places of 50, which differ from epoch to epoch.
TEST(Ledger, FindsAWrongValueInTheMiddleOfAnItemNowAndThen) {
  Epochs epochs;
  int found = 0;
  for (std::uint64_t number = 0; number < 40; ++number) {
    epochs.epoch_.number = number;
    const Verification seen = epochs.check([&](loader::Batch& batch, auto&, auto& values) {
      if (batch.first_place == 14) values[2 * epochs.shape_.values() + 40] += 1;
    });
    found += seen.wrong() != 0 ? 1 : 0;
  }
  EXPECT_GT(found, 3);
  EXPECT_LT(found, 30);
}

TEST(Ledger, FindsThatItWasDestroyedOrNeverWritten) {
  Epochs epochs;
  EXPECT_GE(epochs.check([](auto&, auto&, auto&) {}, true).wrong(), 50u * 9);
}

}  // namespace
}  // namespace assay::plugins::dataloader
