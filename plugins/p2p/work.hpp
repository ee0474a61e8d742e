// SPDX-License-Identifier: Apache-2.0
//
// What p2p@host does for one direction or another.
#pragma once

#include <assay/benchmark.hpp>
#include <assay/verification.hpp>

#include <cstdint>

namespace assay::plugins::p2p {

class Work {
 public:
  Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  virtual ~Work() = default;

  // n iterations. Returns how long those pairs took that the headline is of, in seconds, and records what
  // there is of each pair.
  virtual double run(std::uint64_t n) = 0;

  virtual Verification verification(VerifyPhase phase) = 0;
};

}  // namespace assay::plugins::p2p
