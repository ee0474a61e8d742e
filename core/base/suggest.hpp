// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

// The candidate closest to a misspelt word, or "" if none is near (edit distance with transpositions, at most
// a third of the word's length, ties to the first).
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// "did you mean 'x'?" or, if nothing is near and there are at most eight candidates, "one of: a, b, c"; else
// `otherwise`.
[[nodiscard]] std::string suggestion(std::string_view word, const std::vector<std::string>& candidates,
                                     std::string otherwise = {});

}  // namespace assay
