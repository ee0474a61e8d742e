// SPDX-License-Identifier: Apache-2.0
//
// What a message between stages says of itself.
#pragma once

#include <cstdint>

namespace assay::plugins::pipeline {

struct Tag {
  std::uint64_t step = 0;
  std::uint32_t micro_batch = 0, from = 0;  // part
};
inline bool operator==(const Tag& a, const Tag& b) {
  return a.step == b.step && a.micro_batch == b.micro_batch && a.from == b.from;
}

}  // namespace assay::plugins::pipeline
