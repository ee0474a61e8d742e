// SPDX-License-Identifier: Apache-2.0
//
// Numbers for simulations that are the same on every platform: no implementation-defined distribution, no
// libm.
#pragma once

#include <cstdint>

namespace assay::statistics {

// Counter-based: value i of stream s of seed k is a hash of (k, s, i) (SplitMix64's finaliser, twice), so
// streams are independent and a trace can be made again without making those before it.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0);

  [[nodiscard]] std::uint64_t next();            // 64 uniform bits
  [[nodiscard]] double uniform();                // in (0, 1), 53 bits, never an end
  [[nodiscard]] double normal();                 // mean 0, standard deviation 1 (Marsaglia's polar method)
  [[nodiscard]] double lognormal(double sigma);  // exp(sigma * normal())
  [[nodiscard]] bool chance(double probability);

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
  double spare_ = 0;
  bool has_spare_ = false;
};

// From basic arithmetic only, accurate to about 1e-15 relative. x > 0 for the logarithm; |x| < 700 for the
// exponential.
[[nodiscard]] double portable_log(double x);
[[nodiscard]] double portable_exp(double x);

}  // namespace assay::statistics
