// SPDX-License-Identifier: Apache-2.0
//
// What copies and loads between GPUs can be told, and what they say of themselves.
#pragma once

#include "p2p/copy_roles.hpp"
#include "p2p/device_copies.cuh"
#include "p2p/schedule.hpp"

#include <assay/contracts/p2p_1.hpp>
#include <assay/description.hpp>
#include <assay/units.hpp>

#include <cstdint>

namespace assay::plugins::p2p {

struct DeviceParameters {
  Direction direction = Direction::read;
  std::uint64_t bytes = 512 * kMiB;
  Engine engine = Engine::copy;
  Traffic pattern = Traffic::pair;
  bool peer_access = true;
};

inline void describe(Description<DeviceParameters>& is) {
  namespace contract = assay::contracts::p2p_1;
  contract::implement(is).revision(1);
  is.summary("copies between GPUs, and the latency of loads from another GPU's memory");
  is.doc(
      "Two devices are one pair, from the first to the second: `devices: pairs` makes a case of each "
      "ordered pair. Of more devices (`devices: all`) every ordered pair is measured, one after the other, "
      "and the headline is all bytes over all the time; the indices of matrices are places in the case's "
      "list of devices, from 0. With the other patterns all transfers go at once, `bandwidth` is the sum "
      "of them, and a cell of the matrix is what one of them got. With `direction: both` each device "
      "pushes what it sends. With `engine: collective`, NCCL's send and receive, both sides work together, "
      "so `read` and `write` are the same. `latency` is by the device where the bytes arrive, in one "
      "random cycle through `bytes` of the other one's memory, one node per 128 bytes: 2 MiB come from the "
      "other device's L2, many more from its memory.");
  contract::direction(is, &DeviceParameters::direction)
      .choices({{"read", Direction::read},
                {"write", Direction::write},
                {"both", Direction::both},
                {"latency", Direction::latency}})
      .help(
          "side that moves the data: the destination pulls, the source pushes, both ways at "
          "once; latency: a kernel follows pointers in the other device's memory");
  contract::bytes(is, &DeviceParameters::bytes)
      .range(16, std::uint64_t{1} << 42)
      .help(
          "size of one copy, a multiple of 16; or of the memory "
          "that latency goes through, a multiple of 128");
  contract::engine(is, &DeviceParameters::engine)
      .choices({{"copy", Engine::copy}, {"kernel", Engine::kernel}, {"collective", Engine::collective}})
      .help(
          "mechanism that moves the data: copy engines, loads and stores of a "
          "kernel, or NCCL's send and receive; latency uses none");
  contract::pattern(is, &DeviceParameters::pattern)
      .choices({{"pair", Traffic::pair},
                {"ring", Traffic::ring},
                {"all_to_one", Traffic::all_to_one},
                {"one_to_all", Traffic::one_to_all},
                {"bisection", Traffic::bisection}})
      .help("devices that work at once; latency is measured pair by pair");
  contract::peer_access(is, &DeviceParameters::peer_access)
      .help(
          "use of direct access between devices, for engine: copy; false: "
          "through the host's memory, even where devices reach each other");
  contract::bandwidth(is).mechanism("as the parameter engine says");
  is.rate("one_way_bandwidth", unit::bytes_per_second)
      .counting("each byte that moves, once")
      .flow("one way")
      .mechanism("as the parameter engine says")
      .peak("link_bandwidth")
      .summary("the bandwidth of two devices by themselves, one way: to be compared with what links can do");
  contract::latency(is).summary("time of one load from another device whose address the load before it gave");
  contract::bandwidth_matrix(is).summary(
      "rate from the first index to the second, median of the latest samples");
  contract::latency_matrix(is).summary(
      "latency of loads by the second index from memory of "
      "the first, median of the latest samples");
  contract::directions(is).summary(
      "rate of each way with direction both and pattern pair, "
      "from the lower index to the higher first");
  is.fact("pairs", "pairs that are measured");
  is.fact("links", "links between the devices that are measured, as the driver describes them");
  is.fact("path", "path of copies: direct, through the host, or as NCCL chooses");
  is.fact("launch_shape", "blocks of a copying kernel, and what a thread of theirs has under way");
  is.fact("nccl", "version of NCCL");
  is.supports({Launch::stream, Launch::gated, Launch::graph});
  is.supports({Cache::hot, Cache::rotating});
  is.ranks(1, 1).devices(2, 0);
}

}  // namespace assay::plugins::p2p
