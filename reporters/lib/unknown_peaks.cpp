// SPDX-License-Identifier: Apache-2.0
#include "lib/unknown_peaks.hpp"

#include "lib/text.hpp"
#include "text/lookup.hpp"

#include <vector>

namespace assay::reporters {
namespace {

// Work that the plugin counts, over time.
bool is_rate_of_work(const Metric& metric) {
  return metric.value && (metric.statistic == "work over time" || metric.statistic == "slope");
}

// One rate with a peak bounds the others, which are of the same time.
bool is_unbounded(const Case& one) {
  bool has_rate = false;
  for (const Metric& metric : one.metrics) {
    if (!is_rate_of_work(metric)) continue;
    if (metric.peak) return false;
    has_rate = true;
  }
  return has_rate;
}

}  // namespace

std::string unknown_peaks(const Document& document) {
  std::vector<std::string> names;
  for (const Case& one : document.cases) {
    if (!one.command.empty() || !is_unbounded(one)) continue;
    std::string name = one_line(one.benchmark + (one.backend.empty() ? "" : "@" + one.backend));
    add_once(names, std::move(name));
  }
  if (names.empty()) return {};
  return "No peak is known for: " + join(names, ", ") + "; " + (names.size() == 1 ? "its" : "their") +
         " work is as the plugin declares it";
}

}  // namespace assay::reporters
