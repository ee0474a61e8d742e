// SPDX-License-Identifier: Apache-2.0
//
// The contract gemm/1, for those who describe a provider of it: each function adds a parameter or a metric as the contract has it
// and gives its builder, so that a provider adds its own limits, mechanism and peak. Made from sdk/contracts/gemm-1.json by ./dev docs.
#pragma once

#include <assay/description.hpp>
#include <assay/units.hpp>

// A line is as long as its sentence.
// clang-format off
namespace assay::contracts::gemm_1 {

template <class Params>
Description<Params>& implement(Description<Params>& is) {
  return is.named("gemm").implements("gemm/1");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> m(Description<Params>& is, Value Params::*member) {
  return is.param("m", member)
      .help("rows of A and C");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> n(Description<Params>& is, Value Params::*member) {
  return is.param("n", member)
      .help("columns of B and C");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> k(Description<Params>& is, Value Params::*member) {
  return is.param("k", member)
      .help("columns of A, rows of B");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> dtype(Description<Params>& is, Value Params::*member) {
  return is.param("dtype", member)
      .help("type of the matrices");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> layout(Description<Params>& is, Value Params::*member) {
  return is.param("layout", member)
      .help("order of storage of A and B, transposed or not; auto: as the provider multiplies this dtype fastest");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> batch(Description<Params>& is, Value Params::*member) {
  return is.param("batch", member)
      .help("products in one iteration, whose operations are added");
}

template <class Params>
MetricBuilder throughput(Description<Params>& is) {
  return is.rate("throughput", unit::flop_per_second)
      .counting("2·m·n·k operations")
      .summary("rate of multiplications and additions")
      .headline();
}

}  // namespace assay::contracts::gemm_1
