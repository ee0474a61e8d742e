// SPDX-License-Identifier: Apache-2.0
//
// How the kernels of a chain are spread over streams: in turn, kernel k goes to stream k % streams.
#pragma once

#include <cstdint>

namespace assay::plugins::launch {

// Kernels of a chain that stream `stream` gets.
constexpr std::uint32_t kernels_of(std::uint32_t stream, std::uint32_t kernels, std::uint32_t streams) {
  return kernels / streams + (stream < kernels % streams ? 1 : 0);
}

// Device operations behind a stream at the most: more, and submitting waits for the device.
inline constexpr std::uint32_t kQueueLimit = 512;

// Chains that can be submitted one after another without a wait; 0 if one alone is too long.
constexpr std::uint32_t chains_without_wait(std::uint32_t operations_of_one) {
  return operations_of_one == 0 ? kQueueLimit : kQueueLimit / operations_of_one;
}

}  // namespace assay::plugins::launch
