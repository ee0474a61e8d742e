// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/manifest.hpp"
#include "wire/messages.hpp"

namespace assay::wire {

// What a worker is told of the plugin that it is to load, and what that must still be. Of one rank, until the
// caller says otherwise.
[[nodiscard]] Load load_of(const catalog::Manifest& manifest);

}  // namespace assay::wire
