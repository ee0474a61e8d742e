// SPDX-License-Identifier: Apache-2.0
#include "lib/lanes.hpp"

#include <algorithm>
#include <cmath>

namespace assay::reporters {
namespace {

constexpr double kLatest_s = 1e9;  // what is later is not a time of an iteration; nanoseconds of it fit

std::int64_t nanoseconds(double seconds) { return std::llround(std::clamp(seconds, 0.0, kLatest_s) * 1e9); }

struct Lane {
  std::vector<Slice> slices;
  std::vector<std::int64_t> open;  // ends of those that have begun, the innermost last

  // Whether it lies beside all that are open, or inside the innermost.
  bool takes(const Slice& slice) {
    while (!open.empty() && open.back() <= slice.begin_ns) open.pop_back();
    return open.empty() || slice.end_ns <= open.back();
  }
};

}  // namespace

std::vector<std::vector<Slice>> lanes_of(const Track& track) {
  std::vector<Slice> slices;
  for (const Span& span : track.spans)
    slices.push_back({&span.name, nanoseconds(span.begin_s), nanoseconds(span.end_s), span.iteration});
  // Of those that begin together the longest is the outer one.
  std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  });
  std::vector<Lane> lanes(1);
  for (const Slice& slice : slices) {
    auto lane = std::find_if(lanes.begin(), lanes.end(), [&](Lane& one) { return one.takes(slice); });
    if (lane == lanes.end()) lane = lanes.insert(lanes.end(), Lane());
    lane->slices.push_back(slice);
    lane->open.push_back(slice.end_ns);
  }
  std::vector<std::vector<Slice>> out;
  for (Lane& lane : lanes) out.push_back(std::move(lane.slices));
  return out;
}

}  // namespace assay::reporters
