// SPDX-License-Identifier: Apache-2.0
//
// The memory of all ranks' GPUs, as each rank sees it: every process opens what the others export.
#pragma once

#include "lib/rank_memory.hpp"

#include <assay/case.hpp>
#include <assay/cuda/device.hpp>
#include <assay/cuda/error.hpp>
#include <assay/errors.hpp>
#include <assay/group.hpp>

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <string>
#include <vector>

namespace assay::plugins::pipeline {

class PeerMemories {
 public:
  // All ranks call it, each with a piece of memory that cudaMalloc gave. Throws Skip on all of them where one cannot open
  // another's. `closed` is a count for each rank in memory that all have mapped.
  PeerMemories(const Case& run, const Group& group, const cuda::Device& device, std::byte* mine,
               RankProgress* closed)
      : run_(run), group_(group), closed_(closed), memories_(group.size()) {
    if (group.node_count() > 1)
      throw Skip(
          "stages on GPUs hand over by copies into each other's memory, and the case has ranks on several nodes");
    device.make_current();
    struct Exported {
      cudaIpcMemHandle_t handle;
      cudaError_t error;
    } exported{};
    exported.error = cudaIpcGetMemHandle(&exported.handle, mine);
    const std::vector<Exported> all = group.allgather(exported);
    Fault fault;
    for (std::uint32_t rank = 0; rank < group.size(); ++rank) {
      if (all[rank].error != cudaSuccess) {
        fault = {all[rank].error, rank};
      } else if (rank == group.rank()) {
        memories_[rank] = mine;
      } else {
        open(all[rank].handle, rank, fault);
      }
    }
    cudaGetLastError();  // which would be told again
    // Nobody goes on alone.
    for (const Fault& each : group.allgather(fault))
      if (each.error != cudaSuccess && fault.error == cudaSuccess) fault = each;
    if (fault.error == cudaSuccess) return;
    close();
    throw Skip(
        "a GPU cannot reach the memory of rank " + std::to_string(fault.rank) +
        "'s: " + cuda::error_text(fault.error, "cudaIpcOpenMemHandle") +
        "; stages hand over by copies into each other's memory (CUDA IPC), which takes NVLink or PCIe between the "
        "GPUs, and one IPC namespace");
  }
  PeerMemories(const PeerMemories&) = delete;  // it is closed once
  PeerMemories& operator=(const PeerMemories&) = delete;
  // Memory must not be freed that another process has open: waits for the others for a while.
  ~PeerMemories() {
    close();
    closed_[group_.rank()].raise(1);
    constexpr std::int64_t kPatience_ns = 2'000'000'000;
    const std::int64_t end_ns = run_.now_ns() + kPatience_ns;
    for (std::uint32_t rank = 0; rank < group_.size(); ++rank) {
      try {
        closed_[rank].wait_for(1, 0, [&] { return run_.cancelled() || run_.now_ns() > end_ns; });
      } catch (const Cancelled&) {
        return;  // whoever has not closed it by now ends with the visit
      }
    }
  }

  // Of each rank.
  const std::vector<std::byte*>& all() const { return memories_; }

 private:
  struct Fault {
    cudaError_t error = cudaSuccess;
    std::uint32_t rank = 0;
  };

  void open(const cudaIpcMemHandle_t& handle, std::uint32_t rank, Fault& fault) {
    void* memory = nullptr;
    const cudaError_t code = cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess);
    if (code != cudaSuccess) fault = {code, rank};
    memories_[rank] = code == cudaSuccess ? static_cast<std::byte*>(memory) : nullptr;
  }
  void close() {
    for (std::uint32_t rank = 0; rank < memories_.size(); ++rank) {
      if (rank != group_.rank() && memories_[rank] != nullptr) cudaIpcCloseMemHandle(memories_[rank]);
      memories_[rank] = nullptr;
    }
  }

  const Case& run_;
  const Group& group_;
  RankProgress* closed_;
  std::vector<std::byte*> memories_;
};

}  // namespace assay::plugins::pipeline
