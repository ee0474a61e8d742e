// SPDX-License-Identifier: Apache-2.0
//
// Which backend a case of the suite runs on, where it leaves that open. Internal to this component.
#pragma once

#include "base/diagnostics.hpp"
#include "catalog/catalog.hpp"
#include "suite/suite.hpp"
#include "system/inventory.hpp"

#include <set>
#include <string>
#include <vector>

namespace assay::plan {

class BackendChoice {
 public:
  // Refers to all of them; without an inventory every backend counts as there.
  BackendChoice(const suite::Suite& suite, const catalog::Catalog& catalog,
                const system::Inventory* inventory)
      : suite_(suite), catalog_(catalog), inventory_(inventory) {}

  // Backends that the case may run on, in the order of preference but with those that are there first. Empty:
  // any.
  [[nodiscard]] std::vector<std::string> preferred(const suite::SuiteCase& one,
                                                   const catalog::Reference& reference) const;

  // The backend that a case is for, if no plugin knows any of those that would do and it is not misspelt:
  // what is not installed is not the suite's fault. Or "".
  [[nodiscard]] std::string absent(const catalog::Reference& reference,
                                   const std::vector<std::string>& backends) const;

  // Reports the backends that are misspelt where nothing else that is listed would do, each once; false if
  // none is.
  bool report_misspelt(const suite::SuiteCase& one, const catalog::Reference& reference,
                       Diagnostics& diagnostics);

  // What somebody who named no backend, and has a machine without a device, may have meant. Or "".
  [[nodiscard]] std::string host_hint(const catalog::Reference& reference,
                                      const std::vector<std::string>& backends) const;

 private:
  [[nodiscard]] const std::vector<suite::Located<std::string>>& listed(const suite::SuiteCase& one) const;

  const suite::Suite& suite_;
  const catalog::Catalog& catalog_;
  const system::Inventory* inventory_;
  std::set<const suite::Located<std::string>*> reported_;
};

}  // namespace assay::plan
