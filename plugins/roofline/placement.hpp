// SPDX-License-Identifier: Apache-2.0
//
// What both providers say of work that is placed under two roofs.
#pragma once

#include "roofline/roofs.hpp"

#include <assay/case.hpp>
#include <assay/description.hpp>
#include <assay/units.hpp>

namespace assay::plugins::roofline {

template <class Params>
void describe_placement(Description<Params>& is) {
  is.value("operational_intensity", unit::one).summary("number of operations for every byte, as counted");
  is.value("ridge", unit::one).summary("the intensity at which the roofs meet");
  is.value("attainable", unit::flop_per_second)
      .higher_is_better()
      .summary("the lower of the roofs at this intensity");
  is.fact("bound", "lower of the two roofs: memory or compute");
}

// Of a product: what both providers of roofline_gemm have.
template <class Params>
void describe_product_rates(Description<Params>& is, const char* mechanism) {
  is.rate("throughput", unit::flop_per_second)
      .counting("2·m·n·k operations")
      .mechanism(mechanism)
      .peak("attainable")
      .headline();
  is.rate("bandwidth", unit::bytes_per_second)
      .counting("A and B read once, C written once")
      .mechanism(mechanism)
      .summary("rate of the least data that has to move");
  is.value("compute_roof", unit::flop_per_second)
      .higher_is_better()
      .summary("rate of multiply-adds of this dtype, measured before the samples");
  is.value("memory_roof", unit::bytes_per_second)
      .higher_is_better()
      .summary("rate of reading, measured before the samples");
  describe_placement(is);
}

// Records both roofs, in FLOP/s and B/s, and what they leave to reach at `intensity`, in operations a byte.
inline void record_placement(const Case& run, double intensity, double compute, double memory) {
  const double left = attainable(intensity, compute, memory);
  run.value("compute_roof", compute);
  run.value("memory_roof", memory);
  run.value("operational_intensity", intensity);
  run.value("ridge", ridge(compute, memory));
  run.value("attainable", left);
  run.fact("bound", left < compute ? "memory" : "compute");
}

}  // namespace assay::plugins::roofline
