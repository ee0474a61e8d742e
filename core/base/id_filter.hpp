// SPDX-License-Identifier: Apache-2.0
//
// A selection of cases by their ids.
#pragma once

#include "base/pattern.hpp"

#include <optional>
#include <string>
#include <vector>

namespace assay {

class IdFilter {
 public:
  // Regular expressions, or ids as in reports; without any, all cases. Throws Error "usage.filter" for what is neither.
  explicit IdFilter(const std::vector<std::string>& filters);

  // Whether one of them matches a part of the id, or is the id with its axes in another order.
  [[nodiscard]] bool passes(const std::string& id) const;

 private:
  // A regular expression, unless the text is an id; and, if the text can be read as an id, that id: its name, then its
  // axes, sorted.
  struct ParsedFilter {
    std::optional<Pattern> pattern;
    std::vector<std::string> name;
  };
  std::vector<ParsedFilter> filters_;
};

}  // namespace assay
