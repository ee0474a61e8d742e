// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/loader/batch_queue.hpp"
#include "lib/loader/item_work.hpp"
#include "lib/permutation.hpp"

#include <assay/errors.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::loader {

enum class Order { shuffled, sequential };

// Whether items are made where they are collated, or each in memory of its own and copied into the batch, as
// frameworks do it that get each item from a function.
enum class Collate { copy, direct };

struct DataSet {
  std::uint64_t items = 1;
  std::uint32_t batch = 1;  // items; the last one of an epoch may have fewer
  Order order = Order::shuffled;
  Collate collate = Collate::copy;

  std::uint64_t batches() const { return items / batch + (items % batch != 0 ? 1 : 0); }
  std::uint32_t size_of(std::uint64_t number) const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(batch, items - number * batch));
  }
};

// Which item an epoch delivers at a place: each once.
class Sequence {
 public:
  Sequence(const DataSet& data, const Epoch& epoch)
      : shuffled_(data.items, epoch.seed + 0x9E3779B97F4A7C15ull * (epoch.number + 1)),
        is_shuffled_(data.order == Order::shuffled) {}
  std::uint64_t operator()(std::uint64_t place) const { return is_shuffled_ ? shuffled_(place) : place; }

 private:
  Permutation shuffled_;
  bool is_shuffled_;
};

// Makes batches, with memory of its own.
class BatchMaker {
 public:
  BatchMaker(const DataSet& data, std::shared_ptr<const ItemWork> work)
      : data_(data), work_(std::move(work)), scratch_(work_->scratch_bytes()) {
    if (data.collate == Collate::copy) apart_.resize(data.batch * work_->item_bytes());
  }

  // Batch `number` of an epoch: its items' numbers and what is made of them. False if it gave up because
  // keep_on() said so. What is thrown says at which item.
  bool make(const Epoch& epoch, std::uint64_t number, std::uint64_t* items, std::byte* values,
            const KeepOn& keep_on) {
    const Sequence sequence(data_, epoch);
    const std::uint32_t count = data_.size_of(number);
    const std::size_t bytes = work_->item_bytes();
    std::byte* const made = data_.collate == Collate::copy ? apart_.data() : values;
    for (std::uint32_t i = 0; i < count; ++i) {
      items[i] = sequence(number * data_.batch + i);
      try {
        if (!work_->make(epoch, items[i], scratch_.data(), made + i * bytes, keep_on)) return false;
      } catch (const Failure& error) {
        throw Failure(place(epoch, number, items[i]) + error.what(), error.status(), error.domain(),
                      error.code());
      } catch (const std::exception& error) {
        throw Failure(place(epoch, number, items[i]) + error.what());
      }
    }
    for (std::uint32_t i = 0; made != values && i < count; ++i)
      std::memcpy(values + i * bytes, made + i * bytes, bytes);
    return true;
  }

 private:
  static std::string place(const Epoch& epoch, std::uint64_t number, std::uint64_t item) {
    return "item " + std::to_string(item) + " (batch " + std::to_string(number) + " of epoch " +
           std::to_string(epoch.number) + ") could not be loaded: ";
  }

  DataSet data_;
  std::shared_ptr<const ItemWork> work_;
  std::vector<std::byte> scratch_, apart_;
};

}  // namespace assay::plugins::loader
