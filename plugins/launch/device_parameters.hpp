// SPDX-License-Identifier: Apache-2.0
//
// What chains of kernels can be told, and what they say of themselves.
#pragma once

#include "launch/chain.cuh"

#include <assay/contracts/launch_1.hpp>
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
  namespace contract = assay::contracts::launch_1;
  contract::implement(is).revision(1);
  is.summary("what launching kernels costs on a GPU, one by one and as a graph");
  is.own_process();  // kernels of a graph take 0.50 or 0.68 us on an H200 by what its process did before
  is.doc(
      "One iteration is one chain of `kernels` kernels: launched one by one (`eager`), or replayed as one "
      "graph. `interval` is timed by events over samples of at least 5 ms; the other costs by the host's "
      "clock around the calls alone. All are for one kernel of the chain; `round_trip` is for the whole "
      "chain. With `host_cost` the host is busy for so long before each call that submits: each kernel, or "
      "each replay of the graph.");
  contract::cost(is, &DeviceParameters::cost)
      .choices({{"interval", Cost::interval},
                {"submission", Cost::submission},
                {"round_trip", Cost::round_trip},
                {"capture", Cost::capture},
                {"instantiation", Cost::instantiation},
                {"upload", Cost::upload},
                {"update", Cost::update}});
  contract::mode(is, &DeviceParameters::mode).choices({{"eager", Mode::eager}, {"graph", Mode::graph}});
  contract::kernels(is, &DeviceParameters::kernels).range(1, 100000);
  contract::kernel(is, &DeviceParameters::kernel)
      .choices({{"empty", Kernel::empty}, {"spin", Kernel::spin}, {"add", Kernel::add}});
  contract::kernel_time(is, &DeviceParameters::kernel_time).range(0, 1e-3);
  contract::streams(is, &DeviceParameters::streams).range(1, 64);
  contract::host_cost(is, &DeviceParameters::host_cost).range(0, 1e-2);
  contract::interval(is);
  contract::submission(is);
  contract::round_trip(is);
  contract::capture(is);
  contract::instantiation(is);
  contract::upload(is);
  contract::update(is);
  is.fact("graph", "nodes of the graph that was captured");
  is.supports({Cache::hot});
}

}  // namespace assay::plugins::launch
