// SPDX-License-Identifier: Apache-2.0
//
// What services keep of each run to draw its history: Bencher's format, and the two arrays of github-action-benchmark.
#pragma once

#include "lib/document.hpp"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace assay::reporters {

// The run may not stand in a history; what() says why and what to do.
class NoHistory : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct BenchHistory {
  std::string bencher;  // Bencher Metric Format
  // Files for github-action-benchmark, none of them empty.
  std::vector<std::pair<std::string, std::string>> beside;
};

// Headline metrics that say which way is better, of cases that passed or missed a limit. Throws NoHistory for a quick, a wrapped and a
// simulated run: the next run would be compared with it.
[[nodiscard]] BenchHistory render_bench_history(const Document& document);

}  // namespace assay::reporters
