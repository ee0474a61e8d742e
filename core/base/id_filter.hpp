// SPDX-License-Identifier: Apache-2.0
//
// Which cases somebody asked for by their ids.
#pragma once

#include "base/pattern.hpp"

#include <optional>
#include <string>
#include <vector>

namespace assay {

class IdFilter {
 public:
  // Regular expressions, or ids as reports have them; none: all cases. Throws Error "usage.filter" for what is neither.
  explicit IdFilter(const std::vector<std::string>& filters);

  // One of them is found in it, or is it with the axes in another order.
  [[nodiscard]] bool passes(const std::string& id) const;

 private:
  // A regular expression, unless it is an id as it stands; and the whole id that it reads as, if it reads as one: its
  // name, then its axes sorted.
  struct ParsedFilter {
    std::optional<Pattern> pattern;
    std::vector<std::string> name;
  };
  std::vector<ParsedFilter> filters_;
};

}  // namespace assay
