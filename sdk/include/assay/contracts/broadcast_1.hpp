// SPDX-License-Identifier: Apache-2.0
//
// The contract broadcast/1, for those who describe a provider of it: each function adds a parameter or a metric as the contract has it
// and gives its builder, so that a provider adds its own limits, mechanism and peak. Made from sdk/contracts/broadcast-1.json by ./dev docs.
#pragma once

#include <assay/description.hpp>
#include <assay/units.hpp>

// A line is as long as its sentence.
// clang-format off
namespace assay::contracts::broadcast_1 {

template <class Params>
Description<Params>& implement(Description<Params>& is) {
  return is.named("broadcast").implements("broadcast/1");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> strategy(Description<Params>& is, Value Params::*member) {
  return is.param("strategy", member)
      .help("route of the payload");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> shape(Description<Params>& is, Value Params::*member) {
  return is.param("shape", member)
      .help("shape of relay and pipelined: from the root to all others, each to the next, each to two");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> bytes(Description<Params>& is, Value Params::*member) {
  return is.param("bytes", member).unit(unit::bytes)
      .help("the payload");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> chunk(Description<Params>& is, Value Params::*member) {
  return is.param("chunk", member).unit(unit::bytes)
      .help("size of what travels at once, of pipelined, and of scatter_allgather and collective where a provider cuts them");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> memory(Description<Params>& is, Value Params::*member) {
  return is.param("memory", member)
      .help("memory of the source: allocated page-locked, ordinary, or ordinary and page-locked afterwards");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> root(Description<Params>& is, Value Params::*member) {
  return is.param("root", member)
      .help("the destination that gets the payload first and passes it on");
}

template <class Params>
MetricBuilder bandwidth(Description<Params>& is) {
  return is.rate("bandwidth", unit::bytes_per_second)
      .counting("the payload, once")
      .flow("into one destination")
      .summary("rate that each destination sees: payload over the time until all have it")
      .headline();
}

template <class Params>
MetricBuilder aggregate_bandwidth(Description<Params>& is) {
  return is.rate("aggregate_bandwidth", unit::bytes_per_second)
      .counting("the payload, once for each destination")
      .flow("into all destinations together")
      .summary("sum of what all destinations get");
}

template <class Params>
MetricBuilder lower_bound(Description<Params>& is) {
  return is.value("lower_bound", unit::seconds)
      .summary("the time below which this strategy cannot come at the rates of its single copies");
}

template <class Params>
MetricBuilder source_bandwidth(Description<Params>& is) {
  return is.value("source_bandwidth", unit::bytes_per_second)
      .summary("rate of one copy from the source to a destination, the fastest that was measured");
}

template <class Params>
MetricBuilder link_bandwidth(Description<Params>& is) {
  return is.value("link_bandwidth", unit::bytes_per_second)
      .summary("rate of one copy from page-locked memory to a destination, alone");
}

template <class Params>
MetricBuilder onward_bandwidth(Description<Params>& is) {
  return is.value("onward_bandwidth", unit::bytes_per_second)
      .summary("rate of one copy from a destination to another, the fastest that was measured");
}

}  // namespace assay::contracts::broadcast_1
