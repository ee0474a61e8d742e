// SPDX-License-Identifier: Apache-2.0
#include "markdown/findings.hpp"

#include "lib/charts.hpp"
#include "lib/escape.hpp"
#include "lib/numbers.hpp"
#include "lib/phrases.hpp"
#include "lib/text.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace assay::reporters {
namespace {

// The half-width of a side that is one case's metric. Documents of older versions do not name the metric: the
// headline, if its unit is the side's.
std::optional<double> half_width_of(const Operand& operand, const Document& document) {
  const Case* const one = document.find(operand.id);
  if (one == nullptr) return std::nullopt;
  const auto is_it = [&](const Metric& metric) {
    return metric.indices.empty() && metric.unit == operand.unit &&
           (operand.metric.empty() ? metric.headline : metric.name == operand.metric);
  };
  const auto found = std::find_if(one->metrics.begin(), one->metrics.end(), is_it);
  return found == one->metrics.end() ? std::nullopt : half_width(*found);
}

// The digits that the same quantity has among the results; else they follow from the effect's interval, which
// is relative to its sides.
std::string operand_cell(const FindingRow& row, const Operand& operand, const std::optional<Scale>& scale,
                         const Document& document) {
  if (!operand.value) return "–";
  std::optional<double> width = half_width_of(operand, document);
  if (!width && known(row.bounds)) width = std::abs(*operand.value) * row.bounds.half_width();
  return markdown_text(quantity(
      *operand.value, scale ? Scale{scale->factor, ""} : scale_for(operand.unit, *operand.value), width));
}

std::optional<Scale> scale_of(const Finding& finding) {
  std::vector<double> values;
  Unit unit;
  for (const FindingRow& row : finding.rows) {
    for (const Operand* operand : {&row.left, &row.right}) {
      if (!operand->value) continue;
      if (!values.empty() && unit != operand->unit) return std::nullopt;
      unit = operand->unit;
      values.push_back(*operand->value);
    }
  }
  return common_scale(unit, values);
}

// Two quantities of one case are told apart by their names; of two cases what they are of is in the claim.
std::string sides_text(const FindingRow& row) {
  const bool named = !row.left.metric.empty() && !row.right.metric.empty();
  if (row.left.metric == row.right.metric || !named)
    return markdown_code(row.left.id) + " against " + markdown_code(row.right.id);
  const std::string left = markdown_text(row.left.metric), right = markdown_text(row.right.metric);
  if (row.left.id == row.right.id)
    return left + " against " + right + ", both of " + markdown_code(row.left.id);
  return left + " of " + markdown_code(row.left.id) + " against " + right + " of " +
         markdown_code(row.right.id);
}

std::string verdict_text(const Finding& finding) {
  return "**" + finding_word(finding) + "**" + finding_rows(finding);
}

// A command is set as code, what to do in words is not.
template <typename Sentence, typename Code>
std::string act_text(const Finding& finding, const Sentence& sentence, const Code& code) {
  const std::string act = fill(finding.act, finding);
  return is_sentence(act) ? std::string(sentence(act)) : std::string(code(act));
}

void write_one(const Document& document, const Finding& finding, std::size_t number, Page& page) {
  page.heading(3, std::to_string(number) + ". " +
                      markdown_text(finding.question.empty() ? finding.id : finding.question));
  std::string text = "**" + capitalised(finding_verdict(finding, true)) + ".**";
  if (assertion_failed(finding)) text += " The suite asserts that it is confirmed: this fails the run.";
  if (!finding.why.empty()) text += " " + capitalised(markdown_sentence(finding.why)) + ".";
  if (!finding.say.empty()) text += " " + markdown_sentence(fill(finding.say, finding));
  if (!finding.act.empty()) text += " **Do:** " + act_text(finding, markdown_sentence, markdown_code);
  page.block(text);
  std::string claim = "Claim: " + markdown_code(finding.claim);
  if (const std::string asked = asked_text(finding); !asked.empty()) claim += ", " + asked;
  if (!to_text(finding.position).empty()) claim += " (" + markdown_text(to_text(finding.position)) + ")";
  page.block(claim + ".");
  if (const auto picture = finding_chart(finding)) page.picture(*picture);
  std::vector<std::vector<std::string>> rows;
  const std::optional<Scale> scale = scale_of(finding);
  const std::string unit = scale && !scale->unit.empty() ? ", " + markdown_text(scale->unit) : "";
  for (const FindingRow& row : finding.rows) {
    const std::optional<double> width =
        known(row.bounds) ? std::optional(row.bounds.half_width()) : std::nullopt;
    std::string verdict = markdown_text(row.verdict);
    std::replace(verdict.begin(), verdict.end(), '_', ' ');
    if (row.more_rounds) verdict += ", " + count_of(*row.more_rounds, "more round");
    if (!row.why.empty()) verdict += ": " + markdown_cell_sentence(row.why);
    rows.push_back({markdown_text(row.label), operand_cell(row, row.left, scale, document),
                    operand_cell(row, row.right, scale, document),
                    row.effect ? change(*row.effect, width) : "–",
                    known(row.bounds) ? change_interval(row.bounds.low, row.bounds.high) : "–",
                    std::to_string(row.n), verdict});
  }
  page.table({"at", "left" + unit + "\t", "right" + unit + "\t", "effect\t", "95 % interval, %", "rounds\t",
              "verdict"},
             rows);
  if (!page.keeps(Detail::everything) || finding.rows.empty()) return;
  std::string sides;
  for (const FindingRow& row : finding.rows) {
    if (row.left.id.empty() || row.right.id.empty()) continue;
    sides += "- " + markdown_text(row.label) + (row.label.empty() ? "" : ": ") + sides_text(row) + "\n";
  }
  if (sides.empty()) return;
  page.begin_fold("Which cases were compared");
  page.block(sides);
  page.end_fold();
}

std::string coverage(const Document& document) {
  std::size_t visits = 0, left_out = 0;
  for (const Case& one : document.cases) {
    visits += one.visits.size();
    left_out += one.has_values() ? 0 : 1;
  }
  return count_of(document.cases.size(), "case") + ", " + count_of(visits, "visit") + ", " +
         (left_out == 0 ? "none left out" : std::to_string(left_out) + " without a result") +
         ". Holds for this system and software.";
}

}  // namespace

void write_findings(const Document& document, Page& page) {
  if (document.findings.empty()) return;
  page.heading(2, "Findings");
  const bool acts = std::any_of(document.findings.begin(), document.findings.end(),
                                [](const Finding& finding) { return !finding.act.empty(); });
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < document.findings.size(); ++i) {
    const Finding& finding = document.findings[i];
    const std::string effect = effect_text(finding);
    rows.push_back({std::to_string(i + 1),
                    markdown_text(finding.question.empty() ? finding.id : finding.question),
                    verdict_text(finding), effect.empty() ? "–" : markdown_text(effect)});
    if (acts)
      rows.back().push_back(
          finding.act.empty() ? "" : act_text(finding, markdown_cell_sentence, markdown_cell_code));
  }
  std::vector<std::string> head = {"#", "question", "verdict", "effect (95 %)"};
  if (acts) head.push_back("do");
  page.table(head, rows);
  page.block(coverage(document));
  // Without a value the table has said it all.
  if (!page.keeps(Detail::no_system) || nothing_was_measured(document)) return;
  for (std::size_t i = 0; i < document.findings.size(); ++i)
    write_one(document, document.findings[i], i + 1, page);
}

}  // namespace assay::reporters
