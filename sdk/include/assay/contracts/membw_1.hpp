// SPDX-License-Identifier: Apache-2.0
//
// The contract membw/1, for those who describe a provider of it: each function adds a parameter or a metric as the contract has it
// and gives its builder, so that a provider adds its own limits, mechanism and peak. Made from sdk/contracts/membw-1.json by ./dev docs.
#pragma once

#include <assay/description.hpp>
#include <assay/units.hpp>

// A line is as long as its sentence.
// clang-format off
namespace assay::contracts::membw_1 {

template <class Params>
Description<Params>& implement(Description<Params>& is) {
  return is.named("membw").implements("membw/1");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> kernel(Description<Params>& is, Value Params::*member) {
  return is.param("kernel", member)
      .help("operation on the arrays; latency follows pointers through one");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> bytes(Description<Params>& is, Value Params::*member) {
  return is.param("bytes", member).unit(unit::bytes)
      .help("size of each array");
}

template <class Params>
MetricBuilder bandwidth(Description<Params>& is) {
  return is.rate("bandwidth", unit::bytes_per_second)
      .counting("STREAM: each array read or written once, 8 B an element")
      .flow("reads and writes together")
      .summary("rate of every kernel but latency")
      .headline();
}

template <class Params>
MetricBuilder cache_bandwidth(Description<Params>& is) {
  return is.rate("cache_bandwidth", unit::bytes_per_second)
      .counting("STREAM: each array read or written once, 8 B an element")
      .flow("reads and writes together")
      .summary("rate on arrays that stay in a cache, or partly do: with cache: hot, below four times the cache")
      .headline();
}

template <class Params>
MetricBuilder latency(Description<Params>& is) {
  return is.duration("latency")
      .summary("time of one load whose address the load before it gave")
      .headline();
}

}  // namespace assay::contracts::membw_1
