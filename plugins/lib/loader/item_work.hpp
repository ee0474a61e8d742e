// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace assay::plugins::loader {

// What an epoch is of: two of the same seed and number deliver the same bytes in the same order.
struct Epoch {
  std::uint64_t seed = 0, number = 0;
};

// False once nobody wants the result. Work that takes long asks often, every few milliseconds, also because
// a worker that does not ask for long counts as one that hangs.
using KeepOn = std::function<bool()>;

// What a loader's workers do for one item. Several threads, or processes that were forked, call it at the same
// time; in a process it must not need any other thread, nor a lock that one may hold.
class ItemWork {
 public:
  virtual ~ItemWork() = default;

  // Memory that each worker has for itself.
  virtual std::size_t scratch_bytes() const = 0;
  // What it makes of each item.
  virtual std::size_t item_bytes() const = 0;

  // Reads and transforms an item. False if it gave up because keep_on() said so. What it throws ends the epoch
  // with that reason.
  virtual bool make(const Epoch& epoch, std::uint64_t item, std::byte* scratch, std::byte* to,
                    const KeepOn& keep_on) const = 0;
};

}  // namespace assay::plugins::loader
