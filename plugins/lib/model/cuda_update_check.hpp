// SPDX-License-Identifier: Apache-2.0
//
// Was the first update of parameters made as its formula says? Update::check_first() for arrays on a GPU.
#pragma once

#include "lib/model/cuda_gradient_check.hpp"
#include "lib/model/cuda_inputs.hpp"

#include <assay/cuda/device.hpp>
#include <assay/verification.hpp>

#include <cuda_runtime_api.h>

namespace assay::plugins::model {

// Holds up to 262,144 parameters, and what AdamW keeps of them, to the formula of an update of parameters that were as
// draw_parameters() writes them. Numbers of parameters count from 0, whatever the first tensor's offset. Waits for the
// stream.
void check_first_update(const cuda::Device& device, cudaStream_t stream, const DeviceInputs& inputs,
                        const CudaState& state, Verification& seen);

}  // namespace assay::plugins::model
