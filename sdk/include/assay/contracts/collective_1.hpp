// SPDX-License-Identifier: Apache-2.0
//
// The contract collective/1, for those who describe a provider of it: each function adds a parameter or a metric as the contract has it
// and gives its builder, so that a provider adds its own limits, mechanism and peak. Made from sdk/contracts/collective-1.json by ./dev docs.
#pragma once

#include <assay/description.hpp>
#include <assay/units.hpp>

// A line is as long as its sentence.
// clang-format off
namespace assay::contracts::collective_1 {

template <class Params>
Description<Params>& implement(Description<Params>& is) {
  return is.named("collective").implements("collective/1");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> op(Description<Params>& is, Value Params::*member) {
  return is.param("op", member)
      .help("operation that is measured; send_recv: each rank to the next");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> bytes(Description<Params>& is, Value Params::*member) {
  return is.param("bytes", member).unit(unit::bytes)
      .help("size of a rank's buffer, or of the buffer of all parts where each rank has one; rounded down");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> dtype(Description<Params>& is, Value Params::*member) {
  return is.param("dtype", member)
      .help("type of an element");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> reduction(Description<Params>& is, Value Params::*member) {
  return is.param("reduction", member)
      .help("operation of all_reduce, reduce_scatter and reduce");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> placement(Description<Params>& is, Value Params::*member) {
  return is.param("placement", member)
      .help("buffers of input and output: one for each, or one for both");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> root(Description<Params>& is, Value Params::*member) {
  return is.param("root", member)
      .help("root of broadcast, reduce, gather and scatter");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> timing(Description<Params>& is, Value Params::*member) {
  return is.param("timing", member)
      .help("timing of operations: one after another, or each begun by all ranks together");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> registration(Description<Params>& is, Value Params::*member) {
  return is.param("registration", member)
      .help("registration of the buffers with the library");
}

template <class Params>
MetricBuilder bus_bandwidth(Description<Params>& is) {
  return is.rate("bus_bandwidth", unit::bytes_per_second)
      .counting("bytes times 2(n-1)/n for all_reduce, (n-1)/n where ranks have parts, else 1; n ranks")
      .headline();
}

template <class Params>
MetricBuilder algorithm_bandwidth(Description<Params>& is) {
  return is.rate("algorithm_bandwidth", unit::bytes_per_second)
      .counting("bytes");
}

template <class Params>
MetricBuilder latency(Description<Params>& is) {
  return is.duration("latency")
      .summary("time of one operation, on the slowest rank")
      .headline();
}

}  // namespace assay::contracts::collective_1
