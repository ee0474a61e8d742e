// SPDX-License-Identifier: Apache-2.0
#include "lib/answer.hpp"
#include "lib/charts.hpp"
#include "lib/compared.hpp"
#include "lib/numbers.hpp"
#include "lib/svg_rows.hpp"
#include "lib/text.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace assay::reporters {
namespace {

constexpr std::size_t kMostRows = 40;   // rows of a picture
constexpr std::size_t kNotDecided = 4;  // colour of all but the two below

std::size_t colour_of(FindingVerdict verdict) {
  return verdict == FindingVerdict::confirmed ? 0 : verdict == FindingVerdict::refuted ? 1 : kNotDecided;
}

// A colour and the verdicts that have it, in their own words: "undecided", "undecided or small".
std::vector<KeyEntry> key_of(const std::vector<FindingVerdict>& verdicts) {
  std::vector<KeyEntry> key;
  for (const std::size_t colour : {std::size_t{0}, std::size_t{1}, kNotDecided}) {
    std::vector<std::string> words;
    for (const FindingVerdict verdict : verdicts)
      if (colour_of(verdict) == colour) add_once(words, in_words(verdict));
    if (!words.empty()) key.push_back({"s" + std::to_string(colour), join(words, " or ")});
  }
  return key;
}

}  // namespace

std::optional<Picture> finding_chart(const Finding& finding) {
  RowPlot plot;
  plot.title = finding.question.empty() ? finding.id : finding.question;
  plot.bars = false;
  bool bounded = false;
  const std::vector<double> asked = asked_limits(finding);
  const std::vector<std::string> names = row_names(finding);
  std::vector<FindingVerdict> verdicts;
  std::optional<Scale> scale;  // of all rows, the first row's
  for (std::size_t i = 0; i < finding.rows.size() && plot.rows.size() < kMostRows; ++i) {
    const auto shown = compared(finding, finding.rows[i]);
    if (!shown) continue;
    if (!scale) {
      scale = shown->unit.base == "×" ? Scale{1, "×"} : scale_for(shown->unit, shown->value);
      if (shown->unit.base == "×") plot.lines.push_back(1);
    }
    const std::string text = compared_value(*shown);
    RowMark mark{names[i],
                 text,
                 shown->value / scale->factor,
                 std::nullopt,
                 {},
                 (names[i].empty() ? "" : names[i] + ": ") + compared_text(*shown) + ", " +
                     in_words(finding.rows[i].verdict)};
    if (shown->bounds) {
      mark.bounds = {shown->bounds->low / scale->factor, shown->bounds->high / scale->factor};
      bounded = true;
    }
    for (const double limit : asked) mark.asked.push_back(limit / scale->factor);
    mark.colour = colour_of(finding.rows[i].verdict);
    verdicts.push_back(finding.rows[i].verdict);
    plot.rows.push_back(std::move(mark));
  }
  plot.name = compared_name(finding) +
              (scale && !scale->unit.empty() && scale->unit != "×" ? ", " + scale->unit : "");
  if (plot.rows.size() < 2) return std::nullopt;
  const auto [least, most] =
      std::minmax_element(plot.rows.begin(), plot.rows.end(),
                          [](const RowMark& a, const RowMark& b) { return a.value < b.value; });
  plot.description = count_of(plot.rows.size(), "row") + ", from " + least->text + " to " + most->text;
  std::vector<std::string> marks;
  if (bounded) marks.emplace_back("whiskers: 95 % intervals");
  if (!asked.empty()) marks.emplace_back("dashed: what the claim asks for");
  if (!plot.lines.empty()) marks.emplace_back("line at 1: both are equal");
  plot.note = capitalised(join(marks, "; "));
  std::optional<Picture> picture = svg_rows(plot);
  if (picture) picture->key = key_of(verdicts);
  return picture;
}

}  // namespace assay::reporters
