// SPDX-License-Identifier: Apache-2.0
//
// What names mean in the expressions of a case: metrics, telemetry, facts, parameters that are text, and what the suite
// derives from others.
#pragma once

#include "plan/expression_check.hpp"

#include <optional>
#include <string>
#include <vector>

namespace assay::plan {

class CaseNames {
 public:
  // Both outlive it.
  CaseNames(const suite::Suite& suite, const ResolvedCase& subject)
      : suite_(suite), subject_(subject), benchmark_(*subject.benchmark) {}

  // Null if it is none.
  [[nodiscard]] const catalog::TelemetryQuantity* quantity(const std::string& name) const;
  [[nodiscard]] const suite::Derive* derived(const std::string& name) const;

  [[nodiscard]] bool is_fact(const std::string& name) const;
  // What the name is derived from; null: it is measured or read.
  [[nodiscard]] const suite::Expression* source(const std::string& name) const;
  // A time or a rate.
  [[nodiscard]] bool is_positive(const std::string& name) const;
  // Not derived, and the same number wherever it stands: of what is read or observed each value is compared with each.
  [[nodiscard]] bool is_one_number(const std::string& name) const;
  // Measured, and one value in all that was measured: a time, a rate, what a command prints once an execution. False
  // where an array may stand, or every value is judged.
  [[nodiscard]] bool has_one_value(const std::string& name) const { return has_one_value_at(name, 0); }
  [[nodiscard]] bool is_text(const std::string& name) const;
  // Of a number; a derived one has none unless all names that it is made of have.
  [[nodiscard]] std::optional<Dimension> dimension(const std::string& name) const;
  [[nodiscard]] bool resolves(const std::string& name) const { return dimension(name) || is_text(name); }
  // The dimension; a name that means nothing here is reported. `of_share`: what a share is of may be more than a name of
  // the case.
  [[nodiscard]] std::optional<Dimension> check(const std::string& name, const Position& position,
                                               bool of_share, Diagnostics& diagnostics) const;

 private:
  [[nodiscard]] bool has_energy() const;
  [[nodiscard]] bool has_one_value_at(const std::string& name, int depth) const;
  [[nodiscard]] std::optional<Dimension> dimension_at(const std::string& name, int depth) const;
  [[nodiscard]] std::vector<std::string> metrics() const;
  [[nodiscard]] std::vector<std::string> telemetry() const;

  const suite::Suite& suite_;
  const ResolvedCase& subject_;
  const catalog::Benchmark& benchmark_;
};

}  // namespace assay::plan
