// SPDX-License-Identifier: Apache-2.0
//
// The result as a person at a terminal reads it: one block a case, aligned; then what went wrong, where, and
// what to do next.
#pragma once

#include "lib/document.hpp"
#include "lib/options.hpp"
#include "text/table.hpp"

#include <string>

namespace assay::reporters {

struct ConsoleOptions {
  Style style;
  std::string results;   // what the line "results" says, such as "assay-results/x/{result.json,report.md}";
                         // "": no line
  std::string folder;    // of the run's files, for the command that goes on or runs again; "": no line
  std::string exit;      // what stands after "exit"; "": the run's exit code
  bool verbose = false;  // all flags of all cases; else a row carries one mark at most
  std::string repeat;    // "assay run suite.yaml": to which --resume or --failed can be added; "": not known
  std::string again;     // what to run next, where that is another command; "": what `repeat` tells
  bool continued = false;  // another table follows, which has the lines that end the output
};

// What is printed so far; lines are added to it.
class ConsoleText {
 protected:
  explicit ConsoleText(const Style& style) : style_(style) {}

  void line(const std::string& text, Tone tone = Tone::plain);
  // Broken at spaces to the terminal's width.
  void wrapped(const std::string& text, std::size_t indent, Tone tone = Tone::plain);

  const Style& style_;
  std::string out_;
};

// Throws BadOption.
[[nodiscard]] ConsoleOptions console_options(const OptionList& options);

[[nodiscard]] std::string render_console(const Document& document, const ConsoleOptions& options);

}  // namespace assay::reporters
