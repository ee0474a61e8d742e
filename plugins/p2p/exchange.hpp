// SPDX-License-Identifier: Apache-2.0
//
// What p2p@cuda does for one direction or another: bytes that arrive, or loads that wait.
#pragma once

#include "p2p/joint_region.cuh"

#include <assay/verification.hpp>

#include <vector>

namespace assay::plugins::p2p {

class Exchange {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;  // tasks hold its address
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;

  // A group for each phase.
  virtual std::vector<Group> groups() = 0;
  // Brings all inputs back to what the seed says and destroys all results. Waits for it.
  virtual void restore() = 0;
  // Checks the results of one iteration or more of all groups.
  virtual void check(Verification& seen) = 0;
};

}  // namespace assay::plugins::p2p
