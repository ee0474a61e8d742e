// SPDX-License-Identifier: Apache-2.0
#include "markdown/comparison.hpp"

#include "lib/charts.hpp"
#include "lib/escape.hpp"
#include "markdown/page.hpp"

#include <vector>

namespace assay::reporters {
namespace {

std::string bullets(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += "- " + markdown_text(text) + "\n";
  return out;
}

std::string page_of(const Comparison& comparison, const MarkdownOptions& options, std::size_t most_rows,
                    PictureFiles* pictures) {
  if (pictures != nullptr) pictures->clear();
  Page page(options, Detail::everything, pictures);
  page.heading(
      1, "Comparison: " + markdown_text(comparison.verdict.outcome == ComparisonOutcome::passed ? "passed"
                                        : comparison.verdict.outcome == ComparisonOutcome::failed
                                            ? "FAILED"
                                            : "nothing compared"));
  page.block(markdown_text(comparison.verdict.text));
  page.block(bullets(side_texts(comparison)));
  const std::vector<std::string> differences = difference_texts(comparison);
  page.block(differences.empty() ? "Nothing else is known to differ."
             : differences.size() == 1
                 ? "This differs, and is the change under test:"
                 : "These differ, so that the comparison is confounded: nothing tells which of "
                   "them changed a row.");
  page.block(bullets(differences));
  page.block(bullets(shift_texts(comparison)));
  if (const auto picture = comparison_chart(comparison)) page.picture(*picture);
  const std::vector<const ComparedRow*> rows = by_importance(comparison);
  std::vector<std::vector<std::string>> cells;
  for (const ComparedRow* row : rows) {
    if (cells.size() == most_rows) break;
    const ComparedTexts texts = texts_of(*row);
    const bool failed = has_failed(comparison, *row);
    const std::string verdict = markdown_text(texts.verdict + why_failed(comparison, *row) +
                                              (row->why.empty() ? "" : ": " + row->why));
    cells.push_back({markdown_cell_code(row->id), markdown_text(row->metric), texts.before, texts.after,
                     texts.ratio, markdown_text(texts.interval), failed ? "**" + verdict + "**" : verdict});
  }
  page.table({"row", "metric", "old\t", "new\t", "new / old\t", "95 %", "verdict"}, cells);
  if (cells.size() < rows.size())
    page.block("… and " + std::to_string(rows.size() - cells.size()) +
               " less important rows, left out to keep "
               "the budget.");
  page.block(bullets(reach_texts(comparison)));
  return page.text();
}

}  // namespace

std::string render_markdown(const Comparison& comparison, const MarkdownOptions& options,
                            PictureFiles* pictures) {
  if (!options.charts) pictures = nullptr;
  std::size_t rows = comparison.rows.size();
  std::string page = page_of(comparison, options, rows, pictures);
  while (page.size() > options.budget && rows > 0) page = page_of(comparison, options, rows /= 2, pictures);
  return page;
}

}  // namespace assay::reporters
