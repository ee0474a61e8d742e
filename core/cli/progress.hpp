// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/run.hpp"

#include <string>

namespace assay::cli {

// What a person sees while a run goes on, on standard error: a line for each visit that has ended, with its value. At a terminal
// a bar stands below them that is drawn again at most ten times a second; elsewhere there is a heartbeat each minute.
class ProgressLine {
 public:
  ProgressLine(bool terminal, bool quiet, int width) : terminal_(terminal), quiet_(quiet), width_(width) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;  // owns the line on the screen
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const run::RunProgress& progress);
  // Takes the line off the screen, for other output.
  void clear();

 private:
  void draw(const run::RunProgress& progress);

  bool terminal_, quiet_;
  int width_;
  bool drawn_ = false;
  double last_drawn_s_ = -1;
  double last_line_s_ = 0;
};

// "1:04", "12 s", "2 h 05 min" for people.
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace assay::cli
