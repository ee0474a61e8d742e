// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/document.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::reporters {

struct Slice {
  const std::string* name = nullptr;  // of the document's span
  std::int64_t begin_ns = 0, end_ns = 0;
  std::optional<std::uint64_t> iteration;
};

// A viewer draws spans of one thread inside each other, and misplaces those that overlap without one holding
// the other. So a track becomes as many lanes as it needs; one, where nothing overlaps. At least one.
[[nodiscard]] std::vector<std::vector<Slice>> lanes_of(const Track& track);

}  // namespace assay::reporters
