// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda/nvml.hpp"
#include "cuda/telemetry.hpp"

#include <assay/backend.hpp>

#include <functional>
#include <vector>

namespace assay::plugins::cuda {

// Facts of a GPU, each of which tells itself to the device of an inventory.
using BoardFacts = std::vector<std::function<void(assay::InventoryDevice&)>>;

// What the management library knows about the board; `known` gives the other ends of its links their names.
[[nodiscard]] BoardFacts facts_of(const Nvml& nvml, Nvml::Handle gpu, const std::vector<Watched>& known);

}  // namespace assay::plugins::cuda
