// SPDX-License-Identifier: Apache-2.0
//
// Timelines in the result document: what the ranks of a case did during an extra iteration, and when.
#pragma once

#include "model/field.hpp"

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
constexpr auto fields_of(const Span*) {
  return object(field("name", &Span::name), field("begin_s", &Span::begin_s), field("end_s", &Span::end_s),
                field("iteration", &Span::iteration).if_any().note("of the sample, where it has several"));
}

struct Track {
  int rank = 0;
  std::string name;
  std::vector<Span> spans;  // by begin
};
constexpr auto fields_of(const Track*) {
  return object(field("rank", &Track::rank), field("name", &Track::name), field("spans", &Track::spans));
}

struct Timeline {
  int round = 1;
  std::uint64_t left_out = 0;
  std::vector<Track> tracks;
};
constexpr auto fields_of(const Timeline*) {
  return object(field("round", &Timeline::round),
                field("left_out", &Timeline::left_out).note("later spans than those listed"),
                field("tracks", &Timeline::tracks));
}

}  // namespace assay::model
