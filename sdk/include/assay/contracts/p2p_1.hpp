// SPDX-License-Identifier: Apache-2.0
//
// The contract p2p/1, for those who describe a provider of it: each function adds a parameter or a metric as the contract has it
// and gives its builder, so that a provider adds its own limits, mechanism and peak. Made from sdk/contracts/p2p-1.json by ./dev docs.
#pragma once

#include <assay/description.hpp>
#include <assay/units.hpp>

// A line is as long as its sentence.
// clang-format off
namespace assay::contracts::p2p_1 {

template <class Params>
Description<Params>& implement(Description<Params>& is) {
  return is.named("p2p").implements("p2p/1");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> direction(Description<Params>& is, Value Params::*member) {
  return is.param("direction", member)
      .help("the destination pulls, the source pushes, both ways at once; latency: how long one waits for the other");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> bytes(Description<Params>& is, Value Params::*member) {
  return is.param("bytes", member).unit(unit::bytes)
      .help("size of one copy, or of the memory that dependent loads go through");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> engine(Description<Params>& is, Value Params::*member) {
  return is.param("engine", member)
      .help("mechanism that moves the data: copy engines, a kernel's loads and stores, or a collective library; latency uses none");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> pattern(Description<Params>& is, Value Params::*member) {
  return is.param("pattern", member)
      .help("devices that work at once");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> peer_access(Description<Params>& is, Value Params::*member) {
  return is.param("peer_access", member)
      .help("use of direct access between devices; false: through the host's memory, even where devices reach each other");
}

template <class Params>
MetricBuilder bandwidth(Description<Params>& is) {
  return is.rate("bandwidth", unit::bytes_per_second)
      .counting("each byte that moves, once")
      .flow("one way; with direction both, the sum of both ways")
      .summary("rate of every direction but latency")
      .headline();
}

template <class Params>
MetricBuilder latency(Description<Params>& is) {
  return is.duration("latency")
      .summary("one load from another device whose address the load before it gave, or one hand-over of a line")
      .headline();
}

template <class Params>
MetricBuilder bandwidth_matrix(Description<Params>& is) {
  return is.value("bandwidth_matrix", unit::bytes_per_second)
      .summary("rate from the first index to the second; with direction both, the sum of both ways")
      .higher_is_better()
      .dimensions(2);
}

template <class Params>
MetricBuilder latency_matrix(Description<Params>& is) {
  return is.value("latency_matrix", unit::seconds)
      .summary("latency between the first index and the second")
      .lower_is_better()
      .dimensions(2);
}

template <class Params>
MetricBuilder directions(Description<Params>& is) {
  return is.value("directions", unit::bytes_per_second)
      .summary("rate of each way with direction both, from the lower number to the higher first")
      .higher_is_better()
      .dimensions(1);
}

}  // namespace assay::contracts::p2p_1
