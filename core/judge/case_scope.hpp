// SPDX-License-Identifier: Apache-2.0
//
// What names in an expectation mean inside one case.
#pragma once

#include "judge/case_result.hpp"
#include "judge/evaluate.hpp"

namespace assay::judge {

class Bands;

class CaseScope final : public Scope {
 public:
  // What the name of a telemetry quantity evaluates to. every: each reading, as limits need it. mean: the mean of the
  // readings while samples were taken, with the lowest and the highest of them as its interval, as derived metrics need it.
  enum class TelemetryValue { every, mean };

  // `reference` is the row that `% of reference` means, or nullptr; `why_no_reference` then says why. All
  // outlive the scope.
  CaseScope(const CaseResult& result, const CaseResult* reference, std::string why_no_reference,
            TelemetryValue telemetry = TelemetryValue::every)
      : result_(result),
        reference_(reference),
        why_no_reference_(std::move(why_no_reference)),
        telemetry_(telemetry) {}

  // Metrics as they were measured, without intervals: for a row that is compared with itself.
  void use_exact_values() { exact_ = true; }

  // What `% of baseline` is of; without it there is none.
  void use_bands(const Bands& bands) { bands_ = &bands; }

  [[nodiscard]] Evaluated name(const std::string& name) const override;
  [[nodiscard]] std::vector<Text> texts(const std::string& name) const override;
  [[nodiscard]] Evaluated base_of_percent(const std::string& base,
                                          const suite::Expression* about) const override;
  [[nodiscard]] Evaluated call(const suite::Expression& call) const override;
  [[nodiscard]] Evaluated selector(const suite::Expression& selector) const override;
  [[nodiscard]] UnitText unit_of(const suite::Expression& expression,
                                 const Dimension& dimension) const override;

 private:
  [[nodiscard]] Evaluated quantity(const std::string& name) const;
  [[nodiscard]] bool is_one_measured_value(const suite::Expression& operand, const Evaluated& found) const;
  [[nodiscard]] std::vector<ValueEntry> entries(const std::string& name) const;
  [[nodiscard]] Evaluated of_reference(const suite::Expression& about) const;
  [[nodiscard]] Evaluated as_compared(Evaluated found, const std::string& origin) const;

  const CaseResult& result_;
  const CaseResult* reference_;
  std::string why_no_reference_;
  TelemetryValue telemetry_;
  bool exact_ = false;
  const Bands* bands_ = nullptr;
};

// What a metric says: of an observation each value that was seen, else its value with the interval that
// verdicts rely on.
[[nodiscard]] std::vector<ValueEntry> members_of(const MetricResult& metric);

// Why spread or cv says nothing of these members: it is a share of their middle, which is not above zero. Else "".
[[nodiscard]] std::string why_no_share(const suite::Expression& call, const std::vector<Estimate>& members);

// min, max, mean, sum, spread = (max - min) / median or cv = standard deviation / mean of at least one member.
[[nodiscard]] Estimate aggregate(const std::string& function, const std::vector<Estimate>& members);

// The same where each of the sets has several values, none of which may be overlooked: min, max and spread
// are of all of them together; mean and sum are given twice, of the least and of the largest of each set.
[[nodiscard]] Evaluated aggregate_sets(const suite::Expression& call,
                                       const std::vector<std::vector<ValueEntry>>& sets);

// The dimension of a metric's unit; none for a unit that is not known.
[[nodiscard]] Dimension dimension_of(const std::string& unit);

}  // namespace assay::judge
