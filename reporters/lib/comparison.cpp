// SPDX-License-Identifier: Apache-2.0
#include "lib/comparison.hpp"

#include "lib/document.hpp"
#include "lib/numbers.hpp"
#include "lib/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

namespace assay::reporters {
namespace {

std::string ratio_text(double ratio, double low, double high) {
  const int digits = std::clamp(decimals(ratio, (high - low) / 2, 1), 2, 4);
  return fixed(ratio, digits);
}

// Of what order a row stands in: what a reader has to act on first.
int rank_of(const Comparison& comparison, const ComparedRow& row) {
  if (row.verdict == ComparedVerdict::failed) return -1;
  if (has_failed(comparison, row)) return row.verdict == ComparedVerdict::slower ? 0 : 1;
  using enum ComparedVerdict;
  constexpr std::array kOrder{slower, different, faster, small, undecided, not_comparable, same};
  return 2 + static_cast<int>(std::find(kOrder.begin(), kOrder.end(), row.verdict) - kOrder.begin());
}

double size_of(const ComparedRow& row) {
  return row.ratio && *row.ratio > 0 ? std::abs(std::log(*row.ratio)) : 0;
}

std::string side_text(const std::string& name, const std::vector<model::ComparedRun>& runs) {
  std::vector<std::string> sources;
  for (const model::ComparedRun& run : runs) sources.push_back(one_line(run.source));
  constexpr std::size_t kMost = 4;
  const std::size_t count = sources.size();
  if (count > kMost) sources.resize(kMost);
  std::string text = name + ": " + join(sources, ", ");
  if (!runs.empty() && !runs.front().variant.empty()) text += ", variant " + one_line(runs.front().variant);
  if (count > kMost) text += fmt::format(" and {} more", count - kMost);
  if (runs.empty()) return text;
  text += fmt::format(" ({}, {}{}{})", one_line(runs.front().suite), count_of(runs.front().rounds, "round"),
                      runs.front().host.empty() ? "" : ", " + one_line(runs.front().host),
                      runs.front().started_at.empty() ? "" : ", " + one_line(runs.front().started_at));
  return text;
}

// "host s" → "times on host", "cuda FLOP/s" → "FLOP/s on cuda".
std::string resource_text(const std::string& resource) {
  const std::size_t space = resource.find(' ');
  if (space == std::string::npos) return one_line(resource);
  const std::string unit = resource.substr(space + 1);
  return one_line((unit == "s" ? "times" : unit) + " on " + resource.substr(0, space));
}

std::string spread_text(const model::SpreadOfRuns& spread) {
  const std::string what = resource_text(spread.resource), share = percent(spread.share);
  if (spread.source == SpreadSource::rounds)
    return fmt::format("Ratios of rounds that were measured in turn vary by {} ({}).", share, what);
  const auto told = [&](const char* verb, const char* source) {
    return fmt::format("Without a change, runs {} by {} ({}){}.", verb, share, what, source);
  };
  if (spread.source == SpreadSource::history) return told("vary", ", as the results of each side do");
  if (spread.source == SpreadSource::rows)
    return told("vary", ", as the rows scatter, which is more than is usually assumed");
  if (spread.source == SpreadSource::given) return told("are assumed to vary", ", as --between-runs says");
  return told("are assumed to vary", "; several results of each side would tell");
}

}  // namespace

ComparedTexts texts_of(const ComparedRow& row) {
  ComparedTexts out;
  const auto half_width = [&](double value) -> std::optional<double> {
    if (!(row.low <= row.high)) return std::nullopt;
    return value * (row.high - row.low) / 2;
  };
  if (row.before) out.before = quantity(*row.before, row.unit, half_width(*row.before));
  if (row.after) out.after = quantity(*row.after, row.unit, half_width(*row.after));
  if (row.ratio && row.low <= row.high) {
    out.ratio = ratio_text(*row.ratio, row.low, row.high);
    out.interval =
        "[" + ratio_text(row.low, row.low, row.high) + ", " + ratio_text(row.high, row.low, row.high) + "]";
  }
  out.verdict = in_words(row.verdict);
  return out;
}

bool has_failed(const Comparison& comparison, const ComparedRow& row) {
  const bool is_asked = comparison.no_worse_than && row.before && row.direction != "none";
  return row.verdict == ComparedVerdict::slower || row.verdict == ComparedVerdict::failed ||
         (is_asked && !row.no_worse.value_or(false));
}

const char* why_failed(const Comparison& comparison, const ComparedRow& row) {
  return has_failed(comparison, row) && row.verdict != ComparedVerdict::slower &&
                 row.verdict != ComparedVerdict::failed
             ? ", not shown to be no worse"
             : "";
}

std::vector<const ComparedRow*> by_importance(const Comparison& comparison) {
  std::vector<const ComparedRow*> rows;
  for (const ComparedRow& row : comparison.rows) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(), [&](const ComparedRow* a, const ComparedRow* b) {
    const int left = rank_of(comparison, *a), right = rank_of(comparison, *b);
    return left != right ? left < right : size_of(*a) > size_of(*b);
  });
  return rows;
}

