// SPDX-License-Identifier: Apache-2.0
//
// JSON that a command wrote.
#pragma once

#include <nlohmann/json.hpp>

#include <set>
#include <string>
#include <string_view>

namespace assay::plugins::external {

// A document, and the keys that stand twice in one of its objects: a reader would see the last one only. A number that no
// double holds, though it is written with all its digits, is the text of it. Discarded if it is not JSON.
struct ParsedJson {
  nlohmann::json json = nlohmann::json(nlohmann::json::value_t::discarded);
  std::set<std::string> doubled;
};
[[nodiscard]] ParsedJson parse_json(std::string_view text);

}  // namespace assay::plugins::external
