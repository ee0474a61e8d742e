// SPDX-License-Identifier: Apache-2.0
//
// What a consumer keeps of an epoch, so that it can be compared with the closed form afterwards: of every place
// the item's number and its first and last values, of some places all values.
#pragma once

#include "lib/loader/images.hpp"
#include "lib/loader/loader.hpp"

#include <assay/random.hpp>
#include <assay/verification.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::dataloader {

class Ledger {
 public:
  // Of a data set whose items become `values` numbers, eight or more.
  Ledger(const loader::DataSet& data, std::size_t values) : data_(data), values_(values), rows_(data.items) {
    whole_.resize(std::min<std::uint64_t>(kWhole, data.items) * values_);
    destroy();
  }

  static double bytes(std::uint64_t items, std::uint64_t values) {
    return static_cast<double>(items) * sizeof(Row) + static_cast<double>(kWhole * values * sizeof(float));
  }

  // What no epoch leaves.
  void destroy() {
    rows_.assign(rows_.size(), Row{});
    std::fill(whole_.begin(), whole_.end(), std::numeric_limits<float>::quiet_NaN());
    delivered_ = 0;
  }

  void begin(const loader::Epoch& epoch) {
    epoch_ = epoch;
    delivered_ = 0;
    places_.clear();
    const Random random(epoch.seed, 0x77686F6C65);
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(kWhole, data_.items); ++i)
      places_.push_back(random.bits(epoch.number * kWhole + i) % data_.items);
    std::sort(places_.begin(), places_.end());
    next_whole_ = 0;
  }

  void keep(const loader::Batch& batch) {
    const auto* const values = reinterpret_cast<const float*>(batch.values);
    for (std::uint64_t i = 0; i < batch.count; ++i) {
      const float* const item = values + i * values_;
      const std::uint64_t place = batch.first_place + i;
      if (delivered_++ >= rows_.size() || place >= rows_.size()) continue;  // check() finds it
      Row& row = rows_[place];
      row.item = batch.items[i];
      std::memcpy(row.ends, item, kEnd * sizeof(float));
      std::memcpy(row.ends + kEnd, item + values_ - kEnd, kEnd * sizeof(float));
      for (; next_whole_ < places_.size() && places_[next_whole_] == place; ++next_whole_)
        std::memcpy(whole_.data() + next_whole_ * values_, item, values_ * sizeof(float));
    }
  }

  // Holds the last epoch against what its seed says. Nothing more is looked at once keep_on() is false.
  template <class KeepOn>
  void check(const loader::Images& images, Verification& seen, KeepOn&& keep_on) const {
    seen.method("closed form: every item's place, first and last values; 16 items whole");
    const loader::Sequence sequence(data_, epoch_);
    seen.count(1, delivered_ == data_.items ? 0 : 1,
               std::to_string(delivered_) + " items were delivered, and not " + std::to_string(data_.items));
    std::vector<bool> is_seen(data_.items, false);
    for (std::uint64_t place = 0; place < data_.items; ++place) {
      if (place % 1024 == 0 && !keep_on()) return;
      const Row& row = rows_[place];
      const std::uint64_t item = sequence(place);
      const bool is_new = row.item < data_.items && !is_seen[row.item];
      if (is_new) is_seen[row.item] = true;
      seen.count(1, is_new && row.item == item ? 0 : 1,
                 "item " + std::to_string(row.item) + " was delivered at place " + std::to_string(place) +
                     " of the epoch, where " + std::to_string(item) + " belongs");
      for (std::size_t i = 0; i < 2 * kEnd; ++i) {
        const std::size_t position = i < kEnd ? i : values_ - 2 * kEnd + i;
        seen.expect_equal(row.ends[i], images.expected(epoch_.number, item, position),
                          place * values_ + position);
      }
    }
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const std::uint64_t item = sequence(places_[i]);
      for (std::size_t position = 0; position < values_; ++position) {
        if (position % 4096 == 0 && !keep_on()) return;
        seen.expect_equal(whole_[i * values_ + position], images.expected(epoch_.number, item, position),
                          places_[i] * values_ + position);
      }
    }
  }

 private:
  static constexpr std::uint64_t kWhole = 16;
  static constexpr std::size_t kEnd = 4;

  struct Row {
    std::uint64_t item = std::numeric_limits<std::uint64_t>::max();
    float ends[2 * kEnd] = {-1e30F, -1e30F, -1e30F, -1e30F, -1e30F, -1e30F, -1e30F, -1e30F};
  };

  loader::DataSet data_;
  std::size_t values_;
  loader::Epoch epoch_;
  std::vector<Row> rows_;
  std::vector<std::uint64_t> places_;  // ascending
  std::vector<float> whole_;
  std::size_t next_whole_ = 0;
  std::uint64_t delivered_ = 0;
};

}  // namespace assay::plugins::dataloader
