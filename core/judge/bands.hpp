// SPDX-License-Identifier: Apache-2.0
//
// Rows against what healthy devices reach: a baseline.
#pragma once

#include "baseline/baseline.hpp"
#include "judge/case_result.hpp"
#include "result/run_options.hpp"

#include <optional>
#include <string>
#include <vector>

namespace assay::judge {

class Bands {
 public:
  // All outlive it. `file` is the run's baseline, whose text was checked; throws Error "baseline.malformed" otherwise.
  Bands(const std::optional<result::NamedText>& file, const std::vector<CaseResult>& cases,
        const suite::Suite& suite, const system::Inventory& inventory, const Json& host);

  // Of `metric within band`: on the side that is worse, or on both where none is, the value lies no farther out than
  // chance, at kFalseAlarms over all bands of the run. No reference where the baseline has no row of such devices
  // and such work.
  [[nodiscard]] Relation compare(const suite::Expression& relation, const CaseResult& row) const;
  // What `97% of baseline` is of: the mean.
  [[nodiscard]] Evaluated mean_of(const CaseResult& row, const MetricResult& metric) const;

 private:
  // The row, or why there is none.
  struct Found {
    const baseline::BandRow* row = nullptr;
    std::string why_none;
    bool is_either = false;  // there are two, and nobody knows which counts
    [[nodiscard]] Evaluated none() const;
  };
  [[nodiscard]] Found find(const CaseResult& row, const MetricResult& metric) const;
  [[nodiscard]] std::string why_other_device(const baseline::Band& band, const CaseResult& row) const;

  const system::Inventory& inventory_;
  const Json& host_;
  std::optional<baseline::Baseline> baseline_;
  double comparisons_ = 0;
};

}  // namespace assay::judge
