// SPDX-License-Identifier: Apache-2.0
//
// A collective operation as calls of NCCL: queued, not waited for.
#pragma once

#include "collective/codes.hpp"
#include "collective/device_types.cuh"
#include "collective/operation.hpp"

#include <assay/nccl.hpp>

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <nccl.h>

namespace assay::plugins::collective {

inline ncclDataType_t nccl_type(DeviceType type) {
  switch (type) {
    case DeviceType::int8:
      return ncclInt8;
    case DeviceType::uint8:
      return ncclUint8;
    case DeviceType::int32:
      return ncclInt32;
    case DeviceType::uint32:
      return ncclUint32;
    case DeviceType::int64:
      return ncclInt64;
    case DeviceType::uint64:
      return ncclUint64;
    case DeviceType::fp16:
      return ncclFloat16;
    case DeviceType::bf16:
      return ncclBfloat16;
    case DeviceType::fp32:
      return ncclFloat32;
    // As numbers: headers of distributions are older than the library that is found at run time.
    case DeviceType::fp8_e4m3:
      return static_cast<ncclDataType_t>(10);  // ncclFloat8e4m3
    case DeviceType::fp8_e5m2:
      return static_cast<ncclDataType_t>(11);  // ncclFloat8e5m2
    case DeviceType::fp64:
      break;
  }
  return ncclFloat64;
}

inline ncclRedOp_t nccl_operator(Operator operation) {
  switch (operation) {
    case Operator::product:
      return ncclProd;
    case Operator::minimum:
      return ncclMin;
    case Operator::maximum:
      return ncclMax;
    case Operator::average:
      return ncclAvg;
    case Operator::sum:
      break;
  }
  return ncclSum;
}

struct NcclCall {
  Operation operation = Operation::all_reduce;
  Operator reduction = Operator::sum;
  DeviceType type = DeviceType::fp32;
  Counts counts;  // in elements
  int ranks = 0, root = 0;
};

namespace detail {

// Parts between every two ranks, or from and to the root: for libraries without functions of their own for
// it.
inline void queue_parts(const NcclCall& call, ncclComm_t communicator, int rank, const std::byte* send,
                        std::byte* receive, cudaStream_t stream) {
  const nccl::Library& nccl = nccl::Library::get();
  const ncclDataType_t type = nccl_type(call.type);
  const std::size_t part = call.counts.part, step = part * bytes_of(call.type);
  const bool all = call.operation == Operation::all_to_all;
  nccl::CallGroup group;
  for (int other = 0; other < call.ranks; ++other) {
    const std::size_t place = static_cast<std::size_t>(other) * step;
    const bool sends = all || (call.operation == Operation::scatter && rank == call.root) ||
                       (call.operation == Operation::gather && other == call.root);
    const bool receives = all || (call.operation == Operation::gather && rank == call.root) ||
                          (call.operation == Operation::scatter && other == call.root);
    if (sends) {
      const std::byte* from = call.operation == Operation::gather ? send : send + place;
      ASSAY_NCCL_CHECK(nccl.ncclSend(from, part, type, other, communicator, stream));
    }
    if (receives) {
      std::byte* to = call.operation == Operation::scatter ? receive : receive + place;
      ASSAY_NCCL_CHECK(nccl.ncclRecv(to, part, type, other, communicator, stream));
    }
  }
  group.end();
}

}  // namespace detail

// On the current device, whose rank in the communicator is `rank`.
inline void queue(const NcclCall& call, ncclComm_t communicator, int rank, const std::byte* send,
                  std::byte* receive, cudaStream_t stream) {
  const nccl::Library& nccl = nccl::Library::get();
  const ncclDataType_t type = nccl_type(call.type);
  const ncclRedOp_t reduction = nccl_operator(call.reduction);
  const auto [part, whole] = call.counts;
  switch (call.operation) {
    case Operation::all_reduce:
      ASSAY_NCCL_CHECK(nccl.ncclAllReduce(send, receive, whole, type, reduction, communicator, stream));
      return;
    case Operation::all_gather:
      ASSAY_NCCL_CHECK(nccl.ncclAllGather(send, receive, part, type, communicator, stream));
      return;
    case Operation::reduce_scatter:
      ASSAY_NCCL_CHECK(nccl.ncclReduceScatter(send, receive, part, type, reduction, communicator, stream));
      return;
    case Operation::broadcast:
      ASSAY_NCCL_CHECK(nccl.ncclBroadcast(send, receive, whole, type, call.root, communicator, stream));
      return;
    case Operation::reduce:
      ASSAY_NCCL_CHECK(
          nccl.ncclReduce(send, receive, whole, type, reduction, call.root, communicator, stream));
      return;
    case Operation::all_to_all:
#if NCCL_VERSION_CODE >= 22800
      if (nccl.ncclAlltoAll) {
        ASSAY_NCCL_CHECK(nccl.ncclAlltoAll(send, receive, part, type, communicator, stream));
        return;
      }
#endif
      detail::queue_parts(call, communicator, rank, send, receive, stream);
      return;
    case Operation::gather:
#if NCCL_VERSION_CODE >= 22800
      if (nccl.ncclGather) {
        ASSAY_NCCL_CHECK(nccl.ncclGather(send, receive, part, type, call.root, communicator, stream));
        return;
      }
#endif
      detail::queue_parts(call, communicator, rank, send, receive, stream);
      return;
    case Operation::scatter:
#if NCCL_VERSION_CODE >= 22800
      if (nccl.ncclScatter) {
        ASSAY_NCCL_CHECK(nccl.ncclScatter(send, receive, part, type, call.root, communicator, stream));
        return;
      }
#endif
      detail::queue_parts(call, communicator, rank, send, receive, stream);
      return;
    case Operation::send_recv: {
      nccl::CallGroup group;
      ASSAY_NCCL_CHECK(nccl.ncclSend(send, whole, type, (rank + 1) % call.ranks, communicator, stream));
      ASSAY_NCCL_CHECK(
          nccl.ncclRecv(receive, whole, type, (rank + call.ranks - 1) % call.ranks, communicator, stream));
      group.end();
      return;
    }
  }
}

}  // namespace assay::plugins::collective
