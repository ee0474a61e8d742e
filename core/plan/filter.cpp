// SPDX-License-Identifier: Apache-2.0
#include "plan/filter.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <algorithm>

namespace assay::plan {

Filter::Filter(const Options& options) : options_(options) {
  for (const std::string& filter : options.filters) {
    try {
      filters_.emplace_back(filter, std::regex::ECMAScript | std::regex::optimize);
    } catch (const std::regex_error&) {
      throw Error("usage.filter",
                  "'" + printable(filter) +
                      "' is no regular expression; write '\\[' for a bracket, as in 'gemm\\[dtype=bf16'");
    }
  }
}

bool Filter::passes(const std::string& id) const {
  if (options_.only && !options_.only->contains(id)) return false;
  return filters_.empty() || std::any_of(filters_.begin(), filters_.end(), [&](const std::regex& filter) {
           return std::regex_search(id, filter);
         });
}

}  // namespace assay::plan
