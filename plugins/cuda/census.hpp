// SPDX-License-Identifier: Apache-2.0
//
// The GPUs that PCI, the driver, NVML and CUDA know, against each other: a board that is lost between two of
// them is missed by none who looks at one only.
#pragma once

#include "cuda/bus.hpp"
#include "cuda/driver.hpp"
#include "cuda/nvml.hpp"

#include <assay/backend.hpp>

#include <optional>
#include <string>
#include <vector>

namespace assay::plugins::cuda {

struct Sources {
  Kernel kernel;
  std::optional<std::vector<Nvml::Board>> managed;  // by NVML; no value: it does not tell
  std::vector<CudaDevice> shown;                    // by CUDA
  std::optional<std::string> visible;               // CUDA_VISIBLE_DEVICES, if it is set
};

// A board that CUDA does not show whole is missing, unless somebody asked for that: CUDA_VISIBLE_DEVICES, a
// container that was not given it, a control group that forbids it.
[[nodiscard]] assay::Census census_of(const Sources& sources);

}  // namespace assay::plugins::cuda
