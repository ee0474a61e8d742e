// SPDX-License-Identifier: Apache-2.0
//
// The contract numa/1, for those who describe a provider of it: each function adds a parameter or a metric as the contract has it
// and gives its builder, so that a provider adds its own limits, mechanism and peak. Made from sdk/contracts/numa-1.json by ./dev docs.
#pragma once

#include <assay/description.hpp>
#include <assay/units.hpp>

// A line is as long as its sentence.
// clang-format off
namespace assay::contracts::numa_1 {

template <class Params>
Description<Params>& implement(Description<Params>& is) {
  return is.named("numa").implements("numa/1");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> kernel(Description<Params>& is, Value Params::*member) {
  return is.param("kernel", member)
      .help("operation on the arrays; latency: dependent loads");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> placement(Description<Params>& is, Value Params::*member) {
  return is.param("placement", member)
      .help("mechanism that puts pages where they lie");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> pairs(Description<Params>& is, Value Params::*member) {
  return is.param("pairs", member)
      .help("pairs of a node's processors and a node's memory that bound and migrated measure");
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
MetricBuilder latency(Description<Params>& is) {
  return is.duration("latency")
      .summary("time of one load whose address the load before it gave")
      .headline();
}

template <class Params>
MetricBuilder bandwidth_matrix(Description<Params>& is) {
  return is.value("bandwidth_matrix", unit::bytes_per_second)
      .summary("processors of the first index's node, memory of the second's")
      .higher_is_better()
      .dimensions(2);
}

template <class Params>
MetricBuilder latency_matrix(Description<Params>& is) {
  return is.value("latency_matrix", unit::seconds)
      .summary("likewise")
      .lower_is_better()
      .dimensions(2);
}

template <class Params>
MetricBuilder bandwidth_by_node(Description<Params>& is) {
  return is.value("bandwidth_by_node", unit::bytes_per_second)
      .summary("rate of a node's processors, while the others work too")
      .higher_is_better()
      .dimensions(1);
}

template <class Params>
MetricBuilder latency_by_node(Description<Params>& is) {
  return is.value("latency_by_node", unit::seconds)
      .summary("latency of a node's processors")
      .lower_is_better()
      .dimensions(1);
}

template <class Params>
MetricBuilder migration_matrix(Description<Params>& is) {
  return is.value("migration_matrix", unit::bytes_per_second)
      .summary("rate at which pages moved from the first index's node to the second's")
      .higher_is_better()
      .dimensions(2);
}

template <class Params>
MetricBuilder remote_ratio(Description<Params>& is) {
  return is.value("remote_ratio", unit::one)
      .summary("mean of the matrix's remote cells / mean of its local ones");
}

template <class Params>
MetricBuilder placed(Description<Params>& is) {
  return is.value("placed", unit::one)
      .summary("share of the pages that lie where they belong")
      .higher_is_better();
}

}  // namespace assay::contracts::numa_1
