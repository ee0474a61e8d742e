// SPDX-License-Identifier: Apache-2.0
#include "markdown/findings.hpp"

#include "lib/answer.hpp"
#include "lib/charts.hpp"
#include "lib/compared.hpp"
#include "lib/diagnosis_texts.hpp"
#include "lib/escape.hpp"
#include "lib/finding_sides.hpp"
#include "lib/finding_texts.hpp"
#include "lib/text.hpp"
#include "lib/wording.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace assay::reporters {
namespace {

// Two quantities of one case are distinguished by their names; of two cases what they are of is in the claim.
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
  const std::string answer = finding_answer(finding);
  return "**" + finding_word(finding) + "**" + (answer.empty() ? "" : ": " + markdown_text(answer));
}

// Without the folders of the suite's file, which are those of the machine that ran it.
std::string place_text(const Finding& finding) {
  Position place = finding.position;
  place.file.erase(0, place.file.rfind('/') + 1);
  return to_text(place);
}

// The answer beside the verdict; what the suite says need not repeat its yes or no.
std::string answer_before_say(const Finding& finding) {
  std::string answer = finding_answer(finding);
  const bool said = finding.say.starts_with("Yes") || finding.say.starts_with("No");
  if (said && finding.verdict == FindingVerdict::confirmed)
    return answer.substr(std::string_view("yes").size());
  if (said && finding.verdict == FindingVerdict::refuted) return answer.substr(std::string_view("no").size());
  return answer.empty() ? answer : ": " + answer;
}

// A command is set as code, what to do in words is not.
template <typename Sentence, typename Code>
std::string act_text(const Finding& finding, const Sentence& sentence, const Code& code) {
  const std::string act = fill(finding.act, finding);
  return is_sentence(act) ? std::string(sentence(act)) : std::string(code(act));
}

// The rows with both sides under the suite's names, and what is compared with what the claim asks.
void rows_table(const CasesById& cases, const Finding& finding, Page& page) {
  if (has_no_values(finding)) return;
  const SideCells side = side_cells(cases, finding);
  const std::string unit = side.unit.empty() ? "" : ", " + markdown_text(side.unit);
  const ShownSides sides = shown_sides(finding);
  const std::string asked = asked_text(finding),
                    said = finding.rows.size() == 1 ? finding.why : finding_why(finding);
  const bool is_named = finding.rows.size() > 1;
  std::vector<std::string> head;
  if (is_named) head.emplace_back("at");
  if (sides.has_left) head.push_back(markdown_text(sides.left + side.of_left) + unit + "\t");
  if (sides.has_right) head.push_back(markdown_text(sides.right + side.of_right) + unit + "\t");
  head.push_back(markdown_text(compared_name(finding)) + "\t");
  head.emplace_back("95 % interval");
  if (!asked.empty()) head.emplace_back("asked");
  head.emplace_back("rounds\t");
  head.emplace_back("verdict");
  std::vector<std::vector<std::string>> rows;
  const std::vector<std::string> names = row_names(finding);
  for (std::size_t i = 0; i < finding.rows.size(); ++i) {
    const FindingRow& row = finding.rows[i];
    const auto shown = compared(finding, row);
    const std::string interval = shown ? compared_interval(*shown) : std::string();
    std::string verdict = markdown_text(row_word(row));
    if (row.more_rounds) verdict += ", " + count_of(*row.more_rounds, "more round");
    if (!row.why.empty() && row.why != said) verdict += ": " + markdown_cell_sentence(row.why);
    std::vector<std::string> cells;
    if (is_named) cells.push_back(markdown_text(names[i]));
    if (sides.has_left) cells.push_back(markdown_text(side.rows[i].left));
    if (sides.has_right) cells.push_back(markdown_text(side.rows[i].right));
    cells.push_back(shown ? markdown_text(compared_value(*shown)) : "–");
    cells.push_back(interval.empty() ? "–" : interval);
    if (!asked.empty()) cells.push_back(markdown_text(asked));
    cells.push_back(std::to_string(row.n));
    cells.push_back(verdict);
    rows.push_back(std::move(cells));
  }
  page.table(head, rows);
}

