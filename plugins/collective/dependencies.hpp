// SPDX-License-Identifier: Apache-2.0
//
// Which steps must be done before a step may touch its memory: whoever wrote what it reads, and whoever read
// or wrote what it overwrites.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

namespace assay::plugins::collective {

// A step of a rank, counted on through all operations.
struct StepOf {
  std::uint32_t rank = 0;
  std::uint64_t step = 0;
};

// The memory of one rank, as steps come by in an order in which they could run one after the other.
class MemoryHistory {
 public:
  // Each calls found(StepOf) for every step that has to be done before.
  template <class Found>
  void read(std::size_t at, std::size_t count, const StepOf& by, Found&& found) {
    touch(at, count, [&](Stretch& stretch) {
      if (stretch.written) found(stretch.writer);
      stretch.readers.push_back(by);
    });
  }

  template <class Found>
  void write(std::size_t at, std::size_t count, const StepOf& by, Found&& found) {
    touch(at, count, [&](Stretch& stretch) {
      if (stretch.written) found(stretch.writer);
      for (const StepOf& reader : stretch.readers) found(reader);
      stretch.writer = by;
      stretch.written = true;
      stretch.readers.clear();
    });
  }

 private:
  // What is alike from its key on until the next one.
  struct Stretch {
    StepOf writer;
    bool written = false;
    std::vector<StepOf> readers;  // since then
  };

  template <class Body>
  void touch(std::size_t at, std::size_t count, Body&& body) {
    if (count == 0) return;
    const auto end = split(at + count);
    for (auto stretch = split(at); stretch != end; ++stretch) body(stretch->second);
  }

  std::map<std::size_t, Stretch>::iterator split(std::size_t at) {
    const auto next = stretches_.upper_bound(at);
    const auto holder = std::prev(next);  // there is one: the map begins at 0
    return holder->first == at ? holder : stretches_.emplace_hint(next, at, holder->second);
  }

  std::map<std::size_t, Stretch> stretches_{{0, {}}};
};

}  // namespace assay::plugins::collective
