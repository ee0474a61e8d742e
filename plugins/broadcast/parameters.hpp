// SPDX-License-Identifier: Apache-2.0
//
// What every provider of the benchmark says alike.
#pragma once

#include "broadcast/schedule.hpp"

#include <assay/description.hpp>
#include <assay/units.hpp>

namespace assay::plugins::broadcast {

template <class Params>
void describe_shape(Description<Params>& is) {
  is.param("shape", &Params::shape)
      .choices({{"star", Shape::star}, {"chain", Shape::chain}, {"tree", Shape::tree}})
      .help("of relay and pipelined: from the root to all others, each to the next, each to two");
}

template <class Params>
void describe_metrics(Description<Params>& is, const char* mechanism) {
  is.rate("bandwidth", assay::unit::bytes_per_second)
      .counting("the payload, once")
      .flow("into one destination")
      .mechanism(mechanism)
      .summary("what each destination sees: payload over the time until all have it")
      .headline();
  is.rate("aggregate_bandwidth", assay::unit::bytes_per_second)
      .counting("the payload, once for each destination")
      .flow("into all destinations together")
      .mechanism(mechanism)
      .summary("what all destinations get together");
  is.value("lower_bound", assay::unit::seconds)
      .summary("the time below which this strategy cannot come at the rates of its single copies");
  is.value("source_bandwidth", assay::unit::bytes_per_second)
      .summary("one copy from the source to a destination, the fastest that was measured");
  is.value("onward_bandwidth", assay::unit::bytes_per_second)
      .summary("one copy from a destination to another, the fastest that was measured");
}

}  // namespace assay::plugins::broadcast
