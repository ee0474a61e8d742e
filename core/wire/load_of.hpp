// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/manifest.hpp"
#include "wire/messages.hpp"

namespace assay::wire {

// The first message to a worker: the plugin to load, and the stamps that the library must still have. For one rank,
// unless the caller changes that.
[[nodiscard]] Load load_of(const catalog::Manifest& manifest);

}  // namespace assay::wire
