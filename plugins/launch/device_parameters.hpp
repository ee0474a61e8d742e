// SPDX-License-Identifier: Apache-2.0
//
// What chains of kernels can be told, and what they say of themselves.
#pragma once

#include "launch/chain.cuh"

#include <assay/description.hpp>
#include <assay/units.hpp>

#include <cstdint>

namespace assay::plugins::launch {

enum class Cost { interval, submission, round_trip, capture, instantiation, upload, update };
enum class Mode { eager, graph };

struct DeviceParameters {
  Cost cost = Cost::interval;
  Mode mode = Mode::eager;
  std::uint32_t kernels = 1000;
  Kernel kernel = Kernel::empty;
  double kernel_time = 10e-6;
  std::uint32_t streams = 1;
  double host_cost = 0;
};

inline void describe(Description<DeviceParameters>& is) {
  is.named("launch").implements("launch/1").revision(1);
  is.summary("what launching kernels costs on a GPU, one by one and as a graph");
  is.own_process();  // kernels of a graph take 0.50 or 0.68 us on an H200 by what its process did before
  is.doc(
      "One iteration is one chain of `kernels` kernels: launched one by one (`eager`), or replayed as one "
      "graph. `interval` is timed by events over samples of at least 5 ms; the other costs by the host's "
      "clock around the calls alone. All are for one kernel of the chain; `round_trip` is for the whole "
      "chain. With `host_cost` the host is busy for so long before each call that submits: each kernel, or "
      "each replay of the graph.");
  is.param("cost", &DeviceParameters::cost)
      .choices({{"interval", Cost::interval},
                {"submission", Cost::submission},
                {"round_trip", Cost::round_trip},
                {"capture", Cost::capture},
                {"instantiation", Cost::instantiation},
                {"upload", Cost::upload},
                {"update", Cost::update}})
      .help("what is timed; capture and what follows it are costs of graphs");
  is.param("mode", &DeviceParameters::mode)
      .choices({{"eager", Mode::eager}, {"graph", Mode::graph}})
      .help("kernels launched one by one, or replayed as one graph");
  is.param("kernels", &DeviceParameters::kernels).range(1, 100000).help("length of the chain");
  is.param("kernel", &DeviceParameters::kernel)
      .choices({{"empty", Kernel::empty}, {"spin", Kernel::spin}, {"add", Kernel::add}})
      .help("does nothing; lasts for kernel_time; adds 1 to 64 KiB of integers");
  is.param("kernel_time", &DeviceParameters::kernel_time)
      .unit(unit::seconds)
      .range(0, 1e-3)
      .help("of kernel: spin, by the device's own timer");
  is.param("streams", &DeviceParameters::streams).range(1, 64).help("kernels go to so many streams in turn");
  is.param("host_cost", &DeviceParameters::host_cost)
      .unit(unit::seconds)
      .range(0, 1e-2)
      .help("the host is busy for so long before each call that submits, as a framework would be");
  is.duration("interval").summary("time on the device for one kernel of the chain").headline();
  is.duration("submission")
      .summary("host time for submitting one kernel, while the device keeps up")
      .headline();
  is.duration("round_trip")
      .summary("from the first call for an idle device until the host sees the whole chain done")
      .headline();
  is.duration("capture").summary("host time for capturing one kernel into a graph").headline();
  is.duration("instantiation")
      .summary("host time for making a graph executable, for one kernel of it")
      .headline();
  is.duration("upload")
      .summary("from asking for a new graph's upload until it is on the device, for one kernel of it")
      .headline();
  is.duration("update")
      .summary("host time for giving a graph new parameters, for one kernel of it")
      .headline();
  is.fact("graph", "nodes of the graph that was captured");
  is.honours({Cache::hot});
}

}  // namespace assay::plugins::launch
