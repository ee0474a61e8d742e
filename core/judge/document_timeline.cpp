// SPDX-License-Identifier: Apache-2.0
#include "judge/document.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace assay::judge {
namespace {

constexpr std::size_t kKeptSpans = 10'000;  // of a case

struct TrackedSpan {
  std::size_t track = 0;
  const result::Span* span = nullptr;
};

// A journal may hold what no worker writes.
bool is_sound(const result::Span& span) { return span.begin_ns >= 0 && span.end_ns >= span.begin_ns; }

bool has_spans(const result::Visit* visit) {
  return std::any_of(visit->ranks.begin(), visit->ranks.end(), [](const result::RankRecord& rank) {
    return std::any_of(rank.spans.begin(), rank.spans.end(), is_sound);
  });
}

// The spans of all ranks in the order in which they began, and the tracks in the order in which the plugin
// spoke of them first.
std::vector<TrackedSpan> in_order(const result::Visit& visit, std::vector<model::Track>& tracks) {
  std::vector<TrackedSpan> all;
  for (const result::RankRecord& rank : visit.ranks) {
    std::map<std::string, std::size_t> known;
    for (const result::Span& span : rank.spans) {
      if (!is_sound(span)) continue;
      const auto [found, added] = known.emplace(span.track, tracks.size());
      if (added) tracks.push_back({rank.rank, span.track, {}});
      all.push_back({found->second, &span});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const TrackedSpan& a, const TrackedSpan& b) {
    return a.span->begin_ns < b.span->begin_ns;
  });
  return all;
}

}  // namespace

std::optional<model::Timeline> timeline_of(const CaseResult& result) {
  const auto traced = std::find_if(result.last_attempts.begin(), result.last_attempts.end(), has_spans);
  if (traced == result.last_attempts.end()) return std::nullopt;
  model::Timeline timeline;
  const std::vector<TrackedSpan> all = in_order(**traced, timeline.tracks);
  const std::int64_t origin = all.front().span->begin_ns;
  const auto seconds = [origin](std::int64_t at_ns) { return static_cast<double>(at_ns - origin) / 1e9; };
  const std::size_t kept = std::min(all.size(), kKeptSpans);
  const bool several = std::any_of(all.begin(), all.end(),
                                   [](const TrackedSpan& placed) { return placed.span->iteration > 0; });
  for (std::size_t i = 0; i < kept; ++i) {
    const result::Span& span = *all[i].span;
    model::Span& listed = timeline.tracks[all[i].track].spans.emplace_back(
        model::Span{span.name, seconds(span.begin_ns), seconds(span.end_ns)});
    if (several) listed.iteration = span.iteration;
  }
  timeline.round = (*traced)->round;
  timeline.left_out = all.size() - kept;
  return timeline;
}

}  // namespace assay::judge
