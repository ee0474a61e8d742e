// SPDX-License-Identifier: Apache-2.0
#include "lib/comparison.hpp"

#include "lib/numbers.hpp"
#include "lib/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace assay::reporters {
namespace {

std::string ratio_text(double ratio, double low, double high) {
  const int digits = std::clamp(decimals(ratio, (high - low) / 2, 1), 2, 4);
  return fixed(ratio, digits);
}

// Of what order a row stands in: what a reader has to act on first.
int rank_of(const Comparison& comparison, const ComparedRow& row) {
  if (has_failed(comparison, row)) return row.verdict == "slower" ? 0 : 1;
  constexpr std::array<std::string_view, 7> kOrder{"slower",    "different",      "faster", "small",
                                                   "undecided", "not_comparable", "same"};
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
  if (count > kMost) text += fmt::format(" and {} more", count - kMost);
  if (runs.empty()) return text;
  text += fmt::format(" ({}, {}{}{})", one_line(runs.front().suite), count_of(runs.front().rounds, "round"),
                      runs.front().host.empty() ? "" : ", " + one_line(runs.front().host),
                      runs.front().started_at.empty() ? "" : ", " + one_line(runs.front().started_at));
  return text;
}

std::string known_from(const std::string& source) {
  if (source == "history") return "as the results of each side differ";
  if (source == "rows") return "as the rows scatter, which is more than is usually assumed";
  if (source == "given") return "as --between-runs says";
  return "which is assumed; several results a side would tell";
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
  out.verdict = row.verdict == "not_comparable" ? "not comparable" : one_line(row.verdict);
  return out;
}

bool has_failed(const Comparison& comparison, const ComparedRow& row) {
  const bool is_asked = comparison.no_worse_than && row.before && row.direction != "none";
  return row.verdict == "slower" || (is_asked && !row.no_worse.value_or(false));
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

std::vector<std::string> side_texts(const Comparison& comparison) {
  std::vector<std::string> texts{side_text("old", comparison.before), side_text("new", comparison.after)};
  const auto is_simulated = [](const model::ComparedRun& run) { return run.simulated; };
  if (std::any_of(comparison.before.begin(), comparison.before.end(), is_simulated) ||
      std::any_of(comparison.after.begin(), comparison.after.end(), is_simulated))
    texts.emplace_back("simulated: these figures say nothing of a machine");
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
    texts.push_back(fmt::format("The {} rows of {} moved together by {} {}.", shift.rows,
                                one_line(shift.resource),
                                change(shift.ratio - 1, (shift.high - shift.low) / 2),
                                change_interval(shift.low - 1, shift.high - 1)));
  }
  return texts;
}

std::vector<std::string> reach_texts(const Comparison& comparison) {
  std::vector<std::string> texts;
  for (const model::SpreadOfRuns& spread : comparison.spreads) {
    texts.push_back(fmt::format("Runs of {} are taken to differ by {}, {}.", one_line(spread.resource),
                                percent(spread.share), known_from(spread.source)));
  }
  const model::Reach& reach = comparison.reach;
  if (reach.middle && reach.worst) {
    texts.push_back(
        fmt::format("These runs show a change of {} in the middle row and of {} in the worst (in 80 of 100 "
                    "cases, beyond {}).",
                    percent(*reach.middle), percent(*reach.worst), percent(comparison.theta)));
    texts.push_back(reach.runs_for_one_percent
                        ? fmt::format("To tell 1 % from no change, the middle row takes {} a side.",
                                      count_of(*reach.runs_for_one_percent, "run"))
                        : "To tell 1 % from no change, 1000 runs a side would not be enough.");
  }
  return texts;
}

}  // namespace assay::reporters
