// SPDX-License-Identifier: Apache-2.0
#include "lib/axis_text.hpp"
#include "lib/charts.hpp"
#include "lib/lanes.hpp"
#include "lib/numbers.hpp"
#include "lib/svg_lanes.hpp"
#include "lib/text.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <utility>

namespace assay::reporters {
namespace {

constexpr std::size_t kMostLanes = 40, kMostSpans = 2000;

std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }

// The colours' names: those of the spans where they are few, else their first words, else none: each track has one.
std::vector<std::string> colours_of(const Timeline& timeline, bool first_words) {
  std::vector<std::string> out;
  for (const Track& track : timeline.tracks) {
    for (const Span& span : track.spans) {
      std::string name = one_line(span.name);
      if (first_words) name = first_word(name);
      if (contains(out, name)) continue;
      if (out.size() == kSeriesColours) return {};
      out.push_back(std::move(name));
    }
  }
  return out;
}

}  // namespace

std::optional<Picture> timeline_chart(const Case& one) {
  if (!one.timeline) return std::nullopt;
  const Timeline& timeline = *one.timeline;
  bool by_word = false, several_ranks = false;
  std::vector<std::string> names = colours_of(timeline, false);
  if (names.empty()) {
    by_word = true;
    names = colours_of(timeline, true);
  }
  double end = 0;
  std::size_t all = 0, drawn = 0;
  for (const Track& track : timeline.tracks) {
    several_ranks = several_ranks || track.rank != timeline.tracks.front().rank;
    for (const Span& span : track.spans) end = std::max(end, span.end_s);
    all += track.spans.size();
  }
  const Scale scale = scale_for(Unit("s"), end);
  LanePlot plot;
  plot.title = "Timeline of " + as_written(one.id);
  plot.name = "time, " + scale.unit;
  for (std::size_t i = 0; i < timeline.tracks.size(); ++i) {
    const Track& track = timeline.tracks[i];
    std::size_t number = 0;
    for (const std::vector<Slice>& slices : lanes_of(track)) {
      if (plot.lanes.size() == kMostLanes) break;
      LaneLine& lane = plot.lanes.emplace_back();
      lane.label = (several_ranks ? "rank " + std::to_string(track.rank) + " " : "") + one_line(track.name) +
                   (++number > 1 ? " (" + std::to_string(number) + ")" : "");
      for (const Slice& slice : slices) {
        if (drawn == kMostSpans) break;
        ++drawn;
        const std::string name = one_line(*slice.name);
        const double begin_s = static_cast<double>(slice.begin_ns) / 1e9,
                     end_s = static_cast<double>(slice.end_ns) / 1e9;
        const auto known = std::find(names.begin(), names.end(), by_word ? first_word(name) : name);
        lane.spans.push_back({begin_s / scale.factor, end_s / scale.factor,
                              known == names.end() ? i : static_cast<std::size_t>(known - names.begin()),
                              name,
                              name + ": " + quantity(begin_s, scale) + " to " + quantity(end_s, scale)});
      }
    }
  }
  for (std::size_t i = 0; i < names.size() && names.size() > 1; ++i)
    plot.key.push_back({"s" + std::to_string(i), names[i]});
  plot.description = count_of(all, "span") + " on " + count_of(timeline.tracks.size(), "track") + ", " +
                     quantity(end, scale) + " from the first to the last";
  plot.note = "An extra iteration in round " + std::to_string(timeline.round) + ", not part of the figures";
  if (drawn < all)
    plot.note += "; " + std::to_string(drawn) + " of " + std::to_string(all) + " spans are drawn";
  if (timeline.left_out > 0) plot.note += "; later ones were not kept";
  return svg_lanes(plot);
}

}  // namespace assay::reporters
