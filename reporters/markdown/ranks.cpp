// SPDX-License-Identifier: Apache-2.0
#include "markdown/ranks.hpp"

#include "lib/escape.hpp"
#include "lib/numbers.hpp"
#include "lib/text.hpp"
#include "markdown/grid.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace assay::reporters {
namespace {

std::string seconds(const std::optional<double>& value) {
  return value ? quantity(*value, "s") : std::string();
}

std::string name_of(const Rank& rank) {
  return "rank " + std::to_string(rank.rank) +
         (rank.devices.empty() ? "" : " (" + join(rank.devices, ", ") + ")");
}

const Rank* slowest(const Case& one) {
  const auto last = std::max_element(one.ranks.begin(), one.ranks.end(), [](const Rank& a, const Rank& b) {
    return a.share_slowest.value_or(0) < b.share_slowest.value_or(0);
  });
  return last == one.ranks.end() || !last->share_slowest ? nullptr : &*last;
}

// The least and the greatest of the ranks' own medians.
std::string medians(const Case& one) {
  std::optional<double> low, high;
  for (const Rank& rank : one.ranks) {
    if (!rank.median_s) continue;
    low = std::min(low.value_or(*rank.median_s), *rank.median_s);
    high = std::max(high.value_or(*rank.median_s), *rank.median_s);
  }
  if (!low) return {};
  const Scale scale = scale_for("s", *high);
  return range(*low, *high, scale) + " " + scale.unit;
}

// The ranks' own medians from the least on.
std::vector<double> ordered_medians(const Case& one) {
  std::vector<double> medians;
  for (const Rank& rank : one.ranks) {
    if (rank.median_s && *rank.median_s > 0) medians.push_back(*rank.median_s);
  }
  std::sort(medians.begin(), medians.end());
  return medians;
}

std::optional<double> middle_of_medians(const Case& one) {
  const std::vector<double> medians = ordered_medians(one);
  if (medians.empty()) return std::nullopt;
  const std::size_t half = medians.size() / 2;
  return medians.size() % 2 == 1 ? medians[half] : (medians[half - 1] + medians[half]) / 2;
}

// (max − min)/median of the ranks' own medians.
std::string spread(const Case& one) {
  const std::vector<double> medians = ordered_medians(one);
  if (medians.size() < 2) return {};
  return percent((medians.back() - medians.front()) / *middle_of_medians(one));
}

constexpr std::size_t kMostRanks = 16, kMostLines = 128;

// Those that are the slowest most often, in the order of ranks; all if there are not many.
std::vector<const Rank*> shown_ranks(const Case& one) {
  std::vector<const Rank*> ranks;
  for (const Rank& rank : one.ranks) ranks.push_back(&rank);
  if (ranks.size() <= kMostRanks) return ranks;
  std::stable_sort(ranks.begin(), ranks.end(), [](const Rank* a, const Rank* b) {
    return a->share_slowest.value_or(0) > b->share_slowest.value_or(0);
  });
  ranks.resize(kMostRanks);
  std::sort(ranks.begin(), ranks.end(), [](const Rank* a, const Rank* b) { return a->rank < b->rank; });
  return ranks;
}

// Every rank by itself.
void write_each(const Block& block, Page& page) {
  Grid grid;
  grid.axes(block);
  const std::size_t members = grid.column("case"), number = grid.column("rank", true);
  const std::size_t device = grid.column("device"), own = grid.column("own median", true);
  const std::size_t against = grid.column("to the ranks' median", true);
  const std::size_t share = grid.column("slowest in", true);
  std::size_t lines = 0, left_out = 0;
  for (const Row& row : block.rows) {
    for (const Case* one : row.members) {
      if (!one->team) continue;
      const std::vector<const Rank*> ranks = shown_ranks(*one);
      left_out += one->ranks.size() - ranks.size();
      const std::optional<double> middle = middle_of_medians(*one);
      for (const Rank* rank : ranks) {
        if (++lines > kMostLines) {
          ++left_out;
          continue;
        }
        grid.row(row.labels);
        if (row.members.size() > 1) grid.set(members, markdown_text(one->id));
        grid.set(number, std::to_string(rank->rank));
        grid.set(device, markdown_text(join(rank->devices, ", ")));
        grid.set(own, seconds(rank->median_s));
        if (middle && rank->median_s) grid.set(against, change(*rank->median_s / *middle - 1));
        if (rank->share_slowest) grid.set(share, percent(*rank->share_slowest));
      }
    }
  }
  if (grid.empty()) return;
  page.begin_fold("Each rank");
  grid.write(page);
  if (left_out != 0) page.block(std::to_string(left_out) + " ranks more are in result.json.");
  page.end_fold();
}

}  // namespace

void write_ranks(const Block& block, Page& page) {
  Grid grid;
  grid.axes(block);
  const std::size_t members = grid.column("case");
  const std::size_t mean = grid.column("mean over ranks", true);
  const std::size_t each = grid.column("medians of ranks"), apart = grid.column("their spread", true);
  const std::size_t last = grid.column("most often slowest"), share = grid.column("in samples", true);
  const std::size_t skew = grid.column("start skew, median", true), most = grid.column("largest", true);
  for (const Row& row : block.rows) {
    for (const Case* one : row.members) {
      if (!one->team) continue;
      const model::RankComparison& team = *one->team;
      const model::StartSkew skews = team.start_skew_s.value_or(model::StartSkew());
      grid.row(row.labels);
      if (row.members.size() > 1) grid.set(members, markdown_text(one->id));
      grid.set(mean, seconds(team.mean_over_ranks_s));
      grid.set(each, medians(*one));
      grid.set(apart, spread(*one));
      if (const Rank* rank = slowest(*one)) {
        grid.set(last, markdown_text(name_of(*rank)));
        grid.set(share, percent(*rank->share_slowest));
      }
      grid.set(skew, seconds(skews.median));
      grid.set(most, seconds(skews.maximum));
    }
  }
  if (grid.empty()) return;
  page.begin_fold("Ranks: times of an iteration, and how far apart they began");
  grid.write(page);
  page.end_fold();
  if (page.keeps(Detail::everything)) write_each(block, page);
}

}  // namespace assay::reporters
