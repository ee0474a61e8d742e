// SPDX-License-Identifier: Apache-2.0
//
// In the place of cuda_fused_attention.cpp where the headers of cuDNN and of its frontend were not found.
#include "lib/model/cuda_fused_attention.hpp"

namespace assay::plugins::model {

std::unique_ptr<FusedAttention> FusedAttention::make(const Model&, std::size_t, std::string& why) {
  why =
      "this build knows no cuDNN: CMake found no cudnn_frontend.h (pip install nvidia-cudnn-frontend nvidia-cudnn)";
  return nullptr;
}

}  // namespace assay::plugins::model
