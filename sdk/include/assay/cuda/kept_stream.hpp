// SPDX-License-Identifier: Apache-2.0
//
// Streams that last as long as the process.
#pragma once

#include <assay/case.hpp>
#include <assay/cuda/device.hpp>
#include <assay/cuda/stream.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace assay::cuda {

// Stream `index` of a device, for all cases of a plugin in this process, made by the first that asks. Waits
// for nothing: whoever used it before waited for its work, or the process is replaced. Once some tens of
// kernels were launched in a second stream of a process, each kernel of its graphs takes 0.18 us longer from
// then on (H200, CUDA 13.0, an empty kernel 0.50 and then 0.68 us: tests/gpu/probes/graph_history.cu). Were
// every case to make a stream of its own, what a graph takes would depend on what ran before.
inline cudaStream_t kept_stream(const Case& run, const Device& device, std::uint32_t index = 0) {
  const std::string key =
      "stream " + std::to_string(index) + " of device " + std::to_string(device.ordinal());
  return run.keep<Stream>(key, [&] {
    device.make_current();
    return std::make_unique<Stream>();
  });
}

}  // namespace assay::cuda
