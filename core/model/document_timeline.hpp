// SPDX-License-Identifier: Apache-2.0
//
// Timelines in the result document: what the ranks of a case did during an extra iteration, and when.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::model {

// One thing that went on during an extra iteration, from its first span's begin.
struct Span {
  std::string name;
  double begin_s = 0, end_s = 0;
  std::optional<std::uint64_t> iteration = std::nullopt;
};

struct Track {
  int rank = 0;
  std::string name;
  std::vector<Span> spans;  // by begin
};

struct Timeline {
  int round = 1;
  std::uint64_t left_out = 0;
  std::vector<Track> tracks;
};

}  // namespace assay::model
