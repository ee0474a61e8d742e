// SPDX-License-Identifier: Apache-2.0
//
// What a suite and its cases need of the machine at hand. Internal to this component.
#pragma once

#include "base/diagnostics.hpp"
#include "catalog/catalog.hpp"
#include "plan/plan.hpp"
#include "suite/suite.hpp"
#include "system/inventory.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace assay::plan {

// Why a whole case or one of its rows does not run.
struct Predetermined {
  result::Outcome outcome = result::Outcome::skipped;
  std::string code, text;
};

// Holds references: what it is made of must outlive it.
class MachineNeeds {
 public:
  // Without an inventory nothing is known to be missing.
  MachineNeeds(const catalog::Catalog& catalog, const system::Inventory* inventory,
               const PlanOptions& options, Diagnostics& diagnostics)
      : catalog_(catalog), inventory_(inventory), options_(options), diagnostics_(diagnostics) {}

  // What the machine does not have of a suite's requirement: devices and the like, then libraries.
  [[nodiscard]] std::vector<std::string> lacking(const suite::Requires& requirement) {
    return lacking(requirement, {});
  }

  // Why none of the case's rows is measured on this backend; nothing where that is not known. `hint` follows what
  // is said of a backend that is not there.
  [[nodiscard]] std::optional<Predetermined> reason_against(const suite::SuiteCase& one,
                                                            const std::string& backend,
                                                            const std::string& hint);

  // Why nothing of this plugin is measured, if libraries that it needs are missing.
  [[nodiscard]] std::optional<Predetermined> without_libraries(const catalog::Manifest& manifest);

  // By plugin, of those that were asked for.
  [[nodiscard]] const std::map<std::string, std::vector<std::string>>& missing_libraries() const {
    return missing_libraries_;
  }

 private:
  std::vector<std::string> lacking(const suite::Requires& requirement,
                                   const std::vector<std::string>& otherwise);
  std::vector<std::string> lacking_of_case(const suite::SuiteCase& one, const std::string& backend);
  std::vector<std::string> missing_libraries_of(const catalog::Manifest& manifest);

  const catalog::Catalog& catalog_;
  const system::Inventory* inventory_;
  const PlanOptions& options_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::vector<std::string>> looked_up_, missing_libraries_;
};

}  // namespace assay::plan
