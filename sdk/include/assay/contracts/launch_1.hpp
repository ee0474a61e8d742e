// SPDX-License-Identifier: Apache-2.0
//
// The contract launch/1, for those who describe a provider of it: each function adds a parameter or a metric as the contract has it
// and gives its builder, so that a provider adds its own limits, mechanism and peak. Made from sdk/contracts/launch-1.json by ./dev docs.
#pragma once

#include <assay/description.hpp>
#include <assay/units.hpp>

// A line is as long as its sentence.
// clang-format off
namespace assay::contracts::launch_1 {

template <class Params>
Description<Params>& implement(Description<Params>& is) {
  return is.named("launch").implements("launch/1");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> cost(Description<Params>& is, Value Params::*member) {
  return is.param("cost", member)
      .help("operation that is timed; capture and what follows it are costs of graphs");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> mode(Description<Params>& is, Value Params::*member) {
  return is.param("mode", member)
      .help("way of launching: kernels one by one, or replayed as one graph");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> kernels(Description<Params>& is, Value Params::*member) {
  return is.param("kernels", member)
      .help("length of the chain");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> kernel(Description<Params>& is, Value Params::*member) {
  return is.param("kernel", member)
      .help("work of the kernel: none, waiting for kernel_time, or adding 1 to 64 KiB of integers");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> kernel_time(Description<Params>& is, Value Params::*member) {
  return is.param("kernel_time", member).unit(unit::seconds)
      .help("time of kernel: spin, by the device's own timer");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> streams(Description<Params>& is, Value Params::*member) {
  return is.param("streams", member)
      .help("number of streams that get kernels in turn");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> host_cost(Description<Params>& is, Value Params::*member) {
  return is.param("host_cost", member).unit(unit::seconds)
      .help("time for which the host is busy before each call that submits, as a framework would be");
}

template <class Params>
MetricBuilder interval(Description<Params>& is) {
  return is.duration("interval")
      .summary("time on the device for one kernel of the chain")
      .headline();
}

template <class Params>
MetricBuilder submission(Description<Params>& is) {
  return is.duration("submission")
      .summary("host time for submitting one kernel, while the device keeps up")
      .headline();
}

template <class Params>
MetricBuilder round_trip(Description<Params>& is) {
  return is.duration("round_trip")
      .summary("time from the first call for an idle device until the host sees the whole chain done")
      .headline();
}

template <class Params>
MetricBuilder capture(Description<Params>& is) {
  return is.duration("capture")
      .summary("host time for capturing one kernel into a graph")
      .headline();
}

template <class Params>
MetricBuilder instantiation(Description<Params>& is) {
  return is.duration("instantiation")
      .summary("host time for making a graph executable, for one kernel of it")
      .headline();
}

template <class Params>
MetricBuilder upload(Description<Params>& is) {
  return is.duration("upload")
      .summary("time from asking for a new graph's upload until it is on the device, for one kernel of it")
      .headline();
}

template <class Params>
MetricBuilder update(Description<Params>& is) {
  return is.duration("update")
      .summary("host time for giving a graph new parameters, for one kernel of it")
      .headline();
}

}  // namespace assay::contracts::launch_1