void write_one(const Document& document, const CasesById& cases, const Finding& finding, std::size_t number,
               Page& page) {
  page.heading(3, std::to_string(number) + ". " +
                      markdown_text(finding.question.empty() ? finding.id : finding.question));
  const std::string answer = answer_before_say(finding), why = finding_why(finding);
  std::string text = "**" + capitalised(finding_word(finding)) + "**" + markdown_text(answer) + ".";
  if (assertion_failed(document, finding))
    text += " The suite asserts that it is confirmed: this fails the run.";
  if (!why.empty()) text += " Why: " + markdown_sentence(why) + ".";
  if (!finding.say.empty()) text += " " + markdown_sentence(fill(finding.say, finding));
  if (!finding.because.empty()) text += " **Because:** " + markdown_sentence(fill(finding.because, finding));
  if (!finding.act.empty()) text += " **Do:** " + act_text(finding, markdown_sentence, markdown_code);
  page.block(text);
  if (!finding.background.empty()) page.block(markdown_sentence(finding.background));
  if (const std::string expected = expected_text(finding); !expected.empty())
    page.block("Expected: " + markdown_text(expected) + ".");
  std::string claim = "Claim: " + markdown_code(finding.claim);
  if (const std::string asked = asked_text(finding); !asked.empty())
    claim += ", which asks for " + markdown_code(compared_name(finding)) + " " + markdown_text(asked);
  if (const std::string place = place_text(finding); !place.empty())
    claim += " (" + markdown_text(place) + ")";
  page.block(claim + ".");
  if (const auto picture = finding_chart(finding)) page.picture(*picture);
  rows_table(cases, finding, page);
  std::string notes;
  for (const std::string& note : finding.notes) notes += "- " + markdown_sentence(note) + "\n";
  page.block(notes);
  if (!page.keeps(Detail::everything) || finding.rows.empty()) return;
  std::string sides;
  const std::vector<std::string> names = row_names(finding);
  for (std::size_t i = 0; i < finding.rows.size(); ++i) {
    const FindingRow& row = finding.rows[i];
    if (row.left.id.empty() || row.right.id.empty()) continue;
    sides += "- " + markdown_text(names[i]) + (names[i].empty() ? "" : ": ") + sides_text(row) + "\n";
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
  return count_of(document.cases.size(), "configuration") + " in " + count_of(visits, "visit") + ", " +
         (left_out == 0 ? "each with a result" : std::to_string(left_out) + " without a result") +
         ". Valid for this machine and these software versions.";
}

}  // namespace

void write_findings(const Document& document, Page& page) {
  if (document.findings.empty()) return;
  page.heading(2, "Findings");
  const bool expects = std::any_of(document.findings.begin(), document.findings.end(),
                                   [](const Finding& finding) { return finding.expected.has_value(); });
  const bool asks = std::any_of(document.findings.begin(), document.findings.end(),
                                [](const Finding& finding) { return !asked_text(finding).empty(); });
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < document.findings.size(); ++i) {
    const Finding& finding = document.findings[i];
    const std::string measured = measured_text(finding), asked = asked_text(finding);
    rows.push_back({std::to_string(i + 1),
                    markdown_text(finding.question.empty() ? finding.id : finding.question),
                    verdict_text(finding)});
    if (expects) {
      const std::string expected = expected_text(finding);
      rows.back().push_back(expected.empty() ? "–" : markdown_text(expected));
    }
    if (asks) rows.back().push_back(asked.empty() ? "–" : markdown_text(asked));
    rows.back().push_back(measured.empty() ? "–" : markdown_text(measured));
  }
  std::vector<std::string> head = {"#", "question", "answer"};
  if (expects) head.emplace_back("expected");
  if (asks) head.emplace_back("asked");
  head.emplace_back("measured (95 %)");
  page.table(head, rows);
  page.block(coverage(document));
  // Without a value the table has said it all.
  if (!page.keeps(Detail::no_system) || nothing_was_measured(document) || is_said_once(document)) return;
  const CasesById cases = cases_by_id(document);
  for (std::size_t i = 0; i < document.findings.size(); ++i)
    write_one(document, cases, document.findings[i], i + 1, page);
}

void write_diagnoses(const Document& document, Page& page) {
  if (document.diagnoses.empty()) return;
  page.heading(2, "Symptoms");
  std::vector<std::vector<std::string>> rows;
  for (const model::Diagnosis& each : document.diagnoses)
    rows.push_back({markdown_cell_sentence(each.symptom), markdown_cell_sentence(shown_by(each)),
                    markdown_cell_sentence(each.cause), markdown_cell_sentence(each.remedy),
                    markdown_cell_code(each.rule) +
                        (each.source.empty() ? "" : ", " + markdown_cell_sentence(each.source))});
  page.table({"symptom", "seen", "cause", "do", "rule"}, rows);
}

}  // namespace assay::reporters
