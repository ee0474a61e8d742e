// SPDX-License-Identifier: Apache-2.0
//
// Each device's row against those of the other devices of its model: docs/decisions/0030-peers-and-bands.md.
#pragma once

#include "judge/case_result.hpp"

#include <map>
#include <string>
#include <vector>

namespace assay::judge {

// False alarms of all comparisons with peers, and with bands, of a run together.
inline constexpr double kFalseAlarms = 0.01;

// "cuda:3", or the devices of a row that has several.
[[nodiscard]] std::string device_label(const CaseResult& result);
// "NVIDIA H200": the models of its devices, each once.
[[nodiscard]] std::string models_of(const CaseResult& result, const system::Inventory& inventory);

// "4.8 % below", of a logarithm.
[[nodiscard]] std::string distance_text(double shift);
// "41.2 GB/s against 43.3 GB/s".
[[nodiscard]] std::string pair_text(const MetricResult& metric, double other);
// How many comparisons of a run are with `peers`, or with a `band`.
[[nodiscard]] std::size_t count_asking(const std::vector<CaseResult>& cases, const suite::Suite& suite,
                                       const std::string& target);

class Peers {
 public:
  // All outlive it.
  Peers(const std::vector<CaseResult>& cases, const suite::Suite& suite, const system::Inventory& inventory);

  // Of `metric >= 97% of peers`. Within the share of the others' median it holds; beyond it, and beyond what the others' scatter lets expect,
  // it does not; beyond it only, it is undecided. No reference where the metric is known of fewer than three other devices of its model.
  [[nodiscard]] Relation compare(const suite::Expression& relation, const CaseResult& row) const;

  // One side of `metric >= share of peers`.
  struct Limit {
    std::string metric;
    double share = 1;
    ComparisonOperator comparison = ComparisonOperator::greater_equal;
    [[nodiscard]] bool is_least() const {
      return comparison == ComparisonOperator::greater || comparison == ComparisonOperator::greater_equal;
    }
  };

 private:
  struct ValuesOfPeers {
    std::vector<double> logarithms;
    std::string why_none;
  };
  [[nodiscard]] Relation compare_one(const MetricResult& metric, const Limit& limit,
                                     const CaseResult& row) const;
  [[nodiscard]] ValuesOfPeers others_of(const CaseResult& row, const MetricResult& metric) const;

  const system::Inventory& inventory_;
  double comparisons_ = 0;
  std::map<std::string, std::vector<const CaseResult*>> alike_;
};

}  // namespace assay::judge
