// SPDX-License-Identifier: Apache-2.0
//
// What stages on GPUs tell each other beside the data of a message: kernels of one thread, that count and look.
#pragma once

#include "pipeline/tag.hpp"

#include <cstdint>
#include <cuda_runtime_api.h>

namespace assay::plugins::pipeline {

// Queues waiting until *told + ahead > *count, or *abort is not 0, which the host writes.
void queue_wait(cudaStream_t stream, const std::uint64_t* told, const std::uint64_t* count,
                std::uint64_t ahead, const std::uint32_t* abort);

// Queue, behind the copy of a message: its tag is written, of a step that counts from 1; or it is kept. Then *count goes
// up by one, and *told becomes it; both are null where nobody is told.
void queue_publish(cudaStream_t stream, const std::uint64_t* step, std::uint32_t micro, std::uint32_t from,
                   Tag* tag, std::uint64_t* count, std::uint64_t* told);
void queue_take(cudaStream_t stream, const Tag* tag, Tag* arrival, std::uint64_t* count, std::uint64_t* told);

}  // namespace assay::plugins::pipeline
