// SPDX-License-Identifier: Apache-2.0
//
// Parts of a JSON text, found without a tree of the whole: of a large result only what is compared is ever parsed.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace assay::comparison {

// The text is cut off or is no JSON; at: the byte.
struct BadJson {
  std::size_t at = 0;
};

// Calls with each member's key (as it is written, without quotes) and value, as texts. Values are only walked over: what is never
// parsed is held to its quotes and brackets alone. Throws BadJson.
void for_each_member(std::string_view object,
                     const std::function<void(std::string_view key, std::string_view value)>& call);
void for_each_element(std::string_view array, const std::function<void(std::string_view value)>& call);

}  // namespace assay::comparison
