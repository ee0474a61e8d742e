// SPDX-License-Identifier: Apache-2.0
//
// What a broadcast to GPUs can be told, and what it says of itself.
#pragma once

#include "broadcast/parameters.hpp"
#include "broadcast/schedule.hpp"
#include "lib/host_memory.hpp"

#include <assay/description.hpp>
#include <assay/units.hpp>

#include <cstdint>

namespace assay::plugins::broadcast {

// What the plan is, or that what arrives at the root in chunks is passed on by a library.
enum class Choice { direct, direct_parallel, relay, pipelined, scatter_allgather, collective };

inline constexpr std::uint32_t kMostDevices = 64;

struct DeviceParameters {
  Choice strategy = Choice::pipelined;
  Shape shape = Shape::star;
  std::uint64_t bytes = 256 * kMiB;
  std::uint64_t chunk = 16 * kMiB;
  HostMemoryKind memory = HostMemoryKind::pinned;
  std::uint32_t root = 0;
};

inline void describe(Description<DeviceParameters>& is) {
  contract::implement(is).revision(2);
  is.summary("one payload from the host's memory to every GPU of a case");
  is.doc(
      "One process copies to all devices of the case by their copy engines. Each route between two places has "
      "a stream of its own, and copies that need each other are chained by events, across devices, without "
      "the host. An iteration is timed by events of the first device: it begins before the first copy of any "
      "device and ends after the last of all. `relay` as a star sends to one after the other, all else "
      "passes on at the same time. In `scatter_allgather` every GPU takes its share of the payload over its "
      "own link to the host and passes each chunk on to all others while the next one arrives. `collective` "
      "is `pipelined` with NCCL's broadcast in place of the copies from the root; with a chunk as large as "
      "the payload it broadcasts the whole.\n\n"
      "`lower_bound` is computed from single copies, and from what copies of one GPU to several others at "
      "the same time take: both measured before the samples and after them. Of `collective` it is the copy "
      "to the root alone, because NCCL's kernels are not copies. A copy of pageable memory is a "
      "processor's work, whose rate bounds nothing: the bound is then that of the link, from copies of "
      "page-locked memory. Such copies keep the calling thread busy: `direct_parallel` and "
      "`scatter_allgather` then have a thread for each device.");
  contract::strategy(is, &DeviceParameters::strategy)
      .choices({{"direct", Choice::direct},
                {"direct_parallel", Choice::direct_parallel},
                {"relay", Choice::relay},
                {"pipelined", Choice::pipelined},
                {"scatter_allgather", Choice::scatter_allgather},
                {"collective", Choice::collective}});
  describe_shape(is);
  contract::bytes(is, &DeviceParameters::bytes).range(1, std::uint64_t{1} << 42);
  contract::chunk(is, &DeviceParameters::chunk)
      .range(4096, std::uint64_t{1} << 42)
      .help(
          "size of what travels at once, of pipelined, "
          "scatter_allgather and collective; a multiple of 64");
  contract::memory(is, &DeviceParameters::memory)
      .choices({{"pinned", HostMemoryKind::pinned},
                {"pageable", HostMemoryKind::pageable},
                {"registered", HostMemoryKind::registered}});
  contract::root(is, &DeviceParameters::root)
      .range(0, kMostDevices - 1)
      .help("the device, by its place in the case, that gets the payload first and passes it on");
  describe_metrics(is, "copy engines; with strategy collective also NCCL's kernels");
  contract::link_bandwidth(is);
  is.fact("copies", "number of copies and of their routes, and the size of the first");
  is.fact("timeline", "number of copies that became spans, where not all did");
  is.fact("memory_node", "NUMA nodes on which the source lies");
  is.fact("library", "library that passes data on for collective, and its version");
  is.fact("peer_access",
          "path of copies between devices: direct, or through the host's memory; NCCL chooses itself");
  is.supports({Launch::stream, Launch::gated, Launch::graph});
  is.supports({Cache::hot});
  is.devices(1, 0);
}

}  // namespace assay::plugins::broadcast
