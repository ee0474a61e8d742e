// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <assay/engine.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace assay::cli {

// "devices=8,driver=>=580" of --require as settings of --set, which reach the plan, the journal and the
// commands in reports: {"requires.devices=8", "requires.driver=\">=580\""}. Wrong ones are refused there.
[[nodiscard]] std::vector<std::string> settings_of_requirements(std::string_view text);
// --require, which adds to what --set says.
void add_require_option(CLI::App& command, std::vector<std::string>& overrides, engine::MadeBy& made_by);

}  // namespace assay::cli
