// SPDX-License-Identifier: Apache-2.0
#include "plan/filter.hpp"

#include "base/error.hpp"
#include "text/text.hpp"

#include <algorithm>

namespace assay::plan {

Filter::Filter(const Options& options) : options_(options) {
  for (const std::string& filter : options.filters) {
    filters_.emplace_back(filter);
    if (filters_.back().problem().empty()) continue;
    throw Error("usage.filter", "'" + printable(filter) +
                                    "' is no regular expression: " + filters_.back().problem() +
                                    "; write '\\[' for a bracket, as in 'gemm\\[dtype=bf16'");
  }
}

bool Filter::passes(const std::string& id) const {
  if (options_.only && !options_.only->contains(id)) return false;
  return filters_.empty() || std::any_of(filters_.begin(), filters_.end(),
                                         [&](const Pattern& filter) { return filter.is_found_in(id); });
}

}  // namespace assay::plan
