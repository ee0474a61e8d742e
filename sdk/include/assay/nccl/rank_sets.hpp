// SPDX-License-Identifier: Apache-2.0
//
// What ranks keep from case to case for a set of all their devices. Pure: needs neither NCCL nor CUDA.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::nccl::detail {

// The devices of all ranks of a group, each rank's as a number, in the order of the ranks. The same for every
// rank; a rank's own devices would not do, because they are in many sets.
using RankSet = std::vector<std::uint64_t>;

// Of a rank's devices. FNV-1a (Fowler, Noll, Vo).
inline std::uint64_t number_of(const std::string& devices) {
  std::uint64_t number = 0xcbf29ce484222325;
  for (const char each : devices) number = (number ^ static_cast<unsigned char>(each)) * 0x100000001b3;
  return number;
}

// Whether what each rank kept for the set is of one making; 0 where a rank has nothing that is usable.
inline bool belong_together(const std::vector<std::uint64_t>& generations) {
  return generations.front() != 0 &&
         std::all_of(generations.begin(), generations.end(),
                     [&](std::uint64_t each) { return each == generations.front(); });
}

// The most recently used last. Each entry holds memory of its devices and tens of descriptors, so not every
// pair of many devices keeps one. All ranks ask for the same sets in the same order, and so give the same up.
template <class Kept>
class KeptByRankSet {
 public:
  static constexpr std::size_t kMost = 16;

  // Valid until the next call.
  Kept& of(const RankSet& set) {
    const auto found =
        std::find_if(kept_.begin(), kept_.end(), [&](const Entry& each) { return each.set == set; });
    if (found != kept_.end()) {
      std::rotate(found, found + 1, kept_.end());
    } else {
      if (kept_.size() == kMost) kept_.erase(kept_.begin());
      kept_.emplace_back();
      kept_.back().set = set;
    }
    return kept_.back().kept;
  }

 private:
  struct Entry {
    RankSet set;
    Kept kept;
  };
  std::vector<Entry> kept_;
};

}  // namespace assay::nccl::detail
