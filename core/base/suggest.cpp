// SPDX-License-Identifier: Apache-2.0
#include "base/suggest.hpp"

#include "text/text.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace assay {
namespace {

// Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours cost one each; a
// difference of case costs nothing, because that is the likeliest slip.
std::size_t distance(std::string_view a, std::string_view b) {
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  };
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      current[j] = std::min(
          {previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (same(a[i - 1], b[j - 1]) ? 0U : 1U)});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > 100) return {};
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t longer = std::max(candidate.size(), word.size());
    const std::size_t shorter = std::min(candidate.size(), word.size());
    if (longer - shorter >= best_distance) continue;
    const std::size_t d = distance(word, candidate);
    if (d < best_distance) {
      best = candidate;
      best_distance = d;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates,
                       std::string otherwise) {
  const std::string near = nearest(word, candidates);
  if (!near.empty()) return "did you mean '" + near + "'?";
  if (candidates.empty() || candidates.size() > 8) return otherwise;
  return "one of: " + join(candidates, ", ");
}

}  // namespace assay
