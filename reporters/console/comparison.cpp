// SPDX-License-Identifier: Apache-2.0
#include "console/comparison.hpp"

#include "lib/table.hpp"
#include "lib/text.hpp"

#include <vector>

namespace assay::reporters {
namespace {

constexpr std::size_t kMostRowsShown = 50;

class ComparisonPrinter {
 public:
  ComparisonPrinter(const Comparison& comparison, const ConsoleOptions& options)
      : comparison_(comparison), options_(options), style_(options.style) {}

  std::string print() {
    const bool is_good = comparison_.verdict.outcome == "passed";
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
    out_ += "\n";
    for (const std::string& text : shift_texts(comparison_)) wrapped(text, 0, Tone::warning);
    for (const std::string& text : reach_texts(comparison_)) wrapped(text, 0, Tone::dim);
    out_ += "\n";
    if (!options_.results.empty()) line("results    " + one_line(options_.results));
    line("exit " + (options_.exit.empty() ? std::to_string(comparison_.verdict.exit_code) : options_.exit));
    return out_;
  }

 private:
  void line(const std::string& text, Tone tone = Tone::plain) {
    out_ += toned(style_.ascii ? to_ascii(text) : text, tone, style_) + "\n";
  }

  void wrapped(const std::string& text, std::size_t indent, Tone tone = Tone::plain) {
    const std::size_t room = style_.width > indent + 20 ? style_.width - indent : 20;
    for (const std::string& part : wrap(one_line(text), room)) line(std::string(indent, ' ') + part, tone);
  }

  void rows() {
    const std::vector<const ComparedRow*> rows = by_importance(comparison_);
    if (rows.empty()) return;
    out_ += "\n";
    Table table({{Align::left, 0, {}},
                 {Align::left, 1, "metric"},
                 {Align::right, 3, "old"},
                 {Align::right, 3, "new"},
                 {Align::right, 0, {}},
                 {Align::left, 2, "95 %"},
                 {Align::left, 0, {}}});
    const auto head = [](const char* text) { return Cell{text, Tone::dim, 1, {}}; };
    table.add(
        {head("row"), head("metric"), head("old"), head("new"), head("new / old"), head("95 %"), head("")});
    for (std::size_t i = 0; i < rows.size() && i < kMostRowsShown; ++i) add(table, *rows[i]);
    out_ += table.render(style_);
    if (rows.size() > kMostRowsShown) {
      line("… " + std::to_string(rows.size() - kMostRowsShown) +
               " more rows of no more importance; --report markdown or json has them",
           Tone::dim);
    }
  }

  void add(Table& table, const ComparedRow& row) {
    const ComparedTexts texts = texts_of(row);
    const bool failed = has_failed(comparison_, row);
    const Tone tone = failed ? Tone::bad : row.verdict == "faster" ? Tone::good : Tone::plain;
    table.add({{one_line(row.id), Tone::plain, 1, {}},
               {one_line(row.metric), Tone::plain, 1, {}},
               {texts.before, Tone::plain, 1, {}},
               {texts.after, Tone::plain, 1, {}},
               {texts.ratio, Tone::plain, 1, {}},
               {texts.interval, Tone::plain, 1, {}},
               {texts.verdict + (failed && row.verdict != "slower" ? ", not shown to be no worse" : ""),
                tone,
                1,
                {}}});
    // What keeps many rows from being compared is said once.
    if (row.why.empty() || row.why == said_) return;
    said_ = row.why;
    const std::size_t room = style_.width > 24 ? style_.width - 4 : 20;
    for (const std::string& part : wrap(one_line(row.why), room)) table.text("    " + part, Tone::dim);
  }

  const Comparison& comparison_;
  const ConsoleOptions& options_;
  const Style& style_;
  std::string out_, said_;
};

}  // namespace

std::string render_console(const Comparison& comparison, const ConsoleOptions& options) {
  return ComparisonPrinter(comparison, options).print();
}

}  // namespace assay::reporters
