// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace assay {

// A place in a file that the user wrote. Lines and columns count from 1; 0 means unknown. Columns count
// bytes.
struct Position {
  std::string file;
  int line = 0;
  int column = 0;

  [[nodiscard]] bool known() const { return line > 0; }
  friend bool operator==(const Position&, const Position&) = default;
};

enum class Severity { error, warning };

// One problem in user input: what happened, where, what to do next.
struct Diagnostic {
  Severity severity = Severity::error;
  std::string code;  // stable, "suite.unknown-key"
  std::string text;  // without position and without final full stop
  std::string hint;  // "did you mean 'matrix'?"; may be empty
  Position position;
};

// Collects every problem of one pass. Nothing is thrown for user input.
class Diagnostics {
 public:
  void error(std::string code, Position position, std::string text, std::string hint = {});
  void warning(std::string code, Position position, std::string text, std::string hint = {});

  [[nodiscard]] bool has_errors() const { return errors_ > 0; }
  [[nodiscard]] std::size_t error_count() const { return errors_; }
  void append(const Diagnostics& other);
  // In order of file, line and column, errors without position last; duplicates removed.
  [[nodiscard]] std::vector<Diagnostic> sorted() const;

 private:
  std::vector<Diagnostic> list_;
  std::size_t errors_ = 0;
};

// "suites/a.yaml:12:7: error: unknown key 'iteratons' (did you mean 'iterations'?)", then, if the line's text
// is known, the line and a caret. `source` is the whole text of the file or empty.
[[nodiscard]] std::string to_text(const Diagnostic& diagnostic, const std::string& source = {});

}  // namespace assay
