// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/surroundings.hpp"

#include <string>
#include <vector>

namespace assay::cli {

using engine::PluginOptions;
using engine::SuiteText;

// What the command knows of its surroundings, read once in main. Nothing below reads the environment or asks
// the terminal.
struct Context : engine::Surroundings {
  bool output_is_terminal = false;
  bool errors_are_terminal = false;
  int width = 100;                                 // columns of the terminal
  std::vector<std::vector<std::string>> commands;  // of the user's own, behind "--" of 'bench'
  // Where lines for people break; 0, never, where a pipe or file takes them.
  [[nodiscard]] int line_width() const { return output_is_terminal ? width : 0; }
  [[nodiscard]] bool color() const;
};
[[nodiscard]] Context make_context(int argc, char** argv);

// Exit codes that are decided before anything runs.
inline constexpr int kUsage = 2;
inline constexpr int kInvalidSuite = 3;
inline constexpr int kNoPlugin = 4;
// And afterwards.
inline constexpr int kNoReport = 7;

}  // namespace assay::cli
