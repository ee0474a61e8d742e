// SPDX-License-Identifier: Apache-2.0
#include "kept.hpp"

#include "statistics/interval.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace assay::proof {

const std::vector<std::string>& kept_results() {
  static const std::vector<std::string> all = {
      "h200/gemm-shapes",    "h200/h200-guide",       "h100/numa-study",        "h100x2/numa-study",
      "h100/training-study", "h100x2/training-study", "h100/training-tuning",   "h100x4/pipeline-study",
      "h200/autotune-bf16",  "h200/autotune-fp16",    "h200/autotune-fp32",     "h200/autotune-fp64",
      "h200/autotune-int8",  "h200/autotune-tf32",    "h200/autotune-fp8_e4m3", "h200/autotune-fp8_e5m2"};
  return all;
}

std::string text_of_kept(const std::string& name) {
  const std::string path = std::string(ASSAY_RESULTS "/") + name + ".json";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("'" + path + "' cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool has_usable_rounds(const model::Metric& metric) {
  return metric.headline && metric.rounds.size() >= statistics::kFewestProcessesForInterval &&
         std::all_of(metric.rounds.begin(), metric.rounds.end(), [](double value) { return value > 0; });
}

}  // namespace assay::proof
