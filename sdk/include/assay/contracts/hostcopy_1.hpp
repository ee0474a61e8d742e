// SPDX-License-Identifier: Apache-2.0
//
// The contract hostcopy/1, for those who describe a provider of it: each function adds a parameter or a metric as the contract has it
// and gives its builder, so that a provider adds its own limits, mechanism and peak. Made from sdk/contracts/hostcopy-1.json by ./dev docs.
#pragma once

#include <assay/description.hpp>
#include <assay/units.hpp>

// A line is as long as its sentence.
// clang-format off
namespace assay::contracts::hostcopy_1 {

template <class Params>
Description<Params>& implement(Description<Params>& is) {
  return is.named("hostcopy").implements("hostcopy/1");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> direction(Description<Params>& is, Value Params::*member) {
  return is.param("direction", member)
      .help("direction of copies: host to device, device to host, both at once; latency: a kernel follows pointers in host memory");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> bytes(Description<Params>& is, Value Params::*member) {
  return is.param("bytes", member).unit(unit::bytes)
      .help("size of one copy, or of the memory that latency goes through");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> memory(Description<Params>& is, Value Params::*member) {
  return is.param("memory", member)
      .help("memory of the host: allocated page-locked, ordinary, or ordinary and page-locked afterwards");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> engine(Description<Params>& is, Value Params::*member) {
  return is.param("engine", member)
      .help("mechanism that moves the data: a copy engine, or loads and stores of a kernel; latency uses neither");
}

template <class Params>
MetricBuilder bandwidth(Description<Params>& is) {
  return is.rate("bandwidth", unit::bytes_per_second)
      .counting("each byte that is copied, once")
      .flow("one way; with direction both, the sum of both ways")
      .summary("rate of every direction but latency")
      .headline();
}

template <class Params>
MetricBuilder latency(Description<Params>& is) {
  return is.duration("latency")
      .summary("time of one load from host memory whose address the load before it gave")
      .headline();
}

}  // namespace assay::contracts::hostcopy_1