bool metric_tells_apart(const std::vector<const ComparedRow*>& rows) {
  std::set<std::string> ids;
  return std::any_of(rows.begin(), rows.end(),
                     [&](const ComparedRow* row) { return !ids.insert(row->id).second; });
}

bool is_simulated(const Comparison& comparison) {
  const auto one_is = [](const model::ComparedRun& run) { return run.simulated; };
  return std::any_of(comparison.before.begin(), comparison.before.end(), one_is) ||
         std::any_of(comparison.after.begin(), comparison.after.end(), one_is);
}

std::vector<std::string> side_texts(const Comparison& comparison) {
  std::vector<std::string> texts{side_text("old", comparison.before), side_text("new", comparison.after)};
  for (const std::string& filter : comparison.filters)
    texts.push_back("rows by --filter '" + one_line(filter) + "'");
  if (is_simulated(comparison)) texts.emplace_back("simulated: these figures say nothing of a machine");
  if (!comparison.before.empty() && !comparison.after.empty() &&
      !comparison.after.front().started_at.empty() &&
      comparison.before.front().started_at > comparison.after.front().started_at)
    texts.emplace_back("old began after new: they may be swapped");
  return texts;
}

std::vector<std::string> difference_texts(const Comparison& comparison) {
  std::vector<std::string> texts;
  for (const model::Difference& each : comparison.differences) {
    const auto or_none = [](const std::string& text) {
      return text.empty() ? std::string("none") : one_line(text);
    };
    texts.push_back(one_line(each.what) + ": " + or_none(each.before) + " → " + or_none(each.after));
  }
  return texts;
}

std::vector<std::string> shift_texts(const Comparison& comparison) {
  std::vector<std::string> texts;
  for (const model::CommonShift& shift : comparison.shifts) {
    if (shift.low <= 1 && shift.high >= 1) continue;
    texts.push_back(fmt::format("The {} rows in {} moved together by {} {}.", shift.rows,
                                resource_text(shift.resource),
                                change(shift.ratio - 1, (shift.high - shift.low) / 2),
                                change_interval(shift.low - 1, shift.high - 1)));
  }
  return texts;
}

std::vector<std::string> reach_texts(const Comparison& comparison) {
  std::vector<std::string> texts;
  for (const model::SpreadOfRuns& spread : comparison.spreads) texts.push_back(spread_text(spread));
  const model::Sensitivity& reach = comparison.reach;
  if (!reach.middle || !reach.worst) return texts;
  const bool in_turn = !comparison.before.empty() && !comparison.before.front().variant.empty();
  const bool is_alone = comparison.rows.size() == 1;
  const std::string found = is_alone ? percent(*reach.middle)
                                     : fmt::format("{} in the median row and {} in the noisiest",
                                                   percent(*reach.middle), percent(*reach.worst));
  texts.push_back(fmt::format(
      "The smallest change that such {} find: {} (in 80 of 100 comparisons; beyond {} a change counts).",
      in_turn ? "rounds" : "runs", found, percent(comparison.theta)));
  const std::string needed =
      !reach.runs_for_one_percent
          ? std::string(in_turn ? "more than 1000 rounds" : "more than 1000 runs of each side")
      : in_turn ? count_of(*reach.runs_for_one_percent, "round")
                : count_of(*reach.runs_for_one_percent, "run") + " of each side";
  texts.push_back(
      fmt::format("A change of 1 %{} would be found with {}.", is_alone ? "" : " in the median row", needed));
  return texts;
}

}  // namespace assay::reporters
