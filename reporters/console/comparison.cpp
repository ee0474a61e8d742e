// SPDX-License-Identifier: Apache-2.0
#include "console/comparison.hpp"

#include "lib/text.hpp"
#include "text/table.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace assay::reporters {
namespace {

constexpr std::size_t kMostRowsShown = 50;
constexpr std::size_t kMostNotComparable = 5;  // of one reason

class ComparisonPrinter : private ConsoleText {
 public:
  ComparisonPrinter(const Comparison& comparison, const ConsoleOptions& options)
      : ConsoleText(options.style), comparison_(comparison), options_(options) {}

  std::string print() {
    const bool is_good = comparison_.verdict.outcome == ComparisonOutcome::passed;
    wrapped(comparison_.verdict.text, 0, is_good ? Tone::good : Tone::bad);
    out_ += "\n";
    for (const std::string& text : side_texts(comparison_)) wrapped(text, 2);
    const std::vector<std::string> differences = difference_texts(comparison_);
    if (differences.empty()) line("  nothing else is known to differ");
    if (!differences.empty()) {
      line(differences.size() == 1 ? "  differs, and is the change under test:"
                                   : "  differs (confounded: nothing tells which of these changed a row):");
    }
    for (const std::string& text : differences) wrapped(text, 4, Tone::warning);
    rows();
    const std::vector<std::string> shifts = shift_texts(comparison_), reach = reach_texts(comparison_);
    if (!shifts.empty() || !reach.empty()) out_ += "\n";
    for (const std::string& text : shifts) wrapped(text, 0, Tone::warning);
    for (const std::string& text : reach) wrapped(text, 0, Tone::dim);
    out_ += "\n";
    if (!options_.results.empty()) line("results    " + one_line(options_.results));
    if (!options_.again.empty()) line("again      " + one_line(options_.again));
    line("exit " + (options_.exit.empty() ? std::to_string(comparison_.verdict.exit_code) : options_.exit));
    return out_;
  }

 private:
  void rows() {
    std::vector<const ComparedRow*> rows;
    for (const ComparedRow* row : by_importance(comparison_)) {
      if (row->verdict == ComparedVerdict::not_comparable && !has_failed(comparison_, *row))
        not_comparable_.push_back(row);
      else
        rows.push_back(row);
    }
    if (!rows.empty()) shown(rows);
    if (!not_comparable_.empty()) not_comparable();
  }

  void shown(const std::vector<const ComparedRow*>& rows) {
    out_ += "\n";
    // Of a row without its metric nobody could say which it is: then it outlives the other columns.
    AlignedTable table({{Align::left, 0, {}},
                        {Align::left, metric_tells_apart(rows) ? 0 : 1, "metric"},
                        {Align::right, 2, "old"},
                        {Align::right, 2, "new"},
                        {Align::right, 0, {}},
                        {Align::left, 3, "95 %"},
                        {Align::left, 0, {}}});
    std::vector<Cell> head;
    for (const char* text : {"row", "metric", "old", "new", "new / old", "95 %"})
      head.push_back({text, Tone::dim});
    table.add_cells(std::move(head));
    for (std::size_t i = 0; i < rows.size() && i < kMostRowsShown; ++i) add(table, *rows[i]);
    out_ += table.render(style_);
    if (rows.size() > kMostRowsShown) rest(rows.size() - kMostRowsShown, "less important row");
  }

  // Each reason once, with the rows that it is of.
  void not_comparable() {
    out_ += "\n";
    std::map<std::string, std::vector<const ComparedRow*>> by_reason;
    for (const ComparedRow* row : not_comparable_) by_reason[row->why].push_back(row);
    for (const auto& [why, rows] : by_reason) {
      wrapped(count_of(rows.size(), "row") + " not comparable" + (why.empty() ? "" : ": " + why), 0);
      for (std::size_t i = 0; i < rows.size() && i < kMostNotComparable; ++i)
        line("  " + one_line(rows[i]->id) + "  " + one_line(rows[i]->metric), Tone::dim);
      if (rows.size() > kMostNotComparable) rest(rows.size() - kMostNotComparable, "more row");
    }
  }

  void rest(std::size_t count, const char* what) {
    line("  … " + count_of(count, what) + "; --report markdown or json shows all", Tone::dim);
  }

  void add(AlignedTable& table, const ComparedRow& row) {
    const ComparedTexts texts = texts_of(row);
    const Tone tone = has_failed(comparison_, row)             ? Tone::bad
                      : row.verdict == ComparedVerdict::faster ? Tone::good
                                                               : Tone::plain;
    table.add_cells({{one_line(row.id)},
                     {one_line(row.metric)},
                     {texts.before},
                     {texts.after},
                     {texts.ratio},
                     {texts.interval},
                     {texts.verdict + why_failed(comparison_, row), tone}});
    if (row.why.empty() || row.why == said_) return;
    said_ = row.why;
    const std::size_t room = style_.width > 24 ? style_.width - 4 : 20;
    for (const std::string& part : wrap(one_line(row.why), room)) table.add_line("    " + part, Tone::dim);
  }

  const Comparison& comparison_;
  const ConsoleOptions& options_;
  std::string said_;
  std::vector<const ComparedRow*> not_comparable_;
};

}  // namespace

std::string render_console(const Comparison& comparison, const ConsoleOptions& options) {
  return ComparisonPrinter(comparison, options).print();
}

}  // namespace assay::reporters
