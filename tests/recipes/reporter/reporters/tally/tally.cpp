// SPDX-License-Identifier: Apache-2.0
#include "tally/tally.hpp"

#include <cstddef>
#include <map>

namespace assay::reporters {

std::string render_tally(const Document& document) {
  std::map<Outcome, std::size_t> counts;
  for (const Case& one : document.cases) ++counts[one.outcome];
  std::string line;
  for (const auto& [outcome, count] : counts)
    line += (line.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(to_text(outcome));
  return line + "\n";
}

}  // namespace assay::reporters
