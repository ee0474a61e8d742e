// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/cpu_team.hpp"
#include "lib/loader/images.hpp"
#include "lib/loader/item_store.hpp"
#include "lib/loader/item_work.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace assay::plugins::loader {

// Reads an image's code from a store, decodes it, and crops, flips and normalises it to fp32 numbers.
class ImageWork final : public ItemWork {
 public:
  ImageWork(const ImageShape& shape, std::uint64_t items, std::shared_ptr<ItemStore> store)
      : shape_(shape), items_(items), store_(std::move(store)) {}

  std::size_t scratch_bytes() const override { return 2 * static_cast<std::size_t>(shape_.bytes()); }
  std::size_t item_bytes() const override {
    return static_cast<std::size_t>(shape_.values()) * sizeof(float);
  }

  // Writes the codes of a seed's images into the store, by all allowed CPUs. Nothing may be loading. Throws
  // what the store throws; unfinished once keep_on(), asked from several threads, is false.
  void fill(std::uint64_t seed, const KeepOn& keep_on) {
    const Images images(shape_, seed);
    CpuTeam team;
    std::mutex mutex;
    std::exception_ptr first;
    std::atomic<bool> has_failed{false};
    team.run([&](int member) {
      try {
        std::vector<std::uint8_t> code(shape_.bytes());
        const auto [begin, end] = team.share(member, static_cast<std::size_t>(items_), 1);
        for (std::size_t item = begin; item < end; ++item) {
          if (!images.encode(item, code.data(), [&] { return !has_failed && keep_on(); })) return;
          store_->write(item, code.data());
        }
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!first) first = std::current_exception();
        has_failed = true;
      }
    });
    if (first) std::rethrow_exception(first);
  }
  bool make(const Epoch& epoch, std::uint64_t item, std::byte* scratch, std::byte* to,
            const KeepOn& keep_on) const override {
    auto* const room = reinterpret_cast<std::uint8_t*>(scratch);
    const std::uint8_t* const code = store_->read(item, room);
    // Not those that fill() had: a process that was forked before would have others.
    return Images(shape_, epoch.seed)
        .make(epoch.number, item, code, room + shape_.bytes(), reinterpret_cast<float*>(to), table_, keep_on);
  }

 private:
  ImageShape shape_;
  std::uint64_t items_;
  std::shared_ptr<ItemStore> store_;
  NormalisedTable table_;
};

}  // namespace assay::plugins::loader
