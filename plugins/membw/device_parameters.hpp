// SPDX-License-Identifier: Apache-2.0
//
// What sweeps over a GPU's memory can be told, and what they say of themselves.
#pragma once

#include <assay/contracts/membw_1.hpp>
#include <assay/cuda/benchmark.hpp>
#include <assay/description.hpp>
#include <assay/units.hpp>

#include <cstdint>

namespace assay::plugins::membw {

enum class DeviceKernel { read, write, copy, scale, add, triad, dot, random, latency, memcpy };

struct DeviceParameters {
  DeviceKernel kernel = DeviceKernel::triad;
  std::uint64_t bytes = 4 * kGiB;
};

inline void describe(Description<DeviceParameters>& is) {
  namespace contract = assay::contracts::membw_1;
  contract::implement(is).revision(1);
  is.summary("bandwidth of STREAM's kernels, and load latency, of a GPU's memory and caches");
  is.doc(
      "Bytes are counted as STREAM counts them. With `cache: rotating`, and where the suite leaves it open, "
      "no pass finds its arrays in the cache: they are at least five times as large, or there are so many of "
      "them. With `cache: hot` the same arrays are swept again and again; where they are together smaller "
      "than four times the L2 cache the rate is called `cache_bandwidth`. One launch holds as many passes as "
      "fill about 10 ms, so that launches cost nothing; with several buffer sets, and with `cache: cold`, it "
      "is one. Blocks and what each thread moves are chosen by a short search before the first sample; the "
      "fact `launch_shape` says what won.");
  contract::kernel(is, &DeviceParameters::kernel)
      .choices({{"read", DeviceKernel::read},
                {"write", DeviceKernel::write},
                {"copy", DeviceKernel::copy},
                {"scale", DeviceKernel::scale},
                {"add", DeviceKernel::add},
                {"triad", DeviceKernel::triad},
                {"dot", DeviceKernel::dot},
                {"random", DeviceKernel::random},
                {"latency", DeviceKernel::latency},
                {"memcpy", DeviceKernel::memcpy}});
  contract::bytes(is, &DeviceParameters::bytes)
      .range(4096, std::uint64_t{1} << 42)
      .help("size of each array; a multiple of 128");
  contract::bandwidth(is).mechanism("kernels; memcpy: the driver's copy").peak("memory_bandwidth");
  contract::cache_bandwidth(is)
      .mechanism("kernels; memcpy: the driver's copy")
      .summary("rate on arrays that stay in the L2 cache, or partly do");
  contract::latency(is);
  is.value("cycles", unit::one)
      .lower_is_better()
      .summary(
          "cycles of a multiprocessor's clock for one load, after "
          "one pass or 2^18 loads that are not counted");
  is.fact("launch_shape", "blocks, and what a thread of theirs moves; the winner of a short search");
  is.fact("passes", "number of times that one launch goes over the arrays");
  is.fact("working_set", "size of all arrays, and how it compares to the L2 cache");
  cuda::support_conditions(is);
}

}  // namespace assay::plugins::membw
