// SPDX-License-Identifier: Apache-2.0
//
// A catalog and inventories made by hand, and suites from text, for the tests of this component.
#pragma once

#include "plan/plan.hpp"

#include <map>
#include <string>
#include <vector>

namespace assay::plan {

// gemm@cuda, gemm@host, collective@cuda, p2p@cuda, hostcopy@cuda, launch@cuda, membw@host, team@host.
[[nodiscard]] catalog::Catalog example_catalog();

// One host device and this many H200 on two sockets, the first half on node 0.
[[nodiscard]] system::Inventory example_inventory(int gpus);

// The suite "t.yaml" with these cases (YAML below `cases:`), planned. Reports end in `problems`.
struct Planned {
  suite::Suite suite;
  Plan plan;
  std::string problems;

  [[nodiscard]] std::vector<std::string> ids() const;
};
// `body` is everything below "version" and "suite". Without an inventory placement stays symbolic. `files` may be
// included.
[[nodiscard]] Planned plan_suite(const std::string& body, const system::Inventory* inventory,
                                 const PlanOptions& options = {},
                                 const std::map<std::string, std::string>& files = {});
// The same on a machine with four GPUs.
[[nodiscard]] Planned plan_suite(const std::string& body);

}  // namespace assay::plan
